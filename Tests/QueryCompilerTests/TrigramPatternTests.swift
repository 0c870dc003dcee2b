import DomainKit
import Testing

@testable import QueryCompiler

@Suite("A pattern's trace in the searchable text")
struct TrigramPatternTests {
    @Test(
        "is what of the pattern has neither case nor accent, where that makes a trigram",
        arguments: [
            ("%Swift%", "%swift%"), ("CT-2026%", "%ct-2026%"), ("swift", "%swift%"), ("%équipe%", "%quipe%"),
            ("%swift_ui avancé%", "%swift%ui avanc%"), ("100\\%% de marge", "%100% de marge%"), ("a\\\\bcd", "%bcd%"),
            ("%SQL%abc%", "%sql%abc%"),
        ])
    func traces(pattern: String, trace: String) {
        #expect(TrigramPattern.of(pattern) == trace)
    }

    @Test(
        "is none where there is too little of that", arguments: ["", "%", "%ab%", "éàü", "a_b_c_d", "ab\\%cd", "a b c"])
    func none(pattern: String) {
        #expect(TrigramPattern.of(pattern) == nil)
    }

    @Test("is asked for beside the pattern, but not inside a not, where false is not null")
    func use() throws {
        func text(_ filter: Value) throws -> String {
            try Sample.planner().list(Sample.sessions, ["where": filter, "select": "{ id }"]).query.statement.text
        }
        let pattern: Value = ["lieu": ["ilike": "%paris%"]]
        #expect(try text(pattern).contains("recherche("))
        #expect(try text(["or": [["id": 1], pattern]]).contains("recherche("))
        #expect(!(try text(["not": pattern]).contains("recherche(")))
        #expect(!(try text(["not": ["or": [pattern]]]).contains("recherche(")))
        #expect(try text(["not": ["id": 1], "and": [pattern]]).contains("recherche("))
        #expect(!(try text(["lieu": ["ilike": "%pa%"]]).contains("recherche(")))
    }
}
