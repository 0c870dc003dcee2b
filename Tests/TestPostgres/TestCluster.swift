import ChildProcesses
import Foundation
package import Glibc
import TestSupport

/// A temporary Postgres server on a private Unix socket. It is removed when the test process ends, even by a crash.
///
/// Most tests share one (`shared()`). Tests that stop, kill or freeze the server start their own.
package final class TestCluster: Sendable {
    package enum StopMode: String, Sendable {
        case smart, fast, immediate
    }

    /// Leads to the database `postgres`, as a superuser or as the user in TEST_DATABASE_URL.
    package let connectionString: String
    let templates = DatabaseTemplates()
    let installation: Installation?
    private let home: Home?
    private let lifeline: Lifeline
    /// Whether reads share a session: not on a server whose sessions a test counts, cuts or kills.
    private let keepsSessions: Bool

    /// The folder of a server that this process has started. It contains the socket and the data directory.
    struct Home: Sendable {
        let installation: Installation
        let path: String
        let port: String

        var data: String { path + "/data" }

        static func make(_ installation: Installation, port: String = "5432") throws -> Home {
            var path = Array("/tmp/lt-XXXXXX".utf8CString)
            guard mkdtemp(&path) != nil else { throw TestEnvironmentError("no directory under /tmp: errno \(errno)") }
            let home = Home(
                installation: installation, path: String(decoding: path.dropLast().map(UInt8.init), as: UTF8.self),
                port: port)
            try installation.own(home.path)
            return home
        }

        /// Makes the data directory, with these additional options of initdb.
        func initialise(_ options: [String]) async throws {
            let ran = try await installation.run(
                "initdb",
                ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"] + options)
            guard ran.status == 0 else { throw TestEnvironmentError("initdb: \(ran.output)\(ran.errors)") }
        }

        /// Makes the data directory as a copy of one that no server uses.
        func copy(from other: Home) async throws {
            let (program, arguments) = installation.command("/bin/cp", ["-R", "-p", other.data, data])
            let ran = try await ChildProcess.run(program, arguments, environment: Installation.environment)
            guard ran.status == 0 else { throw TestEnvironmentError("cp: \(ran.errors)") }
        }
    }

    /// The data directory that others are copied from, because a copy takes a tenth of the time of initdb.
    private static let firstHome = Task {
        let home = try Home.make(Installation.find())
        // Removes the folder when this process ends.
        let cluster = try await TestCluster(home)
        try await home.initialise([])
        return (home, cluster)
    }

    private static let sharedStart = Task { try await begin() }

    /// The server that the tests of this process share: the one at TEST_DATABASE_URL if that is set, else a new one.
    package static func shared() async throws -> TestCluster { try await sharedStart.value }

    /// Starts a new server.
    ///
    /// - Parameters:
    ///   - settings: additional settings of `postgresql.conf`, by name.
    ///   - hasTLS: whether it accepts TLS on a port of 127.0.0.1 (see `tlsConnectionString`).
    ///   - options: additional options of `initdb`.
    package static func start(
        settings: [String: String] = [:], hasTLS: Bool = false, initdb options: [String] = []
    ) async throws -> TestCluster {
        try await start(settings: settings, hasTLS: hasTLS, initdb: options, keepsSessions: false)
    }

    static func start(
        settings: [String: String], hasTLS: Bool = false, initdb options: [String] = [], keepsSessions: Bool
    ) async throws -> TestCluster {
        let installation = try Installation.find()
        let cluster = try await TestCluster(
            Home.make(installation, port: hasTLS ? freePort() : "5432"), keepsSessions: keepsSessions)
        try await cluster.initialise(settings, options)
        if hasTLS { try await cluster.makeCertificate() }
        try await cluster.startAgain()
        return cluster
    }

    private static let ownStart = Task { try await start() }

    /// A server that this process has started and its tests share, for tests that put a proxy in front of it.
    package static func own() async throws -> TestCluster {
        let shared = try await shared()
        return shared.home == nil ? try await ownStart.value : shared
    }

    private static func begin() async throws -> TestCluster {
        guard let url = ProcessInfo.processInfo.environment["TEST_DATABASE_URL"], !url.isEmpty else {
            return try await start(settings: [:], keepsSessions: true)
        }
        return try await TestCluster(url: url)
    }

    init(_ home: Home, keepsSessions: Bool = false) async throws {
        self.home = home
        self.keepsSessions = keepsSessions
        installation = home.installation
        connectionString = "host=\(home.path) port=\(home.port) user=postgres dbname=postgres"
        lifeline = try await Lifeline(
            CleanUp.ofServer, [home.path, home.installation.binaries], environment: Installation.environment,
            command: home.installation.command)
    }

    private init(url: String) async throws {
        home = nil
        keepsSessions = false
        installation = nil
        connectionString = url
        lifeline = try await Lifeline(
            CleanUp.ofDatabases, [url, TestDatabase.prefix], environment: Installation.environment,
            command: { ($0, $1) })
    }

    // MARK: - Connecting

    /// The connection string of another database of this server, for the same user.
    package func connectionString(database: String) -> String {
        ConnectionString.replacingDatabase(of: connectionString, with: database)
    }

    /// Runs `sql` as psql does and returns its output: values only, with `|` between columns.
    @discardableResult
    package func psql(_ sql: String, database: String? = nil) async throws -> String {
        try await psql(sql, at: database.map(connectionString(database:)) ?? connectionString)
    }

    @discardableResult
    func psql(_ sql: String, at connectionString: String, options: [String] = []) async throws -> String {
        // Another server may need settings of psql's environment.
        if options.isEmpty, home != nil, let script = DirectScript(sql) {
            return String(
                try await script.run(at: connectionString, keepingSession: keepsSessions).trimmingSuffix("\n"))
        }
        let arguments =
            ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"] + options + ["-d", connectionString, "-f", "-"]
        let ran = try await ChildProcess.run(
            installation.map { $0.binaries + "/psql" } ?? "psql", arguments, input: sql,
            environment: Installation.environment)
        guard ran.status == 0 else { throw TestEnvironmentError("psql: \(ran.errors)") }
        return String(ran.output.trimmingSuffix("\n"))
    }

    // MARK: - Stopping, starting, killing, freezing

    package func stop(_ mode: StopMode = .fast) async throws {
        let home = try own()
        let ran = try await home.installation.run(
            "pg_ctl", ["-D", home.data, "-m", mode.rawValue, "-w", "-t", "60", "stop"])
        guard ran.status == 0 else { throw TestEnvironmentError("pg_ctl stop: \(ran.output)\(ran.errors)") }
    }

    /// Starts a server that was stopped or killed. Retries while processes of the killed one are still ending.
    package func startAgain() async throws {
        let home = try own()
        var said = ""
        for _ in 0..<30 {
            let ran = try await home.installation.run(
                "pg_ctl", ["-D", home.data, "-l", home.path + "/log", "-w", "-t", "60", "start"])
            if ran.status == 0 { return }
            said = ran.output + ran.errors
            try await Task.sleep(for: .milliseconds(500))
        }
        let log = FileManager.default.contents(atPath: home.path + "/log") ?? Data()
        throw TestEnvironmentError("Postgres does not start: \(said)\n\(String(decoding: log, as: UTF8.self))")
    }

    /// Kills the postmaster as a crash would, and returns when it is gone. The backends end by themselves afterwards.
    package func killPostmaster() async throws {
        let postmaster = try postmaster()
        kill(postmaster, SIGKILL)
        while kill(postmaster, 0) == 0 && !ProcessTable.isZombie(postmaster) {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Suspends every process of the server: connections stay open, but get no answers.
    package func freeze() throws { try signalAll(SIGSTOP) }

    package func thaw() throws { try signalAll(SIGCONT) }

    /// The postmaster's process id.
    package func postmaster() throws -> pid_t {
        let file = try own().data + "/postmaster.pid"
        let text = String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
        guard let line = text.split(separator: "\n").first, let pid = pid_t(line) else {
            throw TestEnvironmentError("the server does not run")
        }
        return pid
    }

    /// The folder of the Unix socket.
    package var socketFolder: String { get throws { try own().path } }

    /// Suspends the postmaster only: sessions continue, and new connections get no answer.
    package func freezePostmaster() throws { try kill(postmaster(), SIGSTOP) }

    /// Limits the size of every file of the server, to simulate a full disk.
    ///
    /// Postgres treats this limit like a full disk. A size that is not a multiple of 8 KiB cuts writes short, which Postgres
    /// reports as SQLSTATE 53100.
    /// - Parameter size: in bytes; nil removes the limit.
    package func limitFileSize(to size: Int?) async throws {
        let home = try own()
        let postmaster = try postmaster()
        for process in try [postmaster] + ProcessTable.children(of: postmaster) {
            let limit = size.map { String($0) } ?? "unlimited"
            // The owner of a process may do this; root in a container may not.
            let (program, arguments) = home.installation.command(
                "prlimit", ["--pid", String(process), "--fsize=\(limit):"])
            let ran = try await ChildProcess.run(program, arguments, environment: Installation.environment)
            // Ignores a process that has just ended.
            guard ran.status == 0 || kill(process, 0) != 0 else { throw TestEnvironmentError("prlimit: \(ran.errors)") }
        }
    }

    /// The server's log since its first start.
    package func log() throws -> String {
        String(decoding: FileManager.default.contents(atPath: try own().path + "/log") ?? Data(), as: UTF8.self)
    }

    /// Leads to the database `postgres` over TLS. Requires a server that was started with `hasTLS`.
    package func tlsConnectionString() throws -> String {
        "host=127.0.0.1 port=\(try own().port) user=postgres dbname=postgres sslmode=require"
    }

    /// Makes a self-signed certificate in the place where Postgres expects it.
    private func makeCertificate() async throws {
        let home = try own()
        let (executable, arguments) = home.installation.command(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                "/CN=127.0.0.1", "-keyout", home.data + "/server.key", "-out", home.data + "/server.crt",
            ])
        let ran = try await ChildProcess.run(executable, arguments, environment: Installation.environment)
        guard ran.status == 0 else { throw TestEnvironmentError("openssl: \(ran.errors)") }
        guard let file = FileHandle(forWritingAtPath: home.data + "/postgresql.conf") else {
            throw TestEnvironmentError("initdb left no postgresql.conf")
        }
        defer { file.closeFile() }
        try file.seekToEnd()
        try file.write(contentsOf: Data("listen_addresses = '127.0.0.1'\nssl = on\n".utf8))
    }

    /// A port of 127.0.0.1 that is free at this moment.
    private static func freePort() throws -> String {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw TestEnvironmentError("no socket: errno \(errno)") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound else { throw TestEnvironmentError("no free port: errno \(errno)") }
        return String(UInt16(bigEndian: address.sin_port))
    }

    private func signalAll(_ signal: Int32) throws {
        let postmaster = try postmaster()
        // The postmaster is suspended first and resumed last, so that it starts no process in between.
        let children = try ProcessTable.children(of: postmaster)
        let order = signal == SIGCONT ? children + [postmaster] : [postmaster] + children
        for process in order { kill(process, signal) }
    }

    func own() throws -> Home {
        guard let home else {
            throw TestEnvironmentError(
                "TestCluster.shared() may be an external server, which a test must not stop: use start()")
        }
        return home
    }

    private func initialise(_ settings: [String: String], _ options: [String]) async throws {
        let home = try own()
        if options.isEmpty {
            try await home.copy(from: Self.firstHome.value.0)
        } else {
            try await home.initialise(options)
        }
        let usual = [
            "listen_addresses": "", "port": home.port, "unix_socket_directories": home.path, "max_connections": "400",
            "fsync": "off",
            "synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off", "shared_buffers": "64MB",
        ]
        let lines = usual.merging(settings) { $1 }.map { "\($0.key) = '\($0.value)'\n" }.sorted().joined()
        guard let file = FileHandle(forWritingAtPath: home.data + "/postgresql.conf") else {
            throw TestEnvironmentError("initdb left no postgresql.conf")
        }
        defer { file.closeFile() }
        try file.seekToEnd()
        try file.write(contentsOf: Data(lines.utf8))
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: Character) -> Substring {
        var rest = self[...]
        while rest.last == suffix { rest.removeLast() }
        return rest
    }
}

extension TestCluster {
    /// Starts a streaming replica of this server with all its databases. It is stopped like any cluster.
    package func startReplica(settings: [String: String] = [:]) async throws -> TestCluster {
        let source = try own()
        let home = try Home.make(source.installation)
        let replica = try await TestCluster(home)
        let ran = try await home.installation.run(
            "pg_basebackup",
            ["-d", connectionString, "-D", home.data, "-R", "-X", "stream", "-c", "fast", "--no-sync"])
        guard ran.status == 0 else { throw TestEnvironmentError("pg_basebackup: \(ran.output)\(ran.errors)") }
        let all = ["unix_socket_directories": home.path].merging(settings) { $1 }
        let lines = all.map { "\($0.key) = '\($0.value)'\n" }.sorted().joined()
        guard let file = FileHandle(forWritingAtPath: home.data + "/postgresql.conf") else {
            throw TestEnvironmentError("pg_basebackup left no postgresql.conf")
        }
        defer { file.closeFile() }
        try file.seekToEnd()
        try file.write(contentsOf: Data(lines.utf8))
        try await replica.startAgain()
        return replica
    }
}
