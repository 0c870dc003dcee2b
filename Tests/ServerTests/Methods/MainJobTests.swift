import DomainKit
import JSON
import TestSupport
import Testing

@Suite struct MainJobTests {
    @Test func `a session is planned, read nested, found and shared (SESS-02, SESS-05, SESS-06)`() async throws {
        let rows = try await Fixtures()
        let clientID = try await rows.client([("nom_contact", "Anne Lefèvre"), ("email", "anne@acme.example")])
        let formateurID = try await rows.formateur([("telephone", "06 12 34 56 78"), ("email", "elodie@form.example")])
        let values = Fixtures.session(
            module: "Atelier \(rows.mark)",
            [
                ("client_id", JSONValue(clientID)), ("formateur_id", JSONValue(formateurID)),
                ("tarif_client", .number("1200.50")),
                ("tarif_sous_traitant", .number("450.00")), ("frais_rembourser", 80),
                ("lieu", "12 rue de la Paix, 75002 Paris"),
                ("ref_contrat", "CT-2026-014"),
            ])
        let created = try await rows.client.call(
            "sessions.create", ["values": .merging(values), "select": "{ id version marge duree_minutes statut lieu }"])
        let id = try #require(created["id"])
        #expect(created["version"] == 1)
        #expect(created["marge"] == .number("670.5"))
        #expect(created["duree_minutes"] == 480)

        let read = try await rows.client.call(
            "sessions.get",
            [
                "id": id, "variables": ["now": "2025-12-31"],
                "select": """
                { id module date debut
                  formateur { nom_complet telephone telephone_uri initiales nombre_sessions }
                  client { raison_sociale ca_total
                    prochaines: sessions(where: {date: {gte: $now}}, order_by: ["date"], first: 3) { date module } }
                  ecole { nom } }
                """,
            ])
        #expect(read["formateur"]?["nom_complet"] == .string("Élodie Dupré \(rows.mark)"))
        #expect(read["formateur"]?["telephone_uri"] == "tel:+33612345678")
        #expect(read["formateur"]?["initiales"] == "ÉD")
        #expect(read["formateur"]?["nombre_sessions"] == 1)
        #expect(read.at("/client/prochaines/0/module") == .string("Atelier \(rows.mark)"))
        #expect(read.at("/client/prochaines/0/date") == "2026-01-12")
        #expect(read.at("/client/prochaines").array.count == 1)
        #expect(read["ecole"] == .null)
        #expect(read["debut"] == "09:00:00")

        let january = try await rows.client.call(
            "sessions.list",
            [
                "where": [
                    "date": ["gte": "2026-01-01", "lt": "2026-02-01"], "modalite": "P",
                    "formateur_id": JSONValue(formateurID),
                ], "count": true, "select": "{ id }",
            ])
        #expect(january["items"]?.array.count == 1)
        #expect(january["total"] == 1)
        #expect(january["has_next_page"] == false)

        let found = try await rows.client.call(
            "formateurs.list", ["search": .string("elodie \(rows.mark)"), "select": "{ id }"])
        #expect(found["items"] == [["id": JSONValue(formateurID)]])
        let byTrainer = try await rows.client.call(
            "sessions.list", ["search": .string("DUPRE \(rows.mark)"), "select": "{ id }"])
        #expect(byTrainer["items"] == [["id": id]])

        let shared = try await rows.client.call("sessions.share", ["id": id, "format": "discord"])
        let text = try #require(shared["text"]?.text)
        #expect(text.contains("450,00"))
        #expect(!text.contains("200,50") && !text.contains("1\u{202F}200"))
    }

    @Test func `a duplicate has the values of the original except those given (SESS-10)`() async throws {
        let rows = try await Fixtures()
        let clientID = try await rows.client()
        let id = try await rows.session([("client_id", JSONValue(clientID)), ("tarif_client", .number("12.30"))])
        let copy = try await rows.client.call(
            "sessions.duplicate",
            [
                "id": JSONValue(id), "values": ["date": "2026-03-02"],
                "select": "{ id module date client_id tarif_client version }",
            ])
        #expect(copy["id"] != JSONValue(id))
        #expect(copy["date"] == "2026-03-02")
        #expect(copy["client_id"] == JSONValue(clientID))
        #expect(copy["tarif_client"] == .number("12.3"))
        #expect(copy["version"] == 1)
        // A reference is that of one session.
        let dated = JSONValue(try await rows.session([("ref_contrat", "Marché 12")]))
        for (values, expected) in [([:], .null), (["ref_contrat": "Marché 13"], "Marché 13")]
            as [(JSONValue, JSONValue)]
        {
            let copy = try await rows.client.call(
                "sessions.duplicate", ["id": dated, "values": values, "select": "{ ref_contrat }"])
            #expect(copy == ["ref_contrat": expected])
        }
        let missing = try await rows.client.refusal(
            "sessions.duplicate", ["id": 999_999_999, "values": ["date": "2026-03-02"]])
        #expect(missing["code"] == 404)
    }

    @Test func `update changes only the values that are given`() async throws {
        let rows = try await Fixtures()
        let id = try await rows.session([("lieu", "Lyon")])
        let changed = try await rows.client.call(
            "sessions.update",
            [
                "id": JSONValue(id), "values": ["module": "Nouveau"], "if_version": 1,
                "select": "{ module lieu version }",
            ])
        #expect(changed == ["lieu": "Lyon", "module": "Nouveau", "version": 2])
        let same = try await rows.client.call(
            "sessions.update", ["id": JSONValue(id), "values": [:], "select": "{ version }"])
        #expect(same == ["version": 2])
        let gone = try await rows.client.refusal("sessions.update", ["id": 999_999_999, "values": ["module": "x"]])
        #expect(gone["code"] == 404)
    }

    @Test func `a null lieu of a remote session becomes À distance on create and update`() async throws {
        let rows = try await Fixtures()
        let created = try await rows.client.call(
            "sessions.create", ["values": .merging(Fixtures.session([("modalite", "D")])), "select": "{ id lieu }"])
        #expect(created["lieu"] == "À distance")
        let onSite = try await rows.session()
        let updated = try await rows.client.call(
            "sessions.update", ["id": JSONValue(onSite), "values": ["modalite": "D"], "select": "{ lieu }"])
        #expect(updated["lieu"] == "À distance")
    }

    @Test func `delete returns the id, and the row is deleted`() async throws {
        let rows = try await Fixtures()
        let id = try await rows.session()
        let stale = try await rows.client.refusal("sessions.delete", ["id": JSONValue(id), "if_version": 7])
        #expect(stale["code"] == 409)
        #expect(stale.at("/data/reason") == "version")
        let answer = try await rows.client.call("sessions.delete", ["id": JSONValue(id)])
        #expect(answer == ["deleted": true, "id": JSONValue(id)])
        #expect(try await rows.client.refusal("sessions.get", ["id": JSONValue(id)])["code"] == 404)
        #expect(try await rows.client.refusal("sessions.delete", ["id": JSONValue(id)])["code"] == 404)
    }

    @Test func `without select the result has every column, no relation and no derived field`() async throws {
        let rows = try await Fixtures()
        let id = try await rows.ecole([("ville", "Lille")])
        let row = try await rows.client.call("ecoles.get", ["id": JSONValue(id)])
        guard case .object(let object) = row else { throw TestEnvironmentError(row.json) }
        #expect(
            object.members.map(\.name).sorted() == [
                "code_postal", "created_at", "email", "id", "nom", "nom_contact", "rue", "telephone", "updated_at",
                "version",
                "ville",
            ])
        #expect(row["rue"] == .null)
    }

    @Test func `text with any Unicode comes back unchanged`() async throws {
        let rows = try await Fixtures()
        let text = "\u{1}\u{1F}\u{7F} \"\\/ é e\u{301} 😀 \u{2028} \u{10FFFF} \u{FEFF} ligne\nligne\t' ; -- $1"
        let id = try await rows.session([("module", .string(text)), ("lieu", .string(text))])
        let row = try await rows.client.call(
            "sessions.get", ["id": JSONValue(id), "select": "{ module lieu client { id } }"])
        #expect(row["module"] == .string(text))
        #expect(row["lieu"] == .string(text))
        let formateur = try await rows.formateur([("specialite", .string(text))])
        _ = try await rows.client.call(
            "sessions.update", ["id": JSONValue(id), "values": ["formateur_id": JSONValue(formateur)]])
        let nested = try await rows.client.call(
            "formateurs.get",
            ["id": JSONValue(formateur), "select": "{ specialite sessions { module formateur { specialite } } }"])
        #expect(nested.at("/sessions/0/module") == .string(text))
        #expect(nested.at("/sessions/0/formateur/specialite") == .string(text))
    }
}
