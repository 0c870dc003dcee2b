import DomainKit
import JSON
import TestSupport
import Testing

@Suite struct AggregateTests {
    /// Two clients with sessions in three months. Filters exclude the rows of other tests.
    private struct Books {
        let rows: Fixtures
        let lyon: Int
        let brest: Int

        init() async throws {
            rows = try await Fixtures()
            lyon = try await rows.client([("raison_sociale", .string("Lyon \(rows.mark)"))])
            brest = try await rows.client([("raison_sociale", .string("Brest \(rows.mark)"))])
            for (client, date, price, cost) in [
                (lyon, "2026-01-05", "450.00", "300.00"), (lyon, "2026-01-31", "450.00", "300.00"),
                (brest, "2026-01-12", "1000.00", "100.00"), (brest, "2026-02-01", "0.01", "0"),
                (brest, "2026-02-28", "0.02", "0"), (brest, "2026-02-28", "0.02", "0"),
            ] {
                _ = try await rows.session([
                    ("client_id", JSONValue(client)), ("date", .string(date)), ("tarif_client", .number(price)),
                    ("tarif_sous_traitant", .number(cost)),
                ])
            }
            _ = try await rows.session([("date", "2026-03-02"), ("client_id", JSONValue(lyon))])
        }

        private var own: JSONValue { ["client_id": ["in": [JSONValue(lyon), JSONValue(brest)]]] }

        func aggregate(_ params: [(String, JSONValue)]) async throws -> JSONValue {
            let mine: [(String, JSONValue)] = [("where", own), ("select", "{ count }")]
            return try await rows.client.call("sessions.aggregate", .merging(mine + params))
        }

        func items(_ params: [(String, JSONValue)]) async throws -> JSONValue? {
            try await aggregate(params)["items"]
        }
    }

    @Test func `sums are grouped by client and month, under the spelling of the request, with the keys first`()
        async throws
    {
        let books = try await Books()
        let response = try await books.rows.client.post(
            """
            {"jsonrpc":"2.0","id":1,"method":"sessions.aggregate","params":{
              "where":{"client_id":\(books.lyon),"date":{"lt":"2026-02-01"}},
              "group_by":["client_id","month(date)","client.raison_sociale"],
              "select":"{ count sum { tarif_client marge } }"}}
            """)
        #expect(
            response.text == #"{"jsonrpc":"2.0","id":1,"result":{"items":[{"client_id":\#(books.lyon),"#
                + #""month(date)":"2026-01-01","client.raison_sociale":"Lyon \#(books.rows.mark)","count":2,"#
                + #""sum":{"tarif_client":900.00,"marge":300.00}}],"has_next_page":false}}"#)
    }

    @Test func `without group_by there is one group, and the sum of an empty one is 0`() async throws {
        let books = try await Books()
        let whole = try await books.aggregate([
            ("select", "{ count sum { tarif_client } avg { tarif_client } min { date } max { fin } }")
        ])
        #expect(
            whole == [
                "has_next_page": false,
                "items": [
                    [
                        "avg": ["tarif_client": .number("316.68")], "count": 7,
                        "max": ["fin": "17:00:00"], "min": ["date": "2026-01-05"],
                        "sum": ["tarif_client": .number("1900.05")],
                    ]
                ],
            ])
        let none = try await books.items([
            ("search", "zzzz-nulle-part"), ("select", "{ n: count sum { marge } avg { marge } max { date } }"),
        ])
        #expect(none == [["avg": ["marge": nil], "max": ["date": nil], "n": 0, "sum": ["marge": 0]]])
        #expect(try await books.items([("search", "zzzz-nulle-part"), ("group_by", ["client_id"])]) == [])
    }

    @Test func `an average has two decimals, rounded half up`() async throws {
        let books = try await Books()
        let text = try await books.rows.client.post(
            """
            {"jsonrpc":"2.0","id":1,"method":"sessions.aggregate","params":{
              "where":{"client_id":\(books.brest),"date":{"gte":"2026-02-01"}},"select":"{ avg { tarif_client version } }"}}
            """
        ).text
        #expect(text.contains(#"{"avg":{"tarif_client":0.02,"version":1.00}}"#), "\(text)")
    }

    @Test func `day, week, month and year are the first day of the period, and groups are sorted by their keys`()
        async throws
    {
        let books = try await Books()
        for (period, starts) in [
            ("day", ["2026-01-05", "2026-01-12", "2026-01-31", "2026-02-01", "2026-02-28", "2026-03-02"]),
            ("week", ["2026-01-05", "2026-01-12", "2026-01-26", "2026-02-23", "2026-03-02"]),
            ("month", ["2026-01-01", "2026-02-01", "2026-03-01"]), ("year", ["2026-01-01"]),
        ] {
            let key = "\(period)(date)"
            let items = try await books.items([("group_by", [.string(key)])])
            #expect(items?.array.compactMap { $0[key]?.text } == starts, "\(period)")
        }
        let late = try await books.items([("group_by", ["month(date)"]), ("order_by", ["-month(date)"])])
        #expect(late?.array.compactMap { $0["count"]?.int } == [1, 3, 3])
    }

    @Test func `order_by takes keys, count and aggregates that select does not name`() async throws {
        let books = try await Books()
        let (lyon, brest) = (books.lyon, books.brest)
        for (order, clients) in [
            (["-count"], [brest, lyon]), (["count"], [lyon, brest]), (["-sum.marge"], [brest, lyon]),
            (["avg.tarif_client"], [brest, lyon]), (["max.date", "-client_id"], [brest, lyon]),
            ([], [lyon, brest].sorted()), (["-client_id"], [lyon, brest].sorted(by: >)),
        ] {
            let items = try await books.items([
                ("group_by", ["client_id"]), ("order_by", .array(order.map { .string($0) })),
            ])
            #expect(items?.array.compactMap { $0["client_id"]?.int } == clients, "\(order)")
        }
    }

    @Test func `first limits the groups, and has_next_page says whether there are more`() async throws {
        let books = try await Books()
        let months: [(String, JSONValue)] = [("group_by", ["month(date)"])]
        #expect(
            try await books.aggregate(months + [("first", 2)])
                == [
                    "has_next_page": true,
                    "items": [
                        ["count": 3, "month(date)": "2026-01-01"], ["count": 3, "month(date)": "2026-02-01"],
                    ],
                ])
        #expect(try await books.aggregate(months + [("first", 3)])["has_next_page"] == false)
    }

    @Test func `null is a group of its own`() async throws {
        let books = try await Books()
        #expect(
            try await books.items([("group_by", ["formateur.nom", "ecole_id", "modalite"])])
                == [["count": 7, "ecole_id": nil, "formateur.nom": nil, "modalite": "P"]])
    }

    @Test func `every field can be grouped by and aggregated exactly as the document says`() async throws {
        let rows = try await Fixtures()
        let document = try await rows.client.call("rpc.discover")
        for table in ["sessions", "formateurs", "clients", "ecoles", "users"] {
            let properties = document.at("/components/schemas/\(table)/properties")
            guard case .object(let fields) = properties else { throw TestEnvironmentError("no schema of \(table)") }
            for field in fields.members where field.value["x-target"] == nil {
                let answer = try await rows.client.response(
                    "\(table).aggregate", ["group_by": [.string(field.name)], "select": "{ count }", "first": 1])
                #expect(answer["result"] != nil, "\(table).\(field.name): \(answer.json)")
                let terms = document.at("/components/schemas/\(table)_groups_order/items/enum").array
                for function in ["sum", "avg", "min", "max"] {
                    let term = JSONValue.string("-\(function).\(field.name)")
                    let answer = try await rows.client.response(
                        "\(table).aggregate",
                        ["select": .string("{ \(function) { \(field.name) } }"), "order_by": [term]])
                    #expect((answer["result"] != nil) == terms.contains(term), "\(table) \(term.json): \(answer.json)")
                }
            }
        }
    }

    @Test func `all mistakes are reported together, with place and nearest name`() async throws {
        let rows = try await Fixtures()
        let error = try await rows.client.refusal(
            "sessions.aggregate",
            [
                "where": ["dat": "2026-01-01"], "group_by": ["client_i", "mont(date)"], "order_by": ["-cout"],
                "select": "{ count sum { tarif_cliet } }", "first": 501, "after": "x",
            ])
        #expect(error["code"] == -32602)
        let entries = error.at("/data/errors").array.map {
            [$0["path"]?.text, $0["code"]?.text, $0["suggestion"]?.text]
        }
        for expected in [
            ["/where/dat", "unknown", "date"], ["/group_by/0", "unknown", "client_id"],
            ["/group_by/1", "unknown", "month"], ["/order_by/0", "unknown", "count"],
            ["/select", "unknown", "tarif_client"], ["/first", "out_of_range", nil],
        ] {
            #expect(entries.contains(expected), "\(expected) in \(error.json)")
        }
        #expect(entries.contains { $0[0] == "/after" && $0[1] == "unknown" })
        let place = error.at("/data/errors").array.first { $0["path"] == "/select" }
        #expect(place?["line"] == 1)
        #expect(place?["column"] == 15)
        let missing = try await rows.client.refusal("clients.aggregate")
        #expect(missing.at("/data/errors/0/path") == "/select")
        #expect(missing.at("/data/errors/0/code") == "required")
    }
}
