import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// front.md: "`auth.passkey_options`, `auth.add_passkey {name, credential}`, `auth.login_with_passkey {credential, cookie}`,
/// `auth.list_passkeys`, `auth.remove_passkey {id}` (ES256, RP id = public URL's host)".
struct PasskeyTests {
    /// Of these tests alone: they fail to sign in too often for a server that others sign in to.
    static let server = Shared { try await TestServer.start() }

    /// An account of its own, signed in.
    struct Account {
        let email: String
        let id: JSONValue
        let client: RPCClient
    }

    static func account(on server: TestServer) async throws -> Account {
        let email = "cle-\(UInt32.random(in: 0 ... .max))@test.example"
        let values: JSONValue = [
            "email": .string(email), "username": "Claire", "password": .string(TestServer.password),
        ]
        let id = try await server.client().call("users.create", ["values": values])["id"] ?? .null
        let login: JSONValue = ["email": .string(email), "password": .string(TestServer.password)]
        let session = try await server.client(nil).call("auth.login", login)
        return Account(
            email: email, id: id, client: try RPCClient(port: server.port, token: session["access_token"]?.text))
    }

    /// One whose passkey is made for the account.
    static func authenticator(of account: Account) -> SoftwareAuthenticator {
        SoftwareAuthenticator(userHandle: account.id.json)
    }

    static func creation(_ client: RPCClient) async throws -> String {
        let options = try await client.call("auth.passkey_options")
        return try #require(options.at("/create/challenge").text)
    }

    static func challenge(on server: TestServer) async throws -> String {
        let options = try await server.client(nil).call("auth.passkey_options")
        return try #require(options.at("/get/challenge").text)
    }

    @discardableResult
    static func add(_ authenticator: SoftwareAuthenticator, to account: Account) async throws -> JSONValue {
        let challenge = try await creation(account.client)
        return try await account.client.call(
            "auth.add_passkey", ["name": "Téléphone", "credential": authenticator.created(challenge)])
    }

    static func login(
        _ authenticator: SoftwareAuthenticator, on server: TestServer
    ) async throws -> JSONValue {
        let credential = try authenticator.signed(try await challenge(on: server))
        return try await server.client(nil).response("auth.login_with_passkey", ["credential": credential])
    }

    // MARK: Options

    @Test func `a browser is given what it passes to navigator.credentials`() async throws {
        let server = try await Self.server.value()
        let account = try await Self.account(on: server)
        try await Self.add(SoftwareAuthenticator(id: [1, 2, 3] + SoftwareAuthenticator().id), to: account)
        let options = try await account.client.call("auth.passkey_options")
        #expect(options["get"] == .null)
        let create = options.at("/create")
        #expect(create["rp"] == ["id": "localhost", "name": "LearnTrack"])
        #expect(create.at("/user/name") == .string(account.email))
        #expect(create.at("/user/displayName") == "Claire")
        #expect(create.at("/user/id").text?.isEmpty == false)
        #expect(create["pubKeyCredParams"] == [["alg": -7, "type": "public-key"]])
        #expect(create["timeout"] == 300_000)
        #expect(create.at("/excludeCredentials/0/type") == "public-key")
        #expect(create.at("/excludeCredentials/0/id").text?.hasPrefix("AQID") == true)
        #expect(create.at("/excludeCredentials/0/transports") == ["internal", "hybrid"])
        #expect(
            create["authenticatorSelection"]
                == ["requireResidentKey": true, "residentKey": "required", "userVerification": "required"])
        #expect(create["attestation"] == "none")

        let open = try await server.client(nil).call("auth.passkey_options")
        #expect(open["create"] == .null)
        #expect(open.at("/get/rpId") == "localhost")
        #expect(open.at("/get/allowCredentials") == [])
        #expect(open.at("/get/userVerification") == "required")
        #expect(open.at("/get/challenge") != create["challenge"])
        let refused = try await RPCClient(port: server.port, token: "n'est pas un jeton").refusal(
            "auth.passkey_options")
        #expect(refused.at("/data/reason") == "invalid")
    }

    @Test func `the relying party is the host of the public address, and otherwise localhost`() async throws {
        let server = try await TestServer.start(["--public-url", "https://learntrack.exemple.fr:8443/"])
        let options = try await server.client(nil).call("auth.passkey_options")
        #expect(options.at("/get/rpId") == "learntrack.exemple.fr")
        let account = try await Self.account(on: server)
        var authenticator = Self.authenticator(of: account)
        authenticator.party = "learntrack.exemple.fr"
        authenticator.origin = "https://learntrack.exemple.fr:8443"
        try await Self.add(authenticator, to: account)
        #expect(try await Self.login(authenticator, on: server)["result"] != nil)
        // The server is reached as localhost too, and its passkeys are not those of that site.
        authenticator.party = "localhost"
        authenticator.origin = "http://localhost"
        #expect(try await Self.login(authenticator, on: server).at("/error/code") == 401)
        let tls = try await TLSServer.running()
        let call = #"{"jsonrpc":"2.0","id":1,"method":"auth.passkey_options"}"#
        for host in ["localhost", "evil.example"] {
            let answer = try await tls.curl(
                "/rpc", ["-H", "Content-Type: application/json", "-H", "Host: \(host)", "-d", call])
            let party = try JSONValue.parse(Array(answer.body.utf8)).at("/result/get/rpId")
            #expect(party == "localhost", "\(host)")
        }
    }

    // MARK: A passkey

    @Test func `an account adds a passkey, signs in with it, sees it and removes it`() async throws {
        let server = try await Self.server.value()
        let account = try await Self.account(on: server)
        let authenticator = Self.authenticator(of: account)
        let added = try await Self.add(authenticator, to: account)
        #expect(added["name"] == "Téléphone")
        #expect(added["last_used_at"] == .null)
        #expect(try await account.client.call("auth.list_passkeys") == ["items": [added]])

        let session = try await Self.login(authenticator, on: server)
        #expect(session.at("/result/user/email") == .string(account.email))
        let client = try RPCClient(port: server.port, token: session.at("/result/access_token").text)
        let signIns = try await client.call("auth.list_sign_ins").at("/items").array
        #expect(signIns.count == 2)
        #expect(signIns.filter { $0["current"] == true }.count == 1)
        let refreshed = try await server.client(nil).call(
            "auth.refresh", ["refresh_token": session.at("/result/refresh_token")])
        #expect(refreshed.at("/user/email") == .string(account.email))
        let used = try await client.call("auth.list_passkeys").at("/items/0")
        #expect(used["last_used_at"] != .null)

        let other = try await Self.account(on: server)
        let id: JSONValue = ["id": added["id"] ?? .null]
        #expect(try await other.client.refusal("auth.remove_passkey", id)["code"] == 404)
        #expect(try await client.call("auth.remove_passkey", id) == [:])
        #expect(try await client.refusal("auth.remove_passkey", id)["code"] == 404)
        #expect(try await client.call("auth.list_passkeys") == ["items": []])
        #expect(try await Self.login(authenticator, on: server).at("/error/data/code") == "invalid_credentials")
    }

    @Test func `a sign-in with a passkey gives its refresh token to a cookie on request`() async throws {
        let server = try await Self.server.value()
        let account = try await Self.account(on: server)
        let authenticator = Self.authenticator(of: account)
        try await Self.add(authenticator, to: account)
        let credential = try authenticator.signed(try await Self.challenge(on: server))
        let call: JSONValue = [
            "jsonrpc": "2.0", "id": 1, "method": "auth.login_with_passkey",
            "params": ["credential": credential, "cookie": "persistent"],
        ]
        let response = try await server.client(nil).post(call.json)
        let cookie = try #require(response.headers["set-cookie"])
        #expect(cookie.contains("Max-Age=2592000"))
        #expect(try JSONValue.parse(response.body).at("/result/refresh_token") == .null)
        let refresh = #"{"jsonrpc":"2.0","id":1,"method":"auth.refresh"}"#
        let pair = String(cookie.prefix { $0 != ";" })
        let refreshed = try await server.client(nil).post(refresh, headers: [("Cookie", pair)])
        #expect(try JSONValue.parse(refreshed.body).at("/result/user/email") == .string(account.email))
        let foreign = try await server.client(nil).post(call.json, headers: [("Origin", "https://evil.example")])
        #expect(try JSONValue.parse(foreign.body).at("/error/code") == 403)
        let batch = try await server.client(nil).post("[\(call.json)]")
        #expect(try JSONValue.parse(batch.body).at("/0/error/data/errors/0/path") == "/cookie")
    }

    @Test func `challenges and passkeys are known to every instance, and a signature serves once among them`()
        async throws
    {
        let one = try await TestServer.start()
        let two = try await TestServer.start(database: one.database)
        let account = try await Self.account(on: one)
        let challenge = try await Self.creation(account.client)
        let authenticator = Self.authenticator(of: account)
        let there = try RPCClient(port: two.port, token: account.client.token)
        _ = try await there.call(
            "auth.add_passkey", ["name": "Clé", "credential": authenticator.created(challenge)])
        let credential = try authenticator.signed(try await Self.challenge(on: one))
        let params: JSONValue = ["credential": credential]
        let clients = try (0..<8).map { try RPCClient(port: [one, two][$0 % 2].port, token: nil) }
        let answers = try await withThrowingTaskGroup(of: JSONValue.self) { group in
            for client in clients { group.addTask { try await client.response("auth.login_with_passkey", params) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0["result"] != nil }.count == 1)
        #expect(answers.filter { $0.at("/error/data/code") == "invalid_credentials" }.count == 7)
    }

    // MARK: Keys, trials and failures

    @Test func `an access key opens no other way into its account`() async throws {
        let server = try await Self.server.value()
        let account = try await Self.account(on: server)
        let made = try await server.client().call(
            "auth.create_access_key", ["account_id": account.id, "role": "user", "name": "x"])
        let client = try RPCClient(port: server.port, token: made["key"]?.text)
        let credential = SoftwareAuthenticator().created(try await Self.creation(account.client))
        let calls: [(String, JSONValue)] = [
            ("auth.add_passkey", ["name": "x", "credential": credential]), ("auth.list_passkeys", [:]),
            ("auth.remove_passkey", ["id": 1]),
        ]
        for (method, params) in calls {
            #expect(try await client.refusal(method, params)["code"] == 403, "\(method)")
        }
        #expect(try await client.call("auth.passkey_options")["create"] == .null)
    }

    @Test func `an addition is tried without keeping anything, and sent again under its key it happens once`()
        async throws
    {
        let server = try await Self.server.value()
        let account = try await Self.account(on: server)
        let credential = SoftwareAuthenticator().created(try await Self.creation(account.client))
        let params: [(String, JSONValue)] = [("name", "x"), ("credential", credential)]
        let tried = try await account.client.call("auth.add_passkey", .merging(params + [("dry_run", true)]))
        #expect(tried["name"] == "x")
        #expect(try await account.client.call("auth.list_passkeys") == ["items": []])
        let keyed = JSONValue.merging(params + [("idempotency_key", .string(account.email))])
        let first = try await account.client.call("auth.add_passkey", keyed)
        #expect(try await account.client.call("auth.add_passkey", keyed) == first)
        _ = try await account.client.call("auth.remove_passkey", ["id": first["id"] ?? .null])
        let gone: JSONValue = ["deleted": true, "id": first["id"] ?? .null]
        #expect(try await account.client.call("auth.add_passkey", keyed) == gone)
    }

    @Test func `an addition sent again under its key is answered as before, also after its challenge has ended`()
        async throws
    {
        let server = try await Self.server.value()
        let account = try await Self.account(on: server)
        let credential = SoftwareAuthenticator().created(try await Self.creation(account.client))
        func params(_ key: String) -> JSONValue {
            ["name": "x", "credential": credential, "idempotency_key": .string(key)]
        }
        let first = try await account.client.call("auth.add_passkey", params(account.email))
        // An instance with another secret recognises no challenge of this one, as all instances after five minutes.
        let later = try await TestServer.start(
            environment: ["JWT_SECRET": "another-secret-that-is-long-enough-0123456789"], database: server.database)
        let login: JSONValue = ["email": .string(account.email), "password": .string(TestServer.password)]
        let session = try await later.client(nil).call("auth.login", login)
        let client = try RPCClient(port: later.port, token: session["access_token"]?.text)
        #expect(try await client.call("auth.add_passkey", params(account.email)) == first)
        let refused = try await client.refusal("auth.add_passkey", params("another key"))
        #expect(refused.at("/data/errors/0/path") == "/credential/response/clientDataJSON")
        #expect(try await client.call("auth.list_passkeys") == ["items": [first]])
    }

    @Test func `after too many failures a network waits, and no failed password keeps the owner of a passkey out`()
        async throws
    {
        let server = try await TestServer.start()
        let account = try await Self.account(on: server)
        let authenticator = Self.authenticator(of: account)
        try await Self.add(authenticator, to: account)
        _ = try await server.database.psql(
            "SELECT kernel.note_attempt(0, '\(account.email)', 1, 60, 60), kernel.note_attempt(1, '\(account.email) 127.0.0.1', 1, 60, 60)"
        )
        #expect(try await Self.login(authenticator, on: server)["result"] != nil)
        for _ in 1...2 {
            let unknown = try await Self.login(SoftwareAuthenticator(), on: server)
            #expect(unknown.at("/error/code") == 401)
        }
        #expect(try await server.database.psql("SELECT count FROM attempts WHERE slot / 65536 = 2") == "2")
        _ = try await server.database.psql("UPDATE attempts SET count = 49")
        _ = try await Self.login(SoftwareAuthenticator(), on: server)
        let refused = try await Self.login(SoftwareAuthenticator(), on: server)
        #expect(refused.at("/error/code") == 429)
    }
}
