import DomainKit
import JSON
import TestSupport
import Testing

@testable import QueryCompiler

/// A role that reaches its own rows: every table with an own column is limited wherever it occurs.
struct OwnRowsTests {
    private static let planner = Planner(domains: [Lending.domain], for: Lending.reader)
    /// The own column of each table.
    private static let ownColumns = ["loans": "reader_id", "readers": "id"]

    struct Example: Sendable, CustomTestStringConvertible {
        let name: String
        /// How often a limited table occurs.
        let occurrences: Int
        let queries: @Sendable (Planner) throws -> [Query]
        var testDescription: String { name }
    }

    private static func list(
        _ name: String, _ occurrences: Int, _ params: JSONObject, on entity: Entity = Lending.loans
    ) -> Example {
        Example(name: name, occurrences: occurrences) { [try $0.list(entity, params).query] }
    }

    private static func after(_ order: [JSONValue], _ values: [String?]) -> JSONValue {
        .string(
            (try? planner.list(Lending.loans, ["order_by": .array(order)]).cursor.encode(columnTexts: values)) ?? "")
    }

    static let examples: [Example] = [
        list("list", 1, [:]),
        list("list with a count", 2, ["count": true, "select": "{ id }"]),
        list("to-one relation", 2, ["select": "{ lent reader { name } }"]),
        list(
            "to-one relation of a table with every row", 1, ["select": "{ title lent_to { name } }"], on: Lending.books),
        list("nested list", 1, ["select": "{ title loans { lent } }"], on: Lending.books),
        list(
            "nested list with a relation, a search and a filter", 2,
            ["select": "{ title loans(search: \"swift\", where: {id: {gt: 2}}) { lent reader { name } } }"],
            on: Lending.books),
        list("some", 1, ["where": ["loans": ["some": ["lent": "2026-01-01"]]], "select": "{ id }"], on: Lending.books),
        list("none", 1, ["where": ["loans": ["none": [:]]], "select": "{ id }"], on: Lending.books),
        list("filter by a relation", 2, ["where": ["reader": ["name": "Anne"]], "select": "{ id }"]),
        list("no related record", 1, ["where": ["lent_to": nil], "select": "{ id }"], on: Lending.books),
        list("order by a relation", 2, ["order_by": ["-lent_to.name"], "select": "{ id }"], on: Lending.books),
        list(
            "order by a derived field of a relation", 1, ["order_by": ["lent_to.rank"], "select": "{ id }"],
            on: Lending.books),
        // A sample, a probe, the collection, and the page that is joined to the keys.
        list("search", 4, ["search": "swift", "select": "{ id }"]),
        list(
            "list after a cursor with keys in two directions", 6,
            [
                "order_by": ["-lent"], "select": "{ id }", "after": after(["-lent"], ["2026-01-12", "7"]),
            ]),
        Example(name: "get", occurrences: 1) { [try $0.get(Lending.loans, ["id": 5]).query] },
        Example(name: "aggregate", occurrences: 2) {
            [
                try $0.aggregate(
                    Lending.loans, ["group_by": ["reader.name"], "select": "{ count sum { days } }"]
                ).query
            ]
        },
        Example(name: "update", occurrences: 2) {
            try $0.update(Lending.loans, ["id": 5, "values": ["note": "a"], "if_version": 2]).statements
        },
        Example(name: "update without values", occurrences: 2) {
            try $0.update(Lending.loans, ["id": 5, "values": [:], "if_version": 2]).statements
        },
        Example(name: "version conflict", occurrences: 1) {
            let update = try $0.update(Lending.loans, ["id": 5, "values": ["note": "a"], "if_version": 2])
            return [update.current?.plan(id: "5").query].compactMap(\.self)
        },
        Example(name: "delete", occurrences: 1) { try $0.delete(Lending.loans, ["id": 5]).statements },
        Example(name: "duplicate", occurrences: 2) { try $0.duplicate(Lending.loans, ["id": 5]).statements },
        Example(name: "create", occurrences: 1) {
            try $0.create(Lending.loans, ["values": ["lent": "2026-01-12", "book_id": 3]]).statements
        },
        Example(name: "reading again", occurrences: 1) {
            [try $0.duplicate(Lending.loans, ["id": 5]).readAgain].compactMap { $0?.plan(id: "5").query }
        },
        Example(name: "references", occurrences: 1) {
            [$0.references(to: Lending.books, id: "5")].compactMap(\.self)
        },
        Example(name: "missing reference", occurrences: 1) {
            $0.missingReferences(Lending.books, ["lent_to_id": 7]).map(\.query)
        },
    ]

    @Test(arguments: examples)
    func `every occurrence of a table with own rows is limited to the subject`(_ example: Example) throws {
        var found = 0
        for query in try example.queries(Self.planner) {
            let sql = query.statement.text
            for (table, column) in Self.ownColumns {
                for match in sql.matches(of: try Regex("(?:FROM|JOIN|UPDATE) \(table)(?: (t[0-9]+))?\\b")) {
                    let alias = match.output[1].substring.map { "\($0)." } ?? ""
                    #expect(sql.contains(" \(alias)\(column) = kernel.subject()"), "\(sql)")
                    found += 1
                }
            }
        }
        #expect(found == example.occurrences)
    }

    @Test(arguments: examples)
    func `a role that reaches every row has the statements of a planner without roles`(_ example: Example) throws {
        let admin = Planner(domains: [Lending.domain], for: .admin)
        let unlimited = Planner(domains: [Lending.domain])
        let values: JSONObject = ["lent": "2026-01-12", "book_id": 3, "reader_id": 1]
        guard example.name != "create" else {
            let create = try admin.create(Lending.loans, ["values": .object(values)]).statements.map(\.statement.text)
            #expect(!create.joined().contains("kernel.subject"))
            return
        }
        let texts = try example.queries(admin).map(\.statement.text)
        #expect(try texts == example.queries(unlimited).map(\.statement.text))
        #expect(!texts.joined().contains("kernel.subject"))
    }

    @Test func `a foreign row is null over a relation, in its condition for the join`() throws {
        let plan = try Self.planner.get(Lending.books, ["id": 5, "select": "{ lent_to { name } }"])
        #expect(
            plan.query.statement.text.contains(
                "LEFT JOIN readers t1 ON t1.id = t0.lent_to_id AND t1.company_id = $2::bigint AND t1.id = kernel.subject()"
            ))
    }

    @Test func `a created record belongs to the subject, and the column is not accepted`() throws {
        let create = try Self.planner.create(
            Lending.loans, ["values": ["lent": "2026-01-12", "book_id": 3], "select": "{ id }"])
        #expect(
            create.statements[0].statement.text.contains(
                "INSERT INTO loans (lent, book_id, reader_id)\nVALUES ($1::date, $2::bigint, kernel.subject())\n"))
        for kind in ["create", "update", "duplicate"] {
            let params: JSONObject = ["id": 5, "values": ["lent": "2026-01-12", "book_id": 3, "reader_id": 1]]
            let found = problems { () throws(PlanError) in
                switch kind {
                case "create": _ = try Self.planner.create(Lending.loans, params)
                case "update": _ = try Self.planner.update(Lending.loans, params)
                default: _ = try Self.planner.duplicate(Lending.loans, params)
                }
            }
            #expect(found.map(\.path) == ["/values/reader_id"], "\(kind)")
            #expect(found.map(\.code) == [.readOnly], "\(kind)")
        }
    }

    @Test func `a copied record belongs to the subject`() throws {
        let copy = try Self.planner.duplicate(Lending.loans, ["id": 5, "select": "{ id }"])
        #expect(
            copy.statements[0].statement.text == """
                WITH t1 AS (
                INSERT INTO loans (lent, note, book_id, reader_id)
                SELECT t0.lent, t0.note, t0.book_id, kernel.subject()
                FROM loans t0
                WHERE t0.id = $1::bigint AND t0.company_id = $2::bigint AND t0.reader_id = kernel.subject()
                RETURNING id
                )
                SELECT set_config('learntrack.answered', id::text, true) FROM t1
                """)
    }

    @Test func `a deleted record is one of the subject's`() throws {
        let delete = try Self.planner.delete(Lending.loans, ["id": 5, "if_version": 2])
        #expect(
            delete.statements[0].statement.text.contains(
                "DELETE FROM loans\nWHERE id = $1::bigint AND version = $2::integer AND company_id = $3::bigint "
                    + "AND reader_id = kernel.subject()\n")
        )
    }

    @Test func `what the role may not read is unknown`() {
        func paths(_ params: JSONObject) -> [String] {
            problems { () throws(PlanError) in _ = try Self.planner.list(Lending.loans, params) }.map {
                #expect($0.suggestion != "fines")
                return "\($0.path) \($0.code.rawValue)"
            }
        }
        #expect(paths(["select": "{ fines { id } }"]) == ["/select unknown"])
        #expect(paths(["where": ["fines": ["some": [:]]]]) == ["/where/fines unknown"])
        #expect(
            problems { () throws(PlanError) in _ = try Self.planner.list(Lending.fines, [:]) }.map(\.code) == [.unknown]
        )
        // Fines are not counted either.
        #expect(Self.planner.references(to: Lending.loans, id: "5") == nil)
    }

    @Test func `roles with the same rights share a planner`() throws {
        let other = Role("other", subject: "readers")
        let planners = Planner.planners(
            for: [.admin, .user, Lending.reader, other], domains: [Lending.domain])
        #expect(planners[.user] === planners[other])
        #expect(planners[.admin] !== planners[Lending.reader])
    }
}
