import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// A write with `dry_run` is answered as if it had happened, and leaves nothing.
@Suite struct DryRunTests {
    @Test func `a dry run of each write answers what the write answers and changes nothing`() async throws {
        let server = try await TestServer.start()
        let rows = try await Fixtures(server)
        let id = JSONValue(try await rows.session())
        let state = """
            SELECT (SELECT count(*) FROM sessions), (SELECT sum(version) FROM sessions), (SELECT count(*) FROM journal),
                (SELECT count(*) FROM kernel.idempotency), (SELECT string_agg(lieu, '') FROM sessions)
            """
        let before = try await server.database.psql(state)
        let created = try await rows.client.call(
            "sessions.create",
            [
                "values": .merging(Fixtures.session()), "select": "{ id version duree_minutes }", "dry_run": true,
            ])
        #expect(created["version"] == 1)
        #expect(created["duree_minutes"] == 480)
        #expect(try await rows.client.refusal("sessions.get", ["id": try #require(created["id"])])["code"] == 404)
        let updated = try await rows.client.call(
            "sessions.update",
            ["id": id, "values": ["lieu": "Lyon"], "if_version": 1, "select": "{ id lieu version }", "dry_run": true])
        #expect(updated == ["id": id, "lieu": "Lyon", "version": 2])
        let copied = try await rows.client.call(
            "sessions.duplicate",
            ["id": id, "values": ["date": "2026-02-02"], "select": "{ date }", "dry_run": true])
        #expect(copied == ["date": "2026-02-02"])
        let deleted = try await rows.client.call("sessions.delete", ["id": id, "dry_run": true])
        #expect(deleted == ["deleted": true, "id": id], "\(deleted.json)")
        #expect(
            try await rows.client.call("sessions.update", ["id": id, "select": "{ version }", "dry_run": true]) == [
                "version": 1
            ])
        #expect(try await server.database.psql(state) == before)
        #expect(
            try await server.database.psql(
                """
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'
                    AND application_name NOT LIKE 'learntrack_worker %'
                """)
                == "0")
        // The connections go on as before.
        let real = try await rows.client.call(
            "sessions.update", ["id": id, "values": ["lieu": "Lyon"], "select": "{ version }", "dry_run": false])
        #expect(real == ["version": 2])
        #expect(try await server.stop() == 0)
        // That Postgres has no transaction block to undo is nothing to warn of.
        #expect(!server.process.errors.contains("no transaction in progress"))
    }

    @Test func `a dry run ends in the errors of the write`() async throws {
        let rows = try await Fixtures()
        let id = JSONValue(try await rows.session())
        let missing = try await rows.client.refusal(
            "sessions.update", ["id": id, "values": ["client_id": 999_999_999], "dry_run": true])
        #expect(missing.at("/data/errors/0/path") == "/values/client_id")
        #expect(missing.at("/data/errors/0/code") == "not_found")
        let stale = try await rows.client.refusal(
            "sessions.update", ["id": id, "values": ["lieu": "x"], "if_version": 9, "dry_run": true])
        #expect(stale.at("/data/reason") == "version")
        let none = try await rows.client.refusal("sessions.delete", ["id": 999_999_999, "dry_run": true])
        #expect(none["code"] == 404)
        let flag = try await rows.client.refusal("sessions.delete", ["id": id, "dry_run": "oui"])
        #expect(flag.at("/data/errors/0/path") == "/dry_run")
        #expect(try await rows.client.call("sessions.get", ["id": id, "select": "{ version }"]) == ["version": 1])
    }

    @Test func `a dry run checks deferred constraints`() async throws {
        let server = try await TestServer.start()
        try await server.database.psql(
            "ALTER TABLE ecoles ADD CONSTRAINT ecoles_nom_unique UNIQUE (nom) DEFERRABLE INITIALLY DEFERRED")
        let client = try await server.client()
        _ = try await client.call("ecoles.create", ["values": ["nom": "Une"]])
        for isDryRun in [true, false] {
            let error = try await client.refusal(
                "ecoles.create", ["values": ["nom": "Une"], "dry_run": .bool(isDryRun)])
            #expect(error["code"] == 409)
            #expect(error.at("/data/reason") == "unique")
        }
        #expect(try await server.database.psql("SELECT count(*) FROM ecoles") == "1")
        #expect(try await server.stop() == 0)
    }

    @Test func `a dry run keeps no idempotency key`() async throws {
        let rows = try await Fixtures()
        func params(_ isDryRun: Bool) -> JSONValue {
            [
                "values": ["nom": .string("École \(rows.mark)")], "select": "{ id }", "dry_run": .bool(isDryRun),
                "idempotency_key": .string(rows.mark),
            ]
        }
        _ = try await rows.client.call("ecoles.create", params(true))
        let created = try await rows.client.call("ecoles.create", params(false))
        // A dry run of a call that has happened is what sending it again would be.
        #expect(try await rows.client.call("ecoles.create", params(true)) == created)
        #expect(
            try await rows.client.call("ecoles.get", ["id": try #require(created["id"]), "select": "{ id }"]) == created
        )
    }

    @Test func `a dry run behind a transaction pooler leaves nothing`() async throws {
        let cluster = try await TestCluster.start()
        let database = try await TestDatabase.create(on: cluster)
        let pooler = try await TestPooler.start(for: cluster, connections: 6)
        let server = try await TestServer.start(
            ["--pooler", "transaction", "--listen-url", database.connectionString],
            environment: ["DATABASE_URL": pooler.connectionString(database: database.name)], database: database)
        let client = try await server.client()
        let answer = try await client.call(
            "ecoles.create", ["values": ["nom": "Une"], "select": "{ nom }", "dry_run": true])
        #expect(answer == ["nom": "Une"])
        #expect(try await client.call("ecoles.list", ["count": true])["total"] == 0)
        #expect(try await server.stop() == 0)
        try await cluster.stop(.immediate)
    }
}
