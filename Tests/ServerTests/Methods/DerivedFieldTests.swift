import DomainKit
import JSON
import Testing

@Suite struct DerivedFieldTests {
    @Test(arguments: [
        ("Élan Conseil", "ÉC"), ("élan", "É"), ("« Lumière »", "L"), ("- Dupont", "D"), ("😀 emoji", "E"),
        ("Maison d'Été et Fils", "MD"), ("  Hôtel   du Lac", "HD"), ("3 Suisses", "3S"),
    ])
    func `initials are the first letters of the first two words (FORM-10)`(name: String, expected: String) async throws
    {
        let rows = try await Fixtures()
        let row = try await rows.client.call(
            "ecoles.create", ["values": ["nom": .string(name)], "select": "{ initiales }"])
        #expect(row["initiales"] == .string(expected))
    }

    @Test func `the margin counts nulls as zero, and is null when the price of the client is null`() async throws {
        let rows = try await Fixtures()
        let cases: [([(String, JSONValue)], Double?)] = [
            ([("tarif_client", 100), ("tarif_sous_traitant", 40), ("frais_rembourser", 5)], 55),
            ([("tarif_client", 100)], 100),
            ([("tarif_sous_traitant", 40)], nil), ([], nil), ([("tarif_client", 10), ("frais_rembourser", 15)], -5),
        ]
        for (values, expected) in cases {
            let id = try await rows.session(values)
            let row = try await rows.client.call("sessions.get", ["id": JSONValue(id), "select": "{ marge }"])
            #expect(row["marge"]?.double == expected)
        }
    }

    @Test(arguments: [
        ("06 12 34 56 78", "tel:+33612345678"), ("+33 (0)6.12.34.56.78", "tel:+33612345678"),
        ("0033612345678", "tel:+33612345678"),
        ("+44 20 7946 0958", "tel:+442079460958"), ("0262 12 34 56", "tel:+262262123456"),
    ])
    func `telephone numbers become tel: links`(typed: String, link: String) async throws {
        let rows = try await Fixtures()
        let row = try await rows.client.call(
            "clients.create",
            [
                "values": ["raison_sociale": .string(rows.mark), "telephone": .string(typed)],
                "select": "{ telephone telephone_uri }",
            ])
        #expect(row["telephone"] == .string(typed))
        #expect(row["telephone_uri"] == .string(link))
    }

    @Test func `an address is one line, and null when all of its parts are`() async throws {
        let rows = try await Fixtures()
        let full = try await rows.client([("rue", "12 rue de la Paix"), ("code_postal", "75002"), ("ville", "Paris")])
        let none = try await rows.client()
        let one = try await rows.client.call(
            "clients.get", ["id": JSONValue(full), "select": "{ adresse ca_total nombre_sessions }"])
        #expect(one["adresse"] == "12 rue de la Paix, 75002 Paris")
        #expect(one["ca_total"] == 0)
        #expect(one["nombre_sessions"] == 0)
        #expect(
            try await rows.client.call("clients.get", ["id": JSONValue(none), "select": "{ adresse }"]) == [
                "adresse": nil
            ])
    }
}
