import PostgresDriver
import TestPostgres
import TestSupport
import Testing

struct ExhaustionFaultTests {
    static let point = Statement("SELECT $1::int")

    @Test func `at the server's connection limit calls use the one connection or fail with the reason`() async throws {
        let cluster = try await TestCluster.start(
            settings: ["max_connections": "8", "superuser_reserved_connections": "3"])
        try await cluster.psql("CREATE ROLE guest LOGIN")
        var configuration = PostgresClient.Configuration(connectionString: cluster.connectionString + " user=guest")
        configuration.acquireTimeout = .seconds(60)
        let first = PostgresClient(configuration)
        #expect(try await first.query(Self.point, ["1"]).text(0, 0) == "1")
        configuration.acquireTimeout = .milliseconds(700)
        let second = PostgresClient(configuration)

        var others = PostgresClient.Configuration(connectionString: cluster.connectionString + " user=guest")
        others.poolSize = 8
        let crowd = PostgresClient(others)
        let isOver = Flag()
        let holding = Task {
            await withTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        // The server refuses the connections beyond its limit, so that the limit is reached exactly.
                        try? await crowd.withConnection { _ in
                            try await eventually("the test is over") { isOver.isSet }
                        }
                    }
                }
            }
        }
        try await eventually("the other client holds all connections") {
            // A connection that is being refused holds a place for a moment, so psql may be refused, too.
            (try? await cluster.psql("SELECT count(*) FROM pg_stat_activity WHERE usename = 'guest'")) == "5"
        }
        let error = try await failure { try await second.query(Self.point, ["2"]) }
        #expect(error.kind == .unavailable && error.isRetrySafe)
        #expect(error.cause?.contains("connection") == true, "\(error)")
        try await withThrowingTaskGroup { group in
            for number in 0..<50 {
                group.addTask {
                    #expect(try await first.query(Self.point, [.text("\(number)")]).text(0, 0) == "\(number)")
                    _ = try await first.transaction([Step(Self.point, [.text("\(number)")])])
                }
            }
            try await group.waitForAll()
        }
        isOver.set()
        await holding.value
        await crowd.shutdown()
        #expect(try await second.timeToRecover() < .seconds(1) * timeTolerance)
        await first.shutdown()
        await second.shutdown()
        try await cluster.stop()
    }

    @Test func `a full disk fails the write with 53100 and keeps the connection`() async throws {
        let cluster = try await TestCluster.start(initdb: ["--wal-segsize=1"])
        var configuration = PostgresClient.Configuration(connectionString: cluster.connectionString)
        configuration.poolSize = 1
        let client = PostgresClient(configuration)
        try await cluster.psql(
            "CREATE TABLE heap(id int, filler text); ALTER TABLE heap ALTER filler SET STORAGE PLAIN")
        let backend = Statement("SELECT pg_backend_pid()")
        let pid = try await client.query(backend).text(0, 0)
        // The catalogs and the WAL segments stay below this limit.
        try await cluster.limitFileSize(to: (3 << 20) + 4_096)
        let insert = Statement("INSERT INTO heap SELECT $1::int, repeat('x', 4000) FROM generate_series(1, $2::int)")
        var acknowledged = 0
        var error: PostgresError?
        while error == nil, acknowledged < 100 {
            do throws(PostgresError) {
                _ = try await client.transaction([Step(insert, [.text("\(acknowledged)"), "60"])])
                acknowledged += 1
            } catch let thrown {
                error = thrown
            }
        }
        #expect(
            error?.kind == .server && error?.sqlState == "53100" && error?.isRetrySafe == true,
            "\(String(describing: error))")
        #expect(acknowledged > 0)
        let count = Statement("SELECT count(DISTINCT id), count(*) FROM heap")
        let rows = try await client.query(count)
        #expect(
            rows.text(0, 0) == "\(acknowledged)" && rows.text(0, 1) == "\(acknowledged * 60)",
            "the failed write is undone")
        #expect(try await client.query(backend).text(0, 0) == pid, "the connection was replaced")
        try await cluster.limitFileSize(to: nil)
        _ = try await client.transaction([Step(insert, ["-1", "60"])])
        await client.shutdown()
        try await cluster.stop()
    }
}
