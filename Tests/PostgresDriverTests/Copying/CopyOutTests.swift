import PostgresDriver
import TestPostgres
import TestSupport
import Testing

struct CopyOutTests {
    private static let backend = Statement("SELECT pg_backend_pid()")
    private static let million = "COPY (SELECT i, md5(i::text) FROM generate_series(1, 1000000) i) TO STDOUT"

    /// Runs `body` on one connection and expects it to be usable afterwards.
    private func onOneConnection(
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

    @Test func `every chunk holds whole rows, even rows larger than every buffer`() async throws {
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

    @Test func `a consumer that waits makes the server wait and gets every row in the end`() async throws {
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

    @Test func `leaving the loop ends the statement and returns the connection`() async throws {
        // In the select list: a function in FROM would be evaluated completely before the first row.
        let endless = "COPY (SELECT generate_series(1, 1000000000)) TO STDOUT"
        try await onOneConnection { connection, _ in
            for _ in 0..<3 { for try await _ in connection.copyOut(endless) { break } }
        }
        try await withClient {
            $0.poolSize = 1
        } _: { client, _ in
            for _ in 0..<3 { for try await _ in client.copyOut(endless) { break } }
            #expect(try await client.query(Statement("SELECT 1")).text(0, 0) == "1")
            // The end of a lease ends the iterators that are still in use.
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

    @Test func `cancellation and deadlines end the statement on the server`() async throws {
        let slow = "COPY (SELECT pg_sleep(600)) TO STDOUT"
        try await onOneConnection { connection, database in
            let task = Task { for try await _ in connection.copyOut(slow) {} }
            try await eventually("the statement runs") { try await database.isSleeping() }
            task.cancel()
            #expect(try await failure { try await task.value }.kind == .cancelled)
        }
        try await withClient { client, database in
            let waiting = try await failure(atDeadlineWhile: { try await database.isSleeping() }) {
                for try await _ in client.copyOut(slow, deadline: $0) {}
            }
            #expect(waiting.kind == .timeout)
            let isCopying = "state = 'active' AND query LIKE 'COPY%'"
            let lagging = try await failure(atDeadlineWhile: { try await database.backends(where: isCopying) == 1 }) {
                var iterator = client.copyOut(Self.million, deadline: $0).makeAsyncIterator()
                _ = try await iterator.next()
                try await eventually("the statement ends on the server") {
                    try await database.backends(where: isCopying) == 0
                }
                while try await iterator.next() != nil {}
            }
            #expect(lagging.kind == .timeout)
        }
    }

    @Test func `an error during the rows is thrown after the rows before it`() async throws {
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

    @Test func `a connection lost while the consumer lags behind is reported to it`() async throws {
        try await withClient { client, database in
            var iterator = client.copyOut(Self.million).makeAsyncIterator()
            _ = try await iterator.next()
            try await eventually("the server waits") {
                try await database.backends(where: "wait_event = 'ClientWrite'") == 1
            }
            try await database.psql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'ClientWrite' AND datname = current_database()"
            )
            try await eventually("the backend is gone") {
                try await database.backends(where: "wait_event = 'ClientWrite'") == 0
            }
            let error = try await failure { while try await iterator.next() != nil {} }
            #expect(error.kind == .connectionLost)
            #expect(!error.isRetrySafe)
            #expect(try await client.query(Statement("SELECT 1")).text(0, 0) == "1")
        }
    }

    @Test func `a COPY FROM and other statements are rejected and the connection stays usable`() async throws {
        try await onOneConnection { connection, database in
            try await database.psql("CREATE TABLE t (a int)")
            func error(_ sql: String) async throws -> PostgresError {
                try await failure { for try await _ in connection.copyOut(sql) {} }
            }
            let direction = try await error("COPY t FROM STDIN")
            #expect(direction.kind == .protocolViolation)
            #expect(direction.isRetrySafe)
            #expect(try await error("INSERT INTO t VALUES (1)").kind == .invalidParameter)
            #expect(try await error("COPY nowhere TO STDOUT").sqlState == "42P01")
            #expect(try await database.psql("SELECT count(*) FROM t") == "0")
        }
    }
}

private final class Kept: @unchecked Sendable {
    // Unchecked: the closure that writes it has ended before it is read.
    var iterator: CopyOut.AsyncIterator?
}
