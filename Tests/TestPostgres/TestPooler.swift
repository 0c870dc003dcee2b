import ChildProcesses
import Foundation
import Glibc
import TestSupport

/// A PgBouncer in front of a test cluster, with few server connections. It is removed when the test process ends.
package final class TestPooler: Sendable {
    private let folder: String
    private let process: BackgroundProcess
    private let lifeline: Lifeline
    private let hasEnded = LockedValue(false)

    /// - Parameters:
    ///   - connections: the number of server connections per database.
    ///   - settings: additional settings of `pgbouncer.ini`, by name.
    package static func start(
        for cluster: TestCluster, connections: Int = 2, settings: [String: String] = [:]
    ) async throws -> TestPooler {
        let program = "/usr/sbin/pgbouncer"
        guard access(program, X_OK) == 0, let installation = cluster.installation else {
            throw TestEnvironmentError("PgBouncer is not installed (apt install pgbouncer)")
        }
        var path = Array("/tmp/lt-XXXXXX".utf8CString)
        guard mkdtemp(&path) != nil else { throw TestEnvironmentError("no directory under /tmp: errno \(errno)") }
        let folder = String(decoding: path.dropLast().map(UInt8.init), as: UTF8.self)
        try installation.own(folder)
        let usual = [
            "unix_socket_dir": folder, "listen_port": "6432", "logfile": "\(folder)/log", "pidfile": "\(folder)/pid",
            "auth_type": "any", "admin_users": "postgres", "pool_mode": "transaction",
            "default_pool_size": "\(connections)", "max_client_conn": "200",
        ]
        let lines = usual.merging(settings) { $1 }.map { "\($0.key) = \($0.value)" }.sorted()
        let file = """
            [databases]
            * = host=\(try cluster.socketFolder) port=5432 user=postgres
            [pgbouncer]
            \(lines.joined(separator: "\n"))

            """
        try file.write(toFile: folder + "/pgbouncer.ini", atomically: false, encoding: .utf8)
        try installation.own(folder + "/pgbouncer.ini")
        let pooler = try await TestPooler(program, folder, installation)
        try await pooler.waitUntilReady(cluster)
        return pooler
    }

    private init(_ program: String, _ folder: String, _ installation: Installation) async throws {
        self.folder = folder
        lifeline = try await Lifeline(
            "kill -KILL \"$(cat \"$1/pid\")\"; rm -rf \"$1\"", [folder], environment: Installation.environment,
            command: installation.command)
        let (executable, arguments) = installation.command(program, [folder + "/pgbouncer.ini"])
        process = try await BackgroundProcess.start(executable, arguments, environment: Installation.environment)
        Task.detached { [process, hasEnded] in
            await process.waitForEnd()
            hasEnded.withLock { $0 = true }
        }
    }

    deinit { if isRunning { kill(process.id, SIGKILL) } }

    package var isRunning: Bool { !hasEnded.value }

    /// The log since the start.
    package func log() -> String {
        String(decoding: FileManager.default.contents(atPath: folder + "/log") ?? Data(), as: UTF8.self)
    }

    /// Whether PgBouncer has ended itself because of the state of a connection. Versions 1.18 to 1.20 do so when data arrive
    /// on a connection for which they are forwarding a cancel request.
    package var hasAborted: Bool {
        log().split(separator: "\n").contains { $0.contains("FATAL") && $0.contains(/bad (client |server )?state/) }
    }

    /// The connection string of a database through the pooler.
    package func connectionString(database: String) -> String {
        "host=\(folder) port=6432 user=postgres dbname=\(database)"
    }

    /// Lets the pooler accept so many clients from now on.
    package func setMaxClients(_ count: Int, of cluster: TestCluster) async throws {
        try await cluster.psql("SET max_client_conn = \(count)", at: connectionString(database: "pgbouncer"))
    }

    private func waitUntilReady(_ cluster: TestCluster) async throws {
        for attempt in 1... {
            do {
                try await cluster.psql("SELECT 1", at: connectionString(database: "postgres"))
                return
            } catch let error as TestEnvironmentError {
                guard attempt < 200 else {
                    throw TestEnvironmentError("PgBouncer does not start: \(error)\n\(log())")
                }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }
}
