import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// security.md, "Fair shares and budgets": a statement that waits long for a lock ends with a retryable error and
/// holds no connection that others need.
struct LockTimeoutTests {
    /// Locks a session in a transaction of its own until `release` is called.
    private static func lock(_ id: Int, in database: TestDatabase) async throws -> @Sendable () async throws -> Void {
        let name = "lock \(id)"
        let holder = Task {
            try await database.psql(
                """
                SET application_name = '\(name)'; BEGIN; SELECT id FROM sessions WHERE id = \(id) FOR UPDATE;
                SELECT pg_sleep(60)
                """)
        }
        let holds = """
            FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = '\(name)' AND wait_event = 'PgSleep'
            """
        try await eventually { try await database.psql("SELECT count(*) \(holds)") == "1" }
        return {
            try await database.psql("SELECT pg_cancel_backend(pid) \(holds)")
            _ = await holder.result
        }
    }

    private static func update(_ id: Int, _ module: String, by client: RPCClient) async throws -> JSONValue {
        try await client.response(
            "sessions.update",
            ["id": JSONValue(id), "values": ["module": .string(module)], "select": "{ module version }"])
    }

    private static func expectRefusals(_ server: TestServer) async throws {
        let rows = try await Fixtures(server)
        let locked = try await rows.session()
        let free = try await rows.session()
        let release = try await lock(locked, in: server.database)

        let start = ContinuousClock.now
        try await withThrowingTaskGroup { group in
            for _ in 0..<3 {
                let client = try await server.client(TestServer.user)
                group.addTask {
                    let error = try await update(locked, "Bloqué", by: client)["error"]
                    #expect(error?["code"]?.int == 503)
                    #expect(error?["data"]?["code"] == "unavailable")
                    #expect(error?["data"]?["retryable"] == true)
                    #expect(
                        error?["message"]
                            == "Un autre changement retient cet enregistrement\u{202F}: réessayez dans un instant.")
                }
            }
            // Other records are written meanwhile.
            for index in 0..<5 {
                let answer = try await update(free, "Libre \(index)", by: rows.client)
                #expect(answer["result"]?["module"] == .string("Libre \(index)"))
            }
            try await group.waitForAll()
        }
        #expect(ContinuousClock.now - start < .seconds(4))

        let read = try await rows.client.call(
            "sessions.get", ["id": JSONValue(locked), "select": "{ module version }"])
        #expect(read["module"] == .string("Module \(rows.mark)"))
        #expect(read["version"]?.int == 1)
        try await release()
        #expect(try await update(locked, "Débloqué", by: rows.client)["result"]?["version"]?.int == 2)
    }

    @Test func `an update of a locked record ends with a retryable error while other records are written`()
        async throws
    {
        let server = try await TestServer.start()
        try await Self.expectRefusals(server)
        #expect(try await server.stop() == 0)
    }

    @Test func `the lock timeout applies behind a transaction pooler`() async throws {
        let cluster = try await TestCluster.start()
        let database = try await TestDatabase.create(on: cluster)
        let pooler = try await TestPooler.start(for: cluster, connections: 6)
        let server = try await TestServer.start(
            ["--pooler", "transaction", "--listen-url", database.connectionString],
            environment: ["DATABASE_URL": pooler.connectionString(database: database.name)], database: database)
        try await Self.expectRefusals(server)
        #expect(try await server.stop() == 0)
        try await cluster.stop(.immediate)
    }

    @Test func `three accounts that wait for a locked record leave a connection to a fourth`() async throws {
        let server = try await TestServer.start()
        let rows = try await Fixtures(server)
        let locked = try await rows.session()
        let free = try await rows.session()
        var waiting: [RPCClient] = []
        for number in 1...3 {
            let email = "attente\(number)@exemple.fr"
            _ = try await rows.client.call(
                "users.create",
                [
                    "values": [
                        "email": .string(email), "password": .string(TestServer.password), "role": "admin",
                    ]
                ])
            for _ in 0..<4 { waiting.append(try await server.client(email)) }
        }
        let release = try await Self.lock(locked, in: server.database)
        let isOver = Flag()
        try await withThrowingTaskGroup { group in
            for client in waiting {
                group.addTask {
                    while !isOver.isSet {
                        let error = try await Self.update(locked, "Bloqué", by: client)["error"]
                        #expect([429, 503].contains(error?["code"]?.int))
                        // As the refusals ask for.
                        try await Task.sleep(for: .milliseconds(200))
                    }
                }
            }
            for index in 0..<20 {
                let start = ContinuousClock.now
                let answer = try await Self.update(free, "Libre \(index)", by: rows.client)
                #expect(answer["result"]?["module"] == .string("Libre \(index)"))
                #expect(ContinuousClock.now - start < .seconds(2))
                try await Task.sleep(for: .milliseconds(100))
            }
            isOver.set()
            try await group.waitForAll()
        }
        try await release()
        #expect(try await server.stop() == 0)
    }

    @Test func `the setting changes how long a statement waits for a lock`() async throws {
        let server = try await TestServer.start(["--lock-timeout", "0.2"])
        let rows = try await Fixtures(server)
        let id = try await rows.session()
        let release = try await Self.lock(id, in: server.database)
        let start = ContinuousClock.now
        #expect(try await Self.update(id, "Bloqué", by: rows.client)["error"]?["code"]?.int == 503)
        #expect(ContinuousClock.now - start < .seconds(1))
        try await release()
        #expect(try await server.stop() == 0)
    }

    /// Postgres looks for a deadlock later than by default, but within the time that statements wait by default.
    @Test func `transactions that lock the same records in crossing order both succeed`() async throws {
        let database = try await TestDatabase.create()
        try await database.psql(
            """
            ALTER DATABASE \(database.name) SET deadlock_timeout = '1.2 s';
            CREATE FUNCTION public.pause() RETURNS trigger LANGUAGE plpgsql
                AS $$ BEGIN PERFORM pg_sleep(0.4); RETURN NULL; END $$;
            CREATE TRIGGER sessions_pause AFTER UPDATE ON sessions FOR EACH ROW EXECUTE FUNCTION public.pause();
            """)
        let server = try await TestServer.start(database: database)
        let rows = try await Fixtures(server)
        let (x, y) = (try await rows.session(), try await rows.session())
        func update(_ ids: [Int], by client: RPCClient) async throws -> JSONValue {
            let calls = ids.map { id -> JSONValue in
                [
                    "method": "sessions.update",
                    "params": ["id": JSONValue(id), "values": ["lieu": .string("Lieu \(ids[0])")]],
                ]
            }
            return try await client.response("transaction.run", ["calls": .array(calls)])
        }
        let other = try await server.client(TestServer.user)
        async let one = update([x, y], by: rows.client)
        async let two = update([y, x], by: other)
        for answer in [try await one, try await two] {
            #expect(answer.at("/result/results").array.count == 2, "\(answer.json)")
        }
        #expect(try await database.psql("SELECT DISTINCT version FROM sessions") == "3")
        try await eventually("Postgres has found the deadlock") {
            let found = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
            return try await database.psql(found) != "0"
        }
        #expect(try await server.stop() == 0)
    }

    @Test(arguments: [("1", true), ("1.1", false)])
    func `a lock timeout that leaves Postgres no time to look for deadlocks is logged`(
        seconds: String, isLogged: Bool
    ) async throws {
        let server = try await TestServer.start(["--lock-timeout", seconds])
        let warning = "deadlock_timeout, 1000 ms"
        if isLogged { try await server.process.waitForLog(warning) }
        #expect(try await server.stop() == 0)
        #expect(server.process.errors.contains(warning) == isLogged)
    }

    @Test func `a migration waits for a lock as long as it must`() async throws {
        let database = try await TestDatabase.create()
        let id = try await database.psql(
            """
            INSERT INTO sessions (module, date, debut, fin, modalite)
            VALUES ('Module', '2026-01-12', '09:00', '17:00', 'P') RETURNING id
            """)
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            at: URL(filePath: ProjectFiles.migrationsFolder()), to: folder.url("migrations"))
        let change = """
            ALTER TABLE public.sessions ADD COLUMN remark text;
            INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '9999_remark.sql') ON CONFLICT DO NOTHING;
            """
        try folder.write(change, to: "migrations/crm/9999_remark.sql")

        let release = try await Self.lock(try #require(Int(id)), in: database)
        async let server = TestServer.start(["--migrations", folder.path + "/migrations"], database: database)
        let waits = """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE%'
                AND now() - query_start > '2.5 s'
            """
        try await eventually { try await database.psql(waits) == "1" }
        try await release()
        let started = try await server
        #expect(try await database.psql("SELECT count(*) FROM kernel.migrations WHERE name LIKE '9999%'") == "1")
        #expect(try await started.stop() == 0)
    }
}
