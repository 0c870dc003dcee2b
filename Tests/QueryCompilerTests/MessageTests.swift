import DomainKit
import JSON
import QueryCompiler
import Testing

struct MessageTests {
    /// The mistakes in a message, apart from what it quotes between « » and from examples in brackets.
    private func typographicMistakes(in message: String) -> [Substring] {
        var text = message
        text.replace(/«\u{A0}.*?\u{A0}»/, with: "")
        text.replace(/\{.*\}|\[.*\]/, with: "")
        return text.matches(of: /.?(?:'|[^\u{202F}][:;?!]|[«»])/).map(\.output)
    }

    @Test(arguments: SelectionProblemTests.cases)
    func `a message about a selection has French typography`(_ example: SelectionProblemTests.Case) {
        let found = problems { () throws(PlanError) in
            _ = try Sample.planner().get(Sample.sessions, ["id": 1, "select": .string(example.select)])
        }
        for problem in found { #expect(typographicMistakes(in: problem.message) == [], "\(problem.message)") }
    }

    /// DomainKit words the problems of single values.
    @Test(arguments: ParamsProblemTests.filters.filter { $0.code == .unknown })
    func `a message about a filter has French typography`(_ example: ParamsProblemTests.Case) {
        let found = problems { () throws(PlanError) in
            _ = try Sample.planner().list(Sample.sessions, ["where": example.filter])
        }
        for problem in found { #expect(typographicMistakes(in: problem.message) == [], "\(problem.message)") }
    }

    @Test(arguments: AggregateTests.cases)
    func `a message about an aggregate has French typography`(params: JSONObject, path: String, code: Problem.Code) {
        let found = problems { () throws(PlanError) in
            _ = try Sample.planner().aggregate(Sample.sessions, params)
        }
        for problem in found { #expect(typographicMistakes(in: problem.message) == [], "\(problem.message)") }
    }

    @Test
    func `a message names the nearest known name and the position in the text`() {
        let found = problems { () throws(PlanError) in
            _ = try Sample.planner().get(Sample.sessions, ["id": 1, "select": "{ id\n  modul }"])
        }
        #expect(
            found.map(\.message) == [
                "Ligne 2, colonne 3\u{202F}: «\u{A0}modul\u{A0}» n’existe pas dans «\u{A0}sessions\u{A0}»\u{202F}: vouliez-vous"
                    + " «\u{A0}module\u{A0}»\u{202F}?"
            ])
    }
}
