import DomainKit
import HTTPServer
import Logging
import Observability
import PostgresDriver
import RPCServer

/// The connection pools of the server, one for each database role, so that every statement runs with the rights of its role.
struct DatabaseClients: Sendable {
    struct Configuration: Sendable {
        /// The address for the role that reads secrets; nil: the common address.
        let authConnectionString: String?
        /// The address that bypasses the pooler, when the common one leads through a pooler.
        let directConnectionString: String?
        let pooling: Pooling
        /// The addresses of the replicas that reads may use.
        let replicas: [String]
        let replicaMaxLag: Duration
        let poolSize: Int
        let authPoolSize: Int
        let acquireTimeout: Duration
        /// How long a statement of a call waits for a lock. Migrations and LISTEN wait as long as they must.
        let lockTimeout: Duration
        /// The time zone of days and of times of day.
        let timeZone: String
    }

    static let workerPoolSize = 4
    /// The connections that listen: for ended sign-ins, and for messages of the outbox.
    static let listeners = 2

    let roles: [Role: ReplicatedClient]
    /// The only role that may read password hashes and sign-ins.
    let auth: PostgresClient
    /// The role of the outbox and the jobs.
    let worker: PostgresClient
    /// The login's own role, which owns the schema: for migrations and health checks. Through a transaction pooler, for
    /// health checks only.
    let owner: PostgresClient
    /// nil without replicas.
    let monitor: ReplicaMonitor?
    let replicaCount: Int
    private let logs: [PostgresLog]
    private let pools: PoolMetrics

    /// - Parameter roles: the roles of the served domains.
    init(_ connectionString: String, roles: [Role], _ configuration: Configuration, _ logger: Logger) {
        let tickCoalescer = TickCoalescer()
        var logs: [PostgresLog] = []
        var pools: [(name: String, client: PostgresClient)] = []
        func log(_ pool: String) -> PostgresLog {
            let log = PostgresLog(logger, pool: pool)
            logs.append(log)
            return log
        }
        func options(
            _ role: String?, at address: String, _ pooling: Pooling, connections: Int
        ) -> PostgresClient.Configuration {
            var client = PostgresClient.Configuration(connectionString: address)
            client.listenConnectionString = configuration.directConnectionString
            client.role = role
            client.pooling = pooling
            client.transactionPoolingHint = "--pooler=transaction"
            client.applicationName = RunningServer.connectionName(of: role)
            client.poolSize = connections
            client.acquireTimeout = configuration.acquireTimeout
            // The HTTP server has waited for its requests already.
            client.shutdownGrace = .milliseconds(500)
            client.settings = [
                // Planning a date range takes as long as running it, and generic plans of these statements are good.
                "plan_cache_mode": "force_generic_plan",
                "jit": "off",
                // On solid-state disks, and in memory, a record by its id costs no more than the next one. With Postgres's own value,
                // it reads a whole table of some hundred rows to find one: a session with its related records then costs 107 µs
                // of CPU instead of 79.
                "random_page_cost": "1.1",
                "TimeZone": "UTC",
                "learntrack.time_zone": configuration.timeZone,
            ]
            if role != nil {
                client.settings["lock_timeout"] = "\(Int64(configuration.lockTimeout / .milliseconds(1)))ms"
            }
            let log = log(role ?? "owner")
            client.onEvent = { log.note($0) }
            client.scheduleFlush = { tickCoalescer.schedule($0) }
            return client
        }
        var monitor: ReplicaMonitor?
        if !configuration.replicas.isEmpty {
            var primary = options(nil, at: connectionString, configuration.pooling, connections: 1)
            primary.settings = [:]
            let log = log("replicas")
            primary.onEvent = { log.note($0) }
            monitor = ReplicaMonitor(
                primary: primary, replicas: configuration.replicas, maxLag: configuration.replicaMaxLag)
        }
        self.monitor = monitor
        replicaCount = configuration.replicas.count
        func replicated(_ role: String) -> ReplicatedClient {
            let primary = options(
                role, at: connectionString, configuration.pooling, connections: configuration.poolSize)
            let client = PostgresClient(primary)
            pools.append((role, client))
            guard let monitor else { return ReplicatedClient(client) }
            let replicas = configuration.replicas.enumerated().map { index, address in
                var replica = primary.forReplica(at: address)
                let name = "\(role) on replica \(index + 1)"
                let log = log(name)
                replica.onEvent = { log.note($0) }
                let client = PostgresClient(replica)
                pools.append((name, client))
                return client
            }
            return ReplicatedClient(client, replicas: replicas, monitor)
        }
        self.roles = Dictionary(uniqueKeysWithValues: roles.map { ($0, replicated($0.databaseRole)) })
        auth = PostgresClient(
            options(
                "learntrack_auth", at: configuration.authConnectionString ?? connectionString, configuration.pooling,
                connections: configuration.authPoolSize))
        worker = PostgresClient(
            options(
                "learntrack_worker", at: connectionString, configuration.pooling, connections: Self.workerPoolSize))
        let direct = configuration.directConnectionString
        owner = PostgresClient(
            options(
                nil, at: direct ?? connectionString, direct == nil ? configuration.pooling : .session, connections: 1))
        pools += [("learntrack_auth", auth), ("learntrack_worker", worker), ("owner", owner)]
        self.pools = PoolMetrics(pools)
        self.logs = logs
    }

    /// Connects once with every role, so that a missing right shows at the start and not in a call.
    func verify() async throws {
        try await withThrowingTaskGroup { group in
            for client in roles.values.map(\.primary) + [auth, worker] {
                group.addTask { _ = try await client.query(Self.emptySelect) }
            }
            try await group.waitForAll()
        }
    }

    private static let emptySelect = Statement("SELECT")

    /// Checks that Postgres knows the time zone.
    func check(timeZone: String) async throws {
        do throws(PostgresError) {
            _ = try await owner.query(Self.localTime, [.text(timeZone)])
        } catch {
            throw error.sqlState == "22023" ? CommandError("--time-zone: there is no '\(timeZone)'") : error
        }
    }

    private static let localTime = Statement("SELECT now() AT TIME ZONE $1::text")

    /// Warns of a lock timeout that ends the statements of a deadlock before Postgres looks for one. Postgres rolls back one
    /// transaction of a deadlock that it finds, and that one is run again.
    func check(lockTimeout: Duration, _ logger: Logger) async throws(PostgresError) {
        let rows = try await owner.query(Self.deadlockTimeout)
        guard let milliseconds = rows.text(0, 0).flatMap({ Int64($0) }), lockTimeout <= .milliseconds(milliseconds)
        else { return }
        logger.warning(
            """
            --lock-timeout is not longer than Postgres's deadlock_timeout, \(milliseconds) ms: transactions that wait for \
            each other fail instead of being run again
            """)
    }

    private static let deadlockTimeout = Statement("SELECT setting FROM pg_settings WHERE name = 'deadlock_timeout'")

    func shutdown() async {
        await withTaskGroup { group in
            for client in roles.values { group.addTask { await client.shutdown() } }
            for client in [auth, worker, owner] { group.addTask { await client.shutdown() } }
            group.addTask { await monitor?.shutdown() }
        }
    }
}

extension DatabaseClients {
    /// Adds what the pools hold and have done, and the events of their connections.
    func addPoolMetrics(to metrics: PrometheusRegistry) {
        pools.add(to: metrics)
        for log in logs {
            func event(_ name: String, _ count: @escaping @Sendable (PostgresLog.Counts) -> Int) {
                metrics.counter("database_events_total", [("event", name), ("pool", log.pool)]) {
                    Double(count(log.counts))
                }
            }
            event("connected") { $0.connected }
            event("connect_failed") { $0.connectFailed }
            event("connection_lost") { $0.connectionLost }
            event("retried") { $0.retried }
            event("notice") { $0.notices }
        }
    }

    /// Asks the pools for their present state, which the metrics then show.
    func refreshMetrics() async { await pools.refresh() }

    /// Adds the lag of each replica, and the number of reads by server.
    func addReplicaMetrics(to metrics: PrometheusRegistry) {
        guard let monitor else { return }
        for replica in 0..<replicaCount {
            metrics.gauge("replica_lag_seconds", [("replica", "\(replica + 1)")]) {
                monitor.lag(of: replica).map { $0 / .seconds(1) } ?? .infinity
            }
        }
        for (role, client) in roles.sorted(by: { $0.key.name < $1.key.name }) {
            let role = role.name
            metrics.counter("database_reads_total", [("role", role), ("server", "replica")]) {
                Double(client.reads.onReplica)
            }
            metrics.counter("database_reads_total", [("role", role), ("server", "primary")]) {
                Double(client.reads.onPrimary)
            }
            metrics.counter("database_reads_repeated_total", [("role", role)]) { Double(client.reads.repeated) }
        }
    }
}
