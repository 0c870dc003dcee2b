import Subprocess
import SystemPackage

/// A program that makes bytes of bytes: what it writes of what it reads.
package enum ByteFilter {
    /// Runs a program to its end. What it says on standard error is lost. Cancelling the task kills the program.
    ///
    /// - Parameters:
    ///   - executable: a path, or a name that is looked up in the `PATH` of `environment`.
    ///   - input: the whole standard input. The program may exit without reading it.
    ///   - limit: the most bytes that it may write.
    ///   - environment: replaces the environment of this process.
    /// - Returns: the exit status, or 128 plus the number of the signal that ended the program, and what it wrote.
    /// - Throws: `SubprocessError` when the program cannot be started or writes more; `Errno` when the temporary file for the
    ///   input cannot be written.
    package static func run(
        _ executable: String, _ arguments: [String], input: [UInt8], upTo limit: Int, environment: [String: String]
    ) async throws -> (status: Int32, output: [UInt8]) {
        let file = try ChildProcess.unnamedFile(holding: input)
        defer { try? file.close() }
        let result = try await Subprocess.run(
            Configuration(executable, arguments, environment: environment),
            input: .fileDescriptor(file, closeAfterSpawningProcess: false), output: .bytes(limit: limit),
            error: .discarded)
        return (result.terminationStatus.shellStatus, result.standardOutput)
    }
}
