import Glibc
import Subprocess
import SystemPackage

/// The result of a program that has run to its end.
///
/// ```swift
/// let result = try await ChildProcess.run("psql", ["--version"], environment: ["PATH": "/usr/bin"])
/// print(result.output)
/// ```
package struct ChildProcess: Sendable {
    /// The exit status, or 128 plus the number of the signal that ended the program, as in a shell.
    package let status: Int32
    package let output: String
    package let errors: String

    /// Runs a program and collects what it writes. Cancelling the task kills the program.
    ///
    /// - Parameters:
    ///   - executable: a path, or a name that is looked up in the `PATH` of `environment`.
    ///   - input: the whole standard input. The program may exit without reading it.
    ///   - environment: replaces the environment of this process.
    /// - Throws: `SubprocessError` when the program cannot be started; `Errno` when the temporary file for the input
    ///   cannot be written.
    package static func run(
        _ executable: String, _ arguments: [String], input: String = "", environment: [String: String]
    ) async throws -> ChildProcess {
        let configuration = Configuration(executable, arguments, environment: environment)
        guard !input.isEmpty else {
            let result = try await Subprocess.run(
                configuration, output: .string(limit: .max), error: .string(limit: .max))
            return ChildProcess(
                status: result.terminationStatus.shellStatus, output: result.standardOutput,
                errors: result.standardError)
        }
        let file = try unnamedFile(holding: Array(input.utf8))
        defer { try? file.close() }
        let result = try await Subprocess.run(
            configuration, input: .fileDescriptor(file, closeAfterSpawningProcess: false),
            output: .string(limit: .max), error: .string(limit: .max))
        return ChildProcess(
            status: result.terminationStatus.shellStatus, output: result.standardOutput, errors: result.standardError)
    }

    /// A temporary file that holds `bytes`, without a name and read from its start.
    ///
    /// The input is not a pipe. A program may end before it has read all of one: its writer then gets SIGPIPE, and
    /// Subprocess sometimes did not notice that the program had ended.
    static func unnamedFile(holding bytes: [UInt8]) throws -> FileDescriptor {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var name = Array((folder + "/learntrack-XXXXXX").utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        unlink(name)
        let file = FileDescriptor(rawValue: descriptor)
        do {
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw Errno(rawValue: errno) }
            try file.writeAll(bytes)
            try file.seek(offset: 0, from: .start)
            return file
        } catch {
            try? file.close()
            throw error
        }
    }
}

extension Configuration {
    /// A program in a process group of its own, so that an interrupt typed at the terminal reaches this process only,
    /// which then stops its children in the right order.
    ///
    /// The working directory is `/`, because the system user `postgres` may not enter the present one.
    init(_ executable: String, _ arguments: [String], environment: [String: String]) {
        var options = PlatformOptions()
        options.processGroupID = 0
        self.init(
            executable: executable.contains("/") ? .path(FilePath(executable)) : .name(executable),
            arguments: Arguments(arguments),
            environment: .custom(
                Dictionary(uniqueKeysWithValues: environment.map { (Environment.Key(stringLiteral: $0), $1) })),
            workingDirectory: "/", platformOptions: options)
    }
}

extension TerminationStatus {
    /// The exit status, or 128 plus the number of the signal.
    var shellStatus: Int32 {
        switch self {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
    }
}
