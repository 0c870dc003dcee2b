import DomainKit
import JSON
import QueryCompiler
import Testing

struct LimitTests {
    private let planner = Sample.planner()

    private func list(_ select: String, first: Int = 50, on entity: Entity = Sample.clients) -> QueryLimitError? {
        limit { () throws(PlanError) in
            _ = try planner.list(entity, ["select": .string(select), "first": .number(String(first))])
        }
    }

    @Test
    func `a selection may nest six relations but not seven`() {
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

    @Test
    func `sets nested deeper than the parser allows exceed the selection depth`() {
        let text = String(repeating: "{ a ", count: 500) + String(repeating: "}", count: 500)
        #expect(list(text)?.name == "selection_depth")
    }

    @Test
    func `the cost is the sum of the products of first along each path`() {
        #expect(list("{ id sessions(first: 99) { id } }", first: 500) == nil)
        let limitError = list("{ id few: sessions(first: 1) { id } sessions(first: 99) { id } }", first: 500)
        #expect(limitError?.name == "cost")
        #expect(limitError?.cost == 500 + 500 + 49_500)
        #expect(limitError?.max == 50_000)
        #expect(limitError?.path == "sessions")
    }

    @Test
    func `a to-many relation without first costs a hundred rows and a to-one relation costs none`() {
        #expect(list("{ sessions { formateur { nom } client { id } } }", first: 495) == nil)
        let limitError = list("{ sessions { client { autres: sessions(first: 10) { id } } } }", first: 50)
        #expect(limitError?.cost == 50 + 5_000 + 50_000)
        #expect(limitError?.path == "sessions.client.autres")
    }

    @Test
    func `a cost that overflows is rejected like any other`() {
        let planner = Sample.planner(Limits(selectionDepth: 40))
        let text =
            String(repeating: "{ client { sessions(first: 500) ", count: 12) + "{ id }"
            + String(repeating: "} }", count: 12)
        let limitError = limit { () throws(PlanError) in
            _ = try planner.get(Sample.sessions, ["id": 1, "select": .string(text)])
        }
        #expect(limitError?.cost == .max)
    }

    @Test
    func `fragments that multiply are rejected before they are expanded`() {
        var text = "{ ...F0 }"
        for level in 0..<3 {
            let fields = (0..<40).map { "a\($0): client { sessions(first: 1) { ...F\(level + 1) } }" }
            text += " fragment F\(level) on sessions { \(fields.joined(separator: " ")) }"
        }
        text += " fragment F3 on sessions { id }"
        let limitError = list(text, first: 1, on: Sample.sessions)
        #expect(limitError?.name == "cost")
        // One spread, then three levels of forty, each with two fields and a spread, and finally one id each.
        #expect(limitError?.cost == 1 + 3 * (40 + 1_600 + 64_000) + 64_000)
        #expect(limitError?.max == 2_000)
    }

    @Test
    func `the selection of a write has the same cost limit`() {
        let select = "{ client { sessions { client { sessions { client { sessions { id } } } } } } }"
        let limitError = limit { () throws(PlanError) in
            _ = try planner.update(Sample.sessions, ["id": 1, "select": .string(select)])
        }
        #expect(limitError?.name == "cost")
    }

    @Test
    func `a filter may nest six relations at most`() {
        var filter: JSONValue = ["id": 1]
        for _ in 0..<4 { filter = ["client": ["sessions": ["some": filter]]] }
        let limitError = limit { () throws(PlanError) in
            _ = try planner.list(Sample.sessions, ["where": filter])
        }
        #expect(limitError?.name == "selection_depth")
        #expect(limitError?.path == "client.sessions.client.sessions.client.sessions.client")
    }
}
