import EmbeddedPostgres
import Logging
import Migrations
import PostgresDriver

/// The database a command works on, for as long as it does.
struct OpenDatabase: Sendable {
    let connectionString: String
    /// Where the embedded database lives; nil for one that was given.
    let directory: DataDirectory?
    private let ownPostgres: EmbeddedPostgres?

    var isEmbedded: Bool { directory != nil }

    /// The database for a server, which has the data directory to itself.
    static func serve(_ options: DatabaseOptions, _ logger: Logger) async throws -> OpenDatabase {
        if let url = try options.url() { return OpenDatabase(connectionString: url, directory: nil, ownPostgres: nil) }
        let directory = try options.directory()
        let postgres = try await EmbeddedPostgres.start(in: directory, for: .serve, logger: logger)
        return OpenDatabase(
            connectionString: postgres.connectionString, directory: directory, ownPostgres: postgres)
    }

    /// The database for a command: that of a running server, if there is one on the data directory.
    static func reach(_ options: DatabaseOptions, _ logger: Logger) async throws -> OpenDatabase {
        if let url = try options.url() { return OpenDatabase(connectionString: url, directory: nil, ownPostgres: nil) }
        let directory = try options.directory()
        let access = try await EmbeddedPostgres.access(to: directory, logger: logger)
        let own: EmbeddedPostgres? = if case .started(let postgres) = access { postgres } else { nil }
        return OpenDatabase(connectionString: access.connectionString, directory: directory, ownPostgres: own)
    }

    /// Stops the embedded Postgres if this process runs it.
    func close() async { await ownPostgres?.stop() }

    /// Makes the schema where nobody else would: the embedded database has no administrator.
    func migrateIfEmbedded(from folder: String, _ owner: PostgresClient) async throws {
        guard isEmbedded else { return }
        try await Migrator(folder: folder, client: owner).up()
    }

    /// Connections of the login itself, which owns the schema.
    func owner() -> PostgresClient {
        var configuration = PostgresClient.Configuration(connectionString: connectionString)
        configuration.applicationName = "learntrack"
        configuration.poolSize = 1
        return PostgresClient(configuration)
    }
}

extension DatabaseOptions {
    /// Runs a command's work on its database and puts everything away again.
    func withDatabase(
        _ log: LogOptions, _ body: (_ database: OpenDatabase, _ owner: PostgresClient) async throws -> Void
    ) async throws {
        try await Failure.translating {
            let logs = try log.start(quiet: true)
            defer { logs.flush() }
            let database = try await OpenDatabase.reach(self, logs.logger)
            let owner = database.owner()
            let outcome: Result<Void, any Error>
            do {
                outcome = .success(try await body(database, owner))
            } catch {
                outcome = .failure(error)
            }
            await owner.shutdown()
            await database.close()
            try outcome.get()
        }
    }
}
