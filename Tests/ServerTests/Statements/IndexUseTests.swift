import DomainKit
import Foundation
import JSON
import TestPostgres
import Testing

/// Not tested here, because no index can serve it, as documented:
///
/// - an order by `statut`, which depends on the present time: an index would be wrong a minute later;
/// - an order or filter by `nombre_sessions` or `ca_total`, also of a related record: aggregates over other records. Stored
///   with each trainer or client, they would make all writers of sessions wait for one row;
/// - an order by another derived field (`nom_complet`, `adresse` …), with one or two thousand records to sort;
/// - a search or pattern of one or two letters that few records contain: trigrams have three;
/// - filters that match nearly all records (`ne`, `nin`, `not`), for which the index of the order is scanned.
@Suite struct IndexUseTests {
    private func check(_ questions: [LargeDatabase.Question], removing most: Int? = nil) async throws {
        let large = try await LargeDatabase.made()
        for plan in try await large.plans(of: questions) {
            #expect(!plan.scannedTables.contains("sessions"), "\(plan.name)\n\(plan.text)")
            if let most { #expect(plan.mostRowsRemoved <= most, "\(plan.name)\n\(plan.text)") }
        }
    }

    /// The number of rows that a plan may read and discard.
    private static let stretch = 10_000

    private static let columns = [
        "module", "date", "debut", "fin", "modalite", "lieu", "tarif_client", "tarif_sous_traitant", "frais_rembourser",
        "ref_contrat", "ecole_id", "client_id", "formateur_id", "version", "marge", "duree_minutes",
    ]

    @Test func `an index serves the first page in the order of any column and in the default order`() async throws {
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

    private static let related = [
        "formateur.nom", "formateur.specialite", "formateur.taux_horaire", "client.raison_sociale", "client.ville",
        "ecole.nom", "client.id",
    ]

    @Test func `an index of the related table serves the first and the thousandth page in the order of its columns`()
        async throws
    {
        let large = try await LargeDatabase.made()
        var questions: [LargeDatabase.Question] = []
        for column in Self.related {
            let parts = column.split(separator: ".").map(String.init)
            let value = parts[1] == "specialite" ? "left(r.specialite, 200)" : "r.\(parts[1])"
            let isText = !["id", "taux_horaire"].contains(parts[1])
            for (direction, sql) in [("", ""), ("-", " DESC NULLS LAST")] {
                let params: JSONObject = ["order_by": [.string(direction + column)], "select": "{ id }"]
                let row = try await large.database.psql(
                    """
                    SELECT \(value), s.id FROM sessions s LEFT JOIN \(parts[0])s r ON r.id = s.\(parts[0])_id
                    ORDER BY \(value)\(isText ? " COLLATE francais" : "")\(sql), s.id OFFSET 50000 LIMIT 1
                    """)
                questions.append(try large.list("sessions", params))
                questions.append(
                    try large.list("sessions", params, after: row.components(separatedBy: "|").map { $0 }))
            }
        }
        questions.append(try large.list("sessions", ["order_by": ["formateur.nom", "-date"], "select": "{ id }"]))
        try await check(questions, removing: Self.stretch)
    }

    @Test func `a value computed from a related record is computed once for each of them, in any order`() async throws {
        let large = try await LargeDatabase.made()
        let questions = try ["client.ca_total", "-formateur.nombre_sessions"].map {
            try large.list("sessions", ["order_by": [.string($0)], "select": "{ id }"])
        }
        for plan in try await large.plans(of: questions) {
            #expect(plan.text.contains("Memoize"), "\(plan.name)\n\(plan.text)")
            #expect(plan.text.contains("Misses: ") && !plan.text.contains("Evictions: 1"), "\(plan.text)")
        }
    }

    @Test func `an index serves the thousandth page like the first`() async throws {
        let large = try await LargeDatabase.made()
        var questions: [LargeDatabase.Question] = []
        for column in Self.columns {
            let derived = ["marge", "duree_minutes"].contains(column)
            let collation = ["module", "lieu", "ref_contrat"].contains(column) ? " COLLATE francais" : ""
            let value = derived ? "\(column)(s)" : column
            for (direction, sql) in [("", ""), ("-", " DESC NULLS LAST")] {
                let row = try await large.database.psql(
                    "SELECT \(value), id FROM sessions s ORDER BY \(value)\(collation)\(sql), id OFFSET 50000 LIMIT 1")
                let params: JSONObject = ["order_by": [.string(direction + column)], "select": "{ id }"]
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

    @Test func `an index finds the records of a filter`() async throws {
        let large = try await LargeDatabase.made()
        let filters: [JSONObject] = [
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

    @Test func `an index finds the few records of a filter whose selectivity the statistics do not show`() async throws
    {
        let large = try await LargeDatabase.made()
        let filters: [JSONObject] = [
            ["module": ["ilike": "%c4ca%"]], ["module": ["like": "%gres c4c%"]], ["module": ["ilike": "POSTGRES C4C%"]],
            ["module": ["ilike": "%équipe c4c%"]], ["lieu": ["ilike": "%nulle part%"]],
            ["ref_contrat": ["ilike": "%t-5001%"]],
            ["or": [["module": ["ilike": "%c4ca%"]], ["lieu": ["ilike": "%nulle part%"]]]],
            ["date": ["gte": "2025-03-01", "lt": "2026-04-01"], "module": ["ilike": "%postgres c4c%"]],
            ["tarif_client": ["gt": 1_498]], ["tarif_client": ["lt": 801]], ["tarif_client": ["gt": 5_000]],
            ["tarif_client": ["gte": 1_490, "lt": 1_491]], ["marge": ["gt": 1_160]], ["marge": ["lte": 20]],
            ["client": ["raison_sociale": ["ilike": "%zz%"]]], ["formateur": ["taux_horaire": ["gt": 99]]],
            ["frais_rembourser": ["gt": 100]], ["tarif_sous_traitant": ["lt": 300]],
            ["statut": "en_cours"], ["statut": "a_venir"], ["statut": "terminee"], ["statut": ["in": ["en_cours"]]],
        ]
        try await check(
            try filters.map { try large.list("sessions", ["where": .object($0), "select": "{ id }"]) },
            removing: Self.stretch)
        try await check(
            try filters.map {
                try large.list("sessions", ["where": .object($0), "order_by": ["module"], "select": "{ id }"])
            }, removing: Self.stretch)
    }

    @Test func `an index still finds few records when a condition that nearly all fulfil is added`() async throws {
        let large = try await LargeDatabase.made()
        let few: [JSONObject] = [
            ["id": ["in": [1, 2, 3]]], ["lieu": "Nulle part"], ["lieu": ["in": ["Nulle part", "x"]]],
            ["ref_contrat": ["in": ["CT-500", "x"]]], ["client_id": ["in": [1, 2]]], ["module": "Postgres c4ca"],
            ["formateur": ["nom": "Dupré 7"]], ["client": ["raison_sociale": "Absente"]],
        ]
        let most: [JSONObject] = [
            ["tarif_client": ["gt": 0]], ["marge": ["gt": -10_000]], ["module": ["ilike": "%e%"]],
        ]
        var questions: [LargeDatabase.Question] = []
        for few in few {
            for most in most where !(few["module"] != nil && most["module"] != nil) {
                let filter = JSONObject(few.members + most.members)
                questions.append(try large.list("sessions", ["where": .object(filter), "select": "{ id }"]))
            }
        }
        try await check(questions, removing: Self.stretch)
    }

    @Test func `an index finds the few records after a given text`() async throws {
        let large = try await LargeDatabase.made()
        let filters: [JSONObject] = [
            ["ref_contrat": ["lt": "CT-1"]], ["ref_contrat": ["gt": "~~~~"]], ["ref_contrat": ["lt": " "]],
            ["module": ["lt": "Excel 1"]], ["module": ["gt": "~~~~"]], ["lieu": ["lt": "A"]], ["lieu": ["gt": "~"]],
        ]
        try await check(
            try filters.map { try large.list("sessions", ["where": .object($0), "select": "{ id }"]) },
            removing: Self.stretch)
    }

    @Test func `the index of the order fills the page when many records fulfil the filter`() async throws {
        let large = try await LargeDatabase.made()
        let filters: [JSONObject] = [
            ["module": ["ilike": "%swift%"]], ["lieu": ["ilike": "%ari%"]], ["tarif_client": ["gt": 850]],
            ["marge": ["lt": 900]], ["module": ["ilike": "%a%"]],
        ]
        for plan in try await large.plans(
            of: try filters.map { try large.list("sessions", ["where": .object($0), "select": "{ id }"]) })
        {
            #expect(plan.mostRowsRead <= 2_000, "\(plan.name)\n\(plan.text)")
        }
    }

    @Test func `an index counts the records of a filter and sums those of a month`() async throws {
        let large = try await LargeDatabase.made()
        var questions: [LargeDatabase.Question] = []
        let month: JSONValue = ["date": ["gte": "2025-03-01", "lt": "2025-04-01"]]
        for filter: JSONValue in [
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

    @Test func `an index finds the words of a search (SESS-08)`() async throws {
        let large = try await LargeDatabase.made()
        try await check(
            try ["elodie", "swift", "postgres c4ca", "zzzz", "CT-500", "paris swift elodie", "dupré swift"].map {
                try large.list("sessions", ["search": .string($0), "select": "{ id }"])
            })
    }

    @Test func `an index serves the arguments of a relation`() async throws {
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
