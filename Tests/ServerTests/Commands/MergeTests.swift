import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// `X.fusionner`: one client, trainer or school absorbs another.
@Suite struct MergeTests {
    private static let column = ["clients": "client_id", "formateurs": "formateur_id", "ecoles": "ecole_id"]

    /// Two records of a table, each with two sessions. The first has an e-mail address, the second a telephone too.
    private func pair(_ table: String, _ rows: Fixtures) async throws -> (garde: Int, absorbe: Int) {
        var ids: [Int] = []
        for values: [(String, JSONValue)] in [
            [("email", "garde@test.example"), ("ville", " ")],
            [("email", "absorbe@test.example"), ("telephone", "06 12 34 56 78"), ("ville", "Lyon")],
        ] {
            switch table {
            case "clients": ids.append(try await rows.client(values))
            case "formateurs": ids.append(try await rows.formateur(values + [("taux_horaire", .number("55.50"))]))
            default: ids.append(try await rows.ecole(values))
            }
            for _ in 0..<2 {
                _ = try await rows.session([(Self.column[table] ?? "", JSONValue(ids[ids.count - 1]))])
            }
        }
        return (ids[0], ids[1])
    }

    private func params(_ garde: Int, _ absorbe: Int, _ further: [(String, JSONValue)] = []) -> JSONValue {
        .merging(
            [("garde", JSONValue(garde)), ("absorbe", JSONValue(absorbe))] + further)
    }

    private func sessions(_ table: String, of id: Int, _ rows: Fixtures) async throws -> Int? {
        let filter = JSONValue.merging([(Self.column[table] ?? "", JSONValue(id))])
        return try await rows.client.call("sessions.list", ["where": filter, "count": true, "select": "{ id }"])[
            "total"]?
            .int
    }

    @Test(arguments: ["clients", "formateurs", "ecoles"])
    func `sessions move, blanks are filled, the absorbed record is gone, and the journal has both`(table: String)
        async throws
    {
        let rows = try await Fixtures()
        let (garde, absorbe) = try await pair(table, rows)
        let result = try await rows.client.call(
            "\(table).fusionner",
            params(garde, absorbe, [("select", "{ id email telephone ville nombre_sessions version }")]))
        #expect(
            result
                == [
                    "email": "garde@test.example", "id": JSONValue(garde), "nombre_sessions": 4,
                    "telephone": "06 12 34 56 78", "version": 2, "ville": "Lyon",
                ])
        #expect(try await rows.client.refusal("\(table).get", ["id": JSONValue(absorbe)])["code"] == 404)
        #expect(try await sessions(table, of: garde, rows) == 4)
        for (id, operations) in [(garde, ["update", "create"]), (absorbe, ["delete", "create"])] {
            let history = try await rows.client.call(
                "\(table).history", ["id": JSONValue(id), "select": "{ operation actor }"])
            #expect(history.at("/items").array.compactMap { $0["operation"]?.text } == operations)
            #expect(history.at("/items/0/actor/email") == .string(TestServer.admin))
        }
    }

    @Test func `values that are given come before both`() async throws {
        let rows = try await Fixtures()
        let (garde, absorbe) = try await pair("clients", rows)
        let values: JSONValue = ["email": .null, "ville": "Nice", "raison_sociale": .string("Nouveau \(rows.mark)")]
        let result = try await rows.client.call(
            "clients.fusionner", params(garde, absorbe, [("values", values), ("select", "{ email ville telephone }")]))
        #expect(result == ["email": .null, "telephone": "06 12 34 56 78", "ville": "Nice"])
        // The sessions are found by the new name.
        let found = try await rows.client.call(
            "sessions.list", ["search": .string("Nouveau \(rows.mark)"), "count": true, "select": "{ id }"])
        #expect(found["total"] == 4)
    }

    /// Postgres looks for a deadlock earlier than by default, so that none is missed.
    @Test(arguments: ["clients", "formateurs", "ecoles"])
    func `merges in a circle wait for each other without a deadlock`(table: String) async throws {
        let database = try await TestDatabase.create()
        try await database.psql("ALTER DATABASE \(database.name) SET deadlock_timeout = '50 ms'")
        let server = try await TestServer.start(database: database)
        let rows = try await Fixtures(server)
        let column = Self.column[table] ?? ""
        for _ in 0..<randomCases(6) {
            var ids: [Int] = []
            for _ in 0..<3 { ids.append(try await pair(table, rows).0) }
            try await database.psql(
                """
                INSERT INTO sessions (module, date, debut, fin, modalite, \(column))
                SELECT 'a', '2026-11-02', '09:00', '12:00', 'P', (ARRAY\(ids))[1 + n % 3] FROM generate_series(1, 12) AS n
                """)
            let answers = try await withThrowingTaskGroup(of: JSONValue.self) { group in
                for (garde, absorbe) in [(ids[0], ids[1]), (ids[1], ids[2]), (ids[2], ids[0])] {
                    let client = try await server.client()
                    group.addTask { try await client.response("\(table).fusionner", params(garde, absorbe)) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for error in answers.compactMap({ $0["error"] }) { #expect(error["code"] == 404, "\(error.json)") }
            #expect(answers.contains { $0["result"] != nil })
        }
        #expect(try await server.stop() == 0)
        // Sessions have added what they counted when they have ended.
        try await eventually("the server's sessions have ended") {
            let others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            return try await database.psql("SELECT count(*) \(others)") == "0"
        }
        let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
        #expect(try await database.psql(deadlocks) == "0")
    }

    // MARK: Absorbed ids

    /// The record that a 404 about `id` names.
    private func successor(
        _ method: String, _ params: JSONValue, _ client: RPCClient
    ) async throws -> JSONValue? {
        let error = try await client.refusal(method, params)
        #expect(error["code"] == 404, "\(method): \(error.json)")
        #expect(error.at("/data/code") == "not_found")
        return error["data"]?["fusionne_dans"]
    }

    @Test(arguments: ["clients", "formateurs", "ecoles"])
    func `every call about an absorbed id is answered 404 with the record that has absorbed it`(table: String)
        async throws
    {
        let rows = try await Fixtures()
        let (garde, absorbe) = try await pair(table, rows)
        _ = try await rows.client.call("\(table).fusionner", params(garde, absorbe))
        let id: (String, JSONValue) = ("id", JSONValue(absorbe))
        let user = try await TestServer.running().client(TestServer.user)
        let update: (String, JSONValue) = ("values", ["ville": "Brest"])
        let calls: [(String, JSONValue, RPCClient)] = [
            ("get", .merging([id]), rows.client), ("get", .merging([id]), user),
            ("update", .merging([id, update]), rows.client),
            ("update", .merging([id, ("values", [:])]), rows.client),
            ("update", .merging([id, update, ("if_version", 1)]), rows.client),
            ("update", .merging([id, update, ("idempotency_key", .string(rows.mark))]), rows.client),
            ("delete", .merging([id]), rows.client),
            ("fusionner", params(garde, absorbe), rows.client), ("fusionner", params(absorbe, garde), rows.client),
        ]
        for (method, params, client) in calls {
            let found = try await successor("\(table).\(method)", params, client)
            #expect(found == JSONValue(garde), "\(method)")
        }
        let listed = try await rows.client.call("\(table).list", ["where": .merging([id])])
        #expect(listed["items"] == [])
        let written = try await rows.client.refusal(
            "transaction.run", ["calls": [["method": .string("\(table).delete"), "params": .merging([id])]]])
        #expect(written.at("/data/fusionne_dans") == JSONValue(garde))
        #expect(written.at("/data/path") == "/calls/0")
        let never = try await successor("\(table).get", ["id": 999_999_999], rows.client)
        #expect(never == nil)
    }

    @Test func `after a chain of merges every absorbed id names the last record, and none once that is deleted`()
        async throws
    {
        let rows = try await Fixtures()
        var ids: [Int] = []
        for _ in 0..<4 { ids.append(try await rows.client()) }
        for (garde, absorbe) in [(ids[1], ids[0]), (ids[2], ids[1]), (ids[3], ids[2])] {
            _ = try await rows.client.call("clients.fusionner", params(garde, absorbe))
        }
        for id in ids.dropLast() {
            let found = try await successor("clients.get", ["id": JSONValue(id)], rows.client)
            #expect(found == JSONValue(ids[3]))
        }
        _ = try await rows.client.call("clients.delete", ["id": JSONValue(ids[3])])
        for id in ids {
            let found = try await successor("clients.get", ["id": JSONValue(id)], rows.client)
            #expect(found == nil)
        }
    }

    @Test func `a session cannot be created for an absorbed client, and the problem suggests the other one`()
        async throws
    {
        let rows = try await Fixtures()
        let (garde, absorbe) = try await pair("clients", rows)
        _ = try await rows.client.call("clients.fusionner", params(garde, absorbe))
        let values = Fixtures.session(module: "Module \(rows.mark)", [("client_id", JSONValue(absorbe))])
        let error = try await rows.client.refusal("sessions.create", ["values": .merging(values)])
        #expect(error["code"] == -32602)
        #expect(error.at("/data/errors/0/path") == "/values/client_id")
        #expect(error.at("/data/errors/0/suggestion") == .string(String(garde)))
    }

    @Test func `a create that is sent again after its record was absorbed says that it is gone`() async throws {
        let rows = try await Fixtures()
        let garde = try await rows.client()
        let create: JSONValue = [
            "values": ["raison_sociale": .string(rows.mark)], "select": "{ id }", "idempotency_key": .string(rows.mark),
        ]
        let created = try await rows.client.call("clients.create", create)
        let absorbe = try #require(created["id"]?.int)
        _ = try await rows.client.call("clients.fusionner", params(garde, absorbe))
        #expect(try await rows.client.call("clients.create", create) == ["deleted": true, "id": JSONValue(absorbe)])
    }

    @Test func `a dry run leaves no trace of an absorption`() async throws {
        let rows = try await Fixtures()
        let (garde, absorbe) = try await pair("clients", rows)
        _ = try await rows.client.call("clients.fusionner", params(garde, absorbe, [("dry_run", true)]))
        _ = try await rows.client.call("sessions.list", ["where": ["client_id": JSONValue(absorbe)], "first": 1])
        let present = try await rows.client.call("clients.get", ["id": JSONValue(absorbe), "select": "{ id }"])
        #expect(present["id"] == JSONValue(absorbe))
        _ = try await rows.client.call("clients.fusionner", params(absorbe, garde))
        let found = try await successor("clients.get", ["id": JSONValue(garde)], rows.client)
        #expect(found == JSONValue(absorbe))
    }

    @Test func `bad input changes nothing`() async throws {
        let rows = try await Fixtures()
        let (garde, absorbe) = try await pair("clients", rows)
        let cases: [(JSONValue, String)] = [
            (params(garde, garde), "/absorbe"), (["garde": JSONValue(garde)], "/absorbe"),
            (params(garde, absorbe, [("values", ["email": "x"])]), "/values/email"),
            (params(garde, absorbe, [("values", ["raison_sociale": .null])]), "/values/raison_sociale"),
            (params(garde, absorbe, [("values", ["id": 7])]), "/values/id"),
            (params(garde, absorbe, [("values", [])]), "/values"),
            (params(garde, absorbe, [("select", "{ nope }")]), "/select"),
        ]
        for (params, path) in cases {
            let error = try await rows.client.refusal("clients.fusionner", params)
            #expect(error["code"] == -32602, "\(params.json)")
            #expect(error.at("/data/errors/0/path") == .string(path), "\(error.json)")
        }
        for ids in [(garde, 999_999_999), (999_999_999, absorbe), (-1, absorbe)] {
            #expect(try await rows.client.refusal("clients.fusionner", params(ids.0, ids.1))["code"] == 404)
        }
        let user = try await TestServer.running().client(TestServer.user)
        #expect(try await user.refusal("clients.fusionner", params(garde, absorbe))["code"] == 403)
        #expect(try await sessions("clients", of: absorbe, rows) == 2)
        #expect(try await rows.client.call("clients.get", ["id": JSONValue(garde)])["version"] == 1)
    }

    @Test func `a dry run answers and keeps nothing, and a key makes the merge once`() async throws {
        let rows = try await Fixtures()
        let (garde, absorbe) = try await pair("ecoles", rows)
        let select: (String, JSONValue) = ("select", "{ nombre_sessions }")
        let tried = try await rows.client.call(
            "ecoles.fusionner", params(garde, absorbe, [select, ("dry_run", true)]))
        #expect(tried == ["nombre_sessions": 4])
        #expect(try await sessions("ecoles", of: absorbe, rows) == 2)
        let once = params(garde, absorbe, [select, ("idempotency_key", .string(rows.mark))])
        for _ in 0..<2 { #expect(try await rows.client.call("ecoles.fusionner", once) == ["nombre_sessions": 4]) }
        #expect(try await rows.client.refusal("ecoles.fusionner", params(garde, absorbe))["code"] == 404)
    }

    @Test func `a merge is a call of a transaction, with a reference to an earlier one`() async throws {
        let rows = try await Fixtures()
        let (_, absorbe) = try await pair("clients", rows)
        let calls: JSONValue = [
            [
                "method": "clients.create", "params": ["values": ["raison_sociale": .string("Neuf \(rows.mark)")]],
                "as": "neuf",
            ],
            [
                "method": "clients.fusionner",
                "params": ["garde": ["$ref": "neuf.id"], "absorbe": JSONValue(absorbe), "select": "{ id telephone }"],
                "as": "fusion",
            ],
            [
                "method": "clients.update",
                "params": ["id": ["$ref": "fusion.id"], "values": ["ville": "Brest"], "select": "{ ville }"],
            ],
        ]
        let results = try await rows.client.call("transaction.run", ["calls": calls]).at("/results").array
        #expect(results[1]["telephone"] == "06 12 34 56 78")
        #expect(results[1]["id"] == results[0]["id"])
        #expect(results[2] == ["ville": "Brest"])
        let error = try await rows.client.refusal("transaction.run", ["calls": calls])
        #expect(error["code"] == 404)
        #expect(error.at("/data/path") == "/calls/1/params/absorbe")
    }

    // MARK: Races

    @Test(arguments: ["clients", "formateurs", "ecoles"])
    func `of two crossing merges at once one happens, and no session is lost`(table: String) async throws {
        let server = try await TestServer.running()
        let rows = try await Fixtures()
        let clients = [try await server.client(), try await server.client()]
        for _ in 0..<8 {
            let (one, other) = try await pair(table, rows)
            // A new name makes the merge write all sessions of the record that stays.
            let name = table == "clients" ? "raison_sociale" : "nom"
            let values: (String, JSONValue) = ("values", .merging([(name, .string("Fusion \(rows.mark)"))]))
            let there = params(one, other, [values])
            let back = params(other, one, [values])
            async let first = clients[0].response("\(table).fusionner", there)
            async let second = clients[1].response("\(table).fusionner", back)
            let answers = [try await first, try await second]
            #expect(answers.filter { $0["result"] != nil }.count == 1, "\(answers.map(\.json))")
            #expect(answers.compactMap { $0["error"]?["code"] } == [404], "\(answers.map(\.json))")
            let kept = answers[0]["result"] != nil ? one : other
            #expect(try await sessions(table, of: kept, rows) == 4)
            #expect(answers.compactMap { $0.at("/error/data/fusionne_dans") }.contains(JSONValue(kept)))
        }
    }

    @Test func `a copy of a session whose trainer is absorbed meanwhile has the trainer that stays`() async throws {
        let server = try await TestServer.start(database: try await TestDatabase.create(migrated: true))
        let rows = try await Fixtures(server)
        let (garde, absorbe) = try await pair("formateurs", rows)
        let session = try await rows.session([("formateur_id", JSONValue(absorbe))])
        // The statements of the merge, with a pause in which the copy begins to wait for the trainer.
        let merge = Task {
            try await server.database.psql(
                """
                SET application_name = 'merge'; BEGIN;
                UPDATE sessions SET formateur_id = \(garde) WHERE formateur_id = \(absorbe);
                DELETE FROM formateurs WHERE id = \(absorbe); SELECT pg_sleep(0.8); COMMIT
                """)
        }
        try await eventually("the merge pauses") {
            try await server.database.psql(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'merge' AND wait_event = 'PgSleep'")
                == "1"
        }
        let copy = try await rows.client.call(
            "sessions.duplicate", ["id": JSONValue(session), "select": "{ formateur_id }"])
        #expect(copy["formateur_id"] == JSONValue(garde), "\(copy.json)")
        _ = try await merge.value
        #expect(try await server.stop() == 0)
    }

    @Test func `the same merge at once on many connections happens once`() async throws {
        let server = try await TestServer.running()
        let rows = try await Fixtures()
        let (garde, absorbe) = try await pair("clients", rows)
        for further: [(String, JSONValue)] in [[("idempotency_key", .string(rows.mark))], []] {
            let params = params(garde, absorbe, further)
            let answers = try await withThrowingTaskGroup(of: JSONValue.self) { group in
                for _ in 0..<8 {
                    let client = try await server.client()
                    group.addTask { try await client.response("clients.fusionner", params) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let results = answers.compactMap { $0["result"] }
            if further.isEmpty {
                #expect(results.isEmpty)
                #expect(answers.allSatisfy { $0.at("/error/code") == 404 }, "\(answers.map(\.json))")
            } else {
                #expect(!results.isEmpty)
                #expect(answers.compactMap { $0["error"] }.allSatisfy { $0.at("/data/reason") == "idempotency" })
            }
        }
        #expect(try await rows.client.call("clients.get", ["id": JSONValue(garde)])["version"] == 2)
        #expect(try await sessions("clients", of: garde, rows) == 4)
    }

    @Test func `a session that is planned during a merge is not lost`() async throws {
        let server = try await TestServer.running()
        let rows = try await Fixtures()
        for _ in 0..<6 {
            let (garde, absorbe) = try await pair("clients", rows)
            let writer = try await server.client(TestServer.user)
            let merge = params(garde, absorbe)
            let values = Fixtures.session(module: "Module \(rows.mark)", [("client_id", JSONValue(absorbe))])
            async let merged = rows.client.response("clients.fusionner", merge)
            async let created = writer.response("sessions.create", ["values": .merging(values)])
            let (one, other) = (try await merged, try await created)
            #expect(one["result"] != nil, "\(one.json)")
            let isCreated = other["result"] != nil
            if !isCreated { #expect(other.at("/error/data/errors/0/path") == "/values/client_id", "\(other.json)") }
            #expect(try await sessions("clients", of: garde, rows) == (isCreated ? 5 : 4))
        }
    }
}
