import DomainKit
import JSON
import Testing

@testable import QueryCompiler

struct TrigramPatternTests {
    @Test(arguments: [
        ("%Swift%", "%swift%"), ("CT-2026%", "%ct-2026%"), ("swift", "%swift%"), ("%équipe%", "%quipe%"),
        ("%swift_ui avancé%", "%swift%ui avanc%"), ("100\\%% de marge", "%100% de marge%"), ("a\\\\bcd", "%bcd%"),
        ("%SQL%abc%", "%sql%abc%"),
    ])
    func `a trigram pattern has the runs of ASCII characters that contain a trigram`(pattern: String, trace: String) {
        #expect(TrigramPattern.implied(by: pattern) == trace)
    }

    @Test(arguments: ["", "%", "%ab%", "éàü", "a_b_c_d", "ab\\%cd", "a b c"])
    func `a pattern without three ASCII letters or digits in a row has no trigram pattern`(pattern: String) {
        #expect(TrigramPattern.implied(by: pattern) == nil)
    }

    @Test
    func `the searchable text is tested beside a pattern unless the pattern is inside a not`() throws {
        func text(_ filter: JSONValue) throws -> String {
            try Sample.planner().list(Sample.sessions, ["where": filter, "select": "{ id }"]).query.statement.text
        }
        let pattern: JSONValue = ["lieu": ["ilike": "%paris%"]]
        #expect(try text(pattern).contains("searchable("))
        #expect(try text(["or": [["id": 1], pattern]]).contains("searchable("))
        #expect(!(try text(["not": pattern]).contains("searchable(")))
        #expect(!(try text(["not": ["or": [pattern]]]).contains("searchable(")))
        #expect(try text(["not": ["id": 1], "and": [pattern]]).contains("searchable("))
        #expect(!(try text(["lieu": ["ilike": "%pa%"]]).contains("searchable(")))
    }
}
