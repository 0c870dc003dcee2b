import JSON
import TestPDF
import TestPostgres
import TestSupport
import Testing

/// mends.md, 16: "an entity `programmes` …; a session's `programme_id`, `effectif`; … printed, proposed by module, one call fills
/// old sessions".
@Suite struct ProgrammeTests {
    private static func programme(_ rows: Fixtures, _ intitule: String, _ values: [(String, JSONValue)] = [])
        async throws -> JSONValue
    {
        JSONValue(try await rows.create("programmes", [("intitule", .string(intitule))] + values))
    }

    private static func session(_ rows: Fixtures, _ module: String, _ values: [(String, JSONValue)] = [])
        async throws -> JSONValue
    {
        try await rows.client.call(
            "sessions.create", ["values": .merging(Fixtures.session(module: module, values))])
    }

    @Test func `a title has one programme, whatever its case, accents and spaces`() async throws {
        let rows = try await Fixtures()
        let one = try await Self.programme(rows, "Équilibre  \(rows.mark)")
        for again in ["Équilibre  \(rows.mark)", "equilibre \(rows.mark.uppercased()) ", "ÉQUILIBRE\u{A0}\(rows.mark)"]
        {
            let refusal = try await rows.client.refusal(
                "programmes.create", ["values": ["intitule": .string(again)]])
            #expect(refusal["code"] == 409 || refusal["code"] == -32602, "\(refusal.json)")
            #expect(refusal.json.contains("/values/intitule"), "\(refusal.json)")
        }
        let renamed = try await rows.client.call(
            "programmes.update", ["id": one, "values": ["intitule": .string("EQUILIBRE \(rows.mark)")]])
        #expect(renamed["version"] == 2)
    }

    @Test func `programmes are read by everyone, searched, and written by administrators`() async throws {
        let rows = try await Fixtures()
        let start = try await rows.client.call("changes.list")["end_cursor"] ?? .null
        let id = try await Self.programme(
            rows, "Soudure \(rows.mark)",
            [("contenu", .string("Étincelles \(rows.mark)x")), ("duree_conseillee", .number("14.5"))])
        let user = try await TestServer.running().client(TestServer.user)
        let found = try await user.call("programmes.list", ["search": .string("ETINCELLES \(rows.mark)X")])
        #expect(found.at("/items/0/id") == id && found.json.contains("\"duree_conseillee\":14.5"), "\(found.json)")
        for (method, params) in [
            ("create", ["values": ["intitule": .string("Autre \(rows.mark)")]]),
            ("update", ["id": id, "values": ["sanction": "Attestation"]]), ("delete", ["id": id]),
            ("rattacher", ["id": id]),
        ] as [(String, JSONValue)] {
            #expect(try await user.refusal("programmes.\(method)", params)["code"] == 403, "\(method)")
        }
        _ = try await rows.client.call("programmes.update", ["id": id, "values": ["sanction": "Attestation"]])
        let history = try await user.call("programmes.history", ["id": id])
        #expect(history["items"]?.array.map { $0["operation"] } == ["update", "create"])
        try await eventually("the programme is in the feed") {
            let changes = try await user.call("changes.list", ["after": start, "tables": ["programmes"]])
            return changes.at("/items").array.contains { $0["id"] == id }
        }
    }

    @Test func `a programme that sessions have is not deleted, and says how many they are`() async throws {
        let rows = try await Fixtures()
        let id = try await Self.programme(rows, "Taille \(rows.mark)")
        let session = try await Self.session(rows, "Taille \(rows.mark)")
        _ = try await Self.session(rows, "Autre module \(rows.mark)", [("programme_id", id)])
        #expect(
            try await rows.client.call("programmes.get", ["id": id, "select": "{ nombre_sessions }"])["nombre_sessions"]
                == 2)
        let refusal = try await rows.client.refusal("programmes.delete", ["id": id])
        #expect(refusal["code"] == 409 && refusal.at("/data/count") == 2, "\(refusal.json)")
        let read = try await rows.client.call(
            "sessions.get", ["id": session["id"] ?? .null, "select": "{ programme { intitule } }"])
        #expect(read.at("/programme/intitule") == .string("Taille \(rows.mark)"))
        let unknown = try await rows.client.refusal(
            "sessions.update", ["id": session["id"] ?? .null, "values": ["programme_id": 999_999_999]])
        #expect(unknown.at("/data/errors/0/path") == "/values/programme_id", "\(unknown.json)")
    }

    @Test func `a session has the programme of its module, and another one with another module, unless it was chosen`()
        async throws
    {
        let rows = try await Fixtures()
        let first = try await Self.programme(rows, "Élagage \(rows.mark)")
        let second = try await Self.programme(rows, "Abattage \(rows.mark)")
        let user = try await TestServer.running().client(TestServer.user)
        func update(_ id: JSONValue?, _ values: JSONValue) async throws -> JSONValue? {
            try await user.call("sessions.update", ["id": id ?? .null, "values": values])["programme_id"]
        }
        let created = try await user.call(
            "sessions.create",
            ["values": .merging(Fixtures.session(module: " elagage  \(rows.mark.uppercased())", [("effectif", 8)]))])
        #expect(created["programme_id"] == first && created["effectif"] == 8)
        let id = created["id"]
        #expect(try await update(id, ["module": .string("Abattage \(rows.mark)")]) == second)
        #expect(try await update(id, ["module": .string("Tout autre \(rows.mark)")]) == .null)
        #expect(try await update(id, ["programme_id": first]) == first)
        // Chosen: its title is not that of the module.
        #expect(try await update(id, ["module": .string("Abattage \(rows.mark)")]) == first)
        #expect(try await update(id, ["programme_id": .null]) == .null)
        #expect(try await update(id, ["lieu": "Lyon"]) == .null)
        #expect(try await update(id, ["programme_id": second]) == second)
        let copies = try await user.call(
            "sessions.repeter", ["id": id ?? .null, "dates": ["2031-02-03"], "select": "{ programme_id effectif }"])
        #expect(copies.at("/items/0/programme_id") == second && copies.at("/items/0/effectif") == 8, "\(copies.json)")
        let copy = try await user.call("sessions.duplicate", ["id": id ?? .null])
        #expect(copy["programme_id"] == second && copy["effectif"] == 8)
        // At psql as well.
        let server = try await TestServer.running()
        let inserted = try await server.database.psql(
            """
            INSERT INTO sessions (module, date, debut, fin, modalite)
            VALUES ('ÉLAGAGE \(rows.mark)', '2031-01-12', '09:00', '17:00', 'P') RETURNING programme_id
            """)
        #expect(first.json == inserted.split(separator: "\n").first.map(String.init))
    }

    @Test func `one call gives old sessions the programmes of their modules`() async throws {
        let rows = try await Fixtures()
        let old = [
            try await Self.session(rows, "Greffe \(rows.mark)"), try await Self.session(rows, "GREFFÉ \(rows.mark)"),
        ]
        let other = try await Self.session(rows, "Semis \(rows.mark)")
        let id = try await Self.programme(rows, "Greffe \(rows.mark)")
        let semis = try await Self.programme(rows, "Semis \(rows.mark)")
        func programmes() async throws -> [JSONValue?] {
            var found: [JSONValue?] = []
            for session in old + [other] {
                found.append(try await rows.client.call("sessions.get", ["id": session["id"] ?? .null])["programme_id"])
            }
            return found
        }
        #expect(try await programmes() == [.null, .null, .null])
        let done = try await rows.client.call("programmes.rattacher", ["id": id])
        #expect(done == ["rattachees": 2, "reste": false])
        #expect(try await programmes() == [id, id, .null])
        #expect(try await rows.client.call("programmes.rattacher", ["id": id])["rattachees"] == 0)
        // The sessions of other tests may be among them.
        let all = try await rows.client.call("programmes.rattacher")
        #expect(all["rattachees"]?.int ?? 0 >= 1)
        #expect(try await programmes() == [id, id, semis])
        let history = try await rows.client.call("sessions.history", ["id": old[0]["id"] ?? .null])
        #expect(history.at("/items/0/after/programme_id") == id, "\(history.json)")
        #expect(try await rows.client.refusal("programmes.rattacher", ["id": 999_999_999])["code"] == 404)
    }

    @Test func `the agreement prints the programme, the number of people and the terms of payment`() async throws {
        let server = try await TestServer.start()
        let rows = try await Fixtures(server)
        let organisme = try await rows.client.call("organisme.ouvrir")
        _ = try await rows.client.call(
            "organisme.update",
            ["id": organisme["id"] ?? .null, "values": ["reglement": "Paiement à trente jours."]])
        _ = try await Self.programme(
            rows, "Scrum", [("objectifs", "- Animer une mêlée"), ("sanction", "Attestation de fin de formation")])
        let session = try await Self.session(rows, "scrum", [("effectif", 8)])
        let user = try await server.client(TestServer.user)
        let link = try await user.call("sessions.convention", ["id": session["id"] ?? .null])
        let text = try await ReadPDF(try await server.open(link).body).text.replacing("\u{A0}", with: " ")
        for phrase in [
            "Animer une mêlée", "Attestation de fin de formation", "8 stagiaires", "Paiement à trente jours.",
        ] {
            #expect(text.contains(phrase), "\(phrase)\n\(text)")
        }
        #expect(try await server.stop() == 0)
    }
}
