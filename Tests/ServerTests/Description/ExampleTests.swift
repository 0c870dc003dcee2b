import DomainKit
import JSON
import TestPostgres
import Testing

@Suite struct ExampleTests {
    /// The placeholder of secrets in examples.
    private static let hidden: JSONValue = "••••••••••••"
    /// The account of the examples of signing in.
    private static let email = "compte@exemple.fr"

    @Test func `the example of each method succeeds on the demo data with a result of the documented shape`()
        async throws
    {
        // Nothing listens there. Methods that mail a link want a mail server.
        let server = try await TestServer.start(["--demo"], environment: ["SMTP_URL": "smtp://127.0.0.1:9"])
        // A subcontract is signed with an external trainer who has a rate.
        _ = try await server.database.psql("UPDATE sessions SET tarif_sous_traitant = 450 WHERE id = 1")
        _ = try await server.database.psql("UPDATE formateurs SET exterieur = 1")
        _ = try await server.database.psql(
            "UPDATE kernel.accounts SET is_operator = true WHERE email = '\(TestServer.admin)'")
        let description = try await ServiceDescription(of: server)
        let client = try await server.client()
        // Methods that delete come last, because other examples use the same records; of these, that of a reminder comes
        // before that of its prospect, with which it would go. Members come last of all: what is theirs goes with them.
        for method in description.methods.filter({ !$0.isDeleting })
            + description.methods.filter(\.isDeleting).sorted(by: {
                ($0.entity == "users" ? "" : $0.name) > ($1.entity == "users" ? "" : $1.name)
            })
        {
            if method.isDeleting, let table = method.entity { try await free(1, of: table, on: server) }
            // A password change or a global sign-out must not affect the caller of the other methods.
            let caller = method.name.hasPrefix("auth.") ? try await signedIn(on: server).client : client
            let given = try await params(of: method, on: server)
            // Examples expect the first version.
            if given["if_version"] != nil, let table = method.entity { try await revert(1, of: table, on: server) }
            let answer = try await caller.response(method.name, given)
            #expect(try description.fault(in: answer, of: method) == nil, "\(method): \(answer.json)")
            // The other examples are of the company that this one suspends.
            if method.name == "companies.suspend" { _ = try await client.call("companies.resume", given) }
            if method.name.hasSuffix("_reset"), answer.at("/error/code") == 503 { continue }
            // The account of the example has a password, and its message may have left.
            if let reason = Self.refusals[method.name], answer.at("/error/data/reason") == reason { continue }
            if given["token"] == Self.hidden {
                let isUnknown = answer.at("/error/data/errors/0/path") == "/token" || answer.at("/error/code") == 404
                if isUnknown { continue }
            }
            let result = try #require(answer["result"], "\(method) of \(given.json): \(answer.json)")
            // E-mail addresses are unique, so the account is removed before the next example creates it again.
            if method.name.hasSuffix(".create"), let id = result["id"]?.int, let table = method.entity {
                _ = try await server.database.psql("DELETE FROM \(table) WHERE id = \(id)")
            }
            let documented = method.example.at("/result/value")
            // A view may have no rows for the parameters of the example.
            let isView = !description.methods.contains { $0.name == "\(method.entity ?? "").get" }
            // The journal has no entries of messages.
            if isView || ["outbox.history", "jobs.history"].contains(method.name), result["items"] == [] { continue }
            #expect(Self.difference(documented, result) == nil, "\(method): \(documented.json) \(result.json)")
        }
    }

    @Test func `the example of a transaction refers to a record that it creates, and keeps nothing`() async throws {
        let server = try await TestServer.start()
        let description = try await ServiceDescription(of: server)
        let method = try #require(description.methods.first { $0.name == "transaction.run" })
        let given = try await params(of: method, on: server)
        let calls = given.at("/calls").array
        #expect(calls.count == 2)
        #expect(calls[0]["method"]?.text?.hasSuffix(".create") == true)
        let reference: JSONValue = ["$ref": .string("\(calls[0]["as"]?.text ?? "").id")]
        let members = [calls[1].at("/params"), calls[1].at("/params/values")].flatMap { value in
            guard case .object(let object) = value else { return [JSONValue]() }
            return object.members.map(\.value)
        }
        #expect(members.contains(reference), "\(given.json)")
        let changes = "SELECT count(*) FROM kernel.changes"
        let before = try await server.database.psql(changes)
        let results = try await server.client().call("transaction.run", given).at("/results").array
        #expect(results.count == 2)
        #expect(results.allSatisfy { $0["id"]?.int != nil })
        let after = try await server.database.psql(changes)
        #expect(after == before)
    }

    private static let refusals: [String: JSONValue] = [
        "users.invite_again": "password", "outbox.retry": "sent", "companies.create": "not_enabled",
        // The caller has the id of the examples.
        "users.delete": "self",
    ]

    /// The params of the example, with real secrets and sign-ins in the place of placeholders.
    private func params(of method: MethodDescription, on server: TestServer) async throws -> JSONValue {
        var members: [(String, JSONValue)] = []
        for one in method.example.at("/params").array {
            let name = one["name"]?.text ?? ""
            var value = one["value"] ?? .null
            switch (method.name, name) {
            case (_, "refresh_token"):
                value = .string(try await signedIn(on: server).refreshToken)
            case ("auth.login", "password"), (_, "current_password"):
                _ = try await signedIn(on: server)
                value = .string(TestServer.password)
            case ("sessions.annoncer", "id"):
                value = .number(
                    try await server.database.psql("SELECT min(id) FROM sessions WHERE formateur_id IS NULL"))
            case ("auth.change_password", "new_password"): value = "un tout autre mot de passe"
            case ("auth.end_sign_in", "id"):
                let own = try await signedIn(on: server).client.call("auth.list_sign_ins")
                value = own.at("/items/0/id")
            case ("auth.add_passkey", "credential"):
                let options = try await signedIn(on: server).client.call("auth.passkey_options")
                value = SoftwareAuthenticator().created(try #require(options.at("/create/challenge").text))
            case ("auth.login_with_passkey", "credential"):
                var authenticator = SoftwareAuthenticator()
                authenticator.userHandle = try await server.database.psql(
                    "SELECT id FROM users WHERE email = '\(Self.email)'")
                _ = try await addPasskey(authenticator, on: server)
                let options = try await server.client(nil).call("auth.passkey_options")
                value = try authenticator.signed(try #require(options.at("/get/challenge").text))
            case ("auth.remove_passkey", "id"):
                value = try await addPasskey(SoftwareAuthenticator(), on: server)["id"] ?? .null
            case ("files.lien", "id"):
                let client = try await server.client()
                let response = try await client.http.request(
                    "PUT", "/files", headers: [("Authorization", "Bearer \(client.token ?? "")")],
                    body: Array("<svg xmlns=\"http://www.w3.org/2000/svg\"><g/></svg>".utf8))
                value = try JSONValue.parse(response.body)["id"] ?? .null
            default: break
            }
            members.append((name, value))
        }
        return .merging(members)
    }

    private func addPasskey(_ authenticator: SoftwareAuthenticator, on server: TestServer) async throws -> JSONValue {
        let client = try await signedIn(on: server).client
        let options = try await client.call("auth.passkey_options")
        let challenge = try #require(options.at("/create/challenge").text)
        return try await client.call(
            "auth.add_passkey", ["name": "x", "credential": authenticator.created(challenge)])
    }

    /// Restores the account that the examples use, and signs in to it.
    private func signedIn(on server: TestServer) async throws -> (client: RPCClient, refreshToken: String) {
        _ = try await server.database.psql(
            """
            INSERT INTO users (email, role) SELECT '\(Self.email)', 'admin'
            WHERE NOT EXISTS (SELECT FROM users WHERE email = '\(Self.email)');
            -- Without the trigger that ends sign-ins when a password changes: an example may have one open.
            SET session_replication_role = replica;
            INSERT INTO credentials (user_id, password_hash)
            SELECT id, crypt('\(TestServer.password)', gen_salt('bf', 4)) FROM users WHERE email = '\(Self.email)'
            ON CONFLICT (user_id) DO UPDATE SET password_hash = excluded.password_hash
            """)
        let answer = try await server.client(nil).call(
            "auth.login", ["email": .string(Self.email), "password": .string(TestServer.password)])
        let token = try #require(answer["access_token"]?.text)
        let client = try RPCClient(port: server.port, token: token)
        return (client, try #require(answer["refresh_token"]?.text))
    }

    /// Removes the rows that refer to a record, so that it can be deleted, and gives it its first version.
    private func free(_ id: Int, of table: String, on server: TestServer) async throws {
        _ = try await server.database.psql(
            """
            DO $$ DECLARE one record; BEGIN
            FOR one IN SELECT conrelid::regclass AS referring, attname, attnotnull FROM pg_constraint
                -- The company, which they have in common, comes first.
                JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[cardinality(conkey)]
                WHERE contype = 'f' AND confrelid = '\(table)'::regclass
            LOOP EXECUTE format(
                CASE WHEN one.attnotnull THEN 'DELETE FROM %s WHERE %I = \(id)'
                    ELSE 'UPDATE %s SET %I = NULL WHERE %2$I = \(id)' END, one.referring, one.attname);
            END LOOP;
            END $$;
            """)
        try await revert(id, of: table, on: server)
    }

    private func revert(_ id: Int, of table: String, on server: TestServer) async throws {
        _ = try await server.database.psql(
            """
            SET session_replication_role = replica;
            UPDATE \(table) SET version = 1 WHERE id = \(id)
            """)
    }

    /// The place where two values differ in structure; nil when only their leaves differ.
    static func difference(_ documented: JSONValue, _ real: JSONValue, at path: String = "") -> String? {
        switch (documented, real) {
        case (.null, _), (_, .null): return nil
        case (.object(let one), .object(let other)):
            if one.isEmpty { return nil }
            if Set(one.members.map(\.name)) != Set(other.members.map(\.name)) { return "\(path): other members" }
            return one.members.lazy.compactMap {
                difference($0.value, other[$0.name] ?? .null, at: "\(path)/\($0.name)")
            }
            .first
        case (.array(let one), .array(let other)):
            guard let element = one.first else { return nil }
            guard let first = other.first else { return "\(path): empty" }
            return difference(element, first, at: "\(path)/0")
        case (.string, .string), (.number, .number), (.bool, .bool): return nil
        default: return "\(path): another type"
        }
    }
}
