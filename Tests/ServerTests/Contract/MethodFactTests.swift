import DomainKit
import JSON
import Testing

/// The contract's section "Methods", as far as no other suite tests it.
@Suite struct MethodFactTests {
    @Test func `every method of the contract exists with its parameters`() async throws {
        let description = try await ServiceDescription(of: try await TestServer.running())
        let list = ["where", "search", "order_by", "first", "after", "count", "select", "variables"]
        let terms = ["idempotency_key", "dry_run"]
        let perTable: [(String, [String])] = [
            ("list", list), ("get", ["id", "select"]), ("create", ["values", "select"] + terms),
            ("update", ["id", "values", "if_version", "select"] + terms), ("delete", ["id", "if_version"] + terms),
            ("aggregate", ["where", "search", "group_by", "select", "order_by", "first"]),
        ]
        var expected = ["sessions", "formateurs", "clients", "ecoles"].flatMap { table in
            perTable.map { ("\(table).\($0)", $1) }
        }
        expected += [
            ("sessions.duplicate", ["id", "values", "select"] + terms),
            ("sessions.share", ["id", "format", "audience"]), ("contacts.lire", ["texte", "table"]),
            ("sessions.annoncer", ["id", "select"] + terms),
            ("prospects.avancer", ["id", "etape", "motif", "select"] + terms),
            ("prospects.convertir", ["id", "values", "client_id", "select"] + terms),
            ("doublons.list", list.filter { $0 != "search" } + ["table"]),
            ("relances_du_jour.list", list.filter { $0 != "search" } + ["jour"]),
            ("auth.login", ["email", "password", "cookie"]), ("auth.refresh", ["refresh_token"]),
            ("auth.logout", ["refresh_token", "everywhere"]), ("auth.list_sign_ins", []), ("auth.end_sign_in", ["id"]),
            ("auth.passkey_options", []), ("auth.login_with_passkey", ["credential", "cookie"]),
            ("auth.add_passkey", ["name", "credential"] + terms), ("auth.list_passkeys", []),
            ("auth.remove_passkey", ["id"] + terms),
            ("auth.me", ["select"]), ("auth.change_password", ["current_password", "new_password"]),
            ("auth.create_access_key", ["account_id", "role", "name", "expires_at"]),
            ("auth.list_access_keys", ["account_id"]), ("auth.revoke_access_key", ["id"]),
            ("users.list", list), ("users.get", ["id", "select"]), ("users.create", ["values", "select"]),
            ("users.update", ["id", "values", "select"]), ("users.delete", ["id", "if_version"] + terms),
            ("companies.update", ["name"] + terms), ("companies.list", []),
            ("companies.create", ["name", "admin_email"] + terms), ("companies.suspend", ["id"] + terms),
            ("companies.resume", ["id"] + terms), ("companies.usage", ["du", "au"]), ("rpc.discover", []),
            ("transaction.run", ["calls"] + terms),
            ("changes.list", ["after", "tables", "first"]),
        ]
        for (name, parameters) in expected {
            let method = try #require(description.methods.first { $0.name == name }, "\(name)")
            let there = Set(method.parameters.compactMap { $0["name"]?.text })
            #expect(Set(parameters).isSubset(of: there), "\(name): \(Set(parameters).subtracting(there))")
        }
    }

    @Test func `an update without values returns the record and makes no new version`() async throws {
        let rows = try await Fixtures()
        let id = try await rows.session()
        for params: JSONValue in [["id": JSONValue(id)], ["id": JSONValue(id), "values": [:]]] {
            let record = try await rows.client.call("sessions.update", params)
            #expect(record["version"] == 1)
            #expect(record["id"] == JSONValue(id))
        }
        let stale = try await rows.client.refusal("sessions.update", ["id": JSONValue(id), "if_version": 7])
        #expect(stale.at("/data/reason") == "version")
        let wrong = try await rows.client.refusal("sessions.delete", ["id": JSONValue(id), "if_version": 7])
        #expect(wrong.at("/data/reason") == "version")
        #expect(
            try await rows.client.call("sessions.delete", ["id": JSONValue(id), "if_version": 1])
                == ["deleted": true, "id": JSONValue(id)])
    }

    @Test func `a list without order_by has the order of the contract`() async throws {
        let client = try await TestServer.running().client()
        for (table, order) in [
            ("sessions", ["-date", "debut"]), ("formateurs", ["nom", "prenom"]), ("clients", ["raison_sociale"]),
            ("ecoles", ["nom"]), ("users", ["email"]),
        ] {
            let description = try await ServiceDescription(of: try await TestServer.running())
            let method = try #require(description.methods.first { $0.name == "\(table).list" })
            let parameter = try #require(method.parameters.first { $0["name"] == "order_by" })
            #expect(parameter.at("/schema/default") == .array(order.map { .string($0) }))
            let plain = try await client.call("\(table).list", ["select": "{ id }", "first": 500])
            let told = try await client.call(
                "\(table).list", ["select": "{ id }", "first": 500, "order_by": .array(order.map { .string($0) })])
            // Other tests insert rows at the same time. The rows of both lists must have one order.
            let (one, other) = (plain.at("/items").array, told.at("/items").array)
            let common = Set(one).intersection(other)
            #expect(one.filter(common.contains) == other.filter(common.contains), "\(table)")
        }
    }

    @Test func `first is 50 by default, and 1 to 500`() async throws {
        let rows = try await Fixtures()
        _ = try await rows.client.post(
            "["
                + (0..<50).map { index in
                    #"{"jsonrpc":"2.0","id":\#(index),"method":"ecoles.create","params":{"values":{"nom":"\#(rows.mark) \#(index)"}}}"#
                }.joined(separator: ",") + "]")
        _ = try await rows.ecole()
        let page = try await rows.client.call("ecoles.list", ["search": .string(rows.mark), "select": "{ id }"])
        #expect(page.at("/items").array.count == 50)
        #expect(page["has_next_page"] == true)
        #expect(page["total"] == nil)
        let all = try await rows.client.call(
            "ecoles.list", ["search": .string(rows.mark), "first": 500, "count": true, "select": "{ id }"])
        #expect(all.at("/items").array.count == 51)
        #expect(all["total"] == 51)
    }

    @Test func `auth.me returns the caller with the selected fields`() async throws {
        let server = try await TestServer.running()
        for email in [TestServer.admin, TestServer.user] {
            let me = try await server.client(email).call("auth.me", ["select": "{ email role }"])
            #expect(me["email"] == .string(email))
        }
    }

    @Test func `an account is created without a password and active, and its password is never returned`() async throws
    {
        let rows = try await Fixtures()
        let made = try await rows.client.call(
            "users.create",
            ["values": ["email": .string("\(rows.mark)@exemple.fr"), "password": "un mot de passe bien long"]])
        #expect(made["role"] == "user")
        #expect(made["is_active"] == true)
        #expect(made["password"] == nil)
        let signedIn = try await TestServer.running().client(nil).call(
            "auth.login", ["email": .string("\(rows.mark)@exemple.fr"), "password": "un mot de passe bien long"])
        #expect(signedIn["token_type"] == "Bearer")
        #expect(signedIn.at("/user/id") == made["id"])
    }
}
