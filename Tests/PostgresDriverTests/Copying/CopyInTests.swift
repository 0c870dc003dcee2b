import PostgresDriver
import Synchronization
import TestPostgres
import TestSupport
import Testing

struct CopyInTests {
    private static let copy = "COPY t (a, b) FROM STDIN"
    private static let backend = Statement("SELECT pg_backend_pid()")

    /// Runs `body` on one connection, with a table, and expects the connection to be usable afterwards.
    private func onOneConnection(
        _ body: (PostgresConnection, TestDatabase) async throws -> Void
    ) async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, database in
            try await database.psql("CREATE TABLE t (a int, b text)")
            // `body` need not be Sendable: it runs in this task.
            nonisolated(unsafe) let body = body
            try await client.withConnection { connection in
                let before = try await connection.query(Self.backend).text(0, 0)
                try await body(connection, database)
                #expect(try await connection.query(Self.backend).text(0, 0) == before)
            }
            #expect(try await client.query(Statement("SELECT 1")).text(0, 0) == "1")
        }
    }

    @Test func `rows arrive unchanged, however the chunks are cut`() async throws {
        try await onOneConnection { connection, database in
            var encoder = CopyTextEncoder()
            encoder.append(["1", "tab\there"])
            encoder.append(["2", "line\nfeed \\N é"])
            encoder.append(["3", nil])
            encoder.append(["4", ""])
            let bytes = encoder.take()
            let chunks = Chunks(bytes.map { [$0] })
            #expect(try await connection.copyIn(Self.copy, from: chunks) == 4)
            let rows = try await connection.query(Statement("SELECT b FROM t ORDER BY a"))
            #expect((0..<4).map { rows.text($0, 0) } == ["tab\there", "line\nfeed \\N é", nil, ""])
            #expect(try await connection.copyIn(Self.copy, from: Chunks([])) == 0)
        }
    }

    @Test func `copyIn of a client runs on a leased connection`() async throws {
        try await withClient { client, database in
            try await database.psql("CREATE TABLE t (a int, b text)")
            #expect(try await client.copyIn(Self.copy, from: Chunks([Array("1\tx\n2\ty\n".utf8)])) == 2)
            #expect(
                try await failure { try await client.copyIn("DELETE FROM t", from: Chunks([])) }.kind
                    == .invalidParameter)
            #expect(try await database.psql("SELECT count(*) FROM t") == "2")
        }
    }

    @Test func `an error of the producer is rethrown and no row is stored`() async throws {
        try await onOneConnection { connection, database in
            do {
                _ = try await connection.copyIn(Self.copy, from: Chunks([Array("1\tx\n".utf8)], then: Mine()))
                Issue.record("the COPY did not fail")
            } catch is Mine {}
            #expect(try await database.psql("SELECT count(*) FROM t") == "0")
        }
    }

    @Test func `a bad row is reported with its line, also while the producer still sends`() async throws {
        try await onOneConnection { connection, database in
            let error = try await failure {
                try await connection.copyIn(Self.copy, from: Chunks([Array("1\tx\n2\ty\nthree\tz\n4\tx\n".utf8)]))
            }
            #expect(error.sqlState == "22P02")
            #expect(error.server?.context == "COPY t, line 3, column a: \"three\"")
            #expect(error.isRetrySafe)
            let endless = Chunks([Array("three\tz\n".utf8)], thenEndlessly: Array("1\tx\n".utf8))
            let early = try await failure { try await connection.copyIn(Self.copy, from: endless) }
            #expect(early.sqlState == "22P02")
            #expect(early.server?.context == "COPY t, line 1, column a: \"three\"")
            #expect(try await database.psql("SELECT count(*) FROM t") == "0")
        }
    }

    @Test func `a chunk that is much larger than the socket's buffer arrives`() async throws {
        try await onOneConnection { connection, _ in
            let chunk = Array(String(repeating: "1\t\(String(repeating: "x", count: 500))\n", count: 6_000).utf8)
            let one = try await connection.copyIn(Self.copy, from: Chunks([chunk]))
            #expect(one == 6_000)
            let two = try await connection.copyIn(Self.copy, from: Chunks([chunk, chunk]))
            #expect(two == 12_000)
        }
    }

    @Test func `a bad row ends an endless COPY, also when its error comes while the socket is full`() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, database in
            try await database.psql("CREATE TABLE t (a int, b text)")
            let good = Array("1\t\(String(repeating: "x", count: 500))\n".utf8)
            for round in 0..<40 {
                let start = Array(repeating: good, count: 25 * round) + [Array("three\tz\n".utf8)]
                let deadline = ContinuousClock.now + .seconds(20)
                let error = try await failure {
                    try await client.copyIn(Self.copy, from: Chunks(start, thenEndlessly: good), deadline: deadline)
                }
                #expect(error.sqlState == "22P02", "round \(round)")
                #expect(ContinuousClock.now < deadline, "round \(round)")
            }
        }
    }

    @Test func `a deferred constraint fails the COPY`() async throws {
        try await onOneConnection { connection, database in
            try await database.psql("ALTER TABLE t ADD UNIQUE (a) DEFERRABLE INITIALLY DEFERRED")
            let error = try await failure {
                try await connection.copyIn(Self.copy, from: Chunks([Array("1\tx\n1\ty\n".utf8)]))
            }
            #expect(error.sqlState == "23505")
        }
    }

    @Test func `notices during the data do not end the COPY`() async throws {
        try await onOneConnection { connection, database in
            try await database.psql(
                """
                CREATE FUNCTION say() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN RAISE NOTICE '%', repeat('x', 1000); RETURN NEW; END $$;
                CREATE TRIGGER say BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION say()
                """)
            let row = Array("1\tx\n".utf8)
            let chunks = Chunks(Array(repeating: row, count: 3_000), pauseEvery: 1_000)
            #expect(try await connection.copyIn(Self.copy, from: chunks) == 3_000)
        }
    }

    @Test func `a COPY that is cancelled or times out while its producer waits stores no row`() async throws {
        try await onOneConnection { connection, database in
            let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
            continuation.yield(Array("1\tx\n".utf8))
            let task = Task { try await connection.copyIn(Self.copy, from: stream) }
            try await eventually("the COPY runs") { try await database.backends(where: "query = '\(Self.copy)'") == 1 }
            task.cancel()
            #expect(try await failure { try await task.value }.kind == .cancelled)
            #expect(try await database.psql("SELECT count(*) FROM t") == "0")
        }
        try await withClient { client, database in
            try await database.psql("CREATE TABLE t (a int, b text)")
            let isCopying = "query = '\(Self.copy)' AND state = 'active'"
            // copyIn returns after its producer, which here ends once the server has undone the COPY.
            let error = try await failure(atDeadlineWhile: { try await database.backends(where: isCopying) == 1 }) {
                let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
                continuation.yield(Array("1\tx\n".utf8))
                let (deadline, copy) = ($0, Self.copy)
                async let rows = client.copyIn(copy, from: stream, deadline: deadline)
                try await eventually("the server has ended the COPY") {
                    guard ContinuousClock.now > deadline else { return false }
                    return try await database.backends(where: isCopying) == 0
                }
                continuation.finish()
                return try await rows
            }
            #expect(error.kind == .timeout)
            #expect(try await database.psql("SELECT count(*) FROM t") == "0")
        }
    }

    @Test func `a server that waits makes its producer wait`() async throws {
        try await withClient { client, database in
            try await database.psql(
                """
                CREATE TABLE t (a int, b text);
                CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NEW; END $$;
                CREATE TRIGGER wait BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION wait()
                """)
            let gate = try await Gate.close(database)
            let produced = Mutex(0)
            let row = Array("1\t\(String(repeating: "x", count: 1_000))\n".utf8)
            let chunks = Chunks(Array(repeating: row, count: 30_000)) { produced.withLock { $0 += 1 } }
            let task = Task { try await client.copyIn(Self.copy, from: chunks) }
            try await eventually("the server waits at the gate") { try await gate.hasWaiters() }
            var before = -1
            try await eventually("the producer waits") {
                let now = produced.withLock { $0 }
                defer { before = now }
                try await Task.sleep(for: .milliseconds(200))
                return now == before
            }
            #expect(before < 10_000, "it produced \(before) of 30000 rows")
            try await gate.open()
            #expect(try await task.value == 30_000)
        }
    }

    @Test func `a connection lost during the data is safe to retry`() async throws {
        try await withClient { client, database in
            try await database.psql("CREATE TABLE t (a int, b text)")
            let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
            continuation.yield(Array("1\tx\n".utf8))
            let task = Task { try await client.copyIn(Self.copy, from: stream) }
            try await eventually("the COPY runs") { try await database.backends(where: "query = '\(Self.copy)'") == 1 }
            try await database.psql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = '\(Self.copy)' AND datname = current_database()"
            )
            try await eventually("the backend is gone") {
                try await database.backends(where: "query = '\(Self.copy)'") == 0
            }
            continuation.finish()
            let error = try await failure { try await task.value }
            #expect(error.kind == .connectionLost)
            #expect(error.isRetrySafe)
            #expect(error.sqlState == "57P01")
            #expect(try await client.query(Statement("SELECT count(*) FROM t")).text(0, 0) == "0")
        }
    }

    @Test func `a COPY TO, two statements and a missing table are rejected`() async throws {
        try await onOneConnection { connection, database in
            for sql in ["COPY t TO STDOUT", "COPY (SELECT generate_series(1, 100000000)) TO STDOUT"] {
                let error = try await failure { try await connection.copyIn(sql, from: Chunks([])) }
                #expect(error.kind == .protocolViolation)
            }
            let two = try await failure { try await connection.copyIn(Self.copy + "; DROP TABLE t", from: Chunks([])) }
            #expect(two.sqlState == "42601")
            let missing = try await failure { try await connection.copyIn("COPY nowhere FROM STDIN", from: Chunks([])) }
            #expect(missing.sqlState == "42P01")
        }
    }

    @Test func `a COPY within a transaction is rolled back with it`() async throws {
        try await onOneConnection { connection, database in
            _ = try await connection.query(Statement("BEGIN"))
            #expect(try await connection.copyIn(Self.copy, from: Chunks([Array("1\tx\n".utf8)])) == 1)
            #expect(try await connection.query(Statement("SELECT count(*) FROM t")).text(0, 0) == "1")
            _ = try await connection.query(Statement("ROLLBACK"))
            #expect(try await database.psql("SELECT count(*) FROM t") == "0")
        }
    }
}

private struct Mine: Error {}

/// A producer of the given chunks, followed by an error, an endless repetition or the end.
private struct Chunks: AsyncSequence, AsyncIteratorProtocol, Sendable {
    private var rest: ArraySlice<[UInt8]>
    private let error: (any Error)?
    private let endless: [UInt8]?
    private let pauseEvery: Int
    private let onNext: @Sendable () -> Void

    init(
        _ chunks: [[UInt8]], then error: (any Error)? = nil, thenEndlessly endless: [UInt8]? = nil, pauseEvery: Int = 0,
        onNext: @escaping @Sendable () -> Void = {}
    ) {
        rest = chunks[...]
        self.error = error
        self.endless = endless
        self.pauseEvery = pauseEvery
        self.onNext = onNext
    }

    func makeAsyncIterator() -> Self { self }

    mutating func next() async throws -> [UInt8]? {
        onNext()
        if pauseEvery > 0, rest.count.isMultiple(of: pauseEvery) { try await Task.sleep(for: .milliseconds(150)) }
        if let chunk = rest.popFirst() { return chunk }
        if let error { throw error }
        return endless
    }
}
