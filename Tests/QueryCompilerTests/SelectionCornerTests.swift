import DomainKit
import JSON
import QueryCompiler
import Testing

struct SelectionCornerTests {
    private let planner = Sample.planner()

    private func found(_ select: String, on entity: Entity = Sample.sessions, _ variables: JSONValue = [:]) -> [Problem]
    {
        problems { () throws(PlanError) in
            _ = try planner.get(entity, ["id": 1, "select": .string(select), "variables": variables])
        }
    }

    private func outline(_ select: String, on entity: Entity = Sample.sessions, _ variables: JSONValue = [:]) throws
        -> String
    {
        let plan = try planner.get(entity, ["id": 1, "select": .string(select), "variables": variables])
        return Self.outline(plan.layout.parts)
    }

    private static func outline(_ parts: [RowLayout.Part]) -> String {
        parts.map { part in
            switch part {
            case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
            case .object(_, let inner): outline(inner)
            default: "_"
            }
        }.joined()
    }

    @Test
    func `a conflict of keys is reported once, together with the problems of each field alone`() {
        let problems = found("{ a: formateur { prenom } a: client { raison_sociale } }")
        #expect(problems.map(\.code) == [.duplicate])
        #expect(problems.first?.position == .init(line: 1, column: 27))
        // The problem of the other field is reported as well.
        let both = found("{ a: formateur { prenom } a: client { raison_social } }")
        #expect(both.map(\.code) == [.duplicate, .unknown])
        #expect(both.last?.suggestion == "raison_sociale")
    }

    @Test(arguments: [
        ("{ id id }", #"{"id":_}"#),
        ("{ client { id } module client { ville id } }", #"{"client":{"id":_,"ville":_},"module":_}"#),
        (
            "{ c: client { id } ...A } fragment A on sessions { c: client { ville } id }",
            #"{"c":{"id":_,"ville":_},"id":_}"#
        ),
        ("{ ...A ...A id } fragment A on sessions { id }", #"{"id":_}"#),
        (
            "{ t: __typename client { __typename } t: __typename }",
            #"{"t":"sessions","client":{"__typename":"clients"}}"#
        ),
    ])
    func `fields with equal keys merge as in GraphQL at any depth`(select: String, expected: String) throws {
        #expect(try outline(select) == expected)
    }

    @Test
    func `arguments conflict if their values differ but not if their order or spelling differs`() throws {
        let same = "{ sessions(first: 2, search: \"a\") { id } sessions(search: \"\"\"a\"\"\" first: 2) { module } }"
        #expect(found(same, on: Sample.clients).isEmpty)
        for other in ["first: 3, search: \"a\"", "first: 2", "first: 2, search: \"b\"", "first: $n, search: \"a\""] {
            let select = "{ sessions(first: 2, search: \"a\") { id } sessions(\(other)) { id } }"
            #expect(found(select, on: Sample.clients, ["n": 2]).first?.code == .duplicate, "\(other)")
        }
    }

    @Test
    func `an argument that is null, as a literal or by a variable, is the same as an absent one`() throws {
        let plain = try planner.get(Sample.clients, ["id": 1, "select": "{ sessions { id } }"])
        for arguments in ["first: null, where: null", "order_by: $n, search: $n, first: $n"] {
            let select = "{ sessions(\(arguments)) { id } }"
            let plan = try planner.get(
                Sample.clients,
                ["id": 1, "select": .string(select), "variables": arguments.contains("$") ? ["n": nil] : [:]])
            #expect(plan.query.statement.text == plain.query.statement.text)
        }
        #expect(found("{ sessions(frist: null) { id } }", on: Sample.clients).map(\.suggestion) == ["first"])
    }

    @Test
    func `a to-many relation cannot be an order key`() {
        let problems = problems { () throws(PlanError) in
            _ = try planner.list(Sample.sessions, ["order_by": ["client.sessions.id", "client"]])
        }
        #expect(problems.map(\.code) == [.type, .type])
        #expect(problems.map { $0.message.contains("plusieurs") } == [true, false])
        #expect(problems.last?.message.contains("client.id") == true)
    }

    @Test
    func `every fragment of a cycle is reported by name`() {
        let select = """
            { ...A } fragment A on sessions { client { ...B } } fragment B on clients { sessions(first: 1) { ...C } }
            fragment C on sessions { id ...A } fragment D on sessions { id }
            """
        let problems = found(select)
        #expect(problems.filter { $0.code == .rule }.count == 3)
        #expect(problems.filter { $0.code == .unknown }.map(\.message).contains { $0.contains("D") })
    }

    @Test
    func `variables can be used in fragments, lists, objects and nested arguments`() throws {
        let select = """
            { ...A } fragment A on clients { sessions(first: $n, order_by: [$o, "id"],
              where: {and: [{date: {gte: $from}}, {module: {in: [$a, "b"]}}], client: {sessions: {some: {id: $id}}}, or: $any}) {
              formateur { sessions(where: {modalite: $mode}, first: 1) { id } } } }
            """
        let variables: JSONValue = [
            "n": 3, "o": "-date", "from": "2026-01-01", "a": "a", "id": 7, "any": [["id": 1], [:]], "mode": "P",
        ]
        #expect(found(select, on: Sample.clients, variables).isEmpty)
        for missing in ["n", "o", "from", "a", "id", "any", "mode"] {
            guard case .object(var object) = variables else { return }
            object.members.removeAll { $0.name == missing }
            let problems = found(select, on: Sample.clients, .object(object))
            #expect(problems.map(\.code) == [.required], "\(missing): \(problems)")
            #expect(problems.first?.message.contains("$\(missing)") == true)
        }
        guard case .object(var object) = variables else { return }
        object.members.append(.init("fron", "x"))
        let problems = found(select, on: Sample.clients, .object(object))
        #expect(problems.map(\.path) == ["/variables/fron"])
        #expect(problems.first?.suggestion == "from")
    }

    @Test
    func `a variable below an unknown name is not reported as unused`() throws {
        let problems = found("{ sesions(where: {date: {gt: $x}}) { id } }", on: Sample.clients, ["x": "2026-01-01"])
        #expect(problems.count == 1, "\(problems)")
        #expect(problems.first?.suggestion == "sessions")
    }

    @Test
    func `too many fields are rejected with their number, the limit and the path to most of them`() throws {
        let wide = "{ id client { " + (0..<2_500).map { "a\($0): id" }.joined(separator: " ") + " } }"
        let limitError = try #require(
            limit { () throws(PlanError) in
                _ = try planner.get(Sample.sessions, ["id": 1, "select": .string(wide)])
            })
        #expect(limitError.name == "cost")
        #expect(limitError.cost == 2_502)
        #expect(limitError.max == 2_000)
        #expect(limitError.path == "client")
        var bomb = "{ ...F0 }"
        for level in 0..<30 {
            bomb +=
                " fragment F\(level) on sessions { a: client { sessions(first: 1) { ...F\(level + 1) } } b: client {"
                + " sessions(first: 1) { ...F\(level + 1) } } }"
        }
        bomb += " fragment F30 on sessions { id }"
        let deep = limit { () throws(PlanError) in
            _ = try planner.get(Sample.sessions, ["id": 1, "select": .string(bomb)])
        }
        #expect(deep?.name == "selection_depth")
        let aggregate = "{ " + (0..<2_100).map { "a\($0): count" }.joined(separator: " ") + " }"
        let numbers = try #require(
            limit { () throws(PlanError) in
                _ = try planner.aggregate(Sample.sessions, ["select": .string(aggregate)])
            })
        #expect(numbers.cost == 2_100)
    }

    @Test
    func `arguments that are canonically equivalent but differ in bytes conflict`() {
        let found = found(
            "{ sessions(where: {module: \"\\u00e9\"}) { id } sessions(where: {module: \"e\\u0301\"}) { module } }",
            on: Sample.clients, [:])
        #expect(found.map(\.code) == [.duplicate])
    }

    @Test(
        arguments: [
            ("{ modul }", "module"), ("{ cliant { id } }", "client"),
            ("{ ...Cart } fragment Carte on sessions { id }", "Carte"),
            ("{ ...A } fragment A on session { id }", "sessions"),
            ("{ client { sessions(frist: 1) { id } } }", "first"),
            ("{ client { sessions(where: {dat: 1}) { id } } }", "date"),
            ("{ client { sessions(where: {date: {gt_: 1}}) { id } } }", "gt"),
            ("{ client { sessions(where: {client: {vile: \"x\"}}) { id } } }", "ville"),
            ("{ client { sessions(order_by: [\"client.vile\"]) { id } } }", "ville"),
            ("{ client { sessions(order_by: [\"clien.ville\"]) { id } } }", "client"),
        ])
    func `an unknown name is reported with the nearest known name`(select: String, suggestion: String) {
        #expect(found(select).compactMap(\.suggestion).contains(suggestion))
    }

    @Test
    func `a thousand mistakes with long names have a short answer`() {
        let long = String(repeating: "x", count: 500)
        let names = (0..<1_000).map { "\(long)\($0)" }
        let calls: [[Problem]] = [
            found("{ " + names.joined(separator: " ") + " }"),
            found("{ client { sessions(where: {" + names.map { "\($0): 1" }.joined(separator: " ") + "}) { id } } }"),
            found("{ client { sessions(" + names.map { "\($0): 1" }.joined(separator: " ") + ") { id } } }"),
            found("{ " + names.map { "...\($0)" }.joined(separator: " ") + " }"),
            found("{ id } " + names.map { "fragment \($0) on sessions { id }" }.joined(separator: " ")),
            found("{ client { sessions(order_by: [\(names.joined(separator: " "))]) { id } } }"),
            found("{ " + String(repeating: "y", count: 500_000) + ": 1 }"),
            problems { () throws(PlanError) in
                _ = try planner.aggregate(
                    Sample.sessions, ["select": .string("{ " + names.joined(separator: " ") + " }")])
            },
        ]
        for (index, problems) in calls.enumerated() {
            #expect((1...100).contains(problems.count), "\(index)")
            let bytes = problems.reduce(0) {
                $0 + $1.message.utf8.count + $1.path.utf8.count + ($1.suggestion?.utf8.count ?? 0)
            }
            #expect(bytes < 50_000, "\(index): \(bytes)")
        }
    }
}
