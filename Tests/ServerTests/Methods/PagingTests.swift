import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@Suite struct PagingTests {
    /// All ids of a list, page by page; `meanwhile` runs between pages.
    private func pages(
        _ client: RPCClient, _ params: [(String, JSONValue)], meanwhile: (Int) async throws -> Void = { _ in }
    ) async throws -> [Int] {
        var ids: [Int] = []
        var after: JSONValue?
        for page in 0..<100 {
            var all = params + [("first", 3), ("select", "{ id }")]
            if let after { all.append(("after", after)) }
            let answer = try await client.call("sessions.list", .merging(all))
            ids += answer["items"]?.array.compactMap { $0["id"]?.int } ?? []
            guard answer["has_next_page"] == true else { return ids }
            after = answer["end_cursor"]
            try await meanwhile(page)
        }
        throw TestEnvironmentError("paging does not end")
    }

    /// Twelve sessions with ties, nulls and accents.
    private func sessions(_ rows: Fixtures) async throws -> (client: Int, ids: [Int]) {
        let client = try await rows.client()
        let trainers = [try await rows.formateur([("nom", "Élan")]), try await rows.formateur([("nom", "elan")])]
        var ids: [Int] = []
        for index in 0..<12 {
            var values: [(String, JSONValue)] = [
                ("client_id", JSONValue(client)), ("date", .string("2026-01-0\(1 + index % 3)")),
                ("debut", .string("0\(8 + index % 2):00")),
                ("module", .string(["été", "Ete", "zoo", "éTé"][index % 4])),
            ]
            if index % 3 != 0 { values.append(("tarif_client", .number("\(index % 4).50"))) }
            if index % 4 != 1 { values.append(("formateur_id", JSONValue(trainers[index % 2]))) }
            ids.append(try await rows.session(values))
        }
        return (client, ids)
    }

    @Test(
        arguments: [
            [], ["date"], ["-date"], ["-date", "debut"], ["date", "-debut"], ["tarif_client"], ["-tarif_client"],
            ["-tarif_client", "module"], ["module"], ["-module", "date"], ["marge"], ["-statut", "lieu"], ["id"],
            ["-id"],
            ["formateur.nom"], ["-formateur.nom", "-date"], ["-created_at"], ["duree_minutes", "-formateur.nom"],
        ] as [[String]])
    func `in any order, the pages together hold every row once, in the order of a single page`(order: [String])
        async throws
    {
        let rows = try await Fixtures()
        let (client, ids) = try await sessions(rows)
        var params: [(String, JSONValue)] = [("where", ["client_id": JSONValue(client)])]
        if !order.isEmpty { params.append(("order_by", .array(order.map { .string($0) }))) }
        let whole = try await rows.client.call("sessions.list", .merging(params + [("select", "{ id }")]))
        let expected = whole["items"]?.array.compactMap { $0["id"]?.int } ?? []
        #expect(expected.sorted() == ids.sorted())
        #expect(try await pages(rows.client, params) == expected)
    }

    /// mends.md, 27: ""632, 64, 640" (numbers by value)".
    @Test func `numbers within names are ordered by their value`() async throws {
        let server = try await TestServer.running()
        let rows = try await Fixtures(server)
        for name in ["632", "64", "é 7", "640", "E 10"] {
            _ = try await rows.ecole([("nom", .string("\(rows.mark)-\(name)"))])
        }
        let found = try await rows.client.call(
            "ecoles.list", ["search": .string(rows.mark), "order_by": ["nom"], "select": "{ nom }"])
        #expect(
            found["items"]?.array.compactMap { $0["nom"]?.text }
                == ["64", "632", "640", "é 7", "E 10"].map { "\(rows.mark)-\($0)" })
        // All indexes have the order that queries ask for.
        let old = try await server.database.psql(
            """
            SELECT count(*) FILTER (WHERE 'public.francais_chiffre_par_chiffre'::regcollation = ANY (indcollation)),
                count(*) FILTER (WHERE 'public.francais'::regcollation = ANY (indcollation)) > 5
            FROM pg_index
            """)
        #expect(old == "0|t")
    }

    @Test func `pages neither repeat nor skip a row while others are inserted and deleted`() async throws {
        let rows = try await Fixtures()
        let (client, ids) = try await sessions(rows)
        let seen = try await pages(rows.client, [("where", ["client_id": JSONValue(client)])]) { page in
            let extra = try await rows.session([
                ("client_id", JSONValue(client)), ("date", page % 2 == 0 ? "2026-12-31" : "2020-01-01"),
            ])
            if page % 2 == 0 { _ = try await rows.client.call("sessions.delete", ["id": JSONValue(extra)]) }
        }
        #expect(Set(seen).count == seen.count)
        #expect(Set(ids).isSubset(of: seen))
    }

    @Test func `a cursor of another order is an error`() async throws {
        let rows = try await Fixtures()
        let (client, _) = try await sessions(rows)
        let page = try await rows.client.call(
            "sessions.list", ["where": ["client_id": JSONValue(client)], "first": 2, "select": "{ id }"])
        let cursor = try #require(page["end_cursor"])
        let error = try await rows.client.refusal("sessions.list", ["order_by": ["date"], "after": cursor])
        #expect(error["code"] == -32602)
        #expect(error.at("/data/errors/0/path") == "/after")
    }

    @Test func `nulls come last in both directions, and names are sorted by French rules`() async throws {
        let rows = try await Fixtures()
        let client = try await rows.client()
        for tariff: JSONValue in [2, .null, 1] {
            _ = try await rows.session([("client_id", JSONValue(client)), ("tarif_client", tariff)])
        }
        for (order, expected) in [("tarif_client", [1, 2, nil]), ("-tarif_client", [2, 1, nil])]
            as [(String, [Double?])]
        {
            let list = try await rows.client.call(
                "sessions.list",
                ["where": ["client_id": JSONValue(client)], "order_by": [.string(order)], "select": "{ tarif_client }"])
            #expect(list["items"]?.array.map { $0["tarif_client"]?.double } == expected)
        }
        for (prenom, nom) in [("Zoé", "Lefevre"), ("Anne", "Lefèvre"), ("Marc", "lefevre"), ("Luc", "Legrand")] {
            _ = try await rows.formateur([
                ("prenom", .string(prenom)), ("nom", .string(nom)), ("societe", .string(rows.mark)),
            ])
        }
        let names = try await rows.client.call(
            "formateurs.list", ["where": ["societe": .string(rows.mark)], "select": "{ prenom }"])
        #expect(names["items"]?.array.map { $0["prenom"] ?? "?" } == ["Anne", "Marc", "Zoé", "Luc"])
    }

    @Test func `count is the total of all pages, even after the last one`() async throws {
        let rows = try await Fixtures()
        let (client, ids) = try await sessions(rows)
        let page = try await rows.client.call(
            "sessions.list", ["where": ["client_id": JSONValue(client)], "first": 2, "count": true, "select": "{ id }"])
        #expect(page["total"] == JSONValue(ids.count))
        #expect(page["items"]?.array.count == 2)
        let none = try await rows.client.call(
            "sessions.list", ["where": ["id": -1], "count": true, "select": "{ id }"])
        #expect(none == ["end_cursor": nil, "has_next_page": false, "items": [], "total": 0])
    }
}
