import DomainKit
import JSON
import QueryCompiler
import Testing

struct CursorTests {
    private let planner = Sample.planner()

    private func listProblems(_ params: JSONObject) -> [Problem] {
        problems { () throws(PlanError) in _ = try planner.list(Sample.sessions, params) }
    }

    @Test
    func `a cursor decodes to the values that it was made of`() throws {
        let cursor = Sample.cursor(["-tarif", "module"], ["450.00", "Été «SwiftUI» 🎓", "7"])
        let plan = try planner.list(
            Sample.sessions, ["order_by": ["-tarif", "module"], "after": .string(cursor), "select": "{ id }"])
        #expect(Array(plan.query.parameters.prefix(3)) == ["450", "Été «SwiftUI» 🎓", "7"])
    }

    @Test
    func `a cursor takes a timestamp as JSON text`() throws {
        let cursor = Sample.cursor(["created_at"], ["\"2026-11-21T01:28:59.28+00:00\"", "7"])
        let plan = try planner.list(Sample.sessions, ["order_by": ["created_at"], "after": .string(cursor)])
        #expect(plan.query.parameters.first == "2026-11-21T01:28:59.28+00:00")
    }

    @Test
    func `a cursor with one character changed, missing or added is rejected`() {
        let cursor = Array(Sample.cursor(nil, ["2026-01-12", "09:00:00", "7"]))
        for index in cursor.indices {
            var changed = cursor
            changed[index] = changed[index] == "A" ? "B" : "A"
            var shortened = cursor
            shortened.remove(at: index)
            for text in [changed, shortened, cursor + ["A"]] {
                let problems = listProblems(["after": .string(String(text))])
                #expect(problems.map(\.path) == ["/after"])
                #expect(problems.map(\.code) == [.format])
            }
        }
    }

    @Test(arguments: ["", "a", "é", "====", "\u{0}", "' OR 1=1 --"])
    func `a text that is not a cursor is rejected`(_ text: String) {
        #expect(listProblems(["after": .string(text)]).map(\.path) == ["/after"])
    }

    @Test
    func `a cursor whose values do not have the types of the keys is rejected`() {
        let forged: [[String?]] = [
            ["2026-02-30", "09:00:00", "7"], ["2026-01-12", "25:00:00", "7"], ["2026-01-12", "09:00:00", "x"],
            [nil, "09:00:00", "7"], ["2026-01-12", "09:00:00", nil], ["2026-01-12", "09:00:00"],
            ["2026-01-12", "09:00:00", "7", "8"], ["2026-01-12", "09:00:00", "9223372036854775808"],
        ]
        for values in forged {
            let problems = listProblems(["after": .string(Sample.cursor(nil, values))])
            #expect(problems.map(\.path) == ["/after"], "\(values)")
        }
    }

    @Test
    func `a cursor is valid for its own order only, even if order_by spells out the default`() {
        let cursor = JSONValue.string(Sample.cursor(nil, ["2026-01-12", "09:00:00", "7"]))
        #expect(listProblems(["after": cursor, "order_by": ["-date", "-debut"]]).map(\.path) == ["/after"])
        #expect(listProblems(["after": cursor, "order_by": ["-date", "debut"]]).isEmpty)
    }

    @Test
    func `a cursor that is not a string is rejected`() {
        #expect(listProblems(["after": 7]).map(\.code) == [.type])
    }
}
