import DomainKit
import Foundation
import JSON
import TestPostgres
import Testing

/// Which index serves which list of 100,000 sessions. What no index serves is one scan of the table:
///
/// - an order by any other column than those of the default order, `id` and the foreign keys;
/// - an order by a field of a related record other than its `id` and the first of its default order;
/// - a filter that is neither on one of these nor on a part of a searchable text;
/// - a search or pattern of one or two letters: trigrams have three.
@Suite struct IndexUseTests {
    private func check(_ questions: [LargeDatabase.Question], removing most: Int? = nil) async throws {
        let large = try await LargeDatabase.made()
        for plan in try await large.plans(of: questions) {
            #expect(!plan.scannedTables.contains("sessions"), "\(plan.name)\n\(plan.text)")
            if let most { #expect(plan.mostRowsRemoved <= most, "\(plan.name)\n\(plan.text)") }
        }
    }

    /// Checks that each plan scans the table at most once, and does not walk through an index instead.
    ///
    /// - Parameter scans: the number of scans that are allowed: two for a page and the count of all matches.
    private func checkOneScan(_ questions: [LargeDatabase.Question], scans: Int = 1) async throws {
        let large = try await LargeDatabase.made()
        for plan in try await large.plans(of: questions) {
            #expect(plan.scannedTables.count { $0 == "sessions" } <= scans, "\(plan.name)\n\(plan.text)")
            #expect(plan.longestWalk <= Self.stretch, "\(plan.name)\n\(plan.text)")
            #expect(!plan.text.contains("external merge"), "\(plan.name)\n\(plan.text)")
        }
    }

    /// The periods have more and fewer than the 50,000 sessions from which on each client is looked up.
    @Test(arguments: [("2024-01-02", "2025-12-31"), ("2025-06-15", "2025-06-15")])
    func `the figures of a period read indexes, and count each client and trainer once`(
        first: String, last: String
    ) async throws {
        let database = try await LargeDatabase.made().database
        let plan = try await database.psql(
            """
            SET plan_cache_mode = force_generic_plan;
            PREPARE figures (date, date) AS SELECT * FROM indicateurs($1, $2);
            EXPLAIN EXECUTE figures ('\(first)', '\(last)')
            """)
        #expect(!plan.contains("Seq Scan on sessions") && !plan.contains("Heap Scan on sessions"), "\(plan)")
        let answer = try await database.psql(
            """
            BEGIN;
            UPDATE sessions SET client_id = NULL WHERE client_id = (SELECT max(client_id) FROM sessions);
            UPDATE sessions SET formateur_id = NULL WHERE formateur_id = (SELECT max(formateur_id) FROM sessions);
            SELECT (clients_actifs, formateurs_actifs, sans_client, sans_formateur) = (
                SELECT count(DISTINCT client_id), count(DISTINCT formateur_id),
                    count(*) FILTER (WHERE client_id IS NULL), count(*) FILTER (WHERE formateur_id IS NULL)
                FROM sessions WHERE date BETWEEN '\(first)' AND '\(last)'
            ) FROM indicateurs('\(first)', '\(last)');
            ROLLBACK
            """)
        #expect(answer.split(separator: "\n").contains("t"), "\(answer)")
    }

    @Test func `no table has more than twelve indexes, and each has its reason as a comment`() async throws {
        try await TestDatabase.with { database in
            let indexes = """
                SELECT indrelid::regclass FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
                WHERE relnamespace = 'public'::regnamespace
                """
            let many = try await database.psql("\(indexes) GROUP BY 1 HAVING count(*) > 12")
            #expect(many == "")
            let silent = try await database.psql("\(indexes) AND obj_description(indexrelid, 'pg_class') IS NULL")
            #expect(silent == "")
            let slowKeys = try await database.psql(
                """
                SELECT conrelid::regclass, conname FROM pg_constraint
                LEFT JOIN pg_attribute AS company ON company.attrelid = conrelid AND company.attname = 'company_id'
                WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND NOT EXISTS (
                    SELECT FROM pg_index WHERE indrelid = conrelid
                        AND CASE WHEN indkey[0] = company.attnum AND conkey <> ARRAY[company.attnum] THEN indkey[1]
                            ELSE indkey[0] END = ANY (conkey))
                """)
            #expect(slowKeys == "")
        }
    }

    /// The number of rows that a plan may read and discard.
    private static let stretch = 10_000

    private static let indexed = ["date", "id", "ecole_id", "client_id", "formateur_id"]
    private static let unindexed = [
        "module", "debut", "fin", "modalite", "lieu", "tarif_client", "tarif_sous_traitant", "frais_rembourser",
        "ref_contrat", "created_at", "version", "marge", "duree_minutes", "statut",
    ]

    /// The first and the thousandth page in the order of each field, in both directions.
    private func pages(_ columns: [String]) async throws -> [LargeDatabase.Question] {
        let large = try await LargeDatabase.made()
        var questions: [LargeDatabase.Question] = []
        for column in columns {
            let isDerived = ["marge", "duree_minutes", "statut"].contains(column)
            let collation = ["module", "lieu", "ref_contrat"].contains(column) ? " COLLATE francais" : ""
            let value = column == "created_at" ? "to_json(created_at)" : isDerived ? "\(column)(s)" : column
            let order = isDerived ? "\(column)(s)" : column
            for (direction, sql) in [("", ""), ("-", " DESC NULLS LAST")] {
                let row = try await large.database.psql(
                    "SELECT \(value), id FROM sessions s ORDER BY \(order)\(collation)\(sql), id OFFSET 50000 LIMIT 1")
                let params: JSONObject = ["order_by": [.string(direction + column)], "select": "{ id }"]
                questions.append(try large.list("sessions", params))
                let texts = row.components(separatedBy: "|").map { $0 }
                questions.append(try large.list("sessions", params, after: column == "id" ? [texts[0]] : texts))
            }
        }
        return questions
    }

    @Test func `an index serves the first and the thousandth page in the default order and in that of its columns`()
        async throws
    {
        let large = try await LargeDatabase.made()
        let row = try await large.database.psql(
            "SELECT date, debut, id FROM sessions ORDER BY date DESC, debut, id OFFSET 50000 LIMIT 1")
        try await check(
            try await pages(Self.indexed) + [
                try large.list("sessions", ["select": "{ id }"]),
                try large.list("sessions", ["select": "{ id }"], after: row.components(separatedBy: "|").map { $0 }),
            ], removing: Self.stretch)
    }

    @Test func `any other order is one scan and one sort, for the first page and for the thousandth`() async throws {
        try await checkOneScan(try await pages(Self.unindexed))
        let large = try await LargeDatabase.made()
        try await checkOneScan(
            try ["formateur.specialite", "-formateur.taux_horaire", "client.ville"].map {
                try large.list("sessions", ["order_by": [.string($0)], "select": "{ id }"])
            })
    }

    private static let related = ["formateur.nom", "client.raison_sociale", "ecole.nom", "client.id"]

    @Test func `an index of the related table serves the first and the thousandth page in its default order`()
        async throws
    {
        let large = try await LargeDatabase.made()
        var questions: [LargeDatabase.Question] = []
        for column in Self.related {
            let parts = column.split(separator: ".").map(String.init)
            let collation = parts[1] == "id" ? "" : " COLLATE francais"
            for (direction, sql) in [("", ""), ("-", " DESC NULLS LAST")] {
                let params: JSONObject = ["order_by": [.string(direction + column)], "select": "{ id }"]
                let row = try await large.database.psql(
                    """
                    SELECT r.\(parts[1]), s.id FROM sessions s LEFT JOIN \(parts[0])s r ON r.id = s.\(parts[0])_id
                    ORDER BY r.\(parts[1])\(collation)\(sql), s.id OFFSET 50000 LIMIT 1
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

    @Test func `an index finds the records of a filter`() async throws {
        let large = try await LargeDatabase.made()
        let filters: [JSONObject] = [
            ["id": 5_000], ["id": ["in": [1, 2, 3]]], ["id": ["gt": 99_990]],
            ["date": "2025-03-03"], ["date": ["gte": "2025-03-01", "lt": "2025-04-01"]], ["date": ["gt": "2026-11-01"]],
            ["date": ["in": ["2025-03-03", "2025-03-04"]]],
            ["client_id": 7], ["formateur_id": 7], ["ecole_id": 7], ["formateur_id": nil], ["formateur": nil],
            ["client_id": ["in": [1, 2, 3]]], ["or": [["client_id": 7], ["formateur_id": 8]]],
            ["formateur": ["nom": "Dupré 7"]], ["modalite": "P"], ["modalite": ["ne": "P"]],
            [
                "date": ["gte": "2026-01-01", "lt": "2026-02-01"], "modalite": "P",
                "formateur": ["nom": ["ilike": "dup%"]],
            ],
            ["client": ["sessions": ["some": ["date": "2025-03-03"]]]],
            // Through the trigrams of the searchable text.
            ["module": ["like": "Postgres c4%"]], ["module": "Postgres c4ca"], ["ref_contrat": "CT-500"],
            ["ref_contrat": ["like": "CT-500%"]], ["lieu": "Nulle part"],
            ["module": ["ilike": "%c4ca%"]], ["module": ["like": "%gres c4c%"]], ["module": ["ilike": "POSTGRES C4C%"]],
            ["module": ["ilike": "%équipe c4c%"]], ["lieu": ["ilike": "%nulle part%"]],
            ["ref_contrat": ["ilike": "%t-5001%"]],
            ["or": [["module": ["ilike": "%c4ca%"]], ["lieu": ["ilike": "%nulle part%"]]]],
            ["date": ["gte": "2025-03-01", "lt": "2026-04-01"], "module": ["ilike": "%postgres c4c%"]],
            ["client": ["raison_sociale": ["like": "Société 1%"]]], ["formateur": ["nom": ["ilike": "dup%"]]],
            ["client": ["raison_sociale": ["ilike": "%zz%"]]], ["formateur": ["taux_horaire": ["gt": 99]]],
            ["statut": "en_cours"], ["statut": "a_venir"], ["statut": "terminee"], ["statut": ["in": ["en_cours"]]],
        ]
        try await check(
            try filters.map { try large.list("sessions", ["where": .object($0), "select": "{ id }"]) },
            removing: Self.stretch)
        try await checkOneScan(
            try filters.map {
                try large.list("sessions", ["where": .object($0), "order_by": ["module"], "select": "{ id }"])
            })
    }

    @Test func `a filter that no index serves is one scan at most`() async throws {
        let large = try await LargeDatabase.made()
        let filters: [JSONObject] = [
            ["module": ["in": ["Postgres c4ca", "x"]]], ["lieu": nil], ["module": ["gt": "SwiftUI avancé ff"]],
            ["module": ["lt": "Excel 1"]], ["module": ["gt": "~~~~"]], ["lieu": ["lt": "A"]],
            ["ref_contrat": ["lt": " "]],
            ["tarif_client": 850], ["tarif_client": 5_000], ["tarif_client": nil], ["tarif_client": ["gt": 1_498]],
            ["tarif_client": ["gt": 5_000]], ["tarif_client": ["gte": 1_490, "lt": 1_491]], ["marge": ["lte": 20]],
            ["marge": nil], ["marge": 501], ["duree_minutes": ["lt": 100]], ["duree_minutes": 480],
            ["version": 2], ["version": ["gt": 1]], ["fin": ["gt": "17:00"]], ["debut": ["lt": "08:00"]],
            ["created_at": ["gt": "2100-01-01T00:00:00Z"]], ["lieu": ["ilike": "%zz%"]],
            ["or": [["client": ["ville": "Nulle part"]], ["formateur": ["nom": "Absent"]]]],
            ["client": ["raison_sociale": "Absente"], "tarif_client": ["gt": 0]],
            ["client_id": ["in": [1, 2]], "module": ["ilike": "%e%"]],
            ["lieu": "Nulle part", "marge": ["gt": -10_000]],
        ]
        try await checkOneScan(
            try filters.map { try large.list("sessions", ["where": .object($0), "select": "{ id }"]) })
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
        let searches = [
            "elodie", "swift", "postgres c4ca", "zzzz", "CT-500", "paris swift elodie", "dupré swift", "c4ca é",
        ]
        try await check(
            try searches.map { try large.list("sessions", ["search": .string($0), "select": "{ id }"]) },
            removing: Self.stretch)
        for (params, scans) in [([:], 1), (["count": true], 2), (["order_by": ["module"]], 1)] as [(JSONObject, Int)] {
            try await checkOneScan(
                try (searches + ["e", "zz", "e a"]).map {
                    let search: JSONObject = ["search": .string($0), "select": "{ id }"]
                    return try large.list("sessions", JSONObject(params.members + search.members))
                }, scans: scans)
        }
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
