import DomainKit
import JSON
import Testing

/// The parameters of a command that a domain might have, and its rules.
private let parameters = ColumnSet(
    [
        Column("lines", .json(.list(of: .anyObject, count: 1...9)), nullable: false, summary: ""),
        Column("from", .date, summary: ""), Column("to", .date, summary: ""),
    ],
    rules: [
        Rule(constraint: "period", columns: ["from", "to"], message: "Après.", ascending: true) { values in
            guard let from = values["from"]?.text, let to = values["to"]?.text else { return true }
            return from < to
        },
        Rule(constraint: "lines_known", columns: ["lines"], message: "Inconnue.", holds: nil),
        Rule(
            constraint: "stock", columns: ["lines"], message: "Manque.", effect: .conflict(reason: "stock"),
            holds: { _ in false }),
        Rule(constraint: "own", columns: [], message: "Interdit.", effect: .forbidden, holds: nil),
    ])

@Suite struct ColumnSetTests {
    private let facts: JSONObject = ["missing": 3]
    private let given: JSONObject = ["lines": [], "from": "2026-01-12"]

    @Test func `a set without an entity checks values and rules`() {
        let problems = parameters.problems(
            in: ["lnies": 1, "from": "2026-01-12", "to": "2026-01-11"], for: .create, at: "")
        #expect(
            problems.map { "\($0.path) \($0.code.rawValue)" } == [
                "/lnies unknown", "/lines required", "/to rule",
            ])
        #expect(problems.first?.suggestion == "lines")
    }

    @Test func `what only the database can see is not checked before it`() {
        #expect(parameters.problems(in: ["lines": [[:]]], for: .create, at: "") == [])
    }

    @Test(arguments: [
        ("lines_known", nil, "", "/lines"),
        ("lines_known", "/lines/3/sku", "", "/lines/3/sku"),
        ("lines_known", "/lines/3/sku", "/values", "/values/lines/3/sku"),
        ("lines_known", "/values/lines/3", "/values", "/values/lines/3"),
        ("lines_known", "/secret", "", "/lines"),
        ("lines_known", "lines", "", "/lines"),
        ("lines_known", "/", "", "/lines"),
        ("period", nil, "/values", "/values/from"),
    ])
    func `a broken rule is reported at the place that the function names, if that is a parameter`(
        rule: String, place: String?, path: String, expected: String
    ) {
        let refusal = parameters.refusal(forConstraint: rule, facts: facts, place: place, given: given, at: path)
        guard case .invalid(let problem)? = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(problem.path == expected)
        #expect(problem.code == .rule)
    }

    @Test func `a rule is answered by its effect, with the facts`() {
        func refusal(_ name: String) -> Refusal? {
            parameters.refusal(forConstraint: name, facts: facts, place: "/lines/0", given: given, at: "")
        }
        #expect(refusal("stock") == .conflict(reason: "stock", message: "Manque.", facts: facts))
        #expect(refusal("own") == .forbidden(message: "Interdit.", facts: facts))
        #expect(refusal("others") == nil)
        // There is no table, so there are no constraints of columns.
        #expect(refusal("commands_lines_check") == nil)
    }
}
