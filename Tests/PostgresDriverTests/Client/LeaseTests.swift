import PostgresDriver
import TestPostgres
import TestSupport
import Testing

struct LeaseTests {
    static let backend = Statement("SELECT pg_backend_pid()")

    @Test func `statements on a leased connection share a session that other callers cannot use`() async throws {
        try await withClient {
            $0.poolSize = 2
        } _: { client, database in
            try await database.psql("CREATE TABLE t(id int)")
            try await client.withConnection { connection in
                _ = try await connection.query(Statement("BEGIN"))
                _ = try await connection.query(Statement("INSERT INTO t VALUES (1)"))
                #expect(try await client.query(Statement("SELECT count(*) FROM t")).text(0, 0) == "0")
                #expect(try await connection.query(Statement("SELECT count(*) FROM t")).text(0, 0) == "1")
                let own = try await connection.query(Self.backend).text(0, 0)
                for _ in 0..<20 { #expect(try await client.query(Self.backend).text(0, 0) != own) }
                _ = try await connection.query(Statement("COMMIT"))
            }
            #expect(try await client.query(Statement("SELECT count(*) FROM t")).text(0, 0) == "1")
        }
    }

    @Test func `a connection returned inside a transaction is closed and the transaction undone`() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, database in
            try await database.psql("CREATE TABLE t(id int)")
            let before = try await client.withConnection { connection in
                _ = try await connection.query(Statement("BEGIN"))
                _ = try await connection.query(Statement("INSERT INTO t VALUES (1)"))
                return try await connection.query(Self.backend).text(0, 0)
            }
            #expect(try await client.query(Self.backend).text(0, 0) != before)
            #expect(try await client.query(Statement("SELECT count(*) FROM t")).text(0, 0) == "0")
        }
    }

    @Test func `an idle connection is reused without the settings, locks and tables of its lease`() async throws {
        try await withClient {
            $0.poolSize = 1
            $0.settings = ["TimeZone": "UTC"]
        } _: { client, _ in
            let before = try await client.withConnection { connection in
                try await connection.simpleQuery(
                    """
                    SET TimeZone = 'Asia/Tokyo'; CREATE TEMP TABLE mine(id int); SET ROLE pg_monitor;
                    SELECT pg_advisory_lock(42); LISTEN something;
                    """)
                return try await connection.query(Self.backend).text(0, 0)
            }
            let rows = try await client.query(
                Statement(
                    """
                    SELECT pg_backend_pid()::text, current_setting('TimeZone'), to_regclass('mine')::text,
                        current_user = session_user, (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()),
                        (SELECT count(*) FROM pg_listening_channels())
                    """))
            #expect((0..<6).map { rows.text(0, $0) } == [before, "UTC", nil, "t", "0", "0"])
        }
    }

    @Test func `an error of the body is rethrown and the connection returned`() async throws {
        struct Mine: Error {}
        try await withClient {
            $0.poolSize = 1
        } _: { client, _ in
            for _ in 0..<5 {
                await #expect(throws: Mine.self) { try await client.withConnection { _ in throw Mine() } }
            }
            let rows = try await client.query(Statement("SELECT 1"))
            #expect(rows.text(0, 0) == "1")
        }
    }

    @Test func `a simple query runs several statements, reports notices, and is undone by a failure`() async throws {
        let events = EventRecorder<PostgresEvent>()
        try await withClient {
            $0.onEvent = { events.record($0) }
        } _: { client, database in
            try await client.withConnection { connection in
                try await connection.simpleQuery(
                    "CREATE TABLE a(id int); INSERT INTO a VALUES (1); DO $$ BEGIN RAISE NOTICE 'hello'; END $$;")
                try await connection.simpleQuery("")
                #expect(try await connection.query(Statement("SELECT count(*) FROM a")).text(0, 0) == "1")
                let error = try await failure {
                    try await connection.simpleQuery("INSERT INTO a VALUES (2); SELECT 1/0; INSERT INTO a VALUES (3)")
                }
                #expect(error.sqlState == "22012")
                #expect(try await connection.query(Statement("SELECT count(*) FROM a")).text(0, 0) == "1")
                let nul = try await failure { try await connection.simpleQuery("SELECT 1\0; DROP TABLE a") }
                #expect(nul.kind == .invalidParameter)
            }
            #expect(events.notices.contains("hello"))
            #expect(try await database.psql("SELECT count(*) FROM a") == "1")
        }
    }

    @Test func `a simple query with COPY fails and costs only the connection`() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, _ in
            try await client.withConnection { connection in
                let error = try await failure { try await connection.simpleQuery("COPY (SELECT 1) TO STDOUT") }
                #expect(error.kind == .protocolViolation)
                _ = try await failure { try await connection.query(Self.backend) }
            }
            #expect(try await client.query(Statement("SELECT 1")).text(0, 0) == "1")
        }
    }

    @Test func `a lease is granted within seconds under an endless load of reads`() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, _ in
            // With 64 readers of 1 ms each, another read always waits when one ends, so the connection never becomes idle by
            // itself. Without a reservation for the lease this test starves.
            let read = Statement("SELECT $1::int, pg_sleep(0.001)")
            let isOver = Flag()
            let reads = LockedValue(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        while !isOver.isSet {
                            _ = try await client.query(read, [.text("\(number)")])
                            reads.withLock { $0 += 1 }
                        }
                    }
                }
                defer { isOver.set() }
                for _ in 0..<5 {
                    let before = reads.value
                    try await eventually("reads continue") { reads.value > before + 200 }
                    _ = try await client.withConnection(deadline: .now + .seconds(20)) {
                        try await $0.query(Self.backend)
                    }
                }
                isOver.set()
                try await group.waitForAll()
            }
        }
    }

    @Test func `a connection kept after its lease throws closed`() async throws {
        try await withClient { client, _ in
            let kept = try await client.withConnection { $0 }
            #expect(try await failure { try await kept.query(Self.backend) }.kind == .closed)
        }
    }

    @Test func `a lease stays usable after one of its statements was cancelled`() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, database in
            try await client.withConnection { connection in
                for _ in 0..<3 {
                    let task = Task { try await connection.query(CancellationTests.sleep) }
                    try await eventually("the statement runs") { try await database.isSleeping() }
                    task.cancel()
                    #expect(try await failure { try await task.value }.kind == .cancelled)
                    #expect(try await connection.query(Statement("SELECT 1")).text(0, 0) == "1")
                }
                let task = Task { try await connection.simpleQuery("SELECT pg_sleep(600)") }
                try await eventually("the statement runs") { try await database.isSleeping() }
                task.cancel()
                #expect(try await failure { try await task.value }.kind == .cancelled)
                #expect(try await connection.query(Statement("SELECT 1")).text(0, 0) == "1")
            }
        }
    }

    @Test func `a cancelled task returns its connection`() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, database in
            let task = Task { try await client.withConnection { try await $0.query(CancellationTests.sleep) } }
            try await eventually("the statement runs") { try await database.isSleeping() }
            task.cancel()
            _ = await task.result
            #expect(try await client.query(Statement("SELECT 1")).text(0, 0) == "1")
            #expect(try await database.backends() == 1)
        }
    }
}
