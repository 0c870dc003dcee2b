import Foundation
import Glibc
package import Logging

/// A private Postgres, run from the installed programs for the time this process lives.
///
/// It listens on a Unix socket in a directory of its own and nowhere else. It is started again when it dies, and it
/// goes when this process does, be that by `kill -9`.
package actor EmbeddedPostgres {
    /// What the process that runs it is for.
    package enum Purpose: String, Sendable {
        /// A server, which stays: commands on the same data use its Postgres.
        case serve
        /// A command, which is soon over: others wait for that.
        case command
    }

    /// How a command gets at the database of a data directory.
    package enum Reach: Sendable {
        /// By a Postgres of its own, to be stopped afterwards.
        case started(EmbeddedPostgres)
        /// By the Postgres of the server that runs on it.
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

    /// Starts Postgres on `directory`, making the database on the first start.
    ///
    /// - Throws: `EmbeddedPostgresError`, when a server runs on that directory already, among others.
    package static func start(
        in directory: DataDirectory, for purpose: Purpose = .serve, logger: Logger
    ) async throws -> EmbeddedPostgres {
        try await directory.prepare()
        let lock = try await acquire(directory, for: purpose)
        return try await start(in: directory, under: lock, logger: logger)
    }

    /// The database of `directory` for a command: of the server that runs on it, or else of a Postgres started for it.
    package static func reach(_ directory: DataDirectory, logger: Logger) async throws -> Reach {
        try await directory.prepare()
        for _ in 0..<attempts {
            switch try DataLock.attempt(directory.lock, for: .command) {
            case .acquired(let lock):
                return .started(try await start(in: directory, under: lock, logger: logger))
            case .held(let holder):
                if holder?.purpose == .serve, let running = runningServer(on: directory) {
                    return .running(connectionString: running)
                }
            }
            try await Task.sleep(for: pause)
        }
        throw EmbeddedPostgresError("another process uses \(directory.path), and its Postgres does not get ready")
    }

    /// Where the Postgres that runs on `directory` takes connections; nil if none does.
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
        // Who has just taken the lock has not said yet what for.
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
        try await directory.clearRemains()
        let version = try directory.version()
        let programs = try await PostgresPrograms.find(version: version, account: directory.account)
        if version == nil {
            logger.info("Making the database", metadata: ["directory": "\(directory.path)"])
            try await directory.initialise(with: programs)
        }
        try directory.shortenLog()
        let postgres = try EmbeddedPostgres(directory, programs, lock, logger)
        do {
            try await postgres.begin()
        } catch {
            await postgres.stop()
            throw error
        }
        return postgres
    }

    private init(
        _ directory: DataDirectory, _ programs: PostgresPrograms, _ lock: DataLock, _ logger: Logger
    ) throws {
        // Socket paths end at 107 bytes, so it cannot lie with the data.
        var path = Array("/tmp/learntrack-XXXXXX".utf8CString)
        guard mkdtemp(&path) != nil else {
            throw EmbeddedPostgresError.system("cannot make a directory in /tmp", errno)
        }
        socketDirectory = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try directory.account.own(socketDirectory)
        watchdog = try Watchdog(
            dataDirectory: directory.postgres, socketDirectory: socketDirectory, account: directory.account)
        connectionString = Self.connectionString(socketDirectory)
        self.directory = directory
        self.programs = programs
        self.lock = lock
        self.logger = logger
    }

    private func begin() async throws {
        for attempt in 1... {
            let first = try launch()
            if try await first.isReady(data: directory.postgres) {
                supervision = Task { await supervise(first) }
                return
            }
            // Processes of one that was killed may still hold its shared memory for a moment.
            guard attempt < 10 else {
                throw EmbeddedPostgresError("Postgres does not start: \(directory.endOfLog())")
            }
            try await Task.sleep(for: .milliseconds(500))
        }
    }

    private func launch() throws -> Postmaster {
        let started = try Postmaster(
            programs, data: directory.postgres, socketDirectory: socketDirectory, log: directory.log)
        postmaster = started
        return started
    }

    // MARK: - Starting again

    private func supervise(_ first: Postmaster) async {
        var current = first
        var pause = Duration.milliseconds(100)
        while true {
            let status = await current.ended()
            if Task.isCancelled { return }
            logger.error("Postgres ended; starting it again", metadata: ["status": "\(status)"])
            do {
                try await Task.sleep(for: pause)
                current = try launch()
                if try await current.isReady(data: directory.postgres) {
                    logger.notice("Postgres is back")
                    pause = .milliseconds(100)
                } else {
                    pause = min(pause * 2, .seconds(5))
                }
            } catch is CancellationError {
                return
            } catch {
                // What ended stays ended until the next turn: no memory or no descriptor to start it with.
                logger.error("Postgres cannot be started again", metadata: ["error": "\(error)"])
                pause = min(pause * 2, .seconds(5))
            }
        }
    }

    // MARK: - Stopping

    /// Stops Postgres and frees the data directory for another; once is enough, more does no harm.
    package func stop() async {
        supervision?.cancel()
        await postmaster?.stop()
        await supervision?.value
        // The supervision may just have started another.
        await postmaster?.stop()
        supervision = nil
        postmaster = nil
        if lock != nil {
            do {
                try FileManager.default.removeItem(atPath: socketDirectory)
            } catch {
                logger.warning("cannot remove \(socketDirectory)")
            }
            watchdog.dismiss()
        }
        lock = nil
    }
}

extension DataDirectory {
    /// Keeps what Postgres logs from growing for ever: it says little, so now and then suffices.
    func shortenLog() throws {
        var facts = stat()
        guard stat(log, &facts) == 0, facts.st_size > 10 << 20 else { return }
        guard truncate(log, 0) == 0 else { throw EmbeddedPostgresError.system("cannot write \(log)", errno) }
    }

    func endOfLog() -> String {
        String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self).lastLines(3)
    }
}
