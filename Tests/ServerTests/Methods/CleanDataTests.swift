import DomainKit
import Foundation
import JSON
import TestPostgres
import Testing

/// `doublons.list` and `contacts.lire` over HTTP.
@Suite struct CleanDataTests {
    private static func serving(_ rows: String, _ body: (RPCClient) async throws -> Void) async throws {
        let database = try await TestDatabase.create(migrated: true)
        _ = try await database.psql(rows)
        let server = try await TestServer.start(database: database)
        try await body(try await server.client(TestServer.user))
        #expect(try await server.stop() == 0)
    }

    @Test func `records that look alike are pairs, each once with its reason`() async throws {
        let rows = """
            INSERT INTO clients (id, raison_sociale, siret, email, telephone) VALUES
                (1, 'SARL Dupont Formation', NULL, NULL, NULL), (2, 'Formation DUPOND (S.A.R.L.)', NULL, NULL, NULL),
                (3, 'Œuvres du Littoral', NULL, 'A@exemple.fr', '06 12 34 56 78'),
                (4, 'Tout autre', NULL, 'a@exemple.fr', '+33612345678'), (5, 'Un', '732 829 320 00074', NULL, NULL),
                (6, 'Deux', '73282932000074', 'x@exemple.fr', NULL), (7, 'Lycée 12', NULL, NULL, NULL),
                (8, 'Lycée 13', NULL, NULL, '01 99 00 10 10'), (9, 'Martin & Fils', NULL, NULL, NULL),
                (10, 'MÀRTIN ET FILS, SAS', NULL, NULL, NULL), (11, 'Trois', NULL, 'y@exemple.fr', '0033199001010'),
                (12, 'SARL', NULL, NULL, NULL), (13, 'SAS', NULL, NULL, NULL);
            INSERT INTO formateurs (id, prenom, nom) VALUES (1, 'Anne', 'Lefebvre'), (2, 'LEFEBVRE', 'anne'),
                (3, 'Zoé', 'Klein');
            INSERT INTO ecoles (id, nom) VALUES (1, 'École du Vieux-Port'), (2, 'Ecole Vieux Port'), (3, 'Lycée Ada');
            """
        try await Self.serving(rows) { client in
            let select: JSONValue = "{ fiche_id autre_id raison score client { id } autre_client { id } formateur_id }"
            let answer = try await client.call(
                "doublons.list", ["table": "clients", "select": select, "order_by": ["fiche_id"], "count": true])
            let pairs = answer.at("/items").array.map { pair in
                "\(pair["fiche_id"]?.int ?? 0) \(pair["autre_id"]?.int ?? 0) \(pair["raison"]?.text ?? "")"
            }
            #expect(pairs == ["1 2 nom", "3 4 email", "5 6 siret", "8 11 telephone", "9 10 nom"])
            for pair in answer.at("/items").array {
                #expect(pair.at("/client/id") == pair["fiche_id"])
                #expect(pair.at("/autre_client/id") == pair["autre_id"])
                #expect(pair["formateur_id"] == .null)
                #expect((0.5...1).contains(pair["score"]?.double ?? 0), "\(pair.json)")
            }
            let same = try await client.call(
                "doublons.list", ["table": "clients", "where": ["score": 1], "select": "{ fiche_id }"])
            #expect(same.at("/items").array.compactMap { $0["fiche_id"]?.int }.sorted() == [5, 9])
            let reasons = try await client.call(
                "doublons.aggregate", ["table": "clients", "group_by": ["raison"], "select": "{ count }"])
            #expect(reasons.at("/items").array.count == 4)
            for (table, relation) in [("formateurs", "formateur"), ("ecoles", "ecole")] {
                let found = try await client.call(
                    "doublons.list",
                    [
                        "table": .string(table),
                        "select": .string("{ raison score \(relation) { id } autre_\(relation) { id } }"),
                    ])
                #expect(found.at("/items").array.count == 1, "\(found.json)")
                #expect(found.at("/items/0/\(relation)/id") == 1)
                #expect(found.at("/items/0/autre_\(relation)/id") == 2)
                #expect(found.at("/items/0/score").double == 1)
            }
            for table in [.null, "users", 1] as [JSONValue] {
                let error = try await client.refusal("doublons.list", ["table": table])
                #expect(error.at("/data/errors/0/path") == "/table", "\(error.json)")
            }
        }
    }

    /// A debug build or a busy machine is slower; without a bound it would be minutes.
    @Test(arguments: [
        // Names of few words, one telephone number for all, one name for all, numbered names.
        """
        INSERT INTO clients (raison_sociale, email) SELECT w[1 + i % 100] || ' ' || w[1 + i * 7 / 100 % 100] || ' SARL',
            'c' || i || '@exemple.fr'
        FROM generate_series(1, 10000) i, (SELECT array_agg(translate(left(md5(n::text), 8), '0123456789', 'ghijklmnop')) FROM generate_series(1, 100) n) AS a (w)
        """,
        """
        INSERT INTO clients (raison_sociale, telephone) SELECT md5(i::text), '06 12 34 56 78'
        FROM generate_series(1, 10000) i
        """,
        "INSERT INTO clients (raison_sociale) SELECT 'Boulangerie du Port' FROM generate_series(1, 10000)",
        "INSERT INTO clients (raison_sociale) SELECT 'Client ' || i FROM generate_series(1, 10000) i",
    ])
    func `ten thousand clients are compared in bounded time`(rows: String) async throws {
        try await Self.serving(rows) { client in
            let start = ContinuousClock.now
            let answer = try await client.call("doublons.list", ["table": "clients", "first": 5])
            #expect(ContinuousClock.now - start < .seconds(12))
            #expect(answer["items"] != nil)
        }
    }

    @Test func `a vCard is read into values that create a client, and writes nothing by itself`() async throws {
        let rows = try await Fixtures()
        let user = try await TestServer.running().client(TestServer.user)
        let card = "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Rey;Anaïs\r\nORG:Clinique \(rows.mark)\r\nX-A:b\r\nEND:VCARD\r\n"
        let read = try await user.call("contacts.lire", ["texte": .string(card)])
        #expect(
            read == [
                "incompris": ["X-A: b"], "table": "clients",
                "values": ["nom_contact": "Anaïs Rey", "raison_sociale": .string("Clinique \(rows.mark)")],
            ])
        let before = try await user.call(
            "clients.list", ["search": .string(rows.mark), "count": true, "select": "{ id }"])
        #expect(before["total"] == 0)
        #expect(try await rows.create("clients", read["values"].map(Self.members) ?? []) > 0)
        let cases: [(JSONValue, String)] = [
            ([:], "/texte"), (["texte": " "], "/texte"), (["texte": 1], "/texte"),
            (["texte": "x", "table": "ecoles"], "/table"), (["texte": "x", "id": 1], "/id"),
        ]
        for (params, path) in cases {
            let error = try await user.refusal("contacts.lire", params)
            #expect(error["code"] == -32602)
            #expect(error.at("/data/errors/0/path") == .string(path), "\(error.json)")
        }
        #expect(try await TestServer.running().client(nil).refusal("contacts.lire", ["texte": "x"])["code"] == 401)
    }

    private static func members(of value: JSONValue) -> [(String, JSONValue)] {
        guard case .object(let object) = value else { return [] }
        return object.members.map { ($0.name, $0.value) }
    }
}
