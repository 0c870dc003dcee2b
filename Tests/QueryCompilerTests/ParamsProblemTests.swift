import DomainKit
import QueryCompiler
import Testing

@Suite("Problems of params")
struct ParamsProblemTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let filter: Value
        let path: String
        let code: Problem.Code
        var suggestion: String?
        var testDescription: String { "\(path) \(code)" }

        init(_ filter: Value, _ path: String, _ code: Problem.Code, _ suggestion: String? = nil) {
            self.filter = filter
            self.path = path
            self.code = code
            self.suggestion = suggestion
        }
    }

    static let filters: [Case] = [
        Case(1, "/where", .type),
        Case([1], "/where", .type),
        Case(["dat": 1], "/where/dat", .unknown, "date"),
        Case(["formateurs": 1], "/where/formateurs", .unknown, "formateur"),
        Case(["a/b~c": 1], "/where/a~1b~0c", .unknown),
        Case(["date": "hier"], "/where/date", .format),
        Case(["date": ["gte": "2026-02-30"]], "/where/date/gte", .format),
        Case(["date": ["gtt": "2026-01-01"]], "/where/date/gtt", .unknown, "gt"),
        Case(["date": ["ge": "2026-01-01"]], "/where/date/ge", .unknown, "gte"),
        Case(["date": ["like": "2026%"]], "/where/date/like", .type),
        Case(["date": ["gte": nil]], "/where/date/gte", .type),
        Case(["date": ["gte": ["2026-01-01"]]], "/where/date/gte", .type),
        Case(["date": ["2026-01-01"]], "/where/date", .type),
        Case(["id": "5"], "/where/id", .type),
        Case(["id": .number("9223372036854775808")], "/where/id", .outOfRange),
        Case(["id": .number("1.5")], "/where/id", .type),
        Case(["id": ["in": 5]], "/where/id/in", .type),
        Case(["id": ["in": [1, "x", 3]]], "/where/id/in/1", .type),
        Case(["id": ["nin": [[1]]]], "/where/id/nin/0", .type),
        Case(["id": ["is_null": "non"]], "/where/id/is_null", .type),
        Case(["tarif": .number("1e400")], "/where/tarif", .tooManyDigits),
        Case(["modalite": "X"], "/where/modalite", .format),
        Case(["statut": ["ne": "finie"]], "/where/statut/ne", .format),
        Case(["module": ["like": "a\\"]], "/where/module/like", .format),
        Case(["module": ["ilike": "a\\\\\\"]], "/where/module/ilike", .format),
        Case(["module": "a\u{0}"], "/where/module", .format),
        Case(["and": ["id": 1]], "/where/and", .type),
        Case(["or": [["id": 1], 2]], "/where/or/1", .type),
        Case(["not": nil], "/where/not", .type),
        Case(["not": ["or": [["x": 1]]]], "/where/not/or/0/x", .unknown),
        Case(["formateur": 1], "/where/formateur", .type),
        Case(["formateur": ["nim": 1]], "/where/formateur/nim", .unknown, "nom"),
        Case(["formateur": ["is_active": ["lt": true]]], "/where/formateur/is_active/lt", .type),
        Case(["formateur": ["exterieur": 2]], "/where/formateur/exterieur", .outOfRange),
        Case(["formateur": ["badge": "x"]], "/where/formateur/badge", .format),
        Case(["client": ["sessions": ["date": 1]]], "/where/client/sessions/date", .unknown),
        Case(["client": ["sessions": nil]], "/where/client/sessions", .type),
        Case(["client": ["sessions": ["some": 1]]], "/where/client/sessions/some", .type),
    ]

    private func refusal(_ params: Object, of entity: Entity = Sample.sessions) -> [Problem] {
        problems { () throws(PlanError) in _ = try Sample.planner().list(entity, params) }
    }

    @Test("a filter's problem has the path of the value", arguments: filters)
    func filter(_ example: Case) throws {
        let found = refusal(["where": example.filter])
        #expect(found.map(\.path) == [example.path])
        #expect(found.map(\.code) == [example.code])
        #expect(found.first?.suggestion == example.suggestion)
    }

    @Test("patterns whose last backslash is itself escaped are fine, and so are values no column could hold")
    func fine() {
        let filters: [Value] = [
            ["module": ["like": "a\\\\"]], ["module": .string(String(repeating: "x", count: 501))],
            ["tarif": ["gt": .number("123456789012.345")]], ["formateur": ["exterieur": ["lt": 5]]],
            ["modalite": ["ilike": "p%"]], [:], ["formateur": [:]], ["and": [], "or": []],
        ]
        for filter in filters { #expect(refusal(["where": filter]).isEmpty, "\(filter)") }
    }

    @Test("a thousand conditions are allowed, one more is not")
    func conditions() {
        func filter(_ count: Int) -> Value { ["or": .array((0..<count).map { ["id": .number("\($0)")] })] }
        #expect(refusal(["where": filter(1_000)]).isEmpty)
        #expect(refusal(["where": filter(1_001)]).map(\.code) == [.outOfRange])
    }

    @Test("filters go through thirty relations in all, and search for a hundred words")
    func relations() {
        func filter(_ count: Int) -> Value { .array((0..<count).map { _ in ["client": ["ville": "Lyon"]] }) }
        #expect(refusal(["where": ["and": filter(30)]]).isEmpty)
        #expect(refusal(["where": ["and": filter(31)]]).map(\.path) == ["/where/and/30/client"])
        let lists = (0..<11).map { "a\($0): sessions(first: 1, search: \"a b c d e f g h i j\") { id }" }
        let select = Value.string("{ client { \(lists.joined(separator: " ")) } }")
        #expect(refusal(["select": select]).map(\.code) == [.outOfRange])
    }

    @Test("order_by is a list of known names, none twice")
    func order() {
        let cases: [(Value, String, Problem.Code)] = [
            ("date", "/order_by", .type), ([1], "/order_by/0", .type), (["dat"], "/order_by/0", .unknown),
            ([""], "/order_by/0", .unknown), (["-"], "/order_by/0", .unknown), (["--date"], "/order_by/0", .unknown),
            (["date", "-date"], "/order_by/1", .duplicate), (["formateur"], "/order_by/0", .type),
            (["formateur.nim"], "/order_by/0", .unknown), (["formateurs.nom"], "/order_by/0", .unknown),
            (["client.sessions.date"], "/order_by/0", .type), (["date.id"], "/order_by/0", .unknown),
            (["date; DROP TABLE sessions"], "/order_by/0", .unknown),
        ]
        for (order, path, code) in cases {
            let found = refusal(["order_by": order])
            #expect(found.map(\.path) == [path], "\(order)")
            #expect(found.map(\.code) == [code], "\(order)")
        }
        for order: Value in [[], ["-id", "date"], ["formateur.nombre_sessions", "-client.ville", "statut"]] {
            #expect(refusal(["order_by": order]).isEmpty)
        }
    }

    @Test("first is 1 to 500")
    func first() {
        for (value, code) in [
            (Value.number("0"), Problem.Code.outOfRange), (501, .outOfRange), (-1, .outOfRange),
            (.number("1.5"), .type), ("5", .type), ([], .type), (.number("1e3"), .outOfRange), (.number("1e-1"), .type),
        ] {
            #expect(refusal(["first": value]).map(\.path) == ["/first"])
            #expect(refusal(["first": value]).map(\.code) == [code])
        }
        for value in [1, 500, .number("1.0"), .number("5e2")] as [Value] {
            #expect(refusal(["first": value]).isEmpty)
        }
    }

    @Test("search is at most twenty words and a thousand characters")
    func search() {
        let words = (0..<21).map { "m\($0)" }
        #expect(refusal(["search": .string(words.joined(separator: " "))]).map(\.code) == [.outOfRange])
        #expect(refusal(["search": .string(words.dropLast().joined(separator: "\u{A0} \t"))]).isEmpty)
        #expect(refusal(["search": .string(String(repeating: "é", count: 1_001))]).map(\.code) == [.tooLong])
        #expect(refusal(["search": .string(String(repeating: "é", count: 1_000))]).isEmpty)
        #expect(refusal(["search": .string("a\u{0}b")]).map(\.code) == [.format])
        #expect(refusal(["search": "   "]).isEmpty)
    }

    @Test("null leaves a param of a list out")
    func null() {
        let params = ["where", "search", "order_by", "first", "after", "count", "select", "variables"]
        #expect(refusal(Object(params.map { .init($0, nil) })).isEmpty)
    }

    @Test("id is a whole number from 1")
    func id() {
        let planner = Sample.planner()
        for (value, code) in [
            (Value.null, Problem.Code.type), ("1", .type), (.number("1.5"), .type), (0, .outOfRange), (-1, .outOfRange),
            (.number("9223372036854775808"), .outOfRange), ([1], .type),
        ] {
            let found = problems { () throws(PlanError) in _ = try planner.get(Sample.sessions, ["id": value]) }
            #expect(found.map(\.path) == ["/id"])
            #expect(found.map(\.code) == [code])
        }
        #expect(
            problems { () throws(PlanError) in _ = try planner.get(Sample.sessions, [:]) }.map(\.code) == [.required])
        #expect(
            problems { () throws(PlanError) in
                _ = try planner.get(Sample.sessions, ["id": .number("9223372036854775807")])
            }.isEmpty)
    }
}
