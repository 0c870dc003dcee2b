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

    @Test func `a search finds a telephone number by some of its digits, with or without spaces`() async throws {
        let rows = try await Fixtures()
        let mark = rows.mark
        let tables = [
            ("clients", ("raison_sociale", JSONValue.string("Client \(mark)"))),
            ("ecoles", ("nom", .string("École \(mark)"))),
            ("prospects", ("raison_sociale", .string("Prospect \(mark)"))),
        ]
        var ids = [("formateurs", try await rows.formateur([("telephone", "+33 (0)6 12 34 05 36")]))]
        for (table, name) in tables {
            ids.append((table, try await rows.create(table, [name, ("telephone", "06.12 34-05.36")])))
        }
        let words = [
            ("0536", true), ("05 36", true), ("0612340536", true), ("06 12 34 05 36", true), ("06.12.34.05.36", true),
            ("+33612340536", true), ("0537", false), ("1205", false),
        ]
        for (table, id) in ids {
            for (word, isFound) in words {
                let found = try await rows.client.call(
                    "\(table).list", ["search": .string("\(word) \(mark)"), "select": "{ id }"])
                #expect(found["items"] == (isFound ? [["id": JSONValue(id)]] : []), "\(table) \(word)")
            }
        }
        let overseas = try await rows.client([("telephone", "0262 12 34 56")])
        for word in ["+262262123456", "0262123456", "02.62.12"] {
            let found = try await rows.client.call(
                "clients.list", ["search": .string("\(word) \(mark)"), "select": "{ id }"])
            #expect(found["items"] == [["id": JSONValue(overseas)]], "\(word)")
        }
        // A number that goes is not found any more.
        _ = try await rows.client.call("clients.update", ["id": JSONValue(overseas), "values": ["telephone": nil]])
        let gone = try await rows.client.call("clients.list", ["search": .string("0262123456 \(mark)")])
        #expect(gone["items"] == [])
    }

    @Test func `near: true finds what resembles the words, the nearest first, on one page`() async throws {
        let rows = try await Fixtures()
        let mark = rows.mark
        let names = ["García & Fils", "Garage du Nord", "Transports Martin", "Élodie Conseil"]
        for name in names {
            _ = try await rows.client([("raison_sociale", .string("\(name) \(mark)"))])
        }
        func near(_ word: String, _ further: [(String, JSONValue)] = []) async throws -> JSONValue {
            try await rows.client.call(
                "clients.list",
                .merging(
                    [
                        ("search", .string("\(word) \(mark)")), ("near", true),
                        ("select", "{ raison_sociale }"),
                    ] + further))
        }
        for (word, expected) in [
            ("garcai", names[0]), ("tranports", names[2]), ("elodei", names[3]), ("transport marttin", names[2]),
        ] {
            let plain = try await rows.client.call("clients.list", ["search": .string("\(word) \(mark)")])
            #expect(plain["items"] == [])
            let page = try await near(word, [("count", true)])
            #expect(page.at("/items/0/raison_sociale").text == "\(expected) \(mark)", "\(word): \(page.json)")
            #expect(page["end_cursor"] == .null && page["has_next_page"] == false)
            #expect(page["total"]?.int == page.at("/items").array.count)
        }
        #expect(try await near("xylophone").at("/items") == [])
        #expect(try await near("xylophone", [("count", true)])["total"] == 0)
        // What has the words as they are comes too, also words that are too short to resemble anything.
        #expect(try await near("& garage").at("/items").array.count == 1)
        #expect(try await near("?? garage").at("/items") == [])
        // `where` narrows it; an order of one's own has pages as ever.
        let narrow = try await near("garcai", [("where", ["raison_sociale": ["ilike": "garage%"]])])
        #expect(narrow.at("/items").array.count == 1)
        let first = try await near("garcai", [("order_by", ["raison_sociale"]), ("first", 1)])
        #expect(first.at("/items/0/raison_sociale").text == "Garage du Nord \(mark)")
        let second = try await near(
            "garcai", [("order_by", ["raison_sociale"]), ("first", 1), ("after", first["end_cursor"] ?? .null)])
        #expect(second.at("/items/0/raison_sociale").text == "García & Fils \(mark)")
        let error = try await rows.client.refusal(
            "clients.list", ["search": "garcai", "near": true, "after": first["end_cursor"] ?? .null])
        #expect(error.at("/data/errors/0/path") == "/after")
        let other = try await rows.client.refusal("clients.list", ["search": "garcai", "near": "oui"])
        #expect(other.at("/data/errors/0/path") == "/near")
        let session = try await rows.session([("module", .string("Comptabilité \(mark)"))])
        let sessions = try await rows.client.call(
            "sessions.list", ["search": .string("comtabilité \(mark)"), "near": true, "select": "{ id client { id } }"])
        #expect(sessions.at("/items/0/id").int == session)
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
