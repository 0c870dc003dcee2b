import DomainKit
import JSON
import Testing

@testable import QueryCompiler

struct CacheTests {
    private let planner = Sample.planner()

    @Test
    func `calls that differ only in literals share one statement`() throws {
        let calls: [JSONObject] = [
            ["where": ["module": "a"], "first": 9, "select": "{ id client { sessions(first: 3) { id } } }"],
            ["where": ["module": "b"], "first": 12, "select": "{ id client { sessions(first: 4) { id } } }"],
            [
                "where": ["module": "c"], "first": 15, "variables": ["n": 5],
                "select": "{ id client { sessions(first: $n) { id } } }",
            ],
        ]
        let plans = try calls.map { try planner.list(Sample.sessions, $0) }
        #expect(Set(plans.map(\.query.statement)).count == 1)
        #expect(plans.map(\.query.parameters) == [["3", "a", "10"], ["4", "b", "13"], ["5", "c", "16"]])
    }

    @Test
    func `selections with the same text or the same meaning share one statement`() throws {
        let texts = ["{ id module }", "{ id module }", "{id,module}", "{ ...A } fragment A on sessions { id module }"]
        let plans = try texts.enumerated().map { index, text in
            try planner.get(Sample.sessions, ["id": .number("\(index + 1)"), "select": .string(text)])
        }
        #expect(Set(plans.map(\.query.statement)).count == 1)
        #expect(plans.map(\.query.parameters) == [["1"], ["2"], ["3"], ["4"]])
    }

    @Test
    func `texts that differ only in the bytes of an accent keep their own literals`() throws {
        let texts = ["\u{E9}", "e\u{301}"]
        let plans = try texts.map { text in
            try planner.get(
                Sample.clients, ["id": 1, "select": .string("{ sessions(where: {module: \"\(text)\"}) { id } }")])
        }
        #expect(
            plans.map { Array(($0.query.parameters[0] ?? "").unicodeScalars) } == texts.map { Array($0.unicodeScalars) }
        )
    }

    @Test
    func `a cached selection still rejects variables that are not used`() throws {
        let params: JSONObject = ["id": 1, "select": "{ id }"]
        _ = try planner.get(Sample.sessions, params)
        let found = problems { () throws(PlanError) in
            _ = try planner.get(Sample.sessions, ["id": 1, "select": "{ id }", "variables": ["x": 1]])
        }
        #expect(found.map(\.path) == ["/variables/x"])
    }

    @Test(arguments: ["module: \"a\"", "client: {ville: \"a\"}"])
    func `a cached selection counts as many conditions as a parsed one`(of condition: String) {
        let some = Array(repeating: "{\(condition)}", count: condition.hasPrefix("client") ? 20 : 600)
        let literals = "{ client { sessions(where: {or: [\(some.joined(separator: ","))]}) { id } } }"
        let given: JSONValue = condition.hasPrefix("client") ? ["client": ["ville": "a"]] : ["module": "a"]
        let params: JSONObject = ["select": .string(literals), "where": ["or": .array(some.map { _ in given })]]
        let verdicts = (0..<3).map { _ in
            problems { () throws(PlanError) in _ = try planner.list(Sample.sessions, params) }.map(\.code)
        }
        #expect(verdicts == [[.outOfRange], [.outOfRange], [.outOfRange]])
    }

    @Test
    func `writes of the same columns in any order share one statement`() throws {
        let first = try planner.update(Sample.sessions, ["id": 1, "values": ["module": "a", "date": "2026-01-01"]])
        let second = try planner.update(Sample.sessions, ["id": 2, "values": ["date": "2026-01-02", "module": "b"]])
        #expect(first.statements.map(\.statement) == second.statements.map(\.statement))
        #expect(second.statements[0].parameters == ["2", "b", "2026-01-02"])
    }

    @Test
    func `the cache has a bounded number of entries and keeps those used recently`() {
        let cache = ClockCache<Int, Int>(capacity: 10)
        for number in 0..<1_000 {
            #expect(cache.insert(number, for: number) == number)
            #expect(cache[0] == 0)
            #expect(cache.count <= 10)
        }
        #expect(cache[1] == nil)
    }

    @Test(
        arguments: [
            (["date": ["gte": "2026-01-01"]], false), (["module": ["ilike": "s%"]], true),
            (["not": ["client": ["ville": "Lyon"]]], true), (["or": [["id": 1], ["lieu": ["like": "x"]]]], true),
            ([:], false), (["client_id": 7], false), (["client_id": 7, "modalite": "P"], false),
            (["or": [["client_id": 7], ["formateur_id": 8]]], true), (["modalite": "P"], true),
            (["client_id": ["in": [1, 2]]], true), (["debut": ["lt": "08:00"]], true), (["marge": ["gt": 1]], true),
        ] as [(JSONValue, Bool)])
    func `a statement prefers a custom plan if its best plan depends on its values`(
        filter: JSONValue, prefersCustomPlan: Bool
    ) throws {
        let plan = try planner.list(Sample.sessions, ["where": filter])
        #expect(plan.query.statement.prefersCustomPlan == prefersCustomPlan)
    }

    /// Another order has another first key, and a count reads the whole range of the order.
    @Test(arguments: [["order_by": ["debut"]], ["count": true]] as [JSONObject])
    func `a range of the default order's first key does not bound another order or a count`(params: JSONObject) throws {
        var params = params
        params.members.append(.init("where", ["date": ["gte": "2026-01-01"]]))
        #expect(try planner.list(Sample.sessions, params).query.statement.prefersCustomPlan)
    }

    @Test
    func `the attachment of a statement is created once`() throws {
        final class Prepared: Sendable {}
        let statement = try planner.get(Sample.sessions, ["id": 1]).query.statement
        let first = statement.attachment { _ in Prepared() }
        #expect(statement.attachment { _ in Prepared() } === first)
    }
}
