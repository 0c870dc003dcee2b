import FoundationEssentials
import Glibc
package import Logging
import SystemPackage

/// A private Postgres server, run from the installed programs while this process lives.
///
/// It listens only on a Unix socket in a private directory. It is started again when it ends unexpectedly, and it stops
/// when this process ends, even by `kill -9`.
///
/// ```swift
/// let postgres = try await EmbeddedPostgres.start(in: DataDirectory(nil), logger: logger)
/// let client = PostgresClient(.init(connectionString: postgres.connectionString))
/// // …
/// await postgres.stop()
/// ```
package actor EmbeddedPostgres {
    /// What the process that runs it does.
    package enum Purpose: String, Sendable {
        /// A server: commands on the same data use its Postgres.
        case serve
        /// A command, which ends soon: other processes wait for that.
        case command
    }

    /// How a command reaches the database of a data directory.
    package enum Access: Sendable {
        /// Through a Postgres that was started for the command, which stops it afterwards.
        case started(EmbeddedPostgres)
        /// Through the Postgres of the server that runs on the directory.
        case running(connectionString: String)

        package var connectionString: String {
            switch self {
            case .started(let postgres): postgres.connectionString
            case .running(let connectionString): connectionString
            }
        }
    }

    static let user = "learntrack"
    static let database = "learntrack"

    package nonisolated let connectionString: String

    private let directory: DataDirectory
    private let programs: PostgresPrograms
    private let socketDirectory: String
    private let logger: Logger
    private let watchdog: Watchdog
    private var lock: DataLock?
    private var postmaster: Postmaster?
    private var supervision: Task<Void, Never>?

    // MARK: - Starting

    /// Starts Postgres on `directory`. The first start creates the database.
    ///
    /// - Throws: `EmbeddedPostgresError`, for example when another server runs on that directory.
    package static func start(
        in directory: DataDirectory, for purpose: Purpose = .serve, logger: Logger
    ) async throws -> EmbeddedPostgres {
        try await directory.prepare()
        let lock = try await acquire(directory, for: purpose)
        return try await start(in: directory, under: lock, logger: logger)
    }

    /// The database of `directory` for a command. Starts a Postgres unless a server runs on the directory.
    ///
    /// - Parameter creating: whether the command may create the database; otherwise an error says that there is none.
    package static func access(
        to directory: DataDirectory, creating: Bool = true, logger: Logger
    ) async throws -> Access {
        guard creating || directory.mayHaveDatabase else { throw directory.missingDatabase }
        try await directory.prepare()
        for _ in 0..<attempts {
            switch try DataLock.attempt(directory.lock, for: .command) {
            case .acquired(let lock):
                guard try creating || directory.version() != nil else { throw directory.missingDatabase }
                return .started(try await start(in: directory, under: lock, logger: logger))
            case .held(let holder):
                if holder?.purpose == .serve, let running = runningServer(on: directory) {
                    return .running(connectionString: running)
                }
            }
            try await Task.sleep(for: pause)
        }
        throw EmbeddedPostgresError("another process uses \(directory.path), and its Postgres does not become ready")
    }

    /// The connection string of the Postgres that runs on `directory`; nil when there is none.
    package static func runningServer(on directory: DataDirectory) -> String? {
        guard let file = PostmasterFile(dataDirectory: directory.postgres), file.isReady,
            file.isAlive(in: directory.postgres), let socketDirectory = file.socketDirectory
        else { return nil }
        return connectionString(socketDirectory)
    }

    private static let pause = Duration.milliseconds(100)
    private static let attempts = 1200

    private static func connectionString(_ socketDirectory: String) -> String {
        "host=\(socketDirectory) port=5432 user=\(user) dbname=\(database)"
    }

    private static func acquire(_ directory: DataDirectory, for purpose: Purpose) async throws -> DataLock {
        // Seen once is not enough: the file may still name the previous holder.
        var serversSeen = 0
        for _ in 0..<attempts {
            switch try DataLock.attempt(directory.lock, for: purpose) {
            case .acquired(let lock): return lock
            case .held(let holder):
                guard let holder, holder.purpose == .serve else { break }
                serversSeen += 1
                guard serversSeen < 5 else {
                    throw EmbeddedPostgresError(
                        "another LearnTrack server (process \(holder.process)) runs on \(directory.path): stop it or "
                            + "choose another --data-dir")
                }
            }
            try await Task.sleep(for: pause)
        }
        throw EmbeddedPostgresError("a command that does not end uses \(directory.path)")
    }

    private static func start(
        in directory: DataDirectory, under lock: DataLock, logger: Logger
    ) async throws -> EmbeddedPostgres {
        try await directory.stopOrphanedPostgres()
        let version = try directory.version()
        let programs = try await PostgresPrograms.find(version: version, account: directory.account)
        if version == nil {
            logger.info("Creating the database", metadata: ["directory": "\(directory.path)"])
            try await directory.createCluster(with: programs)
        }
        try directory.truncateLog()
        let socketDirectory = try createSocketDirectory(for: directory.account)
        let watchdog = try await Watchdog.start(
            dataDirectory: directory.postgres, socketDirectory: socketDirectory, account: directory.account)
        let postgres = EmbeddedPostgres(directory, programs, socketDirectory, watchdog, lock, logger)
        do {
            try await postgres.startPostmaster()
        } catch {
            await postgres.stop()
            throw error
        }
        return postgres
    }

    /// Socket paths are limited to 107 bytes, so the directory cannot lie beside the data. A service of systemd has a
    /// directory in /run for it, and a /tmp of its own, which commands do not see.
    private static func createSocketDirectory(for account: SystemAccount) throws -> String {
        let given = ProcessInfo.processInfo.environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first
        let parent = given.map(String.init) ?? "/tmp"
        var path = Array("\(parent)/learntrack-XXXXXX".utf8CString)
        guard mkdtemp(&path) != nil else {
            throw EmbeddedPostgresError.system("cannot create a directory in \(parent)", errno)
        }
        let directory = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try account.takeOwnership(of: directory)
        return directory
    }

    private init(
        _ directory: DataDirectory, _ programs: PostgresPrograms, _ socketDirectory: String, _ watchdog: Watchdog,
        _ lock: DataLock, _ logger: Logger
    ) {
        self.directory = directory
        self.programs = programs
        self.socketDirectory = socketDirectory
        self.watchdog = watchdog
        self.lock = lock
        self.logger = logger
        connectionString = Self.connectionString(socketDirectory)
    }

    private func startPostmaster() async throws {
        for attempt in 1... {
            let postmaster = try await launch()
            if try await postmaster.waitUntilReady(data: directory.postgres) {
                supervision = Task { await supervise(postmaster) }
                return
            }
            // Processes of a Postgres that was killed may hold its shared memory a little longer.
            guard attempt < 10 else {
                throw EmbeddedPostgresError("Postgres does not start: \(directory.endOfLog())")
            }
            try await Task.sleep(for: .milliseconds(500))
        }
    }

    private func launch() async throws -> Postmaster {
        let started = try await Postmaster.start(
            programs, data: directory.postgres, socketDirectory: socketDirectory, log: directory.log)
        postmaster = started
        return started
    }

    // MARK: - Restarting

    private func supervise(_ first: Postmaster) async {
        var current = first
        var pause = Duration.milliseconds(100)
        while true {
            let status = await current.waitForEnd()
            if Task.isCancelled { return }
            logger.error("Postgres has ended; starting it again", metadata: ["status": "\(status)"])
            do {
                try await Task.sleep(for: pause)
                current = try await launch()
                if try await current.waitUntilReady(data: directory.postgres) {
                    logger.notice("Postgres is running again")
                    pause = .milliseconds(100)
                } else {
                    pause = min(pause * 2, .seconds(5))
                }
            } catch is CancellationError {
                return
            } catch {
                // No memory or no descriptor to start it with, for example: the loop tries again.
                logger.error("Postgres cannot be started again", metadata: ["error": "\(error)"])
                pause = min(pause * 2, .seconds(5))
            }
        }
    }

    // MARK: - Stopping

    /// Stops Postgres and releases the data directory. May be called more than once.
    package func stop() async {
        supervision?.cancel()
        await postmaster?.stop()
        await supervision?.value
        // The supervision may have started another one in the meantime.
        await postmaster?.stop()
        supervision = nil
        postmaster = nil
        if lock != nil {
            do {
                try FileManager.default.removeItem(atPath: socketDirectory)
            } catch {
                logger.warning("Cannot remove \(socketDirectory)")
            }
            watchdog.dismiss()
        }
        lock = nil
    }
}

/// Why there is no embedded Postgres, in one line for the person who started the command.
package struct EmbeddedPostgresError: Error, CustomStringConvertible, Equatable {
    package let description: String

    init(_ description: String) { self.description = description }

    /// - Parameter code: the `errno` of the system call that failed.
    static func system(_ what: String, _ code: Int32) -> EmbeddedPostgresError {
        EmbeddedPostgresError("\(what): \(Errno(rawValue: code))")
    }
}
