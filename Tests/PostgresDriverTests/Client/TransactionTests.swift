import PostgresDriver
import TestPostgres
import TestSupport
import Testing

struct TransactionTests {
    static let insert = Statement("INSERT INTO t VALUES ($1::int)")

    @Test func `every step takes effect and has its result`() async throws {
        try await withClient { client, database in
            try await database.psql("CREATE TABLE t(id int PRIMARY KEY)")
            let results = try await client.transaction([
                Step(Self.insert, ["1"]), Step(Self.insert, ["2"]), Step(Statement("SELECT count(*) FROM t")),
                Step(Statement("UPDATE t SET id = id + 10")),
            ])
            #expect(results.map(\.affected) == [1, 1, 1, 2])
            #expect(results[2].text(0, 0) == "2")
            #expect(try await database.psql("SELECT string_agg(id::text, ',' ORDER BY id) FROM t") == "11,12")
            #expect(try await client.transaction([]).isEmpty)
        }
    }

    @Test(arguments: ["1", "not a number"])
    func `one failing step undoes all steps`(_ second: String) async throws {
        try await withClient { client, database in
            try await database.psql("CREATE TABLE t(id int PRIMARY KEY)")
            let error = try await failure {
                try await client.transaction([Step(Self.insert, ["1"]), Step(Self.insert, [.text(second)])])
            }
            #expect(error.kind == .server && error.isRetrySafe)
            #expect(error.failedStep == 1)
            #expect(try await database.psql("SELECT count(*) FROM t") == "0")
            #expect(try await database.backends(where: "state LIKE 'idle in transaction%'") == 0)
        }
    }

    @Test func `a deferred constraint fails the transaction and leaves the connection usable`() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, database in
            try await database.psql(
                """
                CREATE TABLE parent(id int PRIMARY KEY);
                CREATE TABLE t(id int REFERENCES parent DEFERRABLE INITIALLY DEFERRED)
                """)
            for _ in 0..<3 {
                let error = try await failure { try await client.transaction([Step(Self.insert, ["1"])]) }
                #expect(error.sqlState == "23503")
                #expect(error.failedStep == nil)
            }
            #expect(try await client.query(Statement("SELECT count(*) FROM t")).text(0, 0) == "0")
        }
    }

    @Test func `a last step ROLLBACK undoes the transaction, whose results are answered`() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, database in
            try await database.psql("CREATE TABLE t(id int PRIMARY KEY)")
            let count = Statement("SELECT count(*), current_setting('test.x', true) FROM t")
            let setting = Statement("SELECT set_config('test.x', '1', true)")
            for _ in 0..<3 {
                let results = try await client.transaction([
                    Step(setting), Step(Self.insert, ["1"]), Step(count), Step(Statement("ROLLBACK")),
                ])
                #expect(results[1].affected == 1)
                #expect(results[2].text(0, 0) == "1")
                let after = try await client.query(count)
                #expect(after.text(0, 0) == "0")
                #expect(after.text(0, 1) ?? "" == "")
            }
            let error = try await failure {
                try await client.transaction([
                    Step(Self.insert, ["1"]), Step(Self.insert, ["1"]), Step(Statement("ROLLBACK")),
                ])
            }
            #expect(error.sqlState == "23505")
            #expect(error.failedStep == 1)
            #expect(try await client.transaction([Step(Self.insert, ["1"])]).map(\.affected) == [1])
            #expect(try await database.psql("SELECT count(*) FROM t") == "1")
            #expect(try await database.backends(where: "state LIKE 'idle in transaction%'") == 0)
        }
    }

    @Test func `one transaction can create a table and an index`() async throws {
        try await withClient { client, database in
            _ = try await client.transaction([
                Step(Statement("CREATE TABLE t(id int)")), Step(Statement("CREATE INDEX ON t(id)")),
            ])
            _ = try await client.transaction([Step(Self.insert, ["1"])])
            #expect(try await database.psql("SELECT count(*) FROM t") == "1")
        }
    }

    @Test func `concurrent transactions all commit exactly once`() async throws {
        try await withClient { client, database in
            try await database.psql("CREATE TABLE t(id int PRIMARY KEY)")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<400 {
                    group.addTask {
                        let results = try await client.transaction([
                            Step(Self.insert, [.text("\(number)")]),
                            Step(Statement("SELECT id FROM t WHERE id = $1::int"), [.text("\(number)")]),
                        ])
                        #expect(results[1].text(0, 0) == "\(number)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await database.psql("SELECT count(*) FROM t") == "400")
        }
    }

    @Test func `a transaction that loses a deadlock is retried`() async throws {
        let events = EventRecorder<PostgresEvent>()
        try await withClient {
            $0.settings = ["deadlock_timeout": "10ms"]
            $0.conflictRetries = 50
            $0.onEvent = { events.record($0) }
        } _: { client, database in
            try await database.psql("CREATE TABLE t(id int PRIMARY KEY, n int); INSERT INTO t VALUES (1, 0), (2, 0)")
            let raise = Statement("UPDATE t SET n = n + 1 WHERE id = $1::int")
            let pause = Statement("SELECT pg_sleep(0.05)")
            var rounds = 0
            // Two transactions that lock the rows in opposite order deadlock if they overlap.
            try await eventually("a deadlock has occurred") {
                async let one = client.transaction([Step(raise, ["1"]), Step(pause), Step(raise, ["2"])])
                async let other = client.transaction([Step(raise, ["2"]), Step(pause), Step(raise, ["1"])])
                _ = try await (one, other)
                rounds += 1
                return events.retries > 0
            }
            #expect(try await database.psql("SELECT string_agg(n::text, ',') FROM t") == "\(rounds * 2),\(rounds * 2)")
        }
    }

    @Test func `a lasting conflict fails after the configured retries`() async throws {
        let events = EventRecorder<PostgresEvent>()
        try await withClient {
            $0.conflictRetries = 2
            $0.onEvent = { events.record($0) }
        } _: { client, _ in
            let raise = Statement("DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$")
            let error = try await failure { try await client.transaction([Step(raise)]) }
            #expect(error.sqlState == "40001" && error.isRetrySafe)
            #expect(events.retries == 2)
        }
    }
}
