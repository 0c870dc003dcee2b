import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// security.md, Rights: "any failure: no SQL, path, hash or token in answer or log".
@Suite struct FailureTextTests {
    @Test func `errors reveal no internals, neither in responses nor in the log at its lowest level`() async throws {
        let server = try await TestServer.start(["--log-level", "trace"])
        let admin = try await server.client(TestServer.admin)
        let user = try await server.client(TestServer.user)
        let nobody = try await server.client(nil)
        let signedIn = try await nobody.call(
            "auth.login", ["email": .string(TestServer.user), "password": .string(TestServer.password)])
        let refreshToken = try #require(signedIn["refresh_token"]?.text)
        var answers: [String] = []
        var codes: Set<Int> = []
        func fail(_ client: RPCClient, _ method: String, _ params: JSONValue? = nil) async throws {
            let error = try await client.refusal(method, params)
            answers.append(error.json)
            if let code = error["code"]?.int { codes.insert(code) }
        }
        answers.append(try await admin.post("{\"jsonrpc\":").text)
        answers.append(try await admin.post("[]").text)
        try await fail(admin, "sessions.nope")
        try await fail(admin, "sessions.list", ["where": ["modul": "secret-parametre"]])
        try await fail(nobody, "sessions.list")
        try await fail(try RPCClient(port: server.port, token: "a.b.c"), "sessions.list")
        try await fail(nobody, "auth.login", ["email": .string(TestServer.user), "password": "secret-parametre"])
        try await fail(nobody, "auth.refresh", ["refresh_token": .string(refreshToken + "x")])
        try await fail(user, "clients.delete", ["id": 1])
        try await fail(admin, "sessions.get", ["id": 999_999_999])
        try await fail(admin, "users.create", ["values": ["email": .string(TestServer.user)]])
        try await fail(
            admin, "sessions.create", ["values": .merging(Fixtures.session([("client_id", 999_999_999)]))])
        // Errors that only a damaged database causes: permission denied, unknown table, an error in a row, no connection.
        _ = try await server.database.psql(
            """
            INSERT INTO sessions (module, date, debut, fin, modalite) VALUES ('secret-parametre', '2026-01-12', '09:00', '17:00', 'P');
            REVOKE SELECT ON clients FROM learntrack_admin;
            ALTER TABLE ecoles RENAME COLUMN ville TO cite;
            ALTER TABLE formateurs ADD CONSTRAINT etrange CHECK (nom <> 'secret-parametre')
            """)
        try await fail(admin, "clients.list")
        try await fail(admin, "ecoles.list")
        try await fail(admin, "formateurs.create", ["values": ["prenom": "x", "nom": "secret-parametre"]])
        try await fail(
            admin, "users.create", ["values": ["email": "nina@test.example", "password": "court"]])
        _ = try await server.database.psql("ALTER TABLE credentials RENAME TO cachette")
        try await fail(
            nobody, "auth.login", ["email": .string(TestServer.user), "password": .string(TestServer.password)])
        #expect(codes.isSuperset(of: [-32601, -32602, -32603, 401, 403, 404, 409]), "\(codes)")

        let hashes = try await server.database.psql("SELECT password_hash FROM cachette").split(separator: "\n")
        let secrets =
            [
                TestServer.password, TestServer.secret, refreshToken, signedIn["access_token"]?.text ?? "?",
                admin.token ?? "?", "secret-parametre",
            ] + hashes.map(String.init)
        let inside = [
            "SELECT ", "INSERT ", "UPDATE ", "DELETE ", " FROM ", "WHERE ", "$1", "::text", "$y$", "$2a$", ".swift",
            "/tmp/", "/home/", "/usr/", "/var/", try ProjectFiles.root() + "/",
        ]
        for text in answers + server.process.errors.split(separator: "\n").map(String.init) {
            for word in secrets + inside where text.contains(word) {
                // Only the response to the caller may contain what the caller sent.
                if word == "secret-parametre", answers.contains(text) { continue }
                Issue.record("\(word) in: \(text)")
            }
        }
        // No response names tables or columns that the request did not name, or repeats a message of Postgres.
        for text in answers { #expect(!text.contains("relation") && !text.contains("permission denied"), "\(text)") }
        #expect(server.process.errors.count > 500)
    }
}
