import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// security.md: "Supabase tokens | with `SUPABASE_JWT_SECRET` set, a token Supabase Auth issued is accepted for the user
/// whose `supabase_user_id` is its `sub`".
struct SupabaseTests {
    private static let secret = "super-secret-jwt-token-with-at-least-32-characters-long"
    private static let fixture = LearnTrackProcess.projectRoot.appendingPathComponent("Tests/Cases/supabase.sql").path

    private static func token(of subject: String) -> String {
        let now = Int(Date().timeIntervalSince1970)
        let claims = """
            {"aud":"authenticated","exp":\(now + 3600),"iat":\(now),"iss":"https://abc.supabase.co/auth/v1",\
            "sub":"\(subject)","role":"authenticated","session_id":"c24e7063-518f-44a0-93b3-6f7081920314"}
            """
        return ForgedToken.make(
            header: #"{"alg":"HS256","kid":"abc","typ":"JWT"}"#, claims: claims, secret: secret)
    }

    @Test
    func `a dump is imported from the command line, its users sign in, and their Supabase tokens work`() async throws {
        let database = try await TestDatabase.create(migrated: true)
        let place = ["--database-url", database.connectionString]
        let trial = try await LearnTrackProcess.run(["import", "supabase", Self.fixture, "--dry-run"] + place)
        #expect(trial.status == 0, "\(trial.errors)")
        #expect(trial.output.contains("4 to import"))
        #expect(try await database.psql("SELECT count(*) FROM users") == "0")
        let run = try await LearnTrackProcess.run(["import", "supabase", Self.fixture] + place)
        #expect(run.status == 0, "\(run.errors)")
        let again = try await LearnTrackProcess.run(["import", "supabase", Self.fixture] + place)
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.output.contains("4 already here"))

        let server = try await TestServer.start(environment: ["SUPABASE_JWT_SECRET": Self.secret], database: database)
        let answer = try await server.client(nil).call(
            "auth.login", ["email": "paul@ecole.example", "password": "le mot de passe de Paul"])
        #expect(answer.at("/user/id") == 4)
        #expect(try await database.psql("SELECT password_hash LIKE '$y$%' FROM credentials WHERE user_id = 4") == "t")

        let anne = try RPCClient(
            port: server.port, token: Self.token(of: "7d9f2b1e-0c3a-4f5b-8e6d-1a2b3c4d5e6f"))
        #expect(try await anne.call("auth.me", ["select": "{ id role }"]) == ["id": 1, "role": "admin"])
        let values: JSONValue = ["raison_sociale": "Par un jeton de Supabase"]
        #expect(try await anne.call("clients.create", ["values": values, "select": "{ id }"]) == ["id": 13])
        #expect(try await anne.call("auth.list_sign_ins") == ["items": []])
        // A token of the project gives a user no further rights.
        let paul = try RPCClient(
            port: server.port, token: Self.token(of: "8e0a3c2f-1d4b-405c-9f7e-2b3c4d5e6f70"))
        #expect(try await paul.refusal("clients.create", ["values": values])["code"] == 403)
        #expect(try await paul.call("sessions.list", ["first": 1]).at("/items").array.count == 1)
        let banned = try RPCClient(
            port: server.port, token: Self.token(of: "9f1b4d30-2e5c-416d-a080-3c4d5e6f7081"))
        #expect(try await banned.refusal("sessions.list").at("/data/reason") == "revoked")
        _ = try await anne.call("users.update", ["id": 4, "values": ["is_active": false]])
        #expect(try await paul.refusal("sessions.list").at("/data/reason") == "revoked")
    }

    @Test func `a rejected import lists its reasons, imports nothing and exits with status 1`() async throws {
        let database = try await TestDatabase.create(migrated: true)
        _ = try await database.psql("INSERT INTO clients (id, raison_sociale) VALUES (7, 'Une autre maison')")
        let run = try await LearnTrackProcess.run(
            ["import", "supabase", Self.fixture, "--database-url", database.connectionString])
        #expect(run.status == 1)
        #expect(run.output.contains("refused: clients 7 id: unique: "))
        #expect(run.output.contains("nothing was imported"))
        #expect(try await database.psql("SELECT count(*) FROM users") == "0")
        let missing = try await LearnTrackProcess.run(
            ["import", "supabase", "/nowhere.sql", "--database-url", database.connectionString])
        #expect(missing.status != 0)
        #expect(missing.errors.contains("/nowhere.sql"))
    }
}
