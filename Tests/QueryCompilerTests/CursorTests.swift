import DomainKit
import QueryCompiler
import Testing

@Suite("Cursors")
struct CursorTests {
    private let planner = Sample.planner()

    private func refusal(_ params: Object) -> [Problem] {
        problems { () throws(PlanError) in _ = try planner.list(Sample.sessions, params) }
    }

    @Test("bring back the values they were made of")
    func roundTrip() throws {
        let cursor = Sample.cursor(["-tarif", "module"], ["450.00", "Été «SwiftUI» 🎓", "7"])
        let plan = try planner.list(
            Sample.sessions, ["order_by": ["-tarif", "module"], "after": .string(cursor), "select": "{ id }"])
        #expect(Array(plan.query.parameters.prefix(3)) == ["450", "Été «SwiftUI» 🎓", "7"])
    }

    @Test("of timestamps take JSON's text of them")
    func timestamps() throws {
        let cursor = Sample.cursor(["created_at"], ["\"2026-11-21T01:28:59.28+00:00\"", "7"])
        let plan = try planner.list(Sample.sessions, ["order_by": ["created_at"], "after": .string(cursor)])
        #expect(plan.query.parameters.first == "2026-11-21T01:28:59.28+00:00")
    }

    @Test("are refused when one character is another, missing or too many")
    func tampering() {
        let cursor = Array(Sample.cursor(nil, ["2026-01-12", "09:00:00", "7"]))
        for index in cursor.indices {
            var changed = cursor
            changed[index] = changed[index] == "A" ? "B" : "A"
            var shortened = cursor
            shortened.remove(at: index)
            for text in [changed, shortened, cursor + ["A"]] {
                let problems = refusal(["after": .string(String(text))])
                #expect(problems.map(\.path) == ["/after"])
                #expect(problems.map(\.code) == [.format])
            }
        }
    }

    @Test("are refused when they are no text of ours", arguments: ["", "a", "é", "====", "\u{0}", "' OR 1=1 --"])
    func noise(_ text: String) {
        #expect(refusal(["after": .string(text)]).map(\.path) == ["/after"])
    }

    @Test("are refused when their values are not of the keys' types")
    func types() {
        let forged: [[String?]] = [
            ["2026-02-30", "09:00:00", "7"], ["2026-01-12", "25:00:00", "7"], ["2026-01-12", "09:00:00", "x"],
            [nil, "09:00:00", "7"], ["2026-01-12", "09:00:00", nil], ["2026-01-12", "09:00:00"],
            ["2026-01-12", "09:00:00", "7", "8"], ["2026-01-12", "09:00:00", "9223372036854775808"],
        ]
        for values in forged {
            let problems = refusal(["after": .string(Sample.cursor(nil, values))])
            #expect(problems.map(\.path) == ["/after"], "\(values)")
        }
    }

    @Test("are refused with another order_by, and with the same one written out they are not")
    func otherOrder() {
        let cursor = Value.string(Sample.cursor(nil, ["2026-01-12", "09:00:00", "7"]))
        #expect(refusal(["after": cursor, "order_by": ["-date", "-debut"]]).map(\.path) == ["/after"])
        #expect(refusal(["after": cursor, "order_by": ["-date", "debut"]]).isEmpty)
    }

    @Test("are no numbers")
    func type() {
        #expect(refusal(["after": 7]).map(\.code) == [.type])
    }
}
