import CRMDomain
import DomainKit
import PostgresDriver
import TestPostgres
import Testing

@Suite("Who may do what")
struct RoleTableTests {
    private static let operations: [(method: String, operation: Operation)] = [
        ("list", .read), ("get", .read), ("aggregate", .read), ("create", .create), ("update", .update),
        ("delete", .delete),
    ]

    /// Params that reach nothing, so that being allowed changes nothing.
    private func harmless(_ method: String) -> JSON {
        switch method {
        case "list": ["first": 1]
        case "aggregate": ["select": "{ count }"]
        case "create": ["values": ["inconnu": 1]]
        case "update": ["id": 999_999_999, "values": ["inconnu": 1]]
        default: ["id": 999_999_999]
        }
    }

    @Test("each method is open to exactly the roles of the table", arguments: Role.allCases)
    func server(role: Role) async throws {
        let client = try await TestServer.running().client(role == .admin ? TestServer.admin : TestServer.user)
        for entity in CRM.domain.entities {
            for (method, operation) in Self.operations {
                let answer = try await client.response("\(entity.name).\(method)", harmless(method))
                let code = answer.at("/error/code").int
                if entity.access.roles(for: operation).isEmpty {
                    #expect(code == -32601, "\(entity.name).\(method) does not exist")
                } else if entity.access.allows(operation, to: role) {
                    #expect(code != 403, "\(role) may \(entity.name).\(method): \(answer.json)")
                } else {
                    #expect(code == 403, "\(role) may not \(entity.name).\(method): \(answer.json)")
                    #expect(answer.at("/error/data/code") == "forbidden")
                }
            }
        }
    }

    @Test("without a token every method is 401, but the open ones; an unknown one is -32601")
    func anonymous() async throws {
        let client = try await TestServer.running().client(nil)
        for entity in CRM.domain.entities {
            for (method, operation) in Self.operations where !entity.access.roles(for: operation).isEmpty {
                let error = try await client.refusal("\(entity.name).\(method)", harmless(method))
                #expect(error["code"] == 401)
                #expect(error.at("/data/reason") == "missing")
            }
        }
        #expect(try await client.refusal("auth.me")["code"] == 401)
        #expect(try await client.refusal("sessions.nope")["code"] == -32601)
        #expect(
            try await client.refusal("auth.login", ["email": "a@b.fr", "password": "x"]).at("/data/code")
                == "invalid_credentials")
    }

    @Test("Postgres holds the same table: grants of each role on each table", arguments: Role.allCases)
    func database(role: Role) async throws {
        let database = try await TestServer.running().database
        for entity in CRM.domain.entities {
            for operation in Operation.allCases {
                // Who reads accounts without being an admin asks `auth.me`, which another role answers.
                let privilege = ["read": "SELECT", "create": "INSERT", "update": "UPDATE", "delete": "DELETE"][
                    operation.rawValue]
                let answer = try await database.psql(
                    "SELECT has_table_privilege('learntrack_\(role.rawValue)', 'public.\(entity.name)', '\(privilege ?? "")')"
                        + " OR (\(operation != .delete) AND has_any_column_privilege('learntrack_\(role.rawValue)', 'public.\(entity.name)', '\(operation == .delete ? "SELECT" : privilege ?? "")'))"
                )
                let granted = answer.contains("t")
                #expect(granted == entity.access.allows(operation, to: role), "\(role) \(operation) \(entity.name)")
            }
        }
    }

    @Test("the business roles cannot reach a secret", arguments: Role.allCases)
    func secrets(role: Role) async throws {
        let database = try await TestServer.running().database
        for table in ["credentials", "sign_ins"] {
            let answer = try await database.psql(
                "SELECT has_any_column_privilege('learntrack_\(role.rawValue)', 'public.\(table)', 'SELECT')")
            #expect(answer.contains("f"))
        }
        var configuration = PostgresClient.Configuration(connectionString: database.connectionString)
        configuration.role = "learntrack_\(role.rawValue)"
        let client = PostgresClient(configuration)
        let error = await #expect(throws: PostgresError.self) {
            _ = try await client.query(Statement("SELECT password_hash FROM credentials"))
        }
        #expect(error?.sqlState == "42501")
        await client.shutdown()
    }

    @Test("row-level security is on for every table")
    func rowLevelSecurity() async throws {
        let without = try await TestServer.running().database.psql(
            """
            SELECT relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
            WHERE nspname = 'public' AND relkind = 'r' AND NOT relrowsecurity AND relname <> 'learntrack_migrations'
            """)
        #expect(
            !without.contains("sessions") && !without.contains("credentials") && !without.contains("users"),
            "\(without)")
    }
}
