import DomainKit
import JSON
import Testing

/// The contract's section "Selection", over HTTP.
@Suite struct SelectionFactTests {
    @Test func `keys come in the requested order under their aliases, and commas and comments are ignored`()
        async throws
    {
        let rows = try await Fixtures()
        let id = try await rows.session()
        let response = try await rows.client.post(
            #"{"jsonrpc":"2.0","id":1,"method":"sessions.get","params":{"id":\#(id),"#
                + ##""select":"# the day\n{ modalite,, jour: date, __typename # so\n debut }"}}"##)
        #expect(
            response.text.hasSuffix(
                #""result":{"modalite":"P","jour":"2026-01-12","__typename":"sessions","debut":"09:00:00"}}"#),
            "\(response.text)")
    }

    @Test func `fields and fragments that are requested twice are merged as in GraphQL`() async throws {
        let rows = try await Fixtures()
        let client = try await rows.client([("ville", "Lyon")])
        let id = try await rows.session([("client_id", JSONValue(client))])
        for select in [
            "{ id client { ville } id client { id } }",
            "{ ...Carte client { id } } fragment Carte on sessions { id client { ville } }",
        ] {
            let record = try await rows.client.call("sessions.get", ["id": JSONValue(id), "select": .string(select)])
            #expect(
                record == ["client": ["id": JSONValue(client), "ville": "Lyon"], "id": JSONValue(id)], "\(select)")
        }
    }

    @Test func `to-many relations take where, order_by, first and search, with variables`() async throws {
        let rows = try await Fixtures()
        let client = try await rows.client()
        for (module, date) in [("Alpha", "2026-01-01"), ("Bêta", "2026-02-01"), ("Bêta", "2026-03-01")] {
            _ = try await rows.session([
                ("client_id", JSONValue(client)), ("module", .string(module)), ("date", .string(date)),
            ])
        }
        let record = try await rows.client.call(
            "clients.get",
            [
                "id": JSONValue(client),
                "select": """
                { tout: sessions { id }
                  apres: sessions(where: {date: {gte: $now}}, order_by: ["-date"], first: $n) { date }
                  beta: sessions(search: "beta", order_by: ["date"]) { date } }
                """, "variables": ["now": "2026-01-15", "n": 1],
            ])
        #expect(record["tout"]?.array.count == 3)
        #expect(record["apres"] == [["date": "2026-03-01"]])
        #expect(record["beta"] == [["date": "2026-02-01"], ["date": "2026-03-01"]])
    }

    @Test(
        arguments: [
            ("{ id\n  client }", 2, 3), ("{ id\n id { x } }", 2, 5), ("{ }", 1, nil), ("{ id ... { id } }", 1, 6),
            ("{ id ... on sessions { id } }", 1, 6), ("{ id @skip(if: true) }", 1, 6), ("query { id }", 1, 1),
            ("{ ...Carte }", 1, 6), ("{ id } fragment Carte on sessions { id }", 1, 17),
            ("{ ...Carte } fragment Carte on clients { id }", 1, nil),
            ("{ ...A } fragment A on sessions { ...A }", 1, nil), ("{ client(first: 3) { id } }", 1, 10),
            ("{ id(first: 3) }", 1, nil), ("{ modul }", 1, 3), ("{ client { nom } }", 1, 12), ("{ id", 1, nil),
        ] as [(String, Int, Int?)])
    func `a mistake is −32602 with line and column, counted from 1, in the entry and in its message`(
        select: String, line: Int, column: Int?
    ) async throws {
        let client = try await TestServer.running().client()
        let error = try await client.refusal("sessions.list", ["select": .string(select)])
        #expect(error["code"] == -32602, "\(error.json)")
        let entry = error.at("/data/errors/0")
        #expect(entry["path"] == "/select")
        #expect(entry["line"] == JSONValue(line), "\(entry.json)")
        if let column { #expect(entry["column"] == JSONValue(column), "\(entry.json)") }
        let place = entry["column"]?.int ?? 0
        let message = entry["message"]?.text ?? ""
        #expect(message.contains("\(line)") && message.contains("\(place)"), "\(message)")
    }

    @Test func `a missing or unused variable is −32602`() async throws {
        let client = try await TestServer.running().client()
        let select: JSONValue = "{ client { sessions(first: $n) { id } } }"
        let missing = try await client.refusal("sessions.list", ["select": select])
        #expect(missing["code"] == -32602)
        #expect(missing.at("/data/errors/0/message").text?.contains("n") == true)
        let unused = try await client.refusal(
            "sessions.list", ["select": select, "variables": ["n": 1, "autre": 2]])
        #expect(unused.at("/data/errors/0/path") == "/variables/autre")
    }

    @Test func `every method with select takes variables`() async throws {
        let methods = try await ServiceDescription(of: try await TestServer.running()).methods
        let selecting = methods.filter { method in method.parameters.contains { $0["name"] == "select" } }
        #expect(selecting.count > 20)
        for method in selecting {
            #expect(method.parameters.contains { $0["name"] == "variables" }, "\(method.name)")
        }
    }

    @Test func `six levels of relations are allowed, seven are 413 selection_depth`() async throws {
        let client = try await TestServer.running().client()
        func select(_ depth: Int) -> JSONValue {
            let names = (0..<depth).map { $0 % 2 == 0 ? "client { " : "sessions(first: 1) { " }
            return .string("{ \(names.joined())id\(String(repeating: " }", count: depth)) }")
        }
        #expect(try await client.call("sessions.list", ["first": 1, "select": select(6)])["items"] != nil)
        let error = try await client.refusal("sessions.list", ["first": 1, "select": select(7)])
        #expect(error["code"] == 413)
        #expect(error.at("/data/limit") == "selection_depth")
    }

    @Test
    func `a relation without first counts as a hundred rows: the error names cost, limit and the most expensive path`()
        async throws
    {
        let client = try await TestServer.running().client()
        #expect(try await client.call("clients.list", ["first": 400, "select": "{ sessions { id } }"])["items"] != nil)
        let error = try await client.refusal("clients.list", ["first": 500, "select": "{ sessions { id } }"])
        #expect(error["code"] == 413)
        #expect(error.at("/data/price") == 50_500)
        #expect(error.at("/data/max") == 50_000)
        #expect(error.at("/data/path").text?.contains("sessions") == true)
    }
}
