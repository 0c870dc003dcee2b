import AccountsDomain
import CRMDomain
import DomainKit
import Foundation
import JSON
import PostgresDriver
import TestPostgres
import TestSupport
import Testing

@Suite struct JournalTests {
    @Test func `the history of a record shows who created, changed and deleted it and by which call, newest first`()
        async throws
    {
        let server = try await TestServer.running()
        let rows = try await Fixtures()
        let user = try await server.client(TestServer.user)
        let id = try await rows.session([("tarif_client", .number("900.00"))])
        let change =
            #"{"jsonrpc":"2.0","id":1,"method":"sessions.update","params":{"id":\#(id),"values":{"lieu":"Lyon"}}}"#
        _ = try await user.post(change, headers: [("X-Request-Id", "appel-\(rows.mark)")])
        _ = try await rows.client.call("sessions.delete", ["id": JSONValue(id)])

        let page = try await user.call("sessions.history", ["id": JSONValue(id)])
        #expect(page["has_next_page"] == false)
        let items = page.at("/items").array
        #expect(items.compactMap { $0["operation"]?.text } == ["delete", "update", "create"])
        guard items.count == 3 else { return }
        #expect(items.allSatisfy { $0["table_name"] == "sessions" && $0["row_id"] == JSONValue(id) })

        let (deletion, update, creation) = (items[0], items[1], items[2])
        #expect(creation["before"] == .null)
        #expect(creation.at("/after/module") == .string("Module \(rows.mark)"))
        #expect(creation.at("/after/version") == 1)
        #expect(creation.at("/after/lieu") == .null)
        #expect(creation.at("/actor/email") == .string(TestServer.admin))
        #expect(creation.at("/actor/username") == "admin")
        // Only the changed values, and the new version.
        #expect(update["before"] == ["lieu": .null, "version": 1])
        #expect(update["after"] == ["lieu": "Lyon", "version": 2])
        #expect(update.at("/actor/email") == .string(TestServer.user))
        #expect(update["request_id"] == .string("appel-\(rows.mark)"))
        #expect(deletion.at("/before/lieu") == "Lyon")
        #expect(deletion.at("/before/version") == 2)
        #expect(deletion["after"] == .null)
        #expect(update["at"]?.text?.hasSuffix("+00:00") == true)
        #expect(creation.at("/after/created_at").text?.hasSuffix("+00:00") == true)
    }

    @Test func `a history is paged and selected like a list`() async throws {
        let rows = try await Fixtures()
        let id = try await rows.ecole()
        for city in ["Lyon", "Lille", "Brest", "Nice"] {
            _ = try await rows.client.call("ecoles.update", ["id": JSONValue(id), "values": ["ville": .string(city)]])
        }
        var cities: [JSONValue] = []
        var cursor = JSONValue.null
        repeat {
            let page = try await rows.client.call(
                "ecoles.history",
                ["id": JSONValue(id), "first": 2, "after": cursor, "select": "{ apres: after qui: actor_email }"])
            cities += page.at("/items").array.map { $0.at("/apres/ville") }
            #expect(page.at("/items").array.allSatisfy { $0["qui"] == .string(TestServer.admin) })
            cursor = page["has_next_page"] == true ? page["end_cursor"] ?? .null : .null
        } while cursor != .null
        #expect(cities == ["Nice", "Brest", "Lille", "Lyon", .null])
        let unknown = try await rows.client.refusal("ecoles.history", ["id": 999_999_999])
        #expect(unknown["code"] == 404)
        let error = try await rows.client.refusal("ecoles.history", ["id": 0, "select": "{ x }"])
        #expect(error.at("/data/errors").array.compactMap { $0["path"]?.text }.sorted() == ["/id", "/select"])
    }

    @Test func `a record without entries has an empty history, and a deleted record keeps its history`() async throws {
        let rows = try await Fixtures()
        let database = try await TestServer.running().database
        let silent = try await database.psql(
            "SET session_replication_role = replica; INSERT INTO ecoles (nom) VALUES ('Sans histoire') RETURNING id")
        let id = try #require(silent.split(separator: "\n").compactMap { Int($0) }.last)
        let page = try await rows.client.call("ecoles.history", ["id": JSONValue(id)])
        #expect(page == ["end_cursor": nil, "has_next_page": false, "items": []])
        let deleted = try await rows.ecole()
        _ = try await rows.client.call("ecoles.delete", ["id": JSONValue(deleted)])
        #expect(try await rows.client.call("ecoles.history", ["id": JSONValue(deleted)]).at("/items").array.count == 2)
    }

    @Test func `writes by psql are recorded under the login, a copy as a creation, and failed writes not at all`()
        async throws
    {
        let database = try await TestServer.running().database
        let rows = try await Fixtures()
        let id = try await rows.session()
        _ = try await database.psql("UPDATE sessions SET lieu = 'Psql' WHERE id = \(id)")
        let item = try await rows.client.call("sessions.history", ["id": JSONValue(id), "first": 1]).at("/items/0")
        #expect(item.at("/actor/id") == .null)
        #expect(item.at("/actor/email") == .null)
        #expect(item.at("/actor/database_user").text == (try await database.psql("SELECT session_user")).trimmed)
        #expect(item["request_id"] == .null)
        #expect(item.at("/after/lieu") == "Psql")

        let copy = try await rows.client.call("sessions.duplicate", ["id": JSONValue(id), "select": "{ id }"])
        let copied = try await rows.client.call("sessions.history", ["id": copy["id"] ?? .null])
        #expect(copied.at("/items").array.map { $0["operation"] } == ["create"])
        #expect(copied.at("/items/0/actor/email") == .string(TestServer.admin))

        _ = try await rows.client.refusal(
            "sessions.update", ["id": JSONValue(id), "values": ["client_id": 999_999_999]])
        _ = try await rows.client.refusal(
            "sessions.update", ["id": JSONValue(id), "values": ["lieu": "Paris"], "if_version": 40])
        _ = try await rows.client.call("sessions.update", ["id": JSONValue(id), "values": [:]])
        let entries = try await rows.client.call("sessions.history", ["id": JSONValue(id)]).at("/items").array
        #expect(entries.map { $0["operation"] } == ["update", "create"])
    }

    @Test func `journal.list filters and sorts like any list, except by JSONValue values`() async throws {
        let rows = try await Fixtures()
        let id = try await rows.client()
        _ = try await rows.client.call("clients.update", ["id": JSONValue(id), "values": ["ville": "Lyon"]])
        let own: JSONValue = [
            "table_name": "clients", "row_id": JSONValue(id), "actor_email": .string(TestServer.admin),
        ]
        let page = try await rows.client.call(
            "journal.list", ["where": own, "order_by": ["at", "id"], "select": "{ operation actor_id before }"])
        #expect(page.at("/items").array.map { $0["operation"] } == ["create", "update"])
        #expect(page.at("/items/0/actor_id").int != nil)
        let changed = try await rows.client.call(
            "journal.list", ["where": ["and": [own, ["before": ["is_null": false]]]], "count": true])
        #expect(changed["total"] == 1)
        let counts = try await rows.client.call(
            "journal.aggregate", ["where": own, "group_by": ["operation"], "select": "{ count }"])
        #expect(counts.at("/items").array.count == 2)

        for (params, path) in [
            (["where": ["after": ["eq": "x"]]], "/where/after/eq"),
            (["where": ["after": ["in": ["x"]]]], "/where/after/in"),
            (["order_by": ["after"]], "/order_by/0"), (["search": "x"], "/search"),
        ] as [(JSONValue, String)] {
            let error = try await rows.client.refusal("journal.list", params)
            #expect(error["code"] == -32602)
            #expect(error.at("/data/errors/0/path") == .string(path), "\(error.json)")
        }
    }

    @Test func `every table that is served is journalled completely, without password hashes`() async throws {
        let server = try await TestServer.running()
        let kept = try await server.database.psql(
            "SELECT tgrelid::regclass FROM pg_trigger WHERE tgname IN ('kernel_journal', 'kernel_journal_update', 'kernel_journal_truncate') AND tgenabled = 'O'"
        ).split(separator: "\n").map(String.init)
        for entity in CRM.domain.entities.filter({ !$0.isView }) + Accounts.domain.entities {
            #expect(kept.filter { $0 == entity.name }.count == 3, "\(entity.name)")
        }

        let rows = try await Fixtures()
        let account = try await rows.client.call(
            "users.create",
            [
                "values": [
                    "email": .string("\(rows.mark)@test.example"), "username": .string(rows.mark),
                    "password": "un long mot de passe",
                ]
            ])
        let entry = try await rows.client.call("users.history", ["id": account["id"] ?? .null]).at("/items/0")
        guard case .object(let after)? = entry["after"] else { throw TestEnvironmentError("no values: \(entry.json)") }
        let columns = Accounts.users.columns.map(\.name)
        #expect(Set(after.members.map(\.name)) == Set(columns))
        let leaked = try await server.database.psql(
            "SELECT count(*) FROM journal j WHERE j::text ~ '\\$(y|2[aby])\\$'")
        #expect(leaked.trimmed == "0")
    }

    @Test func `the journal is append-only, even for administrators and the owner, and no role inserts entries itself`()
        async throws
    {
        let database = try await TestServer.running().database
        // The entry of this test's own row: other tests write theirs at the same time.
        let id = try await Fixtures().ecole()
        let entry = "SELECT string_agg(j::text, ',') FROM journal j WHERE table_name = 'ecoles' AND row_id = \(id)"
        let before = try await database.psql(entry)
        #expect(!before.isEmpty)
        for role in [nil, "learntrack_user", "learntrack_admin", "learntrack_auth"] as [String?] {
            var configuration = PostgresClient.Configuration(connectionString: database.connectionString)
            configuration.role = role
            let client = PostgresClient(configuration)
            for sql in [
                "UPDATE journal SET request_id = 'x'", "UPDATE journal SET request_id = 'x' WHERE false",
                "DELETE FROM journal", "TRUNCATE journal",
                "INSERT INTO journal (table_name, operation, actor) VALUES ('sessions', 'create', '{}')",
            ] {
                let error = await #expect(throws: PostgresError.self, "\(role ?? "owner"): \(sql)") {
                    _ = try await client.transaction([Step(Statement(sql))])
                }
                #expect(error?.sqlState == "42501", "\(role ?? "owner"): \(sql)")
            }
            if role != nil {
                // Through a table that the role owns.
                let error = await #expect(throws: PostgresError.self) {
                    try await client.withConnection { connection in
                        try await connection.simpleQuery("CREATE TEMPORARY TABLE forged (id bigint)")
                        try await connection.simpleQuery(
                            "CREATE TRIGGER forge AFTER INSERT ON forged FOR EACH ROW EXECUTE FUNCTION kernel.journal_note()"
                        )
                    }
                }
                #expect(error?.sqlState == "42501")
            }
            await client.shutdown()
        }
        #expect(try await database.psql(entry) == before)
    }

    @Test func `a database role sees the entries of exactly the tables that it may read`() async throws {
        let database = try await TestServer.running().database
        _ = try await Fixtures().ecole()
        let tables: @Sendable (String) async throws -> String = { role in
            try await database.psql(
                "SET ROLE \(role); SELECT string_agg(DISTINCT table_name, ' ') FROM journal WHERE table_name IN ('users', 'ecoles')"
            ).split(separator: "\n").last.map(String.init) ?? ""
        }
        #expect(try await tables("learntrack_user") == "ecoles")
        #expect(try await tables("learntrack_admin") == "ecoles users")
    }

    @Test func `truncating a table is recorded`() async throws {
        try await TestDatabase.with { database in
            _ = try await database.psql("INSERT INTO ecoles (nom) VALUES ('Campus'); TRUNCATE ecoles CASCADE")
            let entries = try await database.psql(
                "SELECT table_name, operation, row_id IS NULL FROM journal WHERE operation = 'truncate' ORDER BY 1")
            #expect(entries.split(separator: "\n") == ["ecoles|truncate|t", "sessions|truncate|t"])
        }
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
