import JSON
import TestPostgres
import TestSupport
import Testing

/// companies.md: "`auth.login`, `.refresh`, `.me` take `company_id`; answer `company` {id, name, role} and `companies`. Without it: the
/// one this sign-in entered last, else the first by name. A token acts in one company; tokens of several live side by side. …
/// Membership ended: 401 `revoked` within 1 s". "keys, documents, subscriptions, signatures, `idempotency_key`: of the acting company".
struct CompaniesTests {
    private static let anne = TestServer.admin
    private static let basile = TestServer.user
    private static let password = TestServer.password

    /// A server whose company 1 is "Port", and company 2 "Digue". Anne administers the first and is a user of the second, where
    /// Basile is the administrator.
    private static func server() async throws -> TestServer {
        let server = try await TestServer.start()
        _ = try await server.database.psql(
            """
            UPDATE kernel.companies SET name = 'Port';
            INSERT INTO kernel.companies (name) VALUES ('Digue');
            BEGIN;
            SET LOCAL learntrack.company = '2';
            INSERT INTO users (email, username) VALUES ('\(anne)', 'Anne de la Digue');
            INSERT INTO users (email, username, role) VALUES ('\(basile)', 'Basile', 'admin');
            INSERT INTO ecoles (nom) VALUES ('École de la Digue');
            COMMIT;
            UPDATE users SET is_active = false WHERE company_id = 1 AND email = '\(basile)';
            INSERT INTO ecoles (nom) VALUES ('École du Port');
            """)
        return server
    }

    private static func login(
        _ email: String = anne, _ company: JSONValue? = nil, on server: TestServer
    ) async throws -> JSONValue {
        let credentials: [(String, JSONValue)] = [("email", .string(email)), ("password", .string(password))]
        return try await RPCClient(port: server.port, token: nil).call(
            "auth.login", .merging(credentials + (company.map { [("company_id", $0)] } ?? [])))
    }

    private static func client(_ session: JSONValue, on server: TestServer) throws -> RPCClient {
        try RPCClient(port: server.port, token: try #require(session["access_token"]?.text))
    }

    private static func schools(_ client: RPCClient) async throws -> [JSONValue] {
        try await client.call("ecoles.list", ["select": "{ nom }"]).at("/items").array.compactMap { $0["nom"] }
    }

    @Test func `a sign-in enters the first company by name, or the one that is named, and a token acts in one`()
        async throws
    {
        let server = try await Self.server()
        let first = try await Self.login(on: server)
        #expect(first["company"] == ["id": 2, "name": "Digue", "role": "user"])
        #expect(
            first["companies"] == [
                ["id": 2, "name": "Digue", "role": "user"], ["id": 1, "name": "Port", "role": "admin"],
            ])
        #expect(first.at("/user/username") == "Anne de la Digue")
        #expect(first.at("/user/role") == "user")
        let port = try await Self.login(Self.anne, 1, on: server)
        #expect(port["company"] == ["id": 1, "name": "Port", "role": "admin"])
        #expect(port.at("/user/id") != first.at("/user/id"))

        let (digue, harbour) = (try Self.client(first, on: server), try Self.client(port, on: server))
        #expect(try await Self.schools(digue) == ["École de la Digue"])
        #expect(try await Self.schools(harbour) == ["École du Port"])
        #expect(try await digue.refusal("users.list")["code"] == 403)
        let members = try await harbour.call("users.list", ["select": "{ email username }"])
        #expect(!members.json.contains("Digue"))

        // The refresh token is the sign-in's: it changes the company of the tokens to come, not of those that are there.
        let back = try await RPCClient(port: server.port, token: nil).call(
            "auth.refresh", ["refresh_token": first["refresh_token"] ?? .null, "company_id": 1])
        #expect(back.at("/company/id") == 1)
        let stays = try await RPCClient(port: server.port, token: nil).call(
            "auth.refresh", ["refresh_token": back["refresh_token"] ?? .null])
        #expect(stays.at("/company/id") == 1)
        #expect(try await Self.schools(Self.client(stays, on: server)) == ["École du Port"])
        #expect(try await Self.schools(digue) == ["École de la Digue"])
        #expect(try await server.stop() == 0)
    }

    @Test func `auth me tells of the acting company, and of another one that is named`() async throws {
        let server = try await Self.server()
        let client = try Self.client(await Self.login(Self.anne, 1, on: server), on: server)
        let own = try await client.call("auth.me")
        #expect(own["company"] == ["id": 1, "name": "Port", "role": "admin"])
        #expect(own["companies"]?.array.count == 2)
        #expect(own["role"] == "admin")
        let other = try await client.call("auth.me", ["company_id": 2])
        #expect(other["username"] == "Anne de la Digue")
        #expect(other["company"] == ["id": 2, "name": "Digue", "role": "user"])
        #expect(
            try await client.call("auth.me", ["company_id": 2, "select": "{ role }"]) == ["role": "user"])
        #expect(try await server.stop() == 0)
    }

    @Test func `a company of others is refused as one that never existed, and nothing is signed in`() async throws {
        let server = try await Self.server()
        let anonymous = try RPCClient(port: server.port, token: nil)
        let basile = try await Self.login(Self.basile, on: server)
        #expect(basile["companies"] == [["id": 2, "name": "Digue", "role": "admin"]])
        for (method, params): (String, [(String, JSONValue)]) in [
            ("auth.login", [("email", .string(Self.basile)), ("password", .string(Self.password))]),
            ("auth.refresh", [("refresh_token", basile["refresh_token"] ?? .null)]),
        ] {
            var answers: Set<String> = []
            for company: JSONValue in [1, 9999] {
                let refusal = try await anonymous.refusal(method, .merging(params + [("company_id", company)]))
                #expect(refusal["code"] == -32602, "\(method): \(refusal.json)")
                #expect(refusal.at("/data/errors/0/path") == "/company_id")
                #expect(refusal.at("/data/errors/0/code") == "not_found")
                answers.insert(refusal.at("/data/errors").json)
            }
            #expect(answers.count == 1)
        }
        let client = try Self.client(basile, on: server)
        #expect(try await client.refusal("auth.me", ["company_id": 1]).at("/data/errors/0/code") == "not_found")
        // The refusals have not used up the token.
        let refreshed = try await anonymous.call(
            "auth.refresh", ["refresh_token": basile["refresh_token"] ?? .null, "company_id": 2])
        #expect(refreshed.at("/company/id") == 2)
        // A wrong password is told before the company.
        let guess = try await anonymous.refusal(
            "auth.login", ["email": .string(Self.basile), "password": "faux", "company_id": 1])
        #expect(guess["code"] == 401)
        #expect(try await server.stop() == 0)
    }

    @Test func `a member that is deactivated is out of its company within a second, and in the others as before`()
        async throws
    {
        let server = try await Self.server()
        let digue = try await Self.login(Self.anne, 2, on: server)
        let port = try await Self.login(Self.anne, 1, on: server)
        let admin = try Self.client(await Self.login(Self.basile, on: server), on: server)
        let key = try await admin.call(
            "auth.create_access_key", ["account_id": digue.at("/user/id"), "role": "user", "name": "Entrée"])
        let reader = try RPCClient(port: server.port, token: try #require(key["key"]?.text))
        #expect(try await Self.schools(reader) == ["École de la Digue"])
        let gone = try await admin.call(
            "users.update",
            ["id": digue.at("/user/id"), "values": ["is_active": false]])
        #expect(gone["is_active"] == false)
        for client in [try Self.client(digue, on: server), reader] {
            #expect(try await client.refusal("ecoles.list").at("/data/reason") == "revoked")
        }
        let harbour = try Self.client(port, on: server)
        #expect(try await Self.schools(harbour) == ["École du Port"])
        // The person alone enters another company, with the sign-in that was in this one.
        let anonymous = try RPCClient(port: server.port, token: nil)
        let stays = try await anonymous.refusal("auth.refresh", ["refresh_token": digue["refresh_token"] ?? .null])
        #expect(stays.at("/data/reason") == "revoked")
        let moved = try await anonymous.call(
            "auth.refresh", ["refresh_token": digue["refresh_token"] ?? .null, "company_id": 1])
        #expect(moved.at("/company/id") == 1)
        #expect(moved["companies"] == [["id": 1, "name": "Port", "role": "admin"]])
        #expect(try await server.stop() == 0)
    }

    @Test func `a link to a document from before a deactivation stays closed when the member is active again`()
        async throws
    {
        let server = try await Self.server()
        // Two administrators, of whom one may go.
        _ = try await server.database.psql("UPDATE users SET role = 'admin' WHERE company_id = 2")
        let basile = try Self.client(await Self.login(Self.basile, on: server), on: server)
        let first = try await Self.login(Self.anne, 2, on: server)
        let session = try await basile.call(
            "sessions.create", ["values": .merging(Fixtures.session()), "select": "{ id }"])
        func link(_ client: RPCClient) async throws -> JSONValue {
            try await client.call("sessions.recapitulatif", ["id": session["id"] ?? .null])
        }
        func set(isActive: Bool) async throws {
            _ = try await basile.call(
                "users.update", ["id": first.at("/user/id"), "values": ["is_active": .bool(isActive)]])
        }
        // Her sign-in goes on in the other company.
        let harbour = try await Self.login(Self.anne, 1, on: server)
        let before = try await link(Self.client(first, on: server))
        #expect(try await server.open(before).status == 200)
        try await set(isActive: false)
        #expect(try await server.open(before).status == 403)
        try await set(isActive: true)
        #expect(try await server.open(before).status == 403)
        let again = try await RPCClient(port: server.port, token: nil).call(
            "auth.refresh", ["refresh_token": harbour["refresh_token"] ?? .null, "company_id": 2])
        #expect(try await server.open(link(Self.client(again, on: server))).status == 200)
        #expect(try await server.open(before).status == 403)
        #expect(try await server.stop() == 0)
    }

    @Test func `a membership that is deleted ends its tokens within a second, and the account stays`() async throws {
        let server = try await Self.server()
        let client = try Self.client(await Self.login(Self.anne, 2, on: server), on: server)
        let harbour = try Self.client(await Self.login(Self.anne, 1, on: server), on: server)
        #expect(try await Self.schools(client) == ["École de la Digue"])
        _ = try await server.database.psql("DELETE FROM users WHERE company_id = 2 AND email = '\(Self.anne)'")
        try await eventually("the token is refused", within: .seconds(2)) {
            try await client.response("ecoles.list").at("/error/data/reason") == "revoked"
        }
        #expect(try await Self.schools(harbour) == ["École du Port"])
        #expect(try await server.stop() == 0)
    }

    @Test func `a call changes no address, password or account at Supabase of a person`() async throws {
        let server = try await Self.server()
        let digue = try Self.client(await Self.login(Self.basile, on: server), on: server)
        // Anne is a member here, too: her address is taken as that of any member.
        let own = try await digue.refusal("users.create", ["values": ["email": .string(Self.anne)]])
        #expect(own.at("/data/errors/0/code") == "duplicate")
        let secret: JSONValue = ["email": "neuf@exemple.fr", "password": "un long mot de passe"]
        #expect(try await digue.refusal("users.create", ["values": secret])["code"] == 403)
        let linked: JSONValue = [
            "email": "neuf@exemple.fr", "supabase_user_id": "3f2b6c1e-8a4d-4c57-9b1e-2d7f0a6c5e48",
        ]
        let person = try await digue.refusal("users.create", ["values": linked])
        #expect(person.at("/data/errors/0/path") == "/values/supabase_user_id")
        let anne = try await digue.call("users.list", ["where": ["email": .string(Self.anne)]]).at("/items/0/id")
        let link: JSONValue = ["supabase_user_id": "3f2b6c1e-8a4d-4c57-9b1e-2d7f0a6c5e48"]
        let relinked = try await digue.refusal("users.update", ["id": anne, "values": link])
        #expect(relinked.at("/data/errors/0/path") == "/values/supabase_user_id")
        // What a job does concerns all companies.
        #expect(try await digue.call("jobs.list", ["select": "{ name }"])["items"] == [])
        #expect(try await digue.refusal("jobs.run", ["id": 1])["code"] == 404)
        let taken = try await digue.refusal("users.update", ["id": anne, "values": ["email": "autre@exemple.fr"]])
        #expect(taken["code"] == -32602)
        #expect(taken.at("/data/errors/0/path") == "/values/email")
        #expect(taken.at("/data/errors/0/code") == "rule")
        let addresses = try await server.database.psql(
            "SELECT count(*) FROM kernel.accounts AS a JOIN users AS u ON u.account_id = a.id AND u.email <> a.email")
        #expect(addresses == "0")
        #expect(try await server.stop() == 0)
    }

    @Test func `an access key tells of its own company alone`() async throws {
        let server = try await Self.server()
        let port = try Self.client(await Self.login(Self.anne, 1, on: server), on: server)
        let anne = try await port.call("auth.me", ["select": "{ id }"])["id"] ?? .null
        let made = try await port.call(
            "auth.create_access_key", ["account_id": anne, "role": "admin", "name": "Script"])
        let key = try RPCClient(port: server.port, token: try #require(made["key"]?.text))
        #expect(try await key.call("auth.me")["companies"] == [["id": 1, "name": "Port", "role": "admin"]])
        #expect(try await key.refusal("auth.me", ["company_id": 2]).at("/data/errors/0/code") == "not_found")
        #expect(try await server.stop() == 0)
    }

    @Test func `what belongs to a member is that of its company`() async throws {
        let server = try await Self.server()
        _ = try await server.database.psql("UPDATE users SET role = 'admin' WHERE company_id = 2")
        let digue = try Self.client(await Self.login(Self.basile, on: server), on: server)
        let port = try Self.client(await Self.login(Self.anne, 1, on: server), on: server)
        let anne = try await port.call("auth.me", ["select": "{ id }"])["id"] ?? .null
        let key = try await port.call(
            "auth.create_access_key", ["account_id": anne, "role": "admin", "name": "Script"])
        // Members and keys of the other company are as unknown as those that never were.
        for (method, params): (String, [(String, JSONValue)]) in [
            ("users.get", [("id", anne)]), ("auth.list_access_keys", [("account_id", anne)]),
            ("auth.revoke_access_key", [("id", key["id"] ?? .null)]),
            ("auth.create_access_key", [("account_id", anne), ("role", "user"), ("name", "x")]),
        ] {
            let foreign = try await digue.refusal(method, .merging(params))
            let never = try await digue.refusal(
                method, .merging([(params[0].0, .number("999999999"))] + params.dropFirst()))
            #expect(foreign["code"] == never["code"], "\(method)")
            #expect(foreign["message"] == never["message"], "\(method)")
            #expect(foreign.at("/data/errors") == never.at("/data/errors"), "\(method)")
        }
        // One key of a call in two companies is two.
        let creation: JSONValue = ["values": ["nom": "École double"], "idempotency_key": "essai-1"]
        let anneInDigue = try Self.client(await Self.login(Self.anne, 2, on: server), on: server)
        let one = try await port.call("ecoles.create", creation)
        let two = try await anneInDigue.call("ecoles.create", creation)
        #expect(one["id"] != two["id"])
        #expect(try await port.call("ecoles.create", creation)["id"] == one["id"])
        // The journal names the member of the company.
        let entries = try await digue.call(
            "journal.list", ["where": ["row_id": two["id"] ?? .null], "select": "{ actor_email actor_id }"])
        #expect(entries.at("/items/0/actor_email") == .string(Self.anne))
        #expect(entries.at("/items/0/actor_id") == (try await anneInDigue.call("auth.me", ["select": "{ id }"]))["id"])
        #expect(try await server.stop() == 0)
    }
}
