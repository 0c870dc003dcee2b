import Foundation
import PostgresDriver
import TestPostgres
import TestSupport
import Testing

@Suite(.serialized)
struct VolumeTests {
    private static let newline = UInt8(ascii: "\n")

    @Test func `a million rows are copied out and in at the same time`() async throws {
        try await withClient { client, database in
            try await database.psql("CREATE TABLE t (a int, b text)")
            let rows = client.copyOut(
                "COPY (SELECT i, repeat('x', 150) FROM generate_series(1, 1000000) i) TO STDOUT")
            #expect(try await client.copyIn("COPY t FROM STDIN", from: rows) == 1_000_000)
            #expect(try await database.psql("SELECT count(*), sum(a) FROM t") == "1000000|500000500000")
        }
    }

    @Test func `unread notifications on a pool connection do not accumulate`() async throws {
        try await withClient { client, _ in
            try await client.withConnection { connection in
                _ = try await connection.query(Statement("LISTEN c"))
                let notify = Statement(
                    "SELECT count(pg_notify('c', repeat('x', 7900) || i)) FROM generate_series(1, 1000) i")
                _ = try await connection.query(notify)
                let before = try residentBytes()
                for _ in 0..<100 { _ = try await connection.query(notify) }
                // 790 MB were received. Tests that run in parallel account for a part of the difference.
                let after = try residentBytes()
                #expect(after - before < 400 << 20, "\((after - before) >> 20) MB")
            }
        }
    }

    @Test func `rows of every size around a TLS record arrive complete`() async throws {
        let cluster = try await TestCluster.start(hasTLS: true)
        let client = PostgresClient(.init(connectionString: try cluster.tlsConnectionString()))
        let deadline = ContinuousClock.now + .seconds(120)
        let encrypted = Statement("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        #expect(try await client.query(encrypted).text(0, 0) == "t")
        let text = Statement("SELECT repeat('x', $1::int)")
        for size in stride(from: 8_000, through: 70_000, by: 311) + [50_000_000] {
            let rows = try await client.query(text, [.text("\(size)")], deadline: deadline)
            #expect(rows.withBytes(0, 0) { $0?.count } == size)
        }
        let many = Statement("SELECT i, repeat(md5(i::text), 4) FROM generate_series(1, 200000) i")
        #expect(try await client.query(many, deadline: deadline).count == 200_000)
        var copied = 0
        for try await chunk in client.copyOut(
            "COPY (SELECT repeat('x', i % 40000) FROM generate_series(1, 4000) i) TO STDOUT", deadline: deadline)
        {
            copied += chunk.count { $0 == Self.newline }
        }
        #expect(copied == 4_000)
        let notifications = try client.listen(to: ["c"], heartbeat: .milliseconds(50))
        let heard = Heard(notifications)
        try await eventually("the listener is connected") { notifications.upToDateAsOf != nil }
        heard.stop()
        await client.shutdown()
        try await cluster.stop()
    }

    private func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return try #require(Int(text.split(separator: " ")[1])) * 4_096
    }
}
