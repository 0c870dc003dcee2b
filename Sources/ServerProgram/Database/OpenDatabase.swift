import Auth
import EmbeddedPostgres
import Glibc
import Logging
package import Migrations
package import PostgresDriver

/// The database of a command, while the command runs.
package struct OpenDatabase: Sendable {
    let connectionString: String
    /// The directory of the embedded database; nil when the settings give a database.
    let directory: DataDirectory?
    private let ownPostgres: EmbeddedPostgres?

    var isEmbedded: Bool { directory != nil }

    /// The database for a server, which is the only process that runs Postgres on the data directory.
    static func serve(_ options: DatabaseOptions, _ logger: Logger) async throws -> OpenDatabase {
        if let url = try options.url() { return OpenDatabase(connectionString: url, directory: nil, ownPostgres: nil) }
        let directory = try options.directory()
        let postgres = try await EmbeddedPostgres.start(in: directory, for: .serve, logger: logger)
        return OpenDatabase(
            connectionString: postgres.connectionString, directory: directory, ownPostgres: postgres)
    }

    /// The database for a command: that of the server that runs on the data directory, if there is one.
    ///
    /// - Parameter creating: whether a data directory without a database gets one.
    static func forCommand(
        _ options: DatabaseOptions, creating: Bool, _ logger: Logger
    ) async throws -> OpenDatabase {
        if let url = try options.url() { return OpenDatabase(connectionString: url, directory: nil, ownPostgres: nil) }
        let directory = try options.directory()
        let isNew = !directory.mayHaveDatabase
        let access = try await EmbeddedPostgres.access(to: directory, creating: creating, logger: logger)
        let own: EmbeddedPostgres? = if case .started(let postgres) = access { postgres } else { nil }
        // A mistyped directory would otherwise go unnoticed.
        if isNew { write("created a new database in \(directory.path)\n", to: STDERR_FILENO) }
        return OpenDatabase(connectionString: access.connectionString, directory: directory, ownPostgres: own)
    }

    /// Stops the embedded Postgres if this process has started it.
    func close() async { await ownPostgres?.stop() }

    /// Applies the migrations to an embedded database, which has no administrator who would.
    package func migrateIfEmbedded(from sources: [MigrationSource], _ owner: PostgresClient) async throws {
        guard isEmbedded else { return }
        try await Migrator(sources: sources, client: owner).up()
    }

    /// Throws if the installation serves several companies: an import of an application compares ids with those of all rows.
    package func requireOneCompany(_ owner: PostgresClient) async throws {
        guard try await CompanyAdministration(database: owner).stage() == .one else {
            throw CommandError(
                "this needs an installation with one company: import CSV files (learntrack import csv --company ID)")
        }
    }

    /// A client with the login's own role, which owns the schema.
    ///
    /// - Parameter company: in which it acts; nil: in the one that the installation has, or in none.
    func owner(in company: Int64? = nil) -> PostgresClient {
        var configuration = PostgresClient.Configuration(connectionString: connectionString)
        configuration.applicationName = "learntrack"
        configuration.poolSize = 1
        if let company { configuration.settings["learntrack.company"] = String(company) }
        return PostgresClient(configuration)
    }
}

extension DatabaseOptions {
    /// Runs a command on its database, and closes the database afterwards.
    ///
    /// - Parameters:
    ///   - creating: whether a data directory without a database gets one; otherwise the command fails.
    ///   - company: in which the command acts; nil: in the one that the installation has, or in none.
    package func withDatabase(
        _ log: LogOptions, creating: Bool = false, company: Int64? = nil,
        _ body: (_ database: OpenDatabase, _ owner: PostgresClient) async throws -> Void
    ) async throws {
        try await CommandError.converting {
            let logs = try log.start(quiet: true)
            defer { logs.flush() }
            let database = try await OpenDatabase.forCommand(self, creating: creating, logs.logger)
            let owner = database.owner(in: company)
            try await withCleanUp {
                try await body(database, owner)
            } cleanUp: {
                await owner.shutdown()
                await database.close()
            }
        }
    }
}

extension OpenDatabase {
    private static let pause = Duration.milliseconds(250)

    /// What libpq says when an address cannot be meant.
    private static let settingsFaults = ["invalid port number", "server does not support SSL"]

    /// Waits until the server of a given database accepts connections, because containers start in any order.
    ///
    /// Returns when the server refuses this login or database; connecting then throws the reason.
    func waitUntilAvailable(_ logger: Logger) async throws {
        guard !isEmbedded else { return }
        var hasWaited = false
        while true {
            let reply = await PostgresClient.ping(serverAt: connectionString)
            guard reply == .silent || reply == .rejecting else { break }
            try Task.checkCancellation()
            if !hasWaited {
                var reason = reply == .silent ? "it does not answer" : "it does not take connections yet"
                if let cause = await PostgresClient.connectFailure(serverAt: connectionString) {
                    // Waiting would not help. Connecting throws the reason.
                    guard !Self.settingsFaults.contains(where: cause.contains) else { return }
                    reason += " (\(cause))"
                }
                logger.warning("Waiting for Postgres: \(reason)")
                hasWaited = true
            }
            try await Task.sleep(for: Self.pause)
        }
        if hasWaited { logger.notice("Postgres is available") }
    }

    /// Runs the first work on a given database, and again for as long as the server has no place for a connection: after a
    /// failover, all clients connect at once.
    ///
    /// - Parameter work: may be done again after a part of it.
    func whenThereIsPlace<Value>(_ logger: Logger, _ work: () async throws -> Value) async throws -> Value {
        var hasWaited = false
        while true {
            do {
                let value = try await work()
                if hasWaited { logger.notice("Postgres has a place for the connections") }
                return value
            } catch let error as PostgresError where error.lacksPlace && !isEmbedded {
                if !hasWaited {
                    logger.warning("Waiting for Postgres: it has no place for a connection (\(error.cause ?? ""))")
                }
                hasWaited = true
                try await Task.sleep(for: Self.pause)
            }
        }
    }
}
