import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

struct LoginTests {
    @Test
    func `auth.login returns tokens and the account, and ignores the case of the e-mail (AUTH-01)`() async throws {
        let server = try await TestServer.running()
        let answer = try await server.client(nil).call(
            "auth.login", ["email": .string(TestServer.user.uppercased()), "password": .string(TestServer.password)])
        #expect(answer["token_type"] == "Bearer")
        #expect(answer["expires_in"] == 900)
        #expect(answer["refresh_token"]?.text?.isEmpty == false)
        #expect(answer.at("/user/email") == .string(TestServer.user))
        #expect(answer.at("/user/role") == "user")
        let client = try RPCClient(port: server.port, token: try #require(answer["access_token"]?.text))
        let me = try await client.call("auth.me", ["select": "{ email role is_active }"])
        #expect(me == ["email": .string(TestServer.user), "is_active": true, "role": "user"])
    }

    /// security.md: "unknown e-mail, wrong password, deactivated user | the same answer, the same text" and "empty or unknown
    /// kind of hash | an ordinary login failure, never a 500".
    @Test func `an unknown e-mail, a wrong password, a deactivated account and an unusable hash get the same answer`()
        async throws
    {
        let server = try await TestServer.start()
        let odd = ["", "en clair", "$argon2id$v=19$m=65536,t=3,p=4$abc$def", "$y$", "*", "$2b$10$court", "NULL"]
        for (number, hash) in odd.enumerated() {
            try await server.database.psql(
                """
                INSERT INTO users (email) VALUES ('\(number)@test.example');
                INSERT INTO credentials SELECT max(id), '\(hash)' FROM users
                """)
        }
        try await server.database.psql("UPDATE users SET is_active = false WHERE email = '\(TestServer.user)'")
        try await server.database.psql("INSERT INTO users (email) VALUES ('sans@test.example')")
        let nobody = try await server.client(nil)
        var answers: Set<String> = []
        for (email, password) in [
            ("personne@test.example", TestServer.password), (TestServer.admin, "faux"),
            (TestServer.user, TestServer.password), ("", ""), ("sans@test.example", ""),
        ] + odd.enumerated().map({ ("\($0.offset)@test.example", $0.element) }) {
            let error = try await nobody.refusal(
                "auth.login", ["email": .string(email), "password": .string(password)])
            #expect(error["code"] == 401, "\(email): \(error.json)")
            #expect(error.at("/data/code") == "invalid_credentials")
            answers.insert(error["message"]?.text ?? "")
        }
        #expect(answers.count == 1)
    }

    /// security.md: "older kinds are rewritten on success"; `AuthTests` tries all kinds and costs.
    @Test func `a hash of an older kind is rewritten after a successful login`() async throws {
        let server = try await TestServer.start()
        _ = try await server.client()
        let hash = try await server.database.psql(
            "SELECT password_hash FROM credentials JOIN users ON users.id = user_id WHERE email = '\(TestServer.admin)'"
        )
        #expect(hash.contains("$y$"))
    }

    @Test(arguments: [
        ("Bearer", "invalid"), ("Bearer a.b.c", "invalid"), ("Basic YTpi", "missing"),
        ("Bearer eyJhbGciOiJub25lIn0.e30.", "invalid"),
    ])
    func `an invalid authorization is 401 with its reason`(header: String, reason: String) async throws {
        let connection = try await TestServer.running().connection()
        let response = try await connection.request(
            "POST", "/rpc", headers: [("Authorization", header)],
            body: Array(#"{"jsonrpc":"2.0","id":1,"method":"auth.me"}"#.utf8))
        let answer = try JSONValue.parse(response.body)
        #expect(answer.at("/error/code") == 401)
        #expect(answer.at("/error/data/reason") == .string(reason))
    }

    @Test func `auth.login ignores the authorization header`() async throws {
        let server = try await TestServer.running()
        let answer = try await RPCClient(port: server.port, token: "rubbish").response(
            "auth.login", ["email": .string(TestServer.admin), "password": .string(TestServer.password)])
        #expect(answer["result"] != nil)
    }

    @Test(arguments: ["UPDATE users SET is_active = false WHERE email = ", "DELETE FROM users WHERE email = "])
    func `an account deactivated or deleted with psql can neither read nor write`(statement: String) async throws {
        let server = try await TestServer.start()
        let client = try await server.client(TestServer.user)
        #expect(try await client.response("sessions.list")["result"] != nil)
        _ = try await server.database.psql(statement + "'\(TestServer.user)'")
        try await eventually("the token is refused") {
            try await client.response("sessions.list").at("/error/data/reason") == "revoked"
        }
        let values = JSONValue.merging(Fixtures.session())
        #expect(try await client.refusal("sessions.create", ["values": values])["code"] == 401)
        #expect(try await server.client().response("sessions.list")["result"] != nil)
    }

    @Test func `fifty failures throttle an address, and the owner can sign in after the pause`() async throws {
        let server = try await TestServer.start()
        let nobody = try await server.client(nil)
        var codes: [Int] = []
        for index in 0..<60 {
            let error = try await nobody.refusal(
                "auth.login", ["email": .string("x\(index)@test.example"), "password": "faux"])
            codes.append(error["code"]?.int ?? 0)
            if error["code"] == 429 {
                #expect(try #require(error.at("/data/retry_after").int) >= 1)
                break
            }
        }
        #expect(codes.last == 429)
        #expect(codes.count == 51)
        try await eventually("the delay passes") {
            try await nobody.response(
                "auth.login", ["email": .string(TestServer.admin), "password": .string(TestServer.password)])["result"]
                != nil
        }
    }
}
