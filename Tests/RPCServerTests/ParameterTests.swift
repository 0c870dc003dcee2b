import DomainKit
import JSON
import QueryCompiler
import TestSchema
import Testing

@testable import RPCServer

/// Parameters of a command that a domain might have: a sale with its lines.
@Suite struct ParameterTests {
    private struct Line: Sendable, Equatable {
        let article: String
        let isGift: Bool
    }

    private static let line: ParameterType<Line> = {
        let article = MethodParameter("article", .recordID(of: Library.books), summary: "L'article.")
        let gift = MethodParameter("gift", .flag, default: false, summary: "Offert.")
        return .object([article, gift]) { Line(article: $0[article], isGift: $0[gift]) }
    }()

    private let day = MethodParameter("day", .field(.date), summary: "Le jour.")
    private let note = MethodParameter(optional: "note", .text, summary: "Une note.")
    private let tone = MethodParameter("tone", .choice(["warm", "wild"]), default: "warm", summary: "Le ton.")
    private let lines = MethodParameter("lines", .list(of: Self.line, max: 3), summary: "Les lignes.")

    private func decode(_ text: String) throws -> Params {
        guard case .object(let object) = try JSONReader.read(text).value else { return Params(JSONObject()) }
        return Params(object, [day, note, tone, lines])
    }

    @Test func `valid params are decoded to the types of their declarations`() throws {
        let params = try decode(
            #"{"day":"2026-01-12","note":"a","tone":"wild","lines":[{"article":7},{"article":8,"gift":true}]}"#)
        #expect(params.problems == [])
        #expect(params[day] == "2026-01-12")
        #expect(params[note] == "a")
        #expect(params[tone] == "wild")
        #expect(params[lines] == [Line(article: "7", isGift: false), Line(article: "8", isGift: true)])
    }

    @Test(arguments: [#"{"day":"2026-01-12","lines":[]}"#, #"{"day":"2026-01-12","note":null,"tone":null,"lines":[]}"#])
    func `an optional param that is missing or null is nil or the default`(text: String) throws {
        let params = try decode(text)
        #expect(params.problems == [])
        #expect(params[note] == nil)
        #expect(params[tone] == "warm")
    }

    @Test(arguments: [
        (#"{}"#, ["/day required", "/lines required"]),
        (#"{"day":null,"lines":null}"#, ["/day type", "/lines type"]),
        (
            #"{"day":"2026-02-30","note":1,"tone":"warn","lines":{}}"#,
            ["/day format", "/note type", "/tone format", "/lines type"]
        ),
        (
            #"{"day":"2026-01-12","lines":[{"article":0},{"gift":1,"artikle":2},5]}"#,
            [
                "/lines/0/article out_of_range", "/lines/1/artikle unknown", "/lines/1/article required",
                "/lines/1/gift type", "/lines/2 type",
            ]
        ),
        (#"{"day":"2026-01-12","lines":[1,2,3,4]}"#, ["/lines too_long"]),
    ])
    func `the problems of all params are collected with their paths`(text: String, problems: [String]) throws {
        let params = try decode(text)
        #expect(params.problems.map { "\($0.path) \($0.code.rawValue)" } == problems)
    }

    @Test func `a param with problems has no valid value, and the others keep theirs`() throws {
        let params = try decode(#"{"day":"2026-01-12","lines":5}"#)
        #expect(params.valid(day) == "2026-01-12")
        #expect(params.valid(note) == .some(nil))
        #expect(params.valid(lines) == nil)
    }

    @Test(arguments: [
        #"[{"article":7},{"article":8,"gift":true}]"#, "[]", "[{}]", #"[{"article":0}]"#, #"[{"article":1,"x":1}]"#,
        #"[{"article":1,"gift":null}]"#, "[1]", "{}", #"[{"article":1},{"article":1},{"article":1},{"article":1}]"#,
    ])
    func `a list of objects is accepted exactly if its schema accepts it`(text: String) throws {
        let value = try JSONReader.read(text).value
        var problems: [Problem] = []
        _ = lines.decode(from: ["lines": value], at: "", &problems)
        let isAccepted = try SchemaValidator(document: [:]).accepts(value, lines.schema(CallLimits()))
        #expect(isAccepted == problems.isEmpty)
    }

    @Test func `the description of a parameter follows from its declaration`() {
        #expect(day.isRequired && lines.isRequired)
        #expect(!note.isRequired && !tone.isRequired)
        #expect(
            tone.schema(CallLimits()) == [
                "type": ["string", "null"], "enum": ["warm", "wild", nil], "default": "warm",
            ])
        #expect(lines.example == [["article": 1]])
        #expect(note.example == nil)
    }
}
