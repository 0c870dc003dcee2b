import PostgresDriver
import TestPostgres
import TestSupport
import Testing

/// A database behind a PgBouncer that has two server connections for all clients.
struct PooledDatabase {
    let cluster: TestCluster
    let database: TestDatabase
    let pooler: TestPooler

    private static let cluster = Task {
        let cluster = try await TestCluster.start()
        try await cluster.psql("CREATE ROLE red; CREATE ROLE blue")
        return cluster
    }

    private static let pooler = LockedValue<Task<TestPooler, any Error>?>(nil)

    /// The pooler that the tests share. It is replaced if it has ended.
    private static func runningPooler() async throws -> TestPooler {
        while true {
            let start = pooler.withLock { current in
                let start = current ?? Task { try await TestPooler.start(for: cluster.value) }
                current = start
                return start
            }
            let running = try await start.value
            if running.isRunning { return running }
            pooler.withLock { if $0 == start { $0 = nil } }
        }
    }

    /// Runs `body` with a new database that both roles may use.
    static func with(_ body: (PooledDatabase) async throws -> Void) async throws {
        let (cluster, pooler) = try await (cluster.value, runningPooler())
        let database = try await TestDatabase.create(migrated: false, on: cluster)
        try await database.psql("GRANT ALL ON SCHEMA public TO red, blue")
        try await withKnownIssue("this version of PgBouncer ended itself after a cancel request", isIntermittent: true)
        {
            try await body(PooledDatabase(cluster: cluster, database: database, pooler: pooler))
        } matching: { _ in
            pooler.hasAborted
        }
        if !pooler.isRunning, !pooler.hasAborted { Issue.record("PgBouncer has ended:\n\(pooler.log().suffix(4_000))") }
        // DROP … WITH (FORCE) ends the connections that PgBouncer keeps open.
        try await database.drop()
    }

    /// Runs `body` with a client that connects through the pooler.
    func client<R: Sendable>(
        _ role: String? = nil, _ change: (inout PostgresClient.Configuration) -> Void = { _ in },
        _ body: (PostgresClient) async throws -> R
    ) async throws -> R {
        var configuration = PostgresClient.Configuration(
            connectionString: pooler.connectionString(database: database.name))
        configuration.pooling = .transaction
        configuration.role = role
        configuration.acquireTimeout = .seconds(60)
        configuration.connectTimeout = .seconds(60)
        change(&configuration)
        let client = PostgresClient(configuration)
        let result: Result<R, any Error>
        do { result = .success(try await body(client)) } catch { result = .failure(error) }
        await client.shutdown()
        return try result.get()
    }

    /// The number of idle transactions on the server.
    func openTransactions() async throws -> Int {
        try await database.backends(where: "state LIKE 'idle in transaction%'")
    }
}

struct TransactionPoolingTests {
    private static let who = Statement("SELECT current_user, current_setting('TimeZone'), $1::text")

    @Test func `roles share the pooler's connections without mixing identities`() async throws {
        try await PooledDatabase.with { pooled in
            try await pooled.client("red", { $0.settings = ["TimeZone": "Asia/Tokyo"] }) { red in
                try await pooled.client("blue", { $0.settings = ["TimeZone": "Europe/Paris"] }) { blue in
                    try await pooled.client { own in
                        let callers = [
                            (red, "red", "Asia/Tokyo"), (blue, "blue", "Europe/Paris"), (own, "postgres", nil),
                        ]
                        try await expectOwnIdentity(callers, times: 500)
                    }
                }
            }
            #expect(
                try await pooled.database.backends(where: "usename = 'postgres'") <= 3,
                "the two of the pooler, and that of psql")
        }
    }

    /// Every client asks for its role and time zone, all at the same time. A zone of nil means any but those of the others.
    private func expectOwnIdentity(_ callers: [(PostgresClient, role: String, zone: String?)], times: Int) async throws
    {
        let set = callers.compactMap(\.zone)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<times {
                for (client, role, zone) in callers {
                    group.addTask {
                        let rows = try await client.query(Self.who, [.text("\(role) \(index)")])
                        #expect(rows.text(0, 0) == role)
                        let shown = rows.text(0, 1) ?? ""
                        #expect(zone.map { $0 == shown } ?? !set.contains(shown), "\(shown)")
                        #expect(rows.text(0, 2) == "\(role) \(index)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `ten thousand reads, of which a tenth fails, get their own results`() async throws {
        try await PooledDatabase.with { pooled in
            try await pooled.client("red") { client in
                let divide = Statement("SELECT 1000000 / ($1::int % 10), $1::int, current_user")
                _ = try await client.query(divide, ["1"])
                try await withThrowingTaskGroup { group in
                    for index in 0..<10_000 {
                        group.addTask {
                            do {
                                let rows = try await client.query(divide, [.text("\(index)")])
                                #expect(index % 10 != 0)
                                #expect(rows.text(0, 1) == "\(index)")
                                #expect(rows.text(0, 2) == "red")
                            } catch let error as PostgresError {
                                #expect(index % 10 == 0, "\(error)")
                                #expect(error.sqlState == "22012", "\(error)")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let prepared = Statement("SELECT count(*) FROM pg_prepared_statements")
                for _ in 0..<10 { #expect(try await client.query(prepared).text(0, 0) == "0") }
            }
            #expect(try await pooled.openTransactions() == 0)
        }
    }

    @Test func `a failed transaction leaves no rows and no open transaction`() async throws {
        try await PooledDatabase.with { pooled in
            try await pooled.client("blue") { client in
                let create =
                    "CREATE TABLE t (id int PRIMARY KEY, parent int REFERENCES t DEFERRABLE INITIALLY DEFERRED)"
                _ = try await client.transaction([Step(Statement(create))])
                #expect(
                    try await pooled.database.psql("SELECT tableowner FROM pg_tables WHERE tablename = 't'") == "blue")
                let insert = Statement("INSERT INTO t VALUES ($1, $2)")
                _ = try await client.transaction([Step(insert, ["1", nil]), Step(insert, ["2", "1"])])
                for _ in 0..<20 {
                    let taken = try await failure {
                        try await client.transaction([Step(insert, ["3", nil]), Step(insert, ["1", nil])])
                    }
                    #expect(taken.sqlState == "23505")
                    let orphan = try await failure { try await client.transaction([Step(insert, ["4", "5"])]) }
                    #expect(orphan.sqlState == "23503", "a deferred constraint fails at the Sync")
                    #expect(try await pooled.openTransactions() == 0)
                }
                let count = Statement("SELECT count(*) FROM t")
                #expect(try await client.query(count).text(0, 0) == "2")
            }
            let refused = try await pooled.client("red") { red in
                try await failure { try await red.query(Statement("SELECT * FROM t")) }
            }
            #expect(refused.sqlState == "42501")
        }
    }

    @Test func `a role that the login may not take fails the call`() async throws {
        try await PooledDatabase.with { pooled in
            try await pooled.client("unknown_role") { client in
                for _ in 0..<3 {
                    let error = try await failure { try await client.query(Self.who, ["x"]) }
                    #expect(error.kind == .server, "\(error)")
                    #expect(error.sqlState == "22023", "\(error)")
                }
            }
            #expect(try await pooled.openTransactions() == 0)
        }
    }

    @Test func `cancelled and late calls end on the server and affect no other call`() async throws {
        try await PooledDatabase.with { pooled in
            try await pooled.client("red") { client in
                let sleep = Statement("SELECT pg_sleep(60)")
                let task = Task { try await client.query(sleep) }
                try await eventually("the statement runs") { try await pooled.database.isSleeping() }
                let neighbours = Task {
                    for index in 0..<200 {
                        let rows = try await client.query(Self.who, [.text("\(index)")])
                        #expect(rows.text(0, 2) == "\(index)")
                    }
                }
                task.cancel()
                #expect(try await failure { try await task.value }.kind == .cancelled)
                try await eventually("the statement ends on the server") { try await !pooled.database.isSleeping() }
                try await neighbours.value
                let late = try await failure { try await client.query(sleep, deadline: .now + .milliseconds(50)) }
                #expect(late.kind == .timeout)
                try await eventually("the late statement ends on the server") {
                    try await !pooled.database.isSleeping()
                }
                let write = Step(Statement("SELECT pg_sleep(60)"))
                let held = try await failure {
                    try await client.transaction([write], deadline: .now + .milliseconds(50))
                }
                #expect(held.kind == .timeout)
                #expect(try await client.query(Self.who, ["still here"]).text(0, 2) == "still here")
            }
        }
    }

    @Test func `a write whose backend is terminated is lost or unknown, never repeated`() async throws {
        try await PooledDatabase.with { pooled in
            try await pooled.database.psql("CREATE TABLE t (id int); GRANT ALL ON t TO red")
            let gate = try await Gate.close(pooled.database)
            try await pooled.client("red") { client in
                let insert = Step(Statement("INSERT INTO t VALUES (1)"))
                let write = Task { try await client.transaction([insert, Step(Gate.pass, ["1"])]) }
                let read = Task { try await client.query(Gate.pass, ["7"]) }
                try await eventually("both statements wait") {
                    try await pooled.database.backends(where: "wait_event = 'advisory'") == 2
                }
                try await gate.terminateWaiters()
                let error = try await failure { try await write.value }
                #expect([.connectionLost, .outcomeUnknown].contains(error.kind), "\(error)")
                try await eventually("the read is run again") { try await gate.hasWaiters() }
                try await gate.open()
                #expect(try await read.value.text(0, 0) == "7")
            }
            #expect(try await pooled.database.psql("SELECT count(*) FROM t") == "0")
        }
    }

    @Test func `a long statement is not mistaken for a dead connection, whatever the pooling mode`() async throws {
        try await PooledDatabase.with { pooled in
            let events = EventRecorder<PostgresEvent>()
            try await pooled.client(nil, { $0.onEvent = { events.record($0) } }) { client in
                // This client is configured for session pooling by mistake, and so probes a session that it does not have.
                try await pooled.client(
                    nil,
                    {
                        $0.pooling = .session; $0.onEvent = { events.record($0) }
                    }
                ) { mistaken in
                    let sleep = Statement("SELECT pg_sleep(6), 1")
                    async let one = client.query(sleep)
                    async let other = mistaken.transaction([Step(sleep)])
                    let answers = try await (one.text(0, 1), other[0].text(0, 1))
                    #expect(answers == ("1", "1"))
                }
            }
            #expect(events.losses == 0)
        }
    }

    @Test func `a lease is rejected with the reason`() async throws {
        try await PooledDatabase.with { pooled in
            try await pooled.client { client in
                let error = try await failure { try await client.withConnection { _ in } }
                #expect(error.kind == .unsupported)
                #expect(error.isRetrySafe)
                #expect(error.description.contains("pooler"))
            }
        }
    }
}

struct RoleVerificationTests {
    private func failureToConnect(_ settings: [String: String], role: String?) async throws -> PostgresError {
        let cluster = try await TestCluster.start()
        try await cluster.psql("CREATE ROLE red")
        let pooler = try await TestPooler.start(for: cluster, settings: settings)
        var configuration = PostgresClient.Configuration(
            connectionString: pooler.connectionString(database: "postgres"))
        configuration.role = role
        configuration.settings = ["TimeZone": "UTC"]
        configuration.transactionPoolingHint = "--such-a-flag"
        configuration.acquireTimeout = .seconds(2)
        let client = PostgresClient(configuration)
        let error = try await failure { try await client.query(Statement("SELECT 1")) }
        await client.shutdown()
        try await cluster.stop(.immediate)
        return error
    }

    @Test func `a pooler that rejects startup options is reported with the remedy`() async throws {
        let error = try await failureToConnect([:], role: "red")
        #expect(error.kind == .unavailable)
        #expect(error.cause?.contains("--such-a-flag") == true, "\(error)")
    }

    @Test func `a pooler that ignores startup options is reported before any statement runs`() async throws {
        let error = try await failureToConnect(["ignore_startup_parameters": "options"], role: "red")
        #expect(error.kind == .unavailable)
        #expect(error.cause?.contains("'postgres' and not as 'red'") == true, "\(error)")
        #expect(error.cause?.contains("--such-a-flag") == true, "\(error)")
    }
}
