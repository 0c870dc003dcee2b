import DomainKit
import QueryCompiler
import Testing

@Suite("Limits")
struct LimitTests {
    private let planner = Sample.planner()

    private func list(_ select: String, first: Int = 50, on entity: Entity = Sample.clients) -> QueryLimitError? {
        limit { () throws(PlanError) in
            _ = try planner.list(entity, ["select": .string(select), "first": .number(String(first))])
        }
    }

    @Test("six relations, one in another, are allowed and seven are not")
    func depth() {
        let six =
            "{ sessions(first: 1) { client { sessions(first: 1) { client { sessions(first: 1) { client { id } } } } } } }"
        let seven =
            "{ sessions(first: 1) { client { sessions(first: 1) { client { sessions(first: 1) { client {"
            + " sessions(first: 1) { id } } } } } } } }"
        #expect(list(six) == nil)
        let limitError = list(seven)
        #expect(limitError?.name == "selection_depth")
        #expect(limitError?.max == 6)
        #expect(limitError?.path == "sessions.client.sessions.client.sessions.client.sessions")
    }

    @Test("sets nested past the grammar's own limit are a matter of depth too")
    func deepText() {
        let text = String(repeating: "{ a ", count: 500) + String(repeating: "}", count: 500)
        #expect(list(text)?.name == "selection_depth")
    }

    @Test("the price is the product of first down each path, summed")
    func cost() {
        #expect(list("{ id sessions(first: 99) { id } }", first: 500) == nil)
        let limitError = list("{ id few: sessions(first: 1) { id } sessions(first: 99) { id } }", first: 500)
        #expect(limitError?.name == "cost")
        #expect(limitError?.cost == 500 + 500 + 49_500)
        #expect(limitError?.max == 50_000)
        #expect(limitError?.path == "sessions")
    }

    @Test("a relation without first counts a hundred rows, one to a single record none")
    func assumed() {
        #expect(list("{ sessions { formateur { nom } client { id } } }", first: 495) == nil)
        let limitError = list("{ sessions { client { autres: sessions(first: 10) { id } } } }", first: 50)
        #expect(limitError?.cost == 50 + 5_000 + 50_000)
        #expect(limitError?.path == "sessions.client.autres")
    }

    @Test("a price beyond all numbers is refused like any other")
    func overflow() {
        let planner = Sample.planner(Limits(selectionDepth: 40))
        let text =
            String(repeating: "{ client { sessions(first: 500) ", count: 12) + "{ id }"
            + String(repeating: "} }", count: 12)
        let limitError = limit { () throws(PlanError) in
            _ = try planner.get(Sample.sessions, ["id": 1, "select": .string(text)])
        }
        #expect(limitError?.cost == .max)
    }

    @Test("fragments that multiply are stopped before they are expanded")
    func fragmentBomb() {
        var text = "{ ...F0 }"
        for level in 0..<3 {
            let fields = (0..<40).map { "a\($0): client { sessions(first: 1) { ...F\(level + 1) } }" }
            text += " fragment F\(level) on sessions { \(fields.joined(separator: " ")) }"
        }
        text += " fragment F3 on sessions { id }"
        let limitError = list(text, first: 1, on: Sample.sessions)
        #expect(limitError?.name == "cost")
        // The spread, then three levels of forty: two fields and a spread each; at last an id each.
        #expect(limitError?.cost == 1 + 3 * (40 + 1_600 + 64_000) + 64_000)
        #expect(limitError?.max == 2_000)
    }

    @Test("writes are priced too")
    func writes() {
        let select = "{ client { sessions { client { sessions { client { sessions { id } } } } } } }"
        let limitError = limit { () throws(PlanError) in
            _ = try planner.update(Sample.sessions, ["id": 1, "select": .string(select)])
        }
        #expect(limitError?.name == "cost")
    }

    @Test("a filter passes through six relations at most")
    func filterDepth() {
        var filter: Value = ["id": 1]
        for _ in 0..<4 { filter = ["client": ["sessions": ["some": filter]]] }
        let limitError = limit { () throws(PlanError) in
            _ = try planner.list(Sample.sessions, ["where": filter])
        }
        #expect(limitError?.name == "selection_depth")
        #expect(limitError?.path == "client.sessions.client.sessions.client.sessions.client")
    }
}
