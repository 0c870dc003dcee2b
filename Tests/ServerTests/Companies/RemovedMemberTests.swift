import JSON
import TestPostgres
import TestSupport
import Testing

/// companies.md: "`users.delete`": an administrator removes a member of the acting company, or withdraws an invitation. "Membership
/// ended: 401 `revoked` within 1 s on every instance, streams, links and keys too".
@Suite struct RemovedMemberTests {
    /// A server with a company "Digue" beside the first one; the user of the tests is a member of both.
    private static func server() async throws -> TestServer {
        let server = try await TestServer.start()
        _ = try await server.database.psql(
            """
            INSERT INTO kernel.companies (name) VALUES ('Digue');
            BEGIN;
            SET LOCAL learntrack.company = '2';
            INSERT INTO users (email) VALUES ('\(TestServer.user)');
            COMMIT;
            """)
        return server
    }

    private static func client(_ company: JSONValue, on server: TestServer) async throws -> RPCClient {
        let session = try await server.client(nil).call(
            "auth.login",
            [
                "email": .string(TestServer.user), "password": .string(TestServer.password), "company_id": company,
            ])
        return try RPCClient(port: server.port, token: try #require(session["access_token"]?.text))
    }

    @Test func `a member that is removed is out of the company on every instance, and in others as before`()
        async throws
    {
        let server = try await Self.server()
        let other = try await TestServer.start(database: server.database)
        let admin = try await server.client()
        let here = try await Self.client(1, on: server)
        let there = try RPCClient(port: other.port, token: here.token)
        let digue = try await Self.client(2, on: server)
        let me = try await here.call("auth.me", ["select": "{ id version }"])
        let made = try await admin.call(
            "auth.create_access_key", ["account_id": me["id"] ?? .null, "role": "user", "name": "Entrée"])
        let key = try RPCClient(port: server.port, token: try #require(made["key"]?.text))
        let calendar = try await here.call("calendriers.abonner")
        let rows = try await Fixtures(server)
        let session = try await rows.session()
        let link = try await here.call("sessions.calendrier")
        #expect(try await server.open(calendar).status == 200)
        for client in [here, there, key] { _ = try await client.call("sessions.list", ["first": 1]) }
        let written = try await here.call(
            "sessions.update", ["id": JSONValue(session), "values": ["lieu": "Lorient"], "select": "{ version }"])
        #expect(written["version"] == 2)

        let trial = try await admin.call("users.delete", ["id": me["id"] ?? .null, "dry_run": true])
        #expect(trial["deleted"] == true)
        _ = try await here.call("sessions.list", ["first": 1])
        let stale = try await admin.refusal("users.delete", ["id": me["id"] ?? .null, "if_version": 77])
        #expect(stale.at("/data/reason") == "version")
        let removed = try await admin.call("users.delete", ["id": me["id"] ?? .null])
        #expect(removed == ["deleted": true, "id": me["id"] ?? .null])
        #expect(try await here.refusal("sessions.list").at("/data/reason") == "revoked")
        #expect(try await key.refusal("sessions.list")["code"] == 401)
        #expect(try await server.open(calendar).status == 404)
        #expect(try await server.open(link).status == 403)
        try await eventually("the other instance refuses, too", within: .seconds(1)) {
            try await there.response("sessions.list").at("/error/data/reason") == "revoked"
        }
        // The person is a member of the other company still, with its sign-ins.
        _ = try await digue.call("sessions.list", ["first": 1])
        #expect(try await digue.call("auth.me")["companies"]?.array.count == 1)
        #expect(try await admin.refusal("users.get", ["id": me["id"] ?? .null])["code"] == 404)
        // What it has done is kept under its number.
        let entries = try await admin.call(
            "sessions.history", ["id": JSONValue(session), "select": "{ actor_id operation }"])
        #expect(entries.at("/items").array.contains { $0["actor_id"] == me["id"] })
        #expect(
            try await server.database.psql("SELECT count(*) FROM access_keys WHERE company_id = 1") == "0")
        #expect(try await other.stop() == 0)
        #expect(try await server.stop() == 0)
    }

    @Test func `an account goes with its last company`() async throws {
        let server = try await TestServer.start()
        let admin = try await server.client()
        let user = try await server.client(TestServer.user)
        let id = try await user.call("auth.me", ["select": "{ id }"])["id"] ?? .null
        _ = try await admin.call("users.delete", ["id": id])
        #expect(try await user.refusal("sessions.list").at("/data/reason") == "revoked")
        let login = try await server.client(nil).refusal(
            "auth.login", ["email": .string(TestServer.user), "password": .string(TestServer.password)])
        #expect(login["code"] == 401)
        let left = try await server.database.psql(
            """
            SELECT (SELECT count(*) FROM kernel.accounts WHERE email = '\(TestServer.user)'),
                (SELECT count(*) FROM credentials c WHERE NOT EXISTS (SELECT FROM kernel.accounts a WHERE a.id = c.user_id)),
                (SELECT count(*) FROM sign_ins WHERE user_id IS NULL AND ended_at IS NULL)
            """)
        #expect(left == "0|0|0")
        // The address is free.
        _ = try await admin.call("users.create", ["values": ["email": .string(TestServer.user)]])
        #expect(try await server.stop() == 0)
    }

    @Test func `nobody removes themselves or the last administrator, and what is referred to stays`() async throws {
        let server = try await TestServer.start()
        let admin = try await server.client()
        let me = try await admin.call("auth.me", ["select": "{ id }"])["id"] ?? .null
        let own = try await admin.refusal("users.delete", ["id": me])
        #expect(own["code"] == 409)
        #expect(own.at("/data/reason") == "self")
        let user = try await server.client(TestServer.user)
        let id = try await user.call("auth.me", ["select": "{ id }"])["id"] ?? .null
        #expect(try await user.refusal("users.delete", ["id": me])["code"] == 403)
        // A prospect names who is responsible for it.
        let prospect = try await user.call("prospects.create", ["values": ["raison_sociale": "Librairie"]])
        let referred = try await admin.refusal("users.delete", ["id": id])
        #expect(referred.at("/data/reason") == "referenced")
        #expect(referred.at("/data/count") == 1)
        _ = try await admin.call(
            "prospects.update", ["id": prospect["id"] ?? .null, "values": ["responsable_id": me]])
        // A file that a record names outlives who gave it.
        _ = try await server.database.psql(
            """
            INSERT INTO kernel.files (account_id, sha256, media_type, size)
            SELECT id, sha256('x'), 'image/png', 1 FROM users WHERE email = '\(TestServer.user)'
            """)
        _ = try await admin.call("users.delete", ["id": id])
        #expect(try await server.database.psql("SELECT account_id IS NULL FROM kernel.files") == "t")
        #expect(try await server.stop() == 0)
    }

    @Test func `of two administrators who remove each other at the same time exactly one succeeds`() async throws {
        let server = try await TestServer.start()
        for _ in 1...5 {
            _ = try await server.database.psql(
                """
                INSERT INTO users (username, email, role) VALUES ('autre', 'autre@exemple.fr', 'admin')
                    ON CONFLICT DO NOTHING;
                INSERT INTO credentials (user_id, password_hash)
                SELECT a.id, crypt('\(TestServer.password)', gen_salt('bf', 4)) FROM kernel.accounts a
                WHERE a.email = 'autre@exemple.fr' ON CONFLICT DO NOTHING;
                INSERT INTO users (username, email, role) SELECT 'admin', '\(TestServer.admin)', 'admin'
                WHERE NOT EXISTS (SELECT FROM users WHERE email = '\(TestServer.admin)');
                INSERT INTO credentials (user_id, password_hash)
                SELECT a.id, crypt('\(TestServer.password)', gen_salt('bf', 4)) FROM kernel.accounts a
                WHERE a.email = '\(TestServer.admin)' ON CONFLICT DO NOTHING;
                """)
            func signedIn(_ email: String) async throws -> (client: RPCClient, id: JSONValue) {
                let session = try await server.client(nil).call(
                    "auth.login", ["email": .string(email), "password": .string(TestServer.password)])
                let token = try #require(session["access_token"]?.text)
                return (try RPCClient(port: server.port, token: token), session.at("/user/id"))
            }
            let (first, second) = (try await signedIn("autre@exemple.fr"), try await signedIn(TestServer.admin))
            async let one = first.client.response("users.delete", ["id": second.id])
            async let two = second.client.response("users.delete", ["id": first.id])
            let answers = try await [one, two]
            #expect(answers.count { $0["result"] != nil } == 1, "\(answers.map(\.json))")
            #expect(try await server.database.psql("SELECT count(*) FROM users WHERE role = 'admin'") == "1")
        }
        #expect(try await server.stop() == 0)
    }

    @Test func `a removed invitation joins nobody, and its mail does not leave`() async throws {
        try await TestDatabase.with { database in
            let left = try await database.psql(
                """
                INSERT INTO kernel.companies (name) VALUES ('Digue');
                INSERT INTO users (email, joined_at) VALUES ('nora@exemple.fr', NULL);
                SELECT kernel.invite(id) FROM users;
                INSERT INTO kernel.invitation_tokens (token_hash, user_id, email) SELECT '\\x00', id, email FROM users;
                DELETE FROM users;
                SELECT (SELECT count(*) FROM kernel.outbox), (SELECT count(*) FROM kernel.invitation_tokens),
                    (SELECT count(*) FROM kernel.invitations), (SELECT count(*) FROM kernel.accounts)
                """)
            #expect(left.hasSuffix("0|0|0|0"))
        }
    }

    @Test func `the account of an operator stays when its last company removes it`() async throws {
        let server = try await TestServer.start()
        let admin = try await server.client()
        let account = "FROM kernel.accounts WHERE email = '\(TestServer.user)'"
        try await server.database.psql(
            "UPDATE kernel.accounts SET is_operator = true WHERE email = '\(TestServer.user)'")
        let id = try await server.database.psql("SELECT id FROM users WHERE email = '\(TestServer.user)'")
        #expect(try await admin.call("users.delete", ["id": .number(id)])["deleted"] == true)
        #expect(try await server.database.psql("SELECT is_operator \(account)") == "t")
        #expect(
            try await server.database.psql("SELECT count(*) FROM credentials WHERE user_id = (SELECT id \(account))")
                == "1")
        #expect(try await server.stop() == 0)
    }
}
