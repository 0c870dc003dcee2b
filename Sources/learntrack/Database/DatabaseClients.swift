import Logging
import PostgresDriver
import RPCServer

/// The server's connections: a pool for each database role, so that every statement carries its rights.
struct DatabaseClients: Sendable {
    struct Configuration: Sendable {
        /// A login of its own for secrets; nil: the one login switches roles.
        let authConnectionString: String?
        /// Leads to the server itself where the usual address leads through a pooler.
        let directConnectionString: String?
        let pooling: Pooling
        /// Addresses of replicas that reads may go to.
        let replicas: [String]
        let replicaMaxLag: Duration
        let poolSize: Int
        let authPoolSize: Int
        let acquireTimeout: Duration
        /// What the clock of sessions shows.
        let timeZone: String
    }

    let user: ReplicatedClient
    let admin: ReplicatedClient
    /// The only one that may touch secrets.
    let auth: PostgresClient
    /// The login itself, which owns the schema: for migrations and for what health checks ask. Through a transaction
    /// pooler only for the latter.
    let owner: PostgresClient
    /// Nil without replicas.
    let monitor: ReplicaMonitor?
    let replicaCount: Int

    init(_ connectionString: String, _ configuration: Configuration, _ logger: Logger) {
        let endOfTick = EndOfTick()
        func options(
            _ role: String?, at place: String, _ pooling: Pooling, connections: Int
        ) -> PostgresClient.Configuration {
            var client = PostgresClient.Configuration(connectionString: place)
            client.listenConnectionString = configuration.directConnectionString
            client.role = role
            client.pooling = pooling
            client.transactionPoolingHint = "--pooler=transaction"
            client.applicationName = role ?? "learntrack"
            client.poolSize = connections
            client.acquireTimeout = configuration.acquireTimeout
            // Requests have had their time to finish before; what is still under way then, nobody waits for.
            client.shutdownGrace = .milliseconds(500)
            client.settings = [
                // Planning a date range costs as much as running it, and the statements here plan well without values.
                "plan_cache_mode": "force_generic_plan",
                "jit": "off",
                "TimeZone": "UTC",
                "learntrack.time_zone": configuration.timeZone,
            ]
            let log = PostgresLog(logger, pool: role ?? "owner")
            client.onEvent = { log.note($0) }
            client.scheduleFlush = { endOfTick.putOff($0) }
            return client
        }
        var monitor: ReplicaMonitor?
        if !configuration.replicas.isEmpty {
            var primary = options(nil, at: connectionString, configuration.pooling, connections: 1)
            primary.settings = [:]
            let log = PostgresLog(logger, pool: "replicas")
            primary.onEvent = { log.note($0) }
            monitor = ReplicaMonitor(
                primary: primary, replicas: configuration.replicas, maxLag: configuration.replicaMaxLag)
        }
        self.monitor = monitor
        replicaCount = configuration.replicas.count
        func replicated(_ role: String) -> ReplicatedClient {
            let primary = options(
                role, at: connectionString, configuration.pooling, connections: configuration.poolSize)
            guard let monitor else { return ReplicatedClient(PostgresClient(primary)) }
            let replicas = configuration.replicas.enumerated().map { index, place in
                var replica = primary.forReplica(at: place)
                let log = PostgresLog(logger, pool: "\(role) on replica \(index + 1)")
                replica.onEvent = { log.note($0) }
                return PostgresClient(replica)
            }
            return ReplicatedClient(PostgresClient(primary), replicas: replicas, monitor)
        }
        user = replicated("learntrack_user")
        admin = replicated("learntrack_admin")
        auth = PostgresClient(
            options(
                "learntrack_auth", at: configuration.authConnectionString ?? connectionString, configuration.pooling,
                connections: configuration.authPoolSize))
        let direct = configuration.directConnectionString
        owner = PostgresClient(
            options(
                nil, at: direct ?? connectionString, direct == nil ? configuration.pooling : .session, connections: 1))
    }

    /// Finds out whether every role can be had: at the start, rather than at somebody's first call.
    func verify() async throws {
        try await withThrowingTaskGroup { group in
            for client in [user.primary, admin.primary, auth] {
                group.addTask { _ = try await client.query(Self.nothing) }
            }
            try await group.waitForAll()
        }
    }

    private static let nothing = Statement("SELECT")

    func shutdown() async {
        await withTaskGroup { group in
            for client in [user, admin] { group.addTask { await client.shutdown() } }
            for client in [auth, owner] { group.addTask { await client.shutdown() } }
            group.addTask { await monitor?.shutdown() }
        }
    }
}
