import DomainKit
import JSON
import QueryCompiler
import Testing

struct ParamsProblemTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let filter: JSONValue
        let path: String
        let code: Problem.Code
        var suggestion: String?
        var testDescription: String { "\(path) \(code)" }

        init(_ filter: JSONValue, _ path: String, _ code: Problem.Code, _ suggestion: String? = nil) {
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

    private func listProblems(_ params: JSONObject, of entity: Entity = Sample.sessions) -> [Problem] {
        problems { () throws(PlanError) in _ = try Sample.planner().list(entity, params) }
    }

    @Test(arguments: filters)
    func `a problem of a filter has the path of the value`(_ example: Case) throws {
        let found = listProblems(["where": example.filter])
        #expect(found.map(\.path) == [example.path])
        #expect(found.map(\.code) == [example.code])
        #expect(found.first?.suggestion == example.suggestion)
    }

    @Test
    func `an escaped trailing backslash and values that no column can hold are valid`() {
        let filters: [JSONValue] = [
            ["module": ["like": "a\\\\"]], ["module": .string(String(repeating: "x", count: 501))],
            ["tarif": ["gt": .number("123456789012.345")]], ["formateur": ["exterieur": ["lt": 5]]],
            ["modalite": ["ilike": "p%"]], [:], ["formateur": [:]], ["and": [], "or": []],
        ]
        for filter in filters { #expect(listProblems(["where": filter]).isEmpty, "\(filter)") }
    }

    @Test
    func `a call may have a thousand conditions but not one more`() {
        func filter(_ count: Int) -> JSONValue { ["or": .array((0..<count).map { ["id": .number("\($0)")] })] }
        #expect(listProblems(["where": filter(1_000)]).isEmpty)
        #expect(listProblems(["where": filter(1_001)]).map(\.code) == [.outOfRange])
    }

    @Test
    func `the filters of a call may have thirty relations and its searches a hundred words`() {
        func filter(_ count: Int) -> JSONValue { .array((0..<count).map { _ in ["client": ["ville": "Lyon"]] }) }
        #expect(listProblems(["where": ["and": filter(30)]]).isEmpty)
        #expect(listProblems(["where": ["and": filter(31)]]).map(\.path) == ["/where/and/30/client"])
        let lists = (0..<11).map { "a\($0): sessions(first: 1, search: \"a b c d e f g h i j\") { id }" }
        let select = JSONValue.string("{ client { \(lists.joined(separator: " ")) } }")
        #expect(listProblems(["select": select]).map(\.code) == [.outOfRange])
    }

    static let orders: [(order: JSONValue, path: String, code: Problem.Code)] = [
        ("date", "/order_by", .type), ([1], "/order_by/0", .type), (["dat"], "/order_by/0", .unknown),
        ([""], "/order_by/0", .unknown), (["-"], "/order_by/0", .unknown), (["--date"], "/order_by/0", .unknown),
        (["date", "-date"], "/order_by/1", .duplicate), (["formateur"], "/order_by/0", .type),
        (["formateur.nim"], "/order_by/0", .unknown), (["formateurs.nom"], "/order_by/0", .unknown),
        (["client.sessions.date"], "/order_by/0", .type), (["date.id"], "/order_by/0", .unknown),
        (["date; DROP TABLE sessions"], "/order_by/0", .unknown),
    ]

    @Test(arguments: orders)
    func `order_by is a list of distinct known names`(order: JSONValue, path: String, code: Problem.Code) {
        let found = listProblems(["order_by": order])
        #expect(found.map(\.path) == [path])
        #expect(found.map(\.code) == [code])
    }

    @Test(arguments: [[], ["-id", "date"], ["formateur.nombre_sessions", "-client.ville", "statut"]] as [JSONValue])
    func `order_by takes no names, names after id, and names of related and derived fields`(order: JSONValue) {
        #expect(listProblems(["order_by": order]).isEmpty)
    }

    @Test
    func `first is an integer from 1 to 500`() {
        for (value, code) in [
            (JSONValue.number("0"), Problem.Code.outOfRange), (501, .outOfRange), (-1, .outOfRange),
            (.number("1.5"), .type), ("5", .type), ([], .type), (.number("1e3"), .outOfRange), (.number("1e-1"), .type),
        ] {
            #expect(listProblems(["first": value]).map(\.path) == ["/first"])
            #expect(listProblems(["first": value]).map(\.code) == [code])
        }
        for value in [1, 500, .number("1.0"), .number("5e2")] as [JSONValue] {
            #expect(listProblems(["first": value]).isEmpty)
        }
    }

    @Test
    func `search has at most twenty words and a thousand characters`() {
        let words = (0..<21).map { "m\($0)" }
        #expect(listProblems(["search": .string(words.joined(separator: " "))]).map(\.code) == [.outOfRange])
        #expect(listProblems(["search": .string(words.dropLast().joined(separator: "\u{A0} \t"))]).isEmpty)
        #expect(listProblems(["search": .string(String(repeating: "é", count: 1_001))]).map(\.code) == [.tooLong])
        #expect(listProblems(["search": .string(String(repeating: "é", count: 1_000))]).isEmpty)
        #expect(listProblems(["search": .string("a\u{0}b")]).map(\.code) == [.format])
        #expect(listProblems(["search": "   "]).isEmpty)
    }

    @Test
    func `a param of a list that is null is the same as an absent one`() {
        let params = ["where", "search", "order_by", "first", "after", "count", "select", "variables"]
        #expect(listProblems(JSONObject(params.map { .init($0, nil) })).isEmpty)
    }

    @Test
    func `id is an integer from 1`() {
        let planner = Sample.planner()
        for (value, code) in [
            (JSONValue.null, Problem.Code.type), ("1", .type), (.number("1.5"), .type), (0, .outOfRange),
            (-1, .outOfRange),
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
