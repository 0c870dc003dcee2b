package import Glibc
import Subprocess
import SystemPackage

/// A program that runs beside this process.
///
/// It keeps running when the last reference to this value goes. To stop it, send a signal to ``id`` before
/// ``waitForEnd()`` has returned.
package final class BackgroundProcess: Sendable {
    package let id: Glibc.pid_t
    private let run: Task<Int32, Never>

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - executable: a path, or a name that is looked up in the `PATH` of `environment`.
    ///   - input: the descriptor that becomes its standard input; it remains the caller's. nil: `/dev/null`.
    ///   - log: the file to which it appends its standard output and standard error; is created with mode 0600 when
    ///     missing. nil: `/dev/null`.
    ///   - environment: replaces the environment of this process.
    /// - Throws: `SubprocessError` when the program cannot be started, `Errno` when the log cannot be opened.
    package static func start(
        _ executable: String, _ arguments: [String], input: Int32? = nil, log: String? = nil,
        environment: [String: String]
    ) async throws -> BackgroundProcess {
        let configuration = Configuration(executable, arguments, environment: environment)
        let silence = try FileDescriptor.open("/dev/null", .readWrite, options: .closeOnExec)
        defer { close(silence) }
        let output =
            try log.map {
                try FileDescriptor.open(
                    FilePath($0), .writeOnly, options: [.create, .append, .closeOnExec], permissions: .ownerReadWrite)
            } ?? silence
        defer { if output != silence { close(output) } }
        // Subprocess kills a program when the task that runs it is cancelled. Detached tasks are never cancelled, so the
        // caller's cancellation affects neither the program nor the wait for its id.
        let start = AsyncThrowingStream<Glibc.pid_t, any Error>.makeStream()
        let run = Task.detached { () -> Int32 in
            do {
                let result = try await Subprocess.run(
                    configuration,
                    input: .fileDescriptor(
                        input.map { FileDescriptor(rawValue: $0) } ?? silence, closeAfterSpawningProcess: false),
                    output: .fileDescriptor(output, closeAfterSpawningProcess: false),
                    error: .fileDescriptor(output, closeAfterSpawningProcess: false)
                ) { execution in start.continuation.yield(execution.processIdentifier.value) }
                return result.terminationStatus.shellStatus
            } catch {
                start.continuation.finish(throwing: error)
                return -1
            }
        }
        let id = try await Task.detached {
            for try await id in start.stream { return id }
            throw Errno.noSuchProcess
        }.value
        return BackgroundProcess(id: id, run: run)
    }

    private init(id: Glibc.pid_t, run: Task<Int32, Never>) {
        self.id = id
        self.run = run
    }

    /// Waits for the program's end, even if the calling task is cancelled.
    ///
    /// - Returns: the exit status, or 128 plus the number of the signal that ended the program.
    @discardableResult
    package func waitForEnd() async -> Int32 { await run.value }
}

private func close(_ descriptor: FileDescriptor) { Glibc.close(descriptor.rawValue) }
