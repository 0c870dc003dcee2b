import DomainKit
import JSON
import TestPostgres
import Testing

@Suite struct PoolerTests {
    private struct Place {
        let cluster: TestCluster
        let database: TestDatabase
        let pooled: String
        let pooler: TestPooler

        static func make(_ settings: [String: String] = [:]) async throws -> Place {
            let cluster = try await TestCluster.start()
            let database = try await TestDatabase.create(on: cluster)
            let pooler = try await TestPooler.start(for: cluster, settings: settings)
            return Place(
                cluster: cluster, database: database, pooled: pooler.connectionString(database: database.name),
                pooler: pooler)
        }

        func server(_ arguments: [String]) async throws -> TestServer {
            try await TestServer.start(arguments, environment: ["DATABASE_URL": pooled], database: database)
        }

        /// The error output of a `serve` that exits at the start.
        func refusal(_ arguments: [String]) async throws -> String {
            let ran = try await LearnTrackProcess.run(
                ["serve", "--port", "0"] + arguments,
                environment: ["DATABASE_URL": pooled, "JWT_SECRET": TestServer.secret])
            #expect(ran.status != 0)
            #expect(ran.output.isEmpty)
            return ran.errors
        }
    }

    @Test func `a server waits for a place among the clients of the pooler`() async throws {
        let place = try await Place.make()
        try await place.pooler.setMaxClients(0, of: place.cluster)
        let process = try LearnTrackProcess(
            [
                "serve", "--port", "0", "--pooler", "transaction", "--listen-url", place.database.connectionString,
            ], environment: ["DATABASE_URL": place.pooled, "JWT_SECRET": TestServer.secret])
        try await process.waitForLog("Waiting for Postgres: it has no place for a connection")
        #expect(process.errors.contains("no more connections allowed"), "\(process.errors)")
        try await place.pooler.setMaxClients(200, of: place.cluster)
        _ = try await process.waitUntilReady()
        try process.signal(15)
        #expect(try await process.waitForExit() == 0)
    }

    @Test func `doctor compares with the limits of Postgres only what bypasses the pooler`() async throws {
        let place = try await Place.make()
        func connections() async throws -> JSONValue? {
            let run = try await LearnTrackProcess.run(
                [
                    "doctor", "--json", "--port", "0", "--pooler", "transaction", "--listen-url",
                    place.database.connectionString,
                ], environment: ["DATABASE_URL": place.pooled, "JWT_SECRET": TestServer.secret])
            guard case .array(let all)? = try JSONValue.parse(Array(run.output.utf8))["findings"] else { return nil }
            return all.first { $0["name"] == "connections" }
        }
        _ = try await place.database.psql("ALTER DATABASE \(place.database.name) CONNECTION LIMIT 10")
        let few = try await connections()
        #expect(few?["state"] == "unknown", "\(String(describing: few))")
        #expect(few?["detail"]?.text?.contains("max_client_conn") == true)
        _ = try await place.database.psql("ALTER DATABASE \(place.database.name) CONNECTION LIMIT 2")
        #expect(try await connections()?["state"] == "fault")
    }

    @Test func `two server connections carry the whole service, and each call has its own rights`() async throws {
        let place = try await Place.make()
        let server = try await place.server([
            "--pooler", "transaction", "--listen-url", place.database.connectionString,
        ])
        let rows = try await Fixtures(server)
        let session = try await rows.session()
        let user = try await server.client(TestServer.user)
        let change: JSONValue = ["id": JSONValue(session), "values": ["lieu": "Lyon"], "select": "{ lieu }"]
        #expect(try await user.call("sessions.update", change)["lieu"] == "Lyon")
        #expect(try await user.call("sessions.list", ["count": true, "select": "{ lieu }"])["total"] == 1)
        #expect(try await user.call("auth.me")["email"] == .string(TestServer.user))
        let create: JSONValue = ["values": ["prenom": "Ada", "nom": "Byron"]]
        #expect(try await user.refusal("formateurs.create", create)["code"] == 403)
        #expect(try await user.refusal("users.list")["code"] == 403)
        #expect(try await rows.client.call("users.list", ["count": true])["total"] == 2)

        try await withThrowingTaskGroup { group in
            for index in 0..<40 {
                let caller = try await server.client(index.isMultiple(of: 2) ? TestServer.admin : TestServer.user)
                group.addTask {
                    for _ in 0..<5 {
                        let values = JSONValue.merging(Fixtures.session([("ref_contrat", .string("p\(index)"))]))
                        _ = try await caller.call("sessions.create", ["values": values])
                        let missing = try await caller.refusal("sessions.get", ["id": 999_999])
                        #expect(missing["code"] == 404)
                        let refused = JSONValue.merging(Fixtures.session([("client_id", 999_999)]))
                        #expect(try await caller.response("sessions.create", ["values": refused])["error"] != nil)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await user.call("sessions.list", ["count": true])["total"] == 201)
        #expect(try await place.database.psql(Self.idleInTransaction) == "0")
        #expect(try await server.connection().request("GET", "/health/ready").status == 200)
        #expect(try await server.stop() == 0)
        try await place.cluster.stop(.immediate)
    }

    private static let idleInTransaction = """
        SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'
        """

    @Test func `settings that cannot work behind a pooler are an error at the start, with a remedy`() async throws {
        let place = try await Place.make(["ignore_startup_parameters": "options"])
        let unsaid = try await place.refusal(["--no-migrate", "--acquire-timeout", "1"])
        #expect(unsaid.contains("--pooler=transaction"), "\(unsaid)")
        let pathless = try await place.refusal(["--pooler", "transaction"])
        #expect(pathless.contains("--listen-url") && pathless.contains("--no-migrate"), "\(pathless)")

        // The database was migrated with psql, which does not record files of functions.
        let migrated = try await LearnTrackProcess.run(
            ["migrate", "up"], environment: ["DATABASE_URL": place.database.connectionString])
        #expect(migrated.status == 0, "\(migrated.errors)")
        let server = try await place.server(["--pooler", "transaction", "--no-migrate"])
        let client = try await server.client()
        #expect(try await client.call("sessions.list", ["count": true])["total"] == 0)
        let ready = try await server.connection().request("GET", "/health/ready")
        #expect(ready.status == 200, "\(ready)")
        #expect(try await server.stop() == 0)
        try await place.cluster.stop(.immediate)
    }
}
