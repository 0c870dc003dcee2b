import Glibc

/// Writes a line to standard output without buffering, so that a program that reads from a pipe gets it at once.
package func printLine(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }

/// Writes all of `text`. Stops when the reader has closed its end, as in `learntrack user list | head`.
func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}

/// Writes all of `bytes`.
///
/// - Throws: `CommandError` when they cannot be written: the result of the command would be incomplete.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { throw CommandError("cannot write: \(String(cString: strerror(errno)))") }
        rest = rest.dropFirst(count)
    }
}

extension String {
    package func padding(toWidth width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}

/// Asks at the terminal before something that cannot be undone.
///
/// - Parameters:
///   - question: ends before the answers that are offered.
///   - isGiven: whether `--yes` has answered it.
///   - refusal: the error when standard input is no terminal.
/// - Throws: `CommandError` unless the answer is yes.
func confirm(_ question: String, isGiven: Bool, orRefuse refusal: String) throws {
    guard !isGiven else { return }
    guard isatty(STDIN_FILENO) == 1 else { throw CommandError(refusal) }
    write("\(question) [yes/no] ", to: STDERR_FILENO)
    guard readLine() == "yes" else { throw CommandError("nothing was changed") }
}

/// Reads a password: the first line of standard input, or at a terminal what is typed, which is not shown.
enum PasswordPrompt {
    static func read(for email: String) throws -> String {
        guard isatty(STDIN_FILENO) == 1 else {
            guard let line = readLine(strippingNewline: true), !line.isEmpty else {
                throw CommandError("the password is expected on standard input")
            }
            return line
        }
        let password = try ask("Password for \(email): ")
        guard try ask("Once more: ") == password else { throw CommandError("the two passwords are different") }
        return password
    }

    private static func ask(_ question: String) throws -> String {
        var shown = termios()
        guard tcgetattr(STDIN_FILENO, &shown) == 0 else {
            throw CommandError("this terminal cannot hide what is typed")
        }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        // On standard error, so that standard output holds the result only.
        write(question, to: STDERR_FILENO)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
            write("\n", to: STDERR_FILENO)
        }
        guard let answer = readLine(strippingNewline: true) else { throw CommandError("no password was given") }
        return answer
    }
}
