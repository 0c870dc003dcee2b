import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

struct AccountWritesTests {
    private static let password = "un long mot de passe"

    private func count(_ database: TestDatabase, _ table: String) async throws -> Int? {
        Int(try await database.psql("SELECT count(*) FROM \(table)").trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test func `an account created with a password can sign in at once, one without cannot`() async throws {
        let server = try await TestServer.running()
        let rows = try await Fixtures()
        let email = "\(rows.mark)@test.example"
        let account = try await rows.client.call(
            "users.create", ["values": ["email": .string(email), "password": .string(Self.password)]])
        #expect(account["role"] == "user")
        #expect(account["is_active"] == true)
        #expect(account["version"] == 1)
        #expect(account["password"] == nil)
        let nobody = try await server.client(nil)
        let signedIn = try await nobody.call(
            "auth.login", ["email": .string(email), "password": .string(Self.password)])
        #expect(signedIn.at("/user/id") == account["id"])
        let selected = try await rows.client.call(
            "users.create",
            [
                "values": ["email": .string("2\(email)"), "password": .string(Self.password), "role": "admin"],
                "select": "{ r: role }",
            ])
        #expect(selected == ["r": "admin"])

        let bare = try await rows.client.call("users.create", ["values": ["email": .string("3\(email)")]])
        let secrets = try await server.database.psql(
            "SELECT count(*) FROM credentials WHERE user_id = \(bare["id"]?.int ?? 0)")
        #expect(secrets.hasPrefix("0"))

        let taken = try await rows.client.refusal(
            "users.create", ["values": ["email": .string(email.uppercased()), "password": .string(Self.password)]])
        #expect(taken["code"] == 409)
        #expect(taken.at("/data/reason") == "unique")
        let wrong = try await rows.client.refusal(
            "users.create", ["values": ["email": "x", "password": "court", "role": "chef"], "select": "{ x }"])
        #expect(
            wrong.at("/data/errors").array.compactMap { $0["path"]?.text }.sorted()
                == ["/select", "/values/email", "/values/password", "/values/role"])
    }

    @Test func `an account and its password are created together or not at all`() async throws {
        let server = try await TestServer.start()
        let admin = try await server.client()
        _ = try await server.database.psql(
            "ALTER TABLE credentials ADD CONSTRAINT refuse CHECK (user_id < 0) NOT VALID")
        let values: JSONValue = ["email": "nina@test.example", "password": .string(Self.password)]
        _ = try await admin.refusal("users.create", ["values": values])
        #expect(try await count(server.database, "users") == 2)
        #expect(try await count(server.database, "journal WHERE after->>'email' = 'nina@test.example'") == 0)
        _ = try await server.database.psql("ALTER TABLE credentials DROP CONSTRAINT refuse")
        _ = try await admin.call("users.create", ["values": values])
        #expect(try await count(server.database, "users") == 3)
        #expect(try await count(server.database, "credentials") == 3)
    }

    @Test func `the last active administrator cannot lose role or activity`() async throws {
        let server = try await TestServer.start()
        let admin = try await server.client()
        let own = try #require(try await admin.call("auth.me")["id"])
        for (values, path) in [
            (["role": "user"], "/values/role"), (["is_active": false], "/values/is_active"),
            (["role": "user", "is_active": false], "/values/is_active"),
        ] as [(JSONValue, String)] {
            let error = try await admin.refusal("users.update", ["id": own, "values": values])
            #expect(error["code"] == -32602)
            #expect(error.at("/data/errors/0/path") == .string(path))
            #expect(error.at("/data/errors/0/code") == "rule")
            #expect(error["message"]?.text?.contains("autre administrateur") == true)
        }
        // An inactive administrator does not count.
        _ = try await admin.call(
            "users.create", ["values": ["email": "b@test.example", "role": "admin", "is_active": false]])
        #expect(try await admin.refusal("users.update", ["id": own, "values": ["role": "user"]])["code"] == -32602)
        _ = try await admin.call("users.update", ["id": own, "values": ["username": "Chef", "role": "admin"]])
        _ = try await admin.call("users.create", ["values": ["email": "c@test.example", "role": "admin"]])
        _ = try await admin.call("users.update", ["id": own, "values": ["role": "user"]])
        // The token with the old role is rejected.
        #expect(try await admin.refusal("users.list").at("/data/reason") == "revoked")
    }

    @Test func `of two administrators who deactivate each other at the same time exactly one succeeds`() async throws {
        let server = try await TestServer.start()
        let database = server.database
        let ids = try await database.psql(
            """
            INSERT INTO users (email, role) SELECT 'pair' || i || '@test.example', 'admin' FROM generate_series(1, 2) i
            RETURNING id
            """
        ).split(separator: "\n").compactMap { Int($0) }
        try #require(ids.count == 2)
        for round in 0..<25 {
            _ = try await database.psql(
                "UPDATE users SET role = 'admin', is_active = true WHERE id IN (\(ids[0]), \(ids[1])); UPDATE users SET role = 'user' WHERE id NOT IN (\(ids[0]), \(ids[1]))"
            )
            let isolation = round % 2 == 0 ? "READ COMMITTED" : "REPEATABLE READ"
            async let one = demote(ids[0], isolation, on: database)
            async let other = demote(ids[1], isolation, on: database)
            let refused = [try await one, try await other].filter { !$0 }.count
            #expect(refused == 1)
            #expect(try await count(database, "users WHERE role = 'admin' AND is_active") == 1)
        }
    }

    /// Deactivates an account over a connection of the administrators' role, in a transaction that stays open long enough
    /// for two of them to overlap. Returns false if the database rejects it.
    private func demote(_ id: Int, _ isolation: String, on database: TestDatabase) async throws -> Bool {
        do {
            _ = try await database.psql(
                """
                SET ROLE learntrack_admin; BEGIN ISOLATION LEVEL \(isolation); SELECT count(*) FROM users;
                SELECT pg_sleep(0.02); UPDATE users SET is_active = false WHERE id = \(id); SELECT pg_sleep(0.02); COMMIT
                """)
            return true
        } catch let error as TestEnvironmentError {
            let text = "\(error)"
            #expect(text.contains("last active administrator") || text.contains("could not serialize"), "\(text)")
            return false
        }
    }
}
