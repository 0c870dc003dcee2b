import Logging
import PostgresDriver

/// The server's connections: a pool for each database role, so that every statement carries its rights.
struct DatabaseClients: Sendable {
    struct Configuration: Sendable {
        /// A login of its own for secrets; nil: the one login switches roles.
        let authConnectionString: String?
        /// Leads to the server itself where the usual address leads through a pooler.
        let directConnectionString: String?
        let pooling: Pooling
        let poolSize: Int
        let authPoolSize: Int
        let acquireTimeout: Duration
        /// What the clock of sessions shows.
        let timeZone: String
    }

    let user: PostgresClient
    let admin: PostgresClient
    /// The only one that may touch secrets.
    let auth: PostgresClient
    /// The login itself, which owns the schema: for migrations and for what health checks ask. Through a transaction
    /// pooler only for the latter.
    let owner: PostgresClient

    init(_ connectionString: String, _ configuration: Configuration, _ logger: Logger) {
        func client(
            _ role: String?, at place: String, _ pooling: Pooling, connections: Int
        ) -> PostgresClient {
            var client = PostgresClient.Configuration(connectionString: place)
            client.listenConnectionString = configuration.directConnectionString
            client.role = role
            client.pooling = pooling
            client.poolingRemedy = "--pooler=transaction"
            client.applicationName = role ?? "learntrack"
            client.poolSize = connections
            client.acquireTimeout = configuration.acquireTimeout
            client.settings = [
                // Planning a date range costs as much as running it, and the statements here plan well without values.
                "plan_cache_mode": "force_generic_plan",
                "jit": "off",
                "TimeZone": "UTC",
                "learntrack.time_zone": configuration.timeZone,
            ]
            let log = PostgresLog(logger, pool: role ?? "owner")
            client.onEvent = { log.note($0) }
            return PostgresClient(client)
        }
        let pooling = configuration.pooling
        user = client("learntrack_user", at: connectionString, pooling, connections: configuration.poolSize)
        admin = client("learntrack_admin", at: connectionString, pooling, connections: configuration.poolSize)
        auth = client(
            "learntrack_auth", at: configuration.authConnectionString ?? connectionString, pooling,
            connections: configuration.authPoolSize)
        let direct = configuration.directConnectionString
        owner = client(nil, at: direct ?? connectionString, direct == nil ? pooling : .session, connections: 1)
    }

    /// Finds out whether every role can be had: at the start, rather than at somebody's first call.
    func verify() async throws {
        try await withThrowingTaskGroup { group in
            for client in [user, admin, auth] { group.addTask { _ = try await client.query(Self.nothing) } }
            try await group.waitForAll()
        }
    }

    private static let nothing = Statement("SELECT")

    func shutdown() async {
        await withTaskGroup { group in
            for client in [user, admin, auth, owner] { group.addTask { await client.shutdown() } }
        }
    }
}
