import DomainKit
import JSON
import QueryCompiler
import Testing

struct SelectionProblemTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let select: String
        let code: Problem.Code
        let line: Int
        let column: Int
        var suggestion: String?
        var testDescription: String { select }

        init(_ select: String, _ code: Problem.Code, _ line: Int, _ column: Int, _ suggestion: String? = nil) {
            self.select = select
            self.code = code
            self.line = line
            self.column = column
            self.suggestion = suggestion
        }
    }

    static let cases: [Case] = [
        Case("{ }", .format, 1, 1),
        Case("", .format, 1, 1),
        Case("id", .format, 1, 1),
        Case("{ id", .format, 1, 5),
        Case("query { id }", .format, 1, 1),
        Case("{ id @skip(if: true) }", .format, 1, 6),
        Case("{ ... on sessions { id } }", .format, 1, 3),
        Case("{ id\n  modul }", .unknown, 2, 3, "module"),
        Case("{ formateur { nom prenon } }", .unknown, 1, 19, "prenom"),
        Case("{ formateur }", .type, 1, 3),
        Case("{ id { x } }", .type, 1, 6),
        Case("{ marge { x } }", .type, 1, 9),
        Case("{ __typename { x } }", .type, 1, 14),
        Case("{ id(first: 1) }", .unknown, 1, 6),
        Case("{ formateur(first: 1) { nom } }", .unknown, 1, 13),
        Case("{ x: id x: module }", .duplicate, 1, 9),
        Case("{ client { a: sessions(first: 1) { id } a: sessions(first: 2) { id } } }", .duplicate, 1, 41),
        Case("{ client { sessions(frst: 1) { id } } }", .unknown, 1, 21, "first"),
        Case("{ client { sessions(first: 1, first: 1) { id } } }", .duplicate, 1, 31),
        Case("{ client { sessions(first: 0) { id } } }", .outOfRange, 1, 28),
        Case("{ client { sessions(first: 501) { id } } }", .outOfRange, 1, 28),
        Case("{ client { sessions(first: 1.5) { id } } }", .type, 1, 28),
        Case("{ client { sessions(first: [1]) { id } } }", .type, 1, 28),
        Case("{ client { sessions(order_by: \"date\") { id } } }", .type, 1, 31),
        Case("{ client { sessions(order_by: [date]) { id } } }", .type, 1, 32),
        Case("{ client { sessions(order_by: [\"dat\"]) { id } } }", .unknown, 1, 32, "date"),
        Case("{ client { sessions(where: {dat: 1}) { id } } }", .unknown, 1, 29, "date"),
        Case("{ client { sessions(where: {date: {gte: \"2026-02-30\"}}) { id } } }", .format, 1, 41),
        Case("{ client { sessions(where: {id: 1, id: 2}) { id } } }", .duplicate, 1, 36),
        Case("{ client { sessions(search: 3) { id } } }", .type, 1, 29),
        Case("{ ...A }", .unknown, 1, 6),
        Case("{ id } fragment A on sessions { id }", .unknown, 1, 17),
        Case("{ ...A } fragment A on formateurs { id }", .type, 1, 6),
        Case("{ ...A } fragment A on nulle_part { id }", .unknown, 1, 24),
        Case("{ ...A } fragment A on sessions { id } fragment A on sessions { id }", .duplicate, 1, 49),
        Case("{ ...A } fragment A on sessions { id ...A }", .rule, 1, 19),
        Case("{ client { sessions(first: $n) { id } } }", .required, 1, 28),
    ]

    @Test(arguments: cases)
    func `a problem of a selection is reported with its position`(_ example: Case) throws {
        let planner = Sample.planner()
        let found = problems { () throws(PlanError) in
            _ = try planner.get(Sample.sessions, ["id": 1, "select": .string(example.select)])
        }
        let problem = try #require(found.first)
        #expect(found.count == 1)
        #expect(problem.path == "/select")
        #expect(problem.code == example.code)
        #expect(problem.position == TextPosition(line: example.line, column: example.column))
        #expect(problem.message.contains("igne \(example.line), colonne \(example.column)"))
        #expect(problem.suggestion == example.suggestion)
    }

    @Test
    func `the problems of all params are reported together`() {
        let planner = Sample.planner()
        let found = problems { () throws(PlanError) in
            _ = try planner.list(
                Sample.sessions,
                [
                    "select": "{ idd modul }", "where": ["dat": 1, "id": "x"], "order_by": ["-dae"],
                    "first": 0, "after": "x", "count": 1, "search": 1, "variables": ["v": 1],
                ])
        }
        #expect(
            found.map(\.path) == [
                "/select", "/select", "/variables/v", "/where/dat", "/where/id", "/search", "/order_by/0",
                "/first", "/after", "/count",
            ])
    }

    @Test
    func `at most a hundred problems are reported`() {
        let planner = Sample.planner()
        let fields = (0..<500).map { "x\($0)" }.joined(separator: " ")
        let found = problems { () throws(PlanError) in
            _ = try planner.get(Sample.sessions, ["id": 1, "select": .string("{ \(fields) }")])
        }
        #expect(found.count == 100)
    }

    @Test
    func `a problem of a variable's value has a path in variables`() {
        let planner = Sample.planner()
        let select: JSONValue = "{ client { sessions(where: $w, order_by: $o, first: $n, search: $s) { id } } }"
        let good: JSONValue = ["w": ["date": ["gte": "2026-01-01"]], "o": ["-date"], "n": 3, "s": "swift"]
        #expect(
            problems { () throws(PlanError) in
                _ = try planner.get(Sample.sessions, ["id": 1, "select": select, "variables": good])
            }.isEmpty)
        let bad: JSONValue = ["w": ["date": ["gte": "hier"]], "o": ["-dat"], "n": 0, "s": 1, "t": 2]
        let found = problems { () throws(PlanError) in
            _ = try planner.get(Sample.sessions, ["id": 1, "select": select, "variables": bad])
        }
        #expect(
            found.map(\.path) == [
                "/variables/w/date/gte", "/variables/o/0", "/variables/n", "/variables/s", "/variables/t",
            ])
    }

    @Test
    func `variables can be used anywhere in a literal`() throws {
        let plan = try Sample.planner().get(
            Sample.clients,
            [
                "id": 1, "select": "{ sessions(where: {id: {in: [$a, 2]}, or: [{module: $b}, $c]}) { id } }",
                "variables": ["a": 1, "b": nil, "c": ["date": "2026-01-01"]],
            ])
        #expect(plan.query.parameters == ["{\"1\",\"2\"}", "2026-01-01", "1"])
        #expect(plan.query.statement.text.contains("module IS NULL"))
    }
}
