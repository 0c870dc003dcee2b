import PostgresDriver
import TestPostgres
import TestSupport
import Testing

@Suite("A connection for one caller alone")
struct LeaseTests {
    static let backend = Statement("SELECT pg_backend_pid()")

    @Test("statements on it share a session; others cannot get in between")
    func exclusive() async throws {
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

    @Test("one left in a transaction is closed and undone, not used again")
    func leftOpen() async throws {
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

    @Test("one given back idle is used again, without settings, locks or tables of the lease")
    func leavesNothing() async throws {
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

    @Test("an error thrown in the body comes out, and the connection goes back")
    func throwing() async throws {
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

    @Test("a script runs many statements; notices come as events; a failing one undoes all")
    func scripts() async throws {
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

    @Test("a script with COPY is refused and costs the connection only")
    func copy() async throws {
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

    @Test("a lease gets its turn among many reads, and reads go on afterwards")
    func turn() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, _ in
            let point = Statement("SELECT $1::int")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<16 {
                    group.addTask { for number in 0..<50 { _ = try await client.query(point, [.text("\(number)")]) } }
                }
                for _ in 0..<5 {
                    group.addTask { _ = try await client.withConnection { try await $0.query(Self.backend) } }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("a connection kept beyond its lease is of no use")
    func afterwards() async throws {
        try await withClient { client, _ in
            let kept = try await client.withConnection { $0 }
            #expect(try await failure { try await kept.query(Self.backend) }.kind == .closed)
        }
    }

    @Test("a statement cancelled within a lease leaves it usable")
    func cancelled() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, database in
            try await client.withConnection { connection in
                for _ in 0..<3 {
                    let task = Task { try await connection.query(CancellationTests.sleep) }
                    try await eventually("it runs") { try await database.isSleeping() }
                    task.cancel()
                    #expect(try await failure { try await task.value }.kind == .cancelled)
                    #expect(try await connection.query(Statement("SELECT 1")).text(0, 0) == "1")
                }
                let task = Task { try await connection.simpleQuery("SELECT pg_sleep(600)") }
                try await eventually("it runs") { try await database.isSleeping() }
                task.cancel()
                #expect(try await failure { try await task.value }.kind == .cancelled)
                #expect(try await connection.query(Statement("SELECT 1")).text(0, 0) == "1")
            }
        }
    }

    @Test("a cancelled task gives its connection back")
    func cancelledTask() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, database in
            let task = Task { try await client.withConnection { try await $0.query(CancellationTests.sleep) } }
            try await eventually("it runs") { try await database.isSleeping() }
            task.cancel()
            _ = await task.result
            #expect(try await client.query(Statement("SELECT 1")).text(0, 0) == "1")
            #expect(try await database.backends() == 1)
        }
    }
}
