import JSON
import TestPostgres
import TestSupport
import Testing

/// contract.md: "`idempotency_key` (every write takes it)", also where the kernel keeps passwords, sign-ins, access keys and
/// subscriptions.
@Suite struct AccountWriteTests {
    /// A new account and its sign-in.
    private static func signedIn(
        _ email: String, _ password: String, on server: TestServer
    ) async throws -> (client: RPCClient, id: JSONValue) {
        let created = try await server.client().call(
            "users.create", ["values": ["email": .string(email), "password": .string(password)], "select": "{ id }"])
        return (try await client(email, password, on: server), created["id"] ?? .null)
    }

    private static func client(_ email: String, _ password: String, on server: TestServer) async throws -> RPCClient {
        let session = try await server.client(nil).call(
            "auth.login", ["email": .string(email), "password": .string(password)])
        return try RPCClient(port: server.port, token: try #require(session["access_token"]?.text))
    }

    @Test func `every method that needs a caller and changes something takes a key and a trial`() async throws {
        let server = try await TestServer.running()
        let methods = try await ServiceDescription(of: server).methods
        for name in [
            "auth.create_access_key", "auth.revoke_access_key", "auth.change_password", "auth.end_sign_in",
            "calendriers.abonner", "calendriers.delete", "users.create", "users.update",
        ] {
            let method = try #require(methods.first { $0.name == name })
            let names = method.parameters.compactMap { $0["name"]?.text }
            #expect(names.contains("idempotency_key") && names.contains("dry_run"), "\(name): \(names)")
        }
    }

    @Test func `an access key under one idempotency key is created once, and shown once`() async throws {
        let server = try await TestServer.running()
        let admin = try await server.client()
        let (_, account) = try await Self.signedIn("une-cle@test.example", "une phrase bien longue", on: server)
        let params: JSONValue = [
            "account_id": account, "role": "user", "name": "Portail", "idempotency_key": "clé du portail",
        ]
        func names() async throws -> [JSONValue] {
            let list = try await admin.call("auth.list_access_keys", ["account_id": account])
            return list.at("/items").array.map { $0.at("/name") }
        }
        let trial = try await admin.call("auth.create_access_key", params.setting("/dry_run", to: true))
        #expect(trial["key"] == .null && trial["name"] == "Portail")
        #expect(try await names() == [])

        let first = try await admin.call("auth.create_access_key", params)
        let key = try #require(first["key"]?.text)
        let again = try await admin.call("auth.create_access_key", params)
        #expect(again == first.setting("/key", to: .null), "\(again.json)")
        #expect(try await names() == ["Portail"])
        let user = try RPCClient(port: server.port, token: key)
        #expect(try await user.call("auth.me", ["select": "{ email }"]) == ["email": "une-cle@test.example"])
        let kept = try await server.database.psql("SELECT to_jsonb(i)::text FROM kernel.idempotency i")
        #expect(!kept.contains(key.dropFirst(3)))

        let other = try await admin.refusal("auth.create_access_key", params.setting("/name", to: "Porte"))
        #expect(other["code"] == 409 && other.at("/data/reason") == "idempotency")
        // A refused write leaves its key free.
        let free = params.setting("/idempotency_key", to: "une clé libre")
        let wrong = try await admin.refusal("auth.create_access_key", free.setting("/role", to: "admin"))
        #expect(wrong.at("/data/errors/0/path") == "/role")
        #expect(try await admin.call("auth.create_access_key", free.setting("/name", to: "Autre"))["key"] != .null)

        let revocation: JSONValue = ["id": first["id"] ?? .null, "idempotency_key": "fin du portail"]
        #expect(try await admin.call("auth.revoke_access_key", revocation.setting("/dry_run", to: true)) == [:])
        #expect(try await user.response("auth.me")["result"] != nil)
        #expect(try await admin.call("auth.revoke_access_key", revocation) == [:])
        #expect(try await admin.call("auth.revoke_access_key", revocation) == [:])
        #expect(try await admin.refusal("auth.revoke_access_key", ["id": first["id"] ?? .null])["code"] == 404)
        #expect(try await user.refusal("auth.me").at("/data/reason") == "revoked")
        let gone = try await admin.call("auth.create_access_key", params)
        #expect(gone == ["deleted": true, "id": first["id"] ?? .null])
    }

    @Test func `an access key that is asked for twice at once under one idempotency key is created once`() async throws
    {
        let server = try await TestServer.running()
        let (_, account) = try await Self.signedIn("deux-fois@test.example", "une phrase bien longue", on: server)
        let params: JSONValue = [
            "account_id": account, "role": "user", "name": "Double", "idempotency_key": "deux fois à la fois",
        ]
        let clients = [try await server.client(), try await server.client()]
        let answers = try await withThrowingTaskGroup(of: JSONValue.self) { group in
            for client in clients {
                group.addTask { try await client.response("auth.create_access_key", params) }
            }
            return try await group.reduce(into: [JSONValue]()) { $0.append($1) }
        }
        let keys = answers.compactMap { $0.at("/result/key").text }
        #expect(keys.count == 1, "\(answers.map(\.json))")
        for answer in answers where answer["result"] == nil {
            #expect(answer.at("/error/data/reason") == "idempotency", "\(answer.json)")
        }
        let list = try await clients[0].call("auth.list_access_keys", ["account_id": account])
        #expect(list.at("/items").array.count == 1)
    }

    @Test func `a change of password that is sent again is answered again, and one with another password is not`()
        async throws
    {
        let server = try await TestServer.running()
        let (email, old, new) = ("deux-mots@test.example", "une phrase bien longue", "une autre phrase longue")
        let (client, _) = try await Self.signedIn(email, old, on: server)
        let params: JSONValue = [
            "current_password": .string(old), "new_password": .string(new), "idempotency_key": "le nouveau",
        ]
        #expect(try await client.call("auth.change_password", params.setting("/dry_run", to: true)) == [:])
        _ = try await Self.client(email, old, on: server)
        #expect(try await client.call("auth.change_password", params) == [:])
        #expect(try await client.call("auth.change_password", params) == [:])
        _ = try await Self.client(email, new, on: server)
        let third = params.setting("/new_password", to: "une troisième phrase")
        let other = try await client.refusal("auth.change_password", third)
        #expect(other["code"] == 409 && other.at("/data/reason") == "idempotency", "\(other.json)")
        let unkeyed = try await client.refusal(
            "auth.change_password", ["current_password": .string(old), "new_password": .string(new)])
        #expect(unkeyed.at("/data/errors/0/path") == "/current_password")
        _ = try await Self.client(email, new, on: server)
    }

    @Test func `the end of a sign-in and of a subscription that is sent again is answered again`() async throws {
        let server = try await TestServer.running()
        let (email, password) = ("deux-fins@test.example", "une phrase bien longue")
        let (client, _) = try await Self.signedIn(email, password, on: server)
        _ = try await Self.client(email, password, on: server)
        let signIns = try await client.call("auth.list_sign_ins").at("/items").array
        let other = try #require(signIns.first { $0["current"] == false }?["id"])
        let end: JSONValue = ["id": other, "idempotency_key": "fin de connexion"]
        #expect(try await client.call("auth.end_sign_in", end.setting("/dry_run", to: true)) == [:])
        #expect(try await client.call("auth.list_sign_ins").at("/items").array.count == 2)
        for _ in 0..<2 { #expect(try await client.call("auth.end_sign_in", end) == [:]) }
        #expect(try await client.refusal("auth.end_sign_in", ["id": other])["code"] == 404)

        let creation: JSONValue = ["nom": "Téléphone", "idempotency_key": "abonnement"]
        let trial = try await client.call("calendriers.abonner", creation.setting("/dry_run", to: true))
        #expect(trial["url"] == .null)
        let made = try await client.call("calendriers.abonner", creation)
        #expect(made["url"]?.text != nil)
        let again = try await client.call("calendriers.abonner", creation)
        #expect(again == made.setting("/url", to: .null), "\(again.json)")
        #expect(try await client.call("calendriers.list").at("/items").array.count == 1)
        let deletion: JSONValue = ["id": made["id"] ?? .null, "idempotency_key": "fin d’abonnement"]
        for _ in 0..<2 { #expect(try await client.call("calendriers.delete", deletion)["deleted"] == true) }
        let gone = try await client.call("calendriers.abonner", creation)
        #expect(gone == ["deleted": true, "id": made["id"] ?? .null])
    }
}
