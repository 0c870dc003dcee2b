import ChildProcesses
import Glibc
import Synchronization

/// One run of the `postgres` program, from its start to its end.
final class Postmaster: Sendable {
    let process: pid_t
    private let end: Task<Int32, Never>
    private let hasEnded = Mutex(false)

    /// - Parameter socketDirectory: where it listens, and nowhere else.
    init(_ programs: PostgresPrograms, data: String, socketDirectory: String, log: String) throws {
        let output = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw EmbeddedPostgresError.system("cannot write \(log)", errno) }
        let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer {
            close(output)
            close(input)
        }
        let settings = [
            "listen_addresses=", "unix_socket_directories=\(socketDirectory)", "unix_socket_permissions=0700",
            "max_connections=100", "logging_collector=off",
            // People's data stays out of the log: no statement, no "Failing row contains (…)".
            "log_error_verbosity=terse", "log_min_error_statement=panic",
        ]
        let (executable, arguments) = programs.account.command(
            programs.folder + "/postgres", ["-D", data] + settings.flatMap { ["-c", $0] })
        let pid = try ChildProcess.spawn(
            executable, arguments, stdin: input, stdout: output, stderr: output,
            environment: PostgresPrograms.environment)
        process = pid
        end = Task.detached { await ChildProcess.end(of: pid) }
    }

    /// Waits for its end; the exit status, or 128 + the signal that ended it.
    func ended() async -> Int32 {
        let status = await end.value
        hasEnded.withLock { $0 = true }
        return status
    }

    /// Waits until it takes connections; false when it ended before it did.
    ///
    /// After a crash it replays its log first, which takes as long as it takes.
    func isReady(data: String) async throws -> Bool {
        Task { await ended() }
        while !hasEnded.withLock(\.self) {
            if let file = PostmasterFile(dataDirectory: data), file.process == process, file.isReady { return true }
            try await Task.sleep(for: .milliseconds(25))
        }
        return false
    }

    /// Ends it: in good order if that takes at most five seconds, otherwise as a crash would, which loses nothing.
    func stop() async {
        Task { await ended() }
        for signal in [SIGINT, SIGQUIT, SIGKILL] {
            guard !hasEnded.withLock(\.self) else { return }
            kill(process, signal)
            for _ in 0..<200 where !hasEnded.withLock(\.self) { await Self.pause() }
        }
    }

    /// Waits a moment, in a task of its own, which nobody cancels: who stops a Postgres waits for its end
    /// whatever becomes of him, since the data must be free afterwards.
    private static func pause() async {
        await Task.detached {
            do { try await Task.sleep(for: .milliseconds(25)) } catch {}
        }.value
    }
}
