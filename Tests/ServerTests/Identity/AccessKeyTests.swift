import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// counting.md, "Keys": "`auth.create_access_key {account_id, role, name, expires_at}` → {id, account_id, role, subject, name,
/// expires_at, last_used_at} and this once `key` (`lt_…`); a role the account lacks: `/role`.
/// `auth.list_access_keys {account_id}` → {items}; `auth.revoke_access_key {id}` → {}: 401 `revoked` within 1 s (others
/// `expired`, `invalid`). A key acts in its role alone and makes no keys (403)." Roles of domains: `AccountRolesTests`.
struct AccessKeyTests {
    /// The account of `email` on `server`.
    private static func account(_ email: String, on server: TestServer) async throws -> JSONValue {
        let found = try await server.client().call("users.list", ["where": ["email": .string(email)]])
        return found.at("/items/0/id")
    }

    /// A new key of `email`.
    private static func key(
        of email: String, as role: JSONValue, on server: TestServer, _ further: [(String, JSONValue)] = []
    ) async throws -> JSONValue {
        let account = try await account(email, on: server)
        return try await server.client().call(
            "auth.create_access_key",
            .merging([("account_id", account), ("role", role), ("name", "Lecteur de l’entrée")] + further))
    }

    private static func client(_ key: JSONValue, on server: TestServer) throws -> RPCClient {
        try RPCClient(port: server.port, token: try #require(key["key"]?.text))
    }

    @Test func `a key is shown once, listed without itself, and worth nothing after it was revoked`() async throws {
        let server = try await TestServer.running()
        let admin = try await server.client()
        let created = try await Self.key(of: TestServer.user, as: "user", on: server)
        let account = try await Self.account(TestServer.user, on: server)
        guard case .object(let members) = created else { throw TestEnvironmentError(created.json) }
        #expect(
            Set(members.members.map(\.name))
                == ["id", "account_id", "role", "subject", "name", "expires_at", "last_used_at", "key"])
        #expect(created["account_id"] == account)
        #expect(created["role"] == "user")
        #expect(created["subject"] == .null)
        #expect(created["name"] == "Lecteur de l’entrée")
        #expect(created["last_used_at"] == .null)
        let key = try #require(created["key"]?.text)
        #expect(key.hasPrefix("lt_"))
        let client = try RPCClient(port: server.port, token: key)
        #expect(try await client.call("auth.me", ["select": "{ email }"]) == ["email": .string(TestServer.user)])
        func listed() async throws -> JSONValue? {
            let list = try await admin.call("auth.list_access_keys", ["account_id": account])
            #expect(!list.json.contains(key))
            return list.at("/items").array.first { $0["id"] == created["id"] }
        }
        #expect(try await listed()?["name"] == "Lecteur de l’entrée")
        try await eventually("the use is written") { try await listed()?["last_used_at"] != .null }
        #expect(try await admin.call("auth.revoke_access_key", ["id": created["id"] ?? .null]) == [:])
        let refusal = try await client.refusal("auth.me")
        #expect(refusal.at("/data/reason") == "revoked")
        #expect(refusal["message"] == "Demandez une nouvelle clé d’accès\u{202F}: celle-ci a été révoquée.")
        #expect(try await listed() == nil)
        #expect(try await admin.refusal("auth.revoke_access_key", ["id": created["id"] ?? .null])["code"] == 404)
        #expect(!server.process.errors.contains(key.dropFirst(3)))
    }

    @Test func `a key has the rights of its role, and none on accounts, keys, passwords and sign-ins`() async throws {
        let server = try await TestServer.running()
        let user = try Self.client(await Self.key(of: TestServer.user, as: "user", on: server), on: server)
        let admin = try Self.client(await Self.key(of: TestServer.admin, as: "admin", on: server), on: server)
        #expect(try await user.response("sessions.list", ["first": 1])["result"] != nil)
        #expect(try await user.refusal("users.list")["code"] == 403)
        #expect(try await admin.response("users.list", ["first": 1])["result"] != nil)
        let account = try await Self.account(TestServer.user, on: server)
        let identifier: JSONValue = "3f2b6c1e-8a4d-4c57-9b1e-2d7f0a6c5e48"
        let creation: JSONValue = ["values": ["email": "clef@test.example", "password": "un long mot de passe"]]
        let calls: [(String, JSONValue)] = [
            ("auth.create_access_key", ["account_id": account, "role": "user", "name": "x"]),
            ("auth.list_access_keys", ["account_id": account]), ("auth.revoke_access_key", ["id": 1]),
            ("auth.change_password", ["current_password": "x", "new_password": "un long mot de passe"]),
            ("auth.list_sign_ins", [:]), ("auth.end_sign_in", ["id": identifier]),
            ("users.create", creation),
            // An administrator without a password would receive one by mail, and outlive the key.
            ("users.create", ["values": ["email": "clef@test.example", "role": "admin"]]),
            ("users.update", ["id": account, "values": ["role": "admin"]]),
            ("users.update", ["id": account, "values": ["email": "clef@test.example"]]),
            ("transaction.run", ["calls": [["method": "users.create", "params": creation]]]),
            (
                "transaction.run",
                ["calls": [["method": "users.update", "params": ["id": account, "values": ["role": "admin"]]]]]
            ),
        ]
        for (method, params) in calls {
            let error = try await admin.refusal(method, params)
            #expect(error.at("/data/code") == "forbidden", "\(method): \(error.json)")
            // Also before the params are checked.
            if method.hasPrefix("auth.") {
                #expect(try await admin.refusal(method, ["x": 1])["code"] == 403, "\(method)")
            }
        }
        let batch = try await admin.post(
            #"[{"jsonrpc":"2.0","id":1,"method":"auth.list_sign_ins"},{"jsonrpc":"2.0","id":2,"method":"auth.me"}]"#)
        let answers = try JSONValue.parse(batch.body).array
        #expect(answers.map { $0["error"] == nil } == [false, true])
    }

    @Test func `params of the methods of keys are checked, all mistakes together`() async throws {
        let server = try await TestServer.running()
        let admin = try await server.client()
        let account = try await Self.account(TestServer.user, on: server)
        let good: [(String, JSONValue)] = [("account_id", account), ("role", "user"), ("name", "x")]
        let long = String(repeating: "a", count: 101)
        let table: [(method: String, [(String, JSONValue)], [String])] = [
            ("auth.create_access_key", [], ["/account_id required", "/name required", "/role required"]),
            ("auth.create_access_key", good + [("role", "admin")], ["/role rule"]),
            ("auth.create_access_key", good + [("role", "chef")], ["/role format"]),
            ("auth.create_access_key", good + [("role", 1)], ["/role type"]),
            ("auth.create_access_key", good + [("account_id", 2_000_000_000)], ["/account_id not_found"]),
            ("auth.create_access_key", good + [("account_id", 0)], ["/account_id out_of_range"]),
            ("auth.create_access_key", good + [("account_id", "1")], ["/account_id type"]),
            ("auth.create_access_key", good + [("name", " ")], ["/name required"]),
            ("auth.create_access_key", good + [("name", .string(long))], ["/name too_long"]),
            ("auth.create_access_key", good + [("name", "a\u{0}b")], ["/name format"]),
            ("auth.create_access_key", good + [("expires_at", "2020-01-01T00:00:00Z")], ["/expires_at rule"]),
            ("auth.create_access_key", good + [("expires_at", "demain")], ["/expires_at format"]),
            ("auth.create_access_key", good + [("subject", 1)], ["/subject rule"]),
            ("auth.create_access_key", good + [("key", "lt_x")], ["/key unknown"]),
            (
                "auth.create_access_key", [("role", "chef"), ("name", "")],
                ["/account_id required", "/name required", "/role format"]
            ),
            ("auth.list_access_keys", [], ["/account_id required"]),
            ("auth.list_access_keys", [("account_id", "x")], ["/account_id type"]),
            ("auth.revoke_access_key", [], ["/id required"]),
            ("auth.revoke_access_key", [("id", -1)], ["/id out_of_range"]),
        ]
        for (method, params, expected) in table {
            let error = try await admin.refusal(method, .merging(params))
            let problems = error.at("/data/errors").array.map { "\($0["path"]?.text ?? "") \($0["code"]?.text ?? "")" }
            #expect(problems.sorted() == expected, "\(method) \(JSONValue.merging(params).json): \(error.json)")
        }
        #expect(try await admin.refusal("auth.list_access_keys", ["account_id": 2_000_000_000])["code"] == 404)
        #expect(try await admin.refusal("auth.revoke_access_key", ["id": 2_000_000_000])["code"] == 404)
        for client in [try await server.client(TestServer.user), try await server.client(nil)] {
            let code: JSONValue = client.token == nil ? 401 : 403
            #expect(try await client.refusal("auth.create_access_key", .merging(good))["code"] == code)
        }
    }

    @Test(arguments: [
        "lt_", "lt_x", "lt_" + String(repeating: "A", count: 43), "lt_" + String(repeating: "A", count: 44),
        "lt_" + String(repeating: "é", count: 20),
    ])
    func `a made-up key is invalid, also where the body is refused before it is read`(text: String) async throws {
        let server = try await TestServer.running()
        let client = try RPCClient(port: server.port, token: text)
        #expect(try await client.refusal("auth.me").at("/data/reason") == "invalid")
        let padding = String(repeating: " ", count: 100_000)
        let response = try await client.post(#"{"jsonrpc":"2.0","id":1,"method":"auth.me"}"# + padding)
        #expect(response.text.contains(#""reason":"invalid""#) || response.status == 413, "\(response.text)")
    }

    private static let pair = Shared {
        let one = try await TestServer.start()
        return (one, try await TestServer.start(database: one.database))
    }

    @Test(arguments: ["revoke", "psql", "deactivation", "role", "expiry"])
    func `the end of a key reaches another server within a second`(by way: String) async throws {
        let (one, two) = try await Self.pair.value()
        let admin = try await one.client()
        let email = "\(way)@test.example"
        let id = try #require(try await admin.call("users.create", ["values": ["email": .string(email)]])["id"])
        let key = try await Self.key(of: email, as: "user", on: one)
        let here = try Self.client(key, on: one), there = try Self.client(key, on: two)
        #expect(try await there.response("auth.me")["result"] != nil, "valid on both at once")
        #expect(try await here.response("auth.me")["result"] != nil)
        let keyID = key["id"]?.json ?? ""
        switch way {
        case "revoke": _ = try await admin.call("auth.revoke_access_key", ["id": key["id"] ?? .null])
        case "psql": try await one.database.psql("UPDATE access_keys SET revoked_at = now() WHERE id = \(keyID)")
        case "deactivation": _ = try await admin.call("users.update", ["id": id, "values": ["is_active": false]])
        case "role": _ = try await admin.call("users.update", ["id": id, "values": ["role": "admin"]])
        default: try await one.database.psql("UPDATE access_keys SET expires_at = now() WHERE id = \(keyID)")
        }
        let start = ContinuousClock.now
        if !["psql", "expiry"].contains(way) {
            #expect(try await here.refusal("auth.me").at("/data/reason") == "revoked", "at once where it was done")
        }
        let reason: JSONValue = way == "expiry" ? "expired" : "revoked"
        try await eventually("it is refused") {
            try await there.response("auth.me").at("/error/data/reason") == reason
        }
        // A second and what a busy machine takes to answer.
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test func `a key of an administrator in the role user acts as user only`() async throws {
        let server = try await TestServer.running()
        let created = try await Self.key(of: TestServer.admin, as: "user", on: server)
        #expect(created["role"] == "user")
        let client = try Self.client(created, on: server)
        #expect(try await client.response("sessions.list", ["first": 1])["result"] != nil)
        #expect(try await client.refusal("users.list")["code"] == 403)
    }

    @Test func `a key outlives a change of the secret that signs tokens`() async throws {
        let server = try await TestServer.start()
        let key = try await Self.key(of: TestServer.user, as: "user", on: server)
        #expect(try await server.stop() == 0)
        let next = try await TestServer.start(
            environment: ["JWT_SECRET": "another secret that is long enough for a test"], database: server.database)
        #expect(try await Self.client(key, on: next).response("auth.me")["result"] != nil)
        #expect(try await next.stop() == 0)
    }
}
