import Glibc
import Subprocess
import SystemPackage

/// A program that takes over the terminal of this process until it ends, such as an interactive client.
package enum ForegroundProgram {
    /// Runs a program on the standard streams of this process.
    ///
    /// An interrupt that is typed meanwhile is for the program: this process ignores it.
    ///
    /// - Parameters:
    ///   - executable: a path, or a name that is looked up in the `PATH` of `environment`.
    ///   - environment: replaces the environment of this process.
    /// - Returns: the exit status, or 128 plus the number of the signal that ended the program.
    /// - Throws: `SubprocessError` when the program cannot be started.
    package static func run(
        _ executable: String, _ arguments: [String], environment: [String: String]
    ) async throws -> Int32 {
        var configuration = Configuration(executable, arguments, environment: environment)
        // The program is in the process group that the terminal listens to, and in the folder of its user.
        configuration.platformOptions = PlatformOptions()
        configuration.workingDirectory = nil
        let before = signal(SIGINT, SIG_IGN)
        defer { signal(SIGINT, before) }
        let result = try await Subprocess.run(
            configuration,
            input: .fileDescriptor(.standardInput, closeAfterSpawningProcess: false),
            output: .fileDescriptor(.standardOutput, closeAfterSpawningProcess: false),
            error: .fileDescriptor(.standardError, closeAfterSpawningProcess: false))
        return result.terminationStatus.shellStatus
    }
}
