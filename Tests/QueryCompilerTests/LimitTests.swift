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
        let planner = Sample.planner(CallLimits(selectionDepth: 40))
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

    // MARK: Bytes

    @Test
    func `a field costs its width as often as it is selected`() {
        let select = { (aliases: Int) in
            "{ " + (0..<aliases).map { "a\($0): raison_sociale" }.joined(separator: " ") + " }"
        }
        #expect(list(select(1_000), first: 500) == nil)
        let limitError = limit { () throws(PlanError) in
            _ = try Sample.planner(CallLimits(resultBytes: 1_000_000)).list(
                Sample.clients, ["select": .string(select(1_000)), "first": 500])
        }
        #expect(limitError?.name == "cost")
        #expect(limitError?.unit == .bytes)
        #expect(limitError?.max == 1_000_000)
        // Braces, and for each alias its digits, its letter, four characters of punctuation and a text of 34 bytes.
        #expect(limitError?.cost == 500 * (2 + 10 + 180 + 2_700 + 1_000 * (1 + 4 + 34)))
        #expect(limitError?.path == nil)
    }

    @Test
    func `the bytes of relations are multiplied by their rows and the heaviest relation is named`() {
        let planner = Sample.planner(CallLimits(resultBytes: 100_000))
        let limitError = limit { () throws(PlanError) in
            _ = try planner.list(
                Sample.clients,
                [
                    "select":
                        "{ id few: sessions(first: 2) { module lieu } sessions(first: 50) { client { ville } id } }",
                    "first": 100,
                ])
        }
        #expect(limitError?.unit == .bytes)
        #expect(limitError?.path == "sessions.client")
    }

    @Test
    func `a large page with all columns of its records and of a hundred related ones is within the limit`() {
        let session = "id module date debut modalite lieu tarif formateur_id client_id created_at version"
        #expect(
            list("{ id raison_sociale ville sessions(first: 99) { \(session) marge statut } }", first: 500) == nil)
    }

    @Test
    func `the columns of a record without a selection count`() {
        let limitError = limit { () throws(PlanError) in
            _ = try Sample.planner(CallLimits(resultBytes: 10_000)).list(Sample.sessions, ["first": 500])
        }
        #expect(limitError?.unit == .bytes)
    }

    @Test
    func `groups cost the width of their keys and numbers`() {
        let limitError = limit { () throws(PlanError) in
            _ = try Sample.planner(CallLimits(resultBytes: 10_000)).aggregate(
                Sample.sessions, ["first": 500, "group_by": ["client_id"], "select": "{ count sum { tarif marge } }"])
        }
        #expect(limitError?.unit == .bytes)
    }

    // MARK: Parameters

    @Test(arguments: [1, 2])
    func `the values of a known selection count towards those of the call`(calls: Int) {
        let planner = Sample.planner(CallLimits(parameterBytes: 100))
        let half = String(repeating: "x", count: 60)
        let select = "{ sessions(where: {lieu: \"\(half)\"}) { id } }"
        var found: [Problem] = []
        for _ in 0..<calls {
            found = problems { () throws(PlanError) in
                _ = try planner.list(Sample.clients, ["select": .string(select), "where": ["ville": .string(half)]])
            }
        }
        #expect(found.map(\.path) == ["/where/ville"])
    }

    // MARK: Batches

    @Test
    func `the calls of a request share one budget and a call that exceeds it is not charged`() throws {
        var budget = RequestBudget(CallLimits(cost: 1_000))
        let charge = { (first: Int) in
            try budget.charge(
                planner.list(
                    Sample.clients, ["first": .number(String(first)), "select": "{ sessions(first: 9) { id } }"]
                ).cost)
        }
        try charge(50)
        let limitError = #expect(throws: QueryLimitError.self) { try charge(60) }
        #expect(limitError?.cost == 1_100)
        #expect(limitError?.max == 1_000)
        #expect(limitError?.unit == .rows)
        #expect(limitError?.path == "sessions")
        try charge(50)
        #expect(throws: QueryLimitError.self) { try charge(1) }
    }

    @Test
    func `the bytes and the values of several calls are added`() throws {
        let call = { try planner.list(Sample.clients, ["where": ["ville": "Villeurbanne"], "first": 100]).cost }
        var bytes = RequestBudget(CallLimits(resultBytes: 15_000))
        try bytes.charge(call())
        #expect(throws: QueryLimitError.self) { try bytes.charge(call()) }
        var values = RequestBudget(CallLimits(parameterBytes: 20))
        try values.charge(call())
        let limitError = #expect(throws: QueryLimitError.self) { try values.charge(call()) }
        #expect(limitError?.cost == 24)
    }

    @Test
    func `one description of the service fits into a request`() throws {
        var budget = RequestBudget(CallLimits())
        try budget.charge(.description)
        let limitError = #expect(throws: QueryLimitError.self) { try budget.charge(.description) }
        #expect(limitError?.cost == 2)
        #expect(limitError?.max == 1)
        #expect(limitError?.unit == .calls)
    }
}
