import DomainKit
import JSON
import Testing

@Suite struct FilterTests {
    @Test func `every operator finds the rows it describes`() async throws {
        let rows = try await Fixtures()
        let client = try await rows.client()
        let trainer = try await rows.formateur([("nom", "Dupré")])
        let a = try await rows.session([
            ("client_id", JSONValue(client)), ("module", "Alpha_1"), ("tarif_client", 10),
            ("formateur_id", JSONValue(trainer)),
        ])
        let b = try await rows.session([
            ("client_id", JSONValue(client)), ("module", "béta%"), ("modalite", "D"), ("tarif_client", 20),
        ])
        let c = try await rows.session([
            ("client_id", JSONValue(client)), ("module", "Gamma\\"), ("date", "2026-02-01"),
        ])
        let cases: [(JSONValue, [Int])] = [
            (["module": "Alpha_1"], [a]),
            (["module": ["ne": "Alpha_1"]], [b, c]),
            (["tarif_client": ["gt": 10]], [b]),
            (["tarif_client": ["gte": .number("10.00"), "lt": 20]], [a]),
            (["tarif_client": nil], [c]),
            (["tarif_client": ["is_null": false]], [a, b]),
            (["tarif_client": ["in": [10, 20, 30]]], [a, b]),
            (["tarif_client": ["in": []]], []),
            (["tarif_client": ["nin": [10]]], [b]),
            (["module": ["like": "%\\_1"]], [a]),
            (["module": ["ilike": "BÉTA\\%"]], [b]),
            (["module": ["like": "%\\\\"]], [c]),
            (["modalite": ["in": ["D"]]], [b]),
            (["date": ["gte": "2026-02-01"]], [c]),
            (["formateur": nil], [b, c]),
            (["formateur": ["nom": "Dupré"]], [a]),
            (["formateur": ["nom": ["ilike": "dup%"]], "module": ["like": "A%"]], [a]),
            (["not": ["formateur": ["nom": "Dupré"]]], [b, c]),
            (["or": [["module": "Alpha_1"], ["date": "2026-02-01"]]], [a, c]),
            (["or": []], []),
            (["and": []], [a, b, c]),
            (["and": [["tarif_client": ["gte": 10]], ["not": ["modalite": "D"]]]], [a]),
            ([:], [a, b, c]),
            (["duree_minutes": 480], [a, b, c]),
            (["marge": ["lt": 15]], [a]),
            (["statut": ["in": ["a_venir", "en_cours", "terminee"]]], [a, b, c]),
            (["client": ["sessions": ["some": ["modalite": "D"]]]], [a, b, c]),
            (["client": ["sessions": ["none": ["modalite": "D"]]]], []),
            (["client": ["nombre_sessions": 3]], [a, b, c]),
        ]
        for (filter, expected) in cases {
            let list = try await rows.client.call(
                "sessions.list",
                ["where": ["and": [["client_id": JSONValue(client)], filter]], "order_by": ["id"], "select": "{ id }"])
            #expect(list["items"]?.array.compactMap { $0["id"]?.int } == expected, "\(filter.json)")
        }
    }

    @Test func `all words of a search must match, across the session, its trainer and its client (SESS-08)`()
        async throws
    {
        let rows = try await Fixtures()
        let client = try await rows.client([("raison_sociale", .string("Hôtel 100% \(rows.mark)"))])
        let trainer = try await rows.formateur([("prenom", "Zoé"), ("nom", .string("Ça \(rows.mark)"))])
        let id = try await rows.session([
            ("client_id", JSONValue(client)), ("formateur_id", JSONValue(trainer)),
            ("module", .string("Œuvre d’été \(rows.mark)")),
        ])
        for (words, found) in [
            ("ETE hotel zoe", true), ("ŒUVRE", true), ("oeuvre", true), ("100%", true), ("100_", false),
            ("hotel lyon", false),
            ("ca", true), ("  ", true), ("\\", false),
            // Unicode normalisation turns these into the wildcards of LIKE, which must still match literally.
            ("100％", true), ("％％", false), ("100＿", false), ("＼", false),
        ] {
            let list = try await rows.client.call(
                "sessions.list", ["search": .string("\(words) \(rows.mark)"), "select": "{ id }"])
            #expect(list["items"] == (found ? [["id": JSONValue(id)]] : []), "\(words)")
        }
    }
}
