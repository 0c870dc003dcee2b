import Glibc

/// A password from whoever runs the command: the first line of standard input, or typed blind at a terminal.
enum PasswordPrompt {
    static func read(for email: String) throws -> String {
        guard isatty(STDIN_FILENO) == 1 else {
            guard let line = readLine(strippingNewline: true), !line.isEmpty else {
                throw Failure("the password is expected on standard input")
            }
            return line
        }
        let password = try ask("Password for \(email): ")
        guard try ask("Once more: ") == password else { throw Failure("these are two different passwords") }
        return password
    }

    private static func ask(_ question: String) throws -> String {
        var shown = termios()
        guard tcgetattr(STDIN_FILENO, &shown) == 0 else { throw Failure("this terminal cannot hide what is typed") }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        // On standard error, so that the answer on standard output stays clean.
        write(question, to: STDERR_FILENO)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
            write("\n", to: STDERR_FILENO)
        }
        guard let answer = readLine(strippingNewline: true) else { throw Failure("no password given") }
        return answer
    }
}
