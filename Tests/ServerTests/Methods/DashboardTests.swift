import DomainKit
import Foundation
import JSON
import TestPostgres
import Testing

@Suite struct DashboardTests {
    /// The params of the calls that the document shows under a heading.
    private func calls(under heading: String) throws -> [JSONValue] {
        let text = try String(
            contentsOf: LearnTrackProcess.projectRoot.appending(path: "docs/queries.md"), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix(heading) })
        return try section.components(separatedBy: "rpc '").dropFirst().map { rest in
            try JSONValue.parse(Array((rest.components(separatedBy: "'\n").first ?? "").utf8))
        }
    }

    @Test
    func `the dashboard of a month takes the two calls of the documentation: sessions, revenue, margin, best trainers`()
        async throws
    {
        let database = try await TestDatabase.create(migrated: true)
        try await database.psql(
            """
            INSERT INTO formateurs (prenom, nom) VALUES ('Élodie', 'Dupré'), ('Marc', 'Petit');
            INSERT INTO sessions (module, date, debut, fin, modalite, tarif_client, tarif_sous_traitant, formateur_id) VALUES
                ('a', '2026-10-31', '09:00', '17:00', 'P', 100.10, NULL, 1), ('b', '2026-11-01', '09:00', '17:00', 'P', 500, 100, 1),
                ('c', '2026-11-30', '09:00', '17:00', 'P', 500.50, 50, 2), ('d', '2026-11-30', '09:00', '17:00', 'P', 0.5, 0, 1),
                ('e', '2026-11-15', '09:00', '17:00', 'P', 9000, NULL, NULL), ('f', '2026-12-01', '09:00', '17:00', 'P', NULL, 7, 2);
            """)
        let server = try await TestServer.start(database: database)
        let client = try await server.client()
        let calls = try calls(under: "Aggregates")
        try #require(calls.count == 2)
        var results: [JSONValue] = []
        for call in calls { results.append(try await client.call(try #require(call["method"]?.text), call["params"])) }
        #expect(
            results[0] == [
                "has_next_page": false,
                "items": [
                    [
                        "count": 1, "month(date)": "2026-10-01",
                        "sum": ["marge": .number("100.1"), "tarif_client": .number("100.1")],
                    ],
                    [
                        "count": 4, "month(date)": "2026-11-01",
                        "sum": ["marge": .number("9851.0"), "tarif_client": .number("10001.0")],
                    ],
                    ["count": 1, "month(date)": "2026-12-01", "sum": ["marge": 0, "tarif_client": 0]],
                ],
            ])
        #expect(
            results[1] == [
                "has_next_page": false,
                "items": [
                    [
                        "count": 1, "formateur.nom_complet": "Marc Petit", "formateur_id": 2,
                        "sum": ["marge": .number("450.5")],
                    ],
                    [
                        "count": 2, "formateur.nom_complet": "Élodie Dupré", "formateur_id": 1,
                        "sum": ["marge": .number("400.5")],
                    ],
                ],
            ])
        #expect(try await server.stop() == 0)
    }
}
