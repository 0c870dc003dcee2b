import DomainKit
import JSON
import QueryCompiler
import TestSupport
import Testing

/// The SQL of typical calls, in files that can be read and run. `UPDATE_GOLDENS=1` rewrites them.
struct GoldenTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let name: String
        let queries: @Sendable (Planner) throws -> [Query]
        var testDescription: String { name }
    }

    private static func list(_ name: String, _ params: JSONObject, on entity: Entity = Sample.sessions) -> Example {
        Example(name: name) { [try $0.list(entity, params).query] }
    }

    /// The digits that stand for the ids of two earlier calls of a transaction.
    private static let first = "9223372036854775807"
    private static let second = "9223372036854775806"
    private static let afterOthers = WriteMode(references: [first: 0, second: 1])

    static let examples: [Example] = [
        list("list", [:]),
        list(
            "list-where",
            [
                "where": [
                    "date": ["gte": "2026-01-01", "lt": "2026-02-01"], "modalite": "P", "lieu": nil,
                    "client": ["ville": ["ilike": "par%"]], "or": [["formateur": nil], ["marge": ["lt": 0]]],
                    "not": ["id": ["in": [1, 2]]], "module": ["gte": "M"],
                ],
                "select": "{ id }",
            ]),
        list(
            "list-figures",
            [
                "where": ["nombre_sessions": ["gt": 3]], "order_by": ["-chiffre"],
                "select": "{ raison_sociale nombre_sessions a_distance chiffre derniere }",
            ], on: Sample.clients),
        list(
            "list-related-figure", ["select": "{ client { nombre_sessions } }"]),
        list("list-near", ["search": "garcai de", "near": true, "count": true, "select": "{ id }"]),
        list("list-empty-conditions", ["where": ["and": [], "or": [], "id": ["in": []]], "select": "{ id }"]),
        list(
            "list-to-many-where",
            [
                "where": [
                    "sessions": ["some": ["date": "2026-01-01", "client": ["ville": "Lyon"]], "none": ["tarif": nil]]
                ],
                "select": "{ nom is_active }",
            ], on: Sample.formateurs),
        list(
            "list-guessed",
            [
                "where": [
                    "date": ["gte": "2026-01-01"], "lieu": ["ilike": "%paris%"], "tarif": ["gt": 100],
                    "formateur": ["nom": ["ilike": "dup%"]],
                ],
                "select": "{ id }",
            ]),
        list("list-status", ["where": ["statut": "terminee"], "select": "{ id }"]),
        list(
            "list-related-order",
            ["order_by": ["-formateur.nom"], "select": "{ id }"]),
        list(
            "list-after-related-order",
            [
                "order_by": ["formateur.nom"], "select": "{ id }",
                "after": .string(Sample.cursor(["formateur.nom"], ["Dupré", "7"])),
            ]),
        list(
            "list-after-uniform",
            [
                "order_by": ["-date", "-id"], "select": "{ id }",
                "after": .string(Sample.cursor(["-date", "-id"], ["2026-01-12", "7"])),
            ]),
        list(
            "list-after-mixed",
            [
                "select": "{ id }", "after": .string(Sample.cursor(nil, ["2026-01-12", "09:00:00", "7"])),
            ]),
        list(
            "list-after-nullable",
            [
                "order_by": ["tarif"], "select": "{ id }", "after": .string(Sample.cursor(["tarif"], ["450.00", "7"])),
            ]),
        list(
            "list-after-null",
            [
                "order_by": ["-tarif"], "select": "{ id }", "after": .string(Sample.cursor(["-tarif"], [nil, "7"])),
            ]),
        list(
            "list-after-relation",
            [
                "order_by": ["-date", "formateur.nombre_sessions"], "select": "{ id }",
                "after": .string(Sample.cursor(["-date", "formateur.nombre_sessions"], ["2026-01-12", nil, "7"])),
            ]),
        list("list-nullable-descending", ["order_by": ["-lieu"], "select": "{ id }"]),
        list(
            "list-count", ["count": true, "where": ["modalite": "D"], "order_by": ["-created_at"], "select": "{ id }"]),
        list("list-search", ["search": "élo_die swift", "select": "{ module }", "first": 20]),
        list(
            "list-search-after",
            [
                "search": "swift", "select": "{ module }",
                "after": .string(Sample.cursor(nil, ["2026-01-12", "09:00:00", "7"])),
            ]),
        Example(name: "get-relations") {
            [
                try $0.get(
                    Sample.sessions,
                    [
                        "id": 5,
                        "select": """
                        { id module __typename formateur { nom actif: is_active nom_complet } created_at
                          client { raison_sociale prochaines: sessions(where: {date: {gte: "2026-01-01"}},
                          order_by: ["date"], first: 3) { date tarif created_at lieu formateur { nom is_active } } } }
                        """,
                    ]
                ).query
            ]
        },
        Example(name: "aggregate") {
            [
                try $0.aggregate(
                    Sample.sessions,
                    [
                        "group_by": ["client.ville", "month(date)"], "where": ["modalite": "P"], "search": "swift",
                        "select": "{ count sum { tarif marge } avg { tarif } min { created_at } }",
                        "order_by": ["-sum.marge"],
                    ]
                ).query
            ]
        },
        Example(name: "create") {
            try $0.create(
                Sample.sessions,
                [
                    "values": [
                        "date": "2026-01-12", "module": "Swift", "debut": "09:00", "modalite": "P", "client_id": 3,
                        "tarif": .number("1200.50"), "lieu": nil,
                    ],
                    "select": "{ id }",
                ]
            ).statements
        },
        Example(name: "update") {
            try $0.update(
                Sample.sessions,
                [
                    "id": 5, "values": ["tarif": nil, "module": "Swift"], "if_version": 2, "select": "{ id version }",
                ]
            ).statements
        },
        Example(name: "update-nothing-if-version") {
            try $0.update(Sample.sessions, ["id": 5, "values": [:], "if_version": 2, "select": "{ id }"]).statements
        },
        Example(name: "duplicate") {
            try $0.duplicate(Sample.sessions, ["id": 5, "values": ["date": "2026-02-01"], "select": "{ id }"])
                .statements
        },
        Example(name: "delete-if-version") {
            try $0.delete(Sample.clients, ["id": 5, "if_version": 2]).statements
        },
        Example(name: "create-after-others") {
            try $0.create(
                Sample.sessions,
                [
                    "values": [
                        "module": "Swift", "date": "2026-01-12", "debut": "09:00", "modalite": "P",
                        "client_id": .number(first),
                    ],
                    "select": "{ id }",
                ], afterOthers
            ).statements
        },
        Example(name: "update-after-others") {
            try $0.update(
                Sample.sessions,
                [
                    "id": .number(second), "if_version": 2, "select": "{ id }",
                    "values": ["module": "Swift", "client_id": 3, "formateur_id": .number(first)],
                ], afterOthers
            ).statements
        },
        Example(name: "duplicate-after-others") {
            try $0.duplicate(
                Sample.sessions, ["id": .number(second), "values": ["date": "2026-02-01"], "select": "{ id }"],
                afterOthers
            ).statements
        },
        Example(name: "delete-after-others") {
            try $0.delete(Sample.clients, ["id": .number(first)], afterOthers).statements
        },
        Example(name: "references") { planner in
            planner.missingReferences(Sample.sessions, ["formateur_id": 7, "client_id": 8]).map(\.query)
                + [planner.references(to: Sample.clients, id: "5")].compactMap { $0 }
        },
    ]

    @Test(arguments: examples)
    func `the SQL of a call is that of its golden file`(_ example: Example) throws {
        let queries = try example.queries(Sample.planner())
        let text = queries.map { query in
            let parameters = query.parameters.enumerated().map { index, value in
                "-- $\(index + 1): \(value ?? "NULL")\n"
            }
            return "\(query.statement.text);\n" + parameters.joined()
        }.joined(separator: "\n")
        try Goldens.expect(text, toMatch: "\(example.name).sql", of: "QueryCompilerTests")
    }
}

extension Sample {
    /// The cursor of a row with these values, for a list of sessions in this order.
    static func cursor(_ order: [String]?, _ texts: [String?]) -> String {
        var params: JSONObject = [:]
        if let order { params.members.append(.init("order_by", .array(order.map(JSONValue.string)))) }
        do {
            return try planner().list(sessions, params).cursor.encode(columnTexts: texts)
        } catch {
            return "no cursor: \(error)"
        }
    }
}
