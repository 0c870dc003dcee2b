import ChildProcesses
import FoundationEssentials
import Glibc
import Synchronization
import TextEncodings

/// One run of the `postgres` program, from its start to its end.
final class Postmaster: Sendable {
    let process: pid_t
    private let program: BackgroundProcess
    private let hasEnded = Mutex(false)

    /// Starts Postgres; it does not yet accept connections.
    ///
    /// - Parameter socketDirectory: the only place where it listens.
    static func start(
        _ programs: PostgresPrograms, data: String, socketDirectory: String, log: String
    ) async throws -> Postmaster {
        let settings = [
            "listen_addresses=", "unix_socket_directories=\(socketDirectory)", "unix_socket_permissions=0700",
            "max_connections=100", "logging_collector=off",
            // Keeps personal data out of the log: neither statements nor "Failing row contains (…)".
            "log_error_verbosity=terse", "log_min_error_statement=panic",
        ]
        let (executable, arguments) = programs.account.command(
            programs.folder + "/postgres", ["-D", data] + settings.flatMap { ["-c", $0] })
        return Postmaster(
            try await BackgroundProcess.start(
                executable, arguments, log: log, environment: PostgresPrograms.environment))
    }

    private init(_ program: BackgroundProcess) {
        self.program = program
        process = program.id
    }

    /// Waits for its end.
    ///
    /// - Returns: the exit status, or 128 plus the number of the signal that ended it.
    @discardableResult
    func waitForEnd() async -> Int32 {
        let status = await program.waitForEnd()
        hasEnded.withLock { $0 = true }
        return status
    }

    /// Waits until it accepts connections, for as long as it needs: after a crash it first replays its write-ahead log.
    ///
    /// - Returns: false when it has ended instead.
    func waitUntilReady(data: String) async throws -> Bool {
        Task { await waitForEnd() }
        while !hasEnded.withLock(\.self) {
            if let file = PostmasterFile(dataDirectory: data), file.process == process, file.isReady { return true }
            try await Task.sleep(for: .milliseconds(25))
        }
        return false
    }

    /// Stops it: by a fast shutdown when that takes at most five seconds, otherwise by an immediate one, which loses no
    /// committed data either.
    func stop() async {
        Task { await waitForEnd() }
        for signal in [SIGINT, SIGQUIT, SIGKILL] {
            guard !hasEnded.withLock(\.self) else { return }
            kill(process, signal)
            for _ in 0..<200 where !hasEnded.withLock(\.self) { await Self.pause() }
        }
    }

    /// Waits in a detached task, so that cancelling the caller does not cut the wait short: after `stop()` the data must
    /// be free.
    private static func pause() async {
        await Task.detached {
            do { try await Task.sleep(for: .milliseconds(25)) } catch {}
        }.value
    }
}

/// `postmaster.pid`: what a running Postgres writes about itself into its data directory.
struct PostmasterFile: Equatable {
    let process: pid_t
    let socketDirectory: String?
    let isReady: Bool

    /// nil when the file is missing or incomplete.
    init?(dataDirectory: String) {
        guard let content = FileManager.default.contents(atPath: Self.path(in: dataDirectory)) else { return nil }
        self.init(content: String(decoding: content, as: UTF8.self))
    }

    /// Line 1 is the process id, line 5 the socket directory, line 8 the state.
    init?(content: String) {
        let lines = content.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first, let process = pid_t(first) else { return nil }
        self.process = process
        socketDirectory = lines.count > 4 && !lines[4].isEmpty ? String(lines[4]) : nil
        isReady = lines.count > 7 && lines[7].trimmingWhitespace == "ready"
    }

    static func path(in dataDirectory: String) -> String { dataDirectory + "/postmaster.pid" }

    /// Whether the process runs and is the Postgres of this data directory, which is a postmaster's working directory.
    /// After a crash another program may have its process id.
    func isAlive(in dataDirectory: String) -> Bool {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let length = readlink("/proc/\(process)/cwd", &path, path.count - 1)
        guard length > 0 else {
            // In a container, root may not read the link. The program's name has to do.
            return (errno == EACCES || errno == EPERM) && programName == "postgres"
        }
        let workingDirectory = String(decoding: path[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let resolved = realpath(dataDirectory, nil) else { return false }
        defer { free(resolved) }
        return workingDirectory == String(cString: resolved)
    }

    private var programName: String? {
        FileManager.default.contents(atPath: "/proc/\(process)/comm").map {
            String(decoding: $0, as: UTF8.self).trimmingWhitespace
        }
    }
}

/// Stops Postgres when this process ends, however it ends.
struct Watchdog: Sendable {
    private let lifeline: Lifeline

    /// `$1` is Postgres's data directory, `$2` its socket directory. No other run has this socket directory, so a
    /// Postgres that another server has started on the same data meanwhile is left alone.
    private static let script = """
        ours() {
            { read -r pid && read -r a && read -r b && read -r c && read -r socket; } <"$1/postmaster.pid" &&
                [ "$socket" = "$2" ]
        } 2>/dev/null
        attempts=50
        until ours "$1" "$2" || [ $attempts = 0 ]; do
            attempts=$((attempts - 1))
            sleep 0.1
        done
        if ours "$1" "$2"; then
            for signal in INT QUIT KILL; do
                kill -$signal $pid || break
                attempts=100
                while kill -0 $pid 2>/dev/null && [ $attempts != 0 ]; do
                    attempts=$((attempts - 1))
                    sleep 0.1
                done
            done
        fi
        rm -rf "$2"
        """

    static func start(
        dataDirectory: String, socketDirectory: String, account: SystemAccount
    ) async throws -> Watchdog {
        Watchdog(
            lifeline: try await Lifeline(
                script, [dataDirectory, socketDirectory], environment: PostgresPrograms.environment,
                command: account.command))
    }

    /// Ends the watch without stopping Postgres.
    func dismiss() { lifeline.dismiss() }
}
