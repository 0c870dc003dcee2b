import DomainKit
import Foundation
import TestPostgres
import Testing

@Suite("Of 100,000 sessions")
struct IndexUseTests {
    private func check(_ questions: [LargeDatabase.Question], removing most: Int? = nil) async throws {
        let large = try await LargeDatabase.made()
        for plan in try await large.plans(of: questions) {
            #expect(!plan.scannedTables.contains("sessions"), "\(plan.name)\n\(plan.text)")
            if let most { #expect(plan.mostRowsRemoved <= most, "\(plan.name)\n\(plan.text)") }
        }
    }

    /// Rows that may be read for nothing: a page is found without walking through the table in another order.
    private static let stretch = 10_000

    private static let columns = [
        "module", "date", "debut", "fin", "modalite", "lieu", "tarif_client", "tarif_sous_traitant", "frais_rembourser",
        "ref_contrat", "ecole_id", "client_id", "formateur_id", "version", "marge", "duree_minutes",
    ]

    @Test("an index gives the first page in any column's order, and in the default one")
    func firstPages() async throws {
        let large = try await LargeDatabase.made()
        var questions = [try large.list("sessions", [:])]
        for column in Self.columns + ["id", "created_at", "updated_at"] {
            for direction in ["", "-"] {
                questions.append(
                    try large.list("sessions", ["order_by": [.string(direction + column)], "select": "{ id }"]))
            }
        }
        try await check(questions, removing: Self.stretch)
    }

    @Test("an index gives the thousandth page as it gives the first")
    func deepPages() async throws {
        let large = try await LargeDatabase.made()
        var questions: [LargeDatabase.Question] = []
        for column in Self.columns {
            let derived = ["marge", "duree_minutes"].contains(column)
            let collation = ["module", "lieu", "ref_contrat"].contains(column) ? " COLLATE francais" : ""
            let value = derived ? "\(column)(s)" : column
            for (direction, sql) in [("", ""), ("-", " DESC NULLS LAST")] {
                let row = try await large.database.psql(
                    "SELECT \(value), id FROM sessions s ORDER BY \(value)\(collation)\(sql), id OFFSET 50000 LIMIT 1")
                let params: Object = ["order_by": [.string(direction + column)], "select": "{ id }"]
                questions.append(
                    try large.list("sessions", params, after: row.components(separatedBy: "|").map { $0 }))
            }
        }
        let row = try await large.database.psql(
            "SELECT date, debut, id FROM sessions ORDER BY date DESC, debut, id OFFSET 50000 LIMIT 1")
        questions.append(
            try large.list("sessions", ["select": "{ id }"], after: row.components(separatedBy: "|").map { $0 }))
        try await check(questions, removing: Self.stretch)
    }

    @Test("an index finds the records of a filter")
    func filters() async throws {
        let large = try await LargeDatabase.made()
        let filters: [Object] = [
            ["id": 5_000], ["id": ["in": [1, 2, 3]]], ["id": ["gt": 99_990]],
            ["date": "2025-03-03"], ["date": ["gte": "2025-03-01", "lt": "2025-04-01"]], ["date": ["gt": "2026-11-01"]],
            ["date": ["in": ["2025-03-03", "2025-03-04"]]],
            ["module": ["like": "Postgres c4%"]], ["module": "Postgres c4ca"],
            ["module": ["in": ["Postgres c4ca", "x"]]],
            ["module": ["gt": "SwiftUI avancé ff"]], ["module": ["lt": "Excel 1"]], ["ref_contrat": "CT-500"],
            ["ref_contrat": ["like": "CT-500%"]], ["lieu": "Nulle part"], ["lieu": nil],
            ["client_id": 7], ["formateur_id": 7], ["ecole_id": 7], ["formateur_id": nil], ["formateur": nil],
            ["client_id": ["in": [1, 2, 3]]], ["or": [["client_id": 7], ["formateur_id": 8]]],
            ["tarif_client": 850], ["tarif_client": nil], ["version": 2], ["version": ["gt": 1]],
            ["fin": ["gt": "17:00"]],
            ["debut": ["lt": "08:00"]], ["created_at": ["gt": "2100-01-01T00:00:00Z"]],
            ["duree_minutes": ["lt": 100]], ["marge": 501],
            ["formateur": ["nom": "Dupré 7"]], ["client": ["raison_sociale": ["like": "Société 1%"]]],
            ["formateur": ["nom": ["ilike": "dup%"]]], ["modalite": "P"], ["modalite": ["ne": "P"]],
            [
                "date": ["gte": "2026-01-01", "lt": "2026-02-01"], "modalite": "P",
                "formateur": ["nom": ["ilike": "dup%"]],
            ],
            ["client": ["sessions": ["some": ["date": "2025-03-03"]]]],
        ]
        try await check(try filters.map { try large.list("sessions", ["where": .object($0), "select": "{ id }"]) })
    }

    @Test("an index counts the records of a filter, and sums a month's")
    func counts() async throws {
        let large = try await LargeDatabase.made()
        var questions: [LargeDatabase.Question] = []
        let month: Value = ["date": ["gte": "2025-03-01", "lt": "2025-04-01"]]
        for filter: Value in [
            month, ["client_id": 7], ["date": ["gt": "2026-11-01"]], ["formateur": ["nom": "Dupré 7"]],
        ] {
            questions.append(try large.list("sessions", ["where": filter, "count": true, "select": "{ id }"]))
        }
        questions.append(
            try large.aggregate([
                "where": month, "group_by": ["formateur.nom"], "select": "{ count sum { tarif_client marge } }",
                "order_by": ["-sum.tarif_client"], "first": 5,
            ]))
        try await check(questions)
    }

    @Test("an index finds the words of a search (SESS-08)")
    func searches() async throws {
        let large = try await LargeDatabase.made()
        try await check(
            try ["elodie", "swift", "postgres c4ca", "zzzz", "CT-500", "paris swift elodie", "dupré swift"].map {
                try large.list("sessions", ["search": .string($0), "select": "{ id }"])
            })
    }

    @Test("an index gives what a relation's arguments ask for")
    func relations() async throws {
        let large = try await LargeDatabase.made()
        try await check([
            try large.list(
                "clients",
                [
                    "first": 10,
                    "select": """
                    { raison_sociale nombre_sessions
                      prochaines: sessions(where: {date: {gte: "2026-01-01"}}, order_by: ["date"], first: 3) { date module } }
                    """,
                ])
        ])
    }
}
