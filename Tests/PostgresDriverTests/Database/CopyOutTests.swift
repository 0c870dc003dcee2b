import PostgresDriver
import TestPostgres
import TestSupport
import Testing

@Suite("COPY out")
struct CopyOutTests {
    private static let backend = Statement("SELECT pg_backend_pid()")
    private static let million = "COPY (SELECT i, md5(i::text) FROM generate_series(1, 1000000) i) TO STDOUT"

    /// One connection, which must be the same and usable afterwards.
    private func onOneConnection(
        deadline: ContinuousClock.Instant? = nil,
        _ body: @Sendable @escaping (PostgresConnection, TestDatabase) async throws -> Void
    ) async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, database in
            try await client.withConnection { connection in
                let before = try await connection.query(Self.backend).text(0, 0)
                try await body(connection, database)
                #expect(try await connection.query(Self.backend).text(0, 0) == before)
            }
            #expect(try await client.query(Statement("SELECT 1")).text(0, 0) == "1")
        }
    }

    @Test("every row comes, whole, in any format; a row may be larger than every buffer")
    func rows() async throws {
        try await onOneConnection { connection, _ in
            var text: [UInt8] = []
            for try await chunk in connection.copyOut(
                "COPY (SELECT i, NULL FROM generate_series(1, 20000) i) TO STDOUT")
            {
                #expect(chunk.last == UInt8(ascii: "\n"))
                text += chunk
            }
            let expected = (1...20_000).map { "\($0)\t\\N\n" }.joined()
            #expect(String(decoding: text, as: UTF8.self) == expected)
            var large = 0
            for try await chunk in connection.copyOut(
                "COPY (SELECT repeat('x', 3000000) FROM generate_series(1, 3)) TO STDOUT (FORMAT csv)")
            {
                large += chunk.count
            }
            #expect(large == 9_000_003)
            for try await _ in connection.copyOut("COPY (SELECT 1 WHERE false) TO STDOUT") { Issue.record("no rows") }
        }
    }

    @Test("a consumer that waits makes the server wait, and gets every row in the end")
    func backPressure() async throws {
        try await onOneConnection { connection, database in
            var iterator = connection.copyOut(Self.million).makeAsyncIterator()
            var rows = try await iterator.next()?.count { $0 == UInt8(ascii: "\n") } ?? 0
            try await eventually("the server waits") {
                try await database.backends(where: "wait_event = 'ClientWrite'") == 1
            }
            while let chunk = try await iterator.next() { rows += chunk.count { $0 == UInt8(ascii: "\n") } }
            #expect(rows == 1_000_000)
            #expect(try await iterator.next() == nil)
        }
    }

    @Test("leaving the loop ends the statement; on a client the connection goes back")
    func early() async throws {
        // In the list and not in FROM, where the server would collect all of it before the first row.
        let endless = "COPY (SELECT generate_series(1, 1000000000)) TO STDOUT"
        try await onOneConnection { connection, _ in
            for _ in 0..<3 { for try await _ in connection.copyOut(endless) { break } }
        }
        try await withClient {
            $0.poolSize = 1
        } _: { client, _ in
            for _ in 0..<3 { for try await _ in client.copyOut(endless) { break } }
            #expect(try await client.query(Statement("SELECT 1")).text(0, 0) == "1")
            // The iterator outlives its lease: the lease's end is its end.
            let left = Kept()
            try await client.withConnection { connection in
                var iterator = connection.copyOut(endless).makeAsyncIterator()
                _ = try await iterator.next()
                left.iterator = iterator
            }
            #expect(try await client.query(Statement("SELECT 1")).text(0, 0) == "1")
            var iterator = try #require(left.iterator)
            let error = try await failure { while try await iterator.next() != nil {} }
            #expect(error.kind == .closed)
        }
    }

    @Test("cancelled, or out of time, it ends on the server too")
    func stopped() async throws {
        let slow = "COPY (SELECT pg_sleep(600)) TO STDOUT"
        try await onOneConnection { connection, database in
            let task = Task { for try await _ in connection.copyOut(slow) {} }
            try await eventually("it runs") { try await database.isSleeping() }
            task.cancel()
            #expect(try await failure { try await task.value }.kind == .cancelled)
        }
        try await withClient { client, database in
            let copy = client.copyOut(slow, deadline: .now + .milliseconds(300))
            #expect(try await failure { for try await _ in copy {} }.kind == .timeout)
            let lagging = client.copyOut(Self.million, deadline: .now + .milliseconds(1_500))
            var iterator = lagging.makeAsyncIterator()
            _ = try await iterator.next()
            try await eventually("the server is freed") {
                try await database.backends(where: "state = 'active' AND query LIKE 'COPY%'") == 0
            }
            let error = try await failure { while try await iterator.next() != nil {} }
            #expect(error.kind == .timeout)
        }
    }

    @Test("an error amid the rows is told after them")
    func amid() async throws {
        try await onOneConnection { connection, _ in
            var rows = 0
            let error = try await failure {
                for try await chunk in connection.copyOut(
                    "COPY (SELECT 1 / (50000 - i) FROM generate_series(1, 100000) i) TO STDOUT")
                {
                    rows += chunk.count { $0 == UInt8(ascii: "\n") }
                }
            }
            #expect(error.sqlState == "22012")
            #expect(rows == 49_999)
        }
    }

    @Test("a connection lost while the consumer lags is told when it goes on")
    func lost() async throws {
        try await withClient { client, database in
            var iterator = client.copyOut(Self.million).makeAsyncIterator()
            _ = try await iterator.next()
            try await eventually("the server waits") {
                try await database.backends(where: "wait_event = 'ClientWrite'") == 1
            }
            try await database.psql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'ClientWrite' AND datname = current_database()"
            )
            try await eventually("it is gone") { try await database.backends(where: "wait_event = 'ClientWrite'") == 0 }
            let error = try await failure { while try await iterator.next() != nil {} }
            #expect(error.kind == .connectionLost)
            #expect(!error.isRetrySafe)
            #expect(try await client.query(Statement("SELECT 1")).text(0, 0) == "1")
        }
    }

    @Test("a COPY in, or no COPY, is refused, and the connection stays of use")
    func direction() async throws {
        try await onOneConnection { connection, database in
            try await database.psql("CREATE TABLE t (a int)")
            func refusal(_ sql: String) async throws -> PostgresError {
                try await failure { for try await _ in connection.copyOut(sql) {} }
            }
            let error = try await refusal("COPY t FROM STDIN")
            #expect(error.kind == .protocolViolation)
            #expect(error.isRetrySafe)
            #expect(try await refusal("INSERT INTO t VALUES (1)").kind == .invalidParameter)
            #expect(try await refusal("COPY nowhere TO STDOUT").sqlState == "42P01")
            #expect(try await database.psql("SELECT count(*) FROM t") == "0")
        }
    }
}

private final class Kept: @unchecked Sendable {
    // Unchecked: written by a closure that has ended when it is read.
    var iterator: CopyOut.AsyncIterator?
}
