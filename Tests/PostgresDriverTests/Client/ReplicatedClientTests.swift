import PostgresDriver
import TestPostgres
import TestSupport
import Testing

@Suite(.serialized)
struct ReplicatedClientTests {
    private static let maxLag: Duration = .milliseconds(500)
    private static let place = Statement("SELECT pg_is_in_recovery()::text")
    private static let count = Statement("SELECT count(*)::text, pg_is_in_recovery()::text FROM t")
    private static let insert = Statement("INSERT INTO t DEFAULT VALUES")

    private struct Pair {
        let primary: TestCluster
        let replica: TestCluster
        let monitor: ReplicaMonitor
        let client: ReplicatedClient

        /// - Parameter address: returns the connection string of the primary; by default that of `primary`.
        static func start(_ address: ((TestCluster, TestCluster) -> String)? = nil) async throws -> Pair {
            let primary = try await TestCluster.start()
            try await primary.psql("CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY)")
            let replica = try await primary.startReplica(settings: ["max_standby_streaming_delay": "0"])
            var configuration = PostgresClient.Configuration(
                connectionString: address?(primary, replica) ?? primary.connectionString)
            configuration.acquireTimeout = .seconds(30)
            let place = replica.connectionString
            let monitor = ReplicaMonitor(primary: configuration, replicas: [place], maxLag: maxLag)
            let client = ReplicatedClient(
                PostgresClient(configuration),
                replicas: [PostgresClient(configuration.forReplica(at: place))], monitor)
            let pair = Pair(primary: primary, replica: replica, monitor: monitor, client: client)
            try await pair.readsGo(toReplica: true)
            return pair
        }

        func readsGo(toReplica: Bool) async throws {
            try await eventually("reads go to the \(toReplica ? "replica" : "primary")") {
                try await client.query(place).text(0, 0) == "\(toReplica)"
            }
        }

        func end() async throws {
            await client.shutdown()
            await monitor.shutdown()
            try await replica.stop(.immediate)
            try await primary.stop(.immediate)
        }
    }

    @Test func `a client reads its own writes, and a replica that lags behind is not used`() async throws {
        let pair = try await Pair.start()
        let client = pair.client

        for written in 1...100 {
            _ = try await client.primary.transaction([Step(Self.insert)])
            let rows = try await client.query(Self.count, after: .now)
            #expect(rows.text(0, 0) == "\(written)")
        }
        try await pair.readsGo(toReplica: true)
        try await eventually("most reads go to the replica") {
            let before = client.reads
            for _ in 0..<100 { _ = try await client.query(Self.count) }
            return client.reads.onReplica - before.onReplica > 50
        }

        let settings = Step(Statement("SELECT set_config('app.tenant', 'first', true)"))
        let both = Statement("SELECT current_setting('app.tenant'), pg_is_in_recovery()::text")
        try await eventually("a read with settings goes to the replica") {
            let rows = try await client.query(both, settings: settings)
            #expect(rows.text(0, 0) == "first")
            return rows.text(0, 1) == "true"
        }

        // Once the replica has caught up with the last write, it answers reads that must see that write.
        let mark = ContinuousClock.now
        try await eventually("the replica shows the last write") {
            let rows = try await client.query(Self.count, after: mark)
            #expect(rows.text(0, 0) == "100")
            return rows.text(0, 1) == "true"
        }

        try await pair.replica.psql("SELECT pg_wal_replay_pause()")
        _ = try await client.primary.transaction([Step(Self.insert)])
        let written = ContinuousClock.now
        while ContinuousClock.now < written + Self.maxLag * 4 {
            let asked = ContinuousClock.now
            let rows = try await client.query(Self.count)
            if asked >= written + Self.maxLag {
                #expect(rows.text(0, 0) == "101", "\(asked - written) after the write")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try await client.query(Self.place).text(0, 0) == "false")
        #expect(try #require(pair.monitor.lag(of: 0)) > Self.maxLag)
        try await pair.replica.psql("SELECT pg_wal_replay_resume()")
        try await pair.readsGo(toReplica: true)

        // When the replica replays this lock of the primary, it cancels the read that runs on it.
        let slow = Statement(
            "SELECT count(*)::text, (CASE WHEN pg_is_in_recovery() THEN pg_sleep(60) END)::text FROM t GROUP BY 2")
        let read = Task { try await client.query(slow, deadline: .now + .seconds(50)) }
        try await eventually("the read runs on the replica") {
            try await pair.replica.psql(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "1"
        }
        try await pair.primary.psql("ALTER TABLE t ADD COLUMN more int")
        #expect(try await read.value.text(0, 0) == "101")
        #expect(client.reads.repeated >= 1)
        try await pair.end()
    }

    @Test func `a replica that crashes, returns and is promoted fails no read`() async throws {
        let pair = try await Pair.start { primary, replica in
            // Both servers; the client uses the one that accepts writes.
            let hosts = [primary, replica].map { $0.connectionString.split(separator: " ")[0].dropFirst(5) }
            return "host=\(hosts.joined(separator: ",")) port=5432,5432 user=postgres dbname=postgres "
                + "target_session_attrs=read-write"
        }
        let client = pair.client
        let isDone = Flag()
        let reader = Task {
            var failures: [PostgresError] = []
            while !isDone.isSet {
                do throws(PostgresError) {
                    _ = try await client.query(Self.count, deadline: .now + .seconds(20))
                } catch {
                    failures.append(error)
                }
            }
            return failures
        }
        try await pair.replica.killPostmaster()
        try await pair.readsGo(toReplica: false)
        try await pair.replica.startAgain()
        try await pair.readsGo(toReplica: true)
        try pair.replica.freeze()
        try await pair.readsGo(toReplica: false)
        try pair.replica.thaw()
        try await pair.readsGo(toReplica: true)

        try await pair.replica.psql("SELECT pg_promote()")
        try await pair.readsGo(toReplica: false)
        for _ in 0..<50 { #expect(try await client.query(Self.place).text(0, 0) == "false") }
        try await eventually("the promoted server has no lag, because it is no replica") {
            pair.monitor.lag(of: 0) == nil
        }
        isDone.set()
        let failures = await reader.value
        #expect(failures.isEmpty, "\(failures)")

        // The old primary becomes read-only, and its connections stay open.
        try await pair.primary.psql("ALTER SYSTEM SET default_transaction_read_only = on")
        try await pair.primary.psql("SELECT pg_reload_conf()")
        var refusals: [PostgresError] = []
        try await eventually("a write reaches the new primary") {
            do throws(PostgresError) {
                _ = try await client.primary.transaction([Step(Self.insert)])
            } catch {
                refusals.append(error)
            }
            return try await pair.replica.psql("SELECT count(*) FROM t") != "0"
        }
        #expect(!refusals.isEmpty)
        for error in refusals { #expect(error.sqlState == "25006" && error.isRetrySafe, "\(error)") }
        try await pair.end()
    }
}
