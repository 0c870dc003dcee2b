import DomainKit
import JSON
import Testing

@testable import QueryCompiler

struct SelectionParserTests {
    @Test(
        arguments: [
            ("{id}", "{id}"),
            ("{ id, module,date }", "{id module date}"),
            ("\u{FEFF}{ id # a comment, with { } in it\r\n module }", "{id module}"),
            ("{ a: id b : module }", "{a:id b:module}"),
            ("{ formateur { nom } }", "{formateur{nom}}"),
            ("{ s(first: 3, where: {a: {gte: $now}}) { id } }", "{s(first:3 where:{a:{gte:$now}}){id}}"),
            ("{ s(a: [1 -2 3.50 1e9 -0 0.5E-3]) }", "{s(a:[1 -2 3.50 1e9 -0 0.5E-3])}"),
            ("{ s(a: true b: false c: null d: ASC e: []) }", "{s(a:true b:false c:null d:ASC e:[])}"),
            (
                "{ ...Carte } fragment Carte on sessions { id ...Autre } fragment Autre on sessions { date }",
                "{...Carte} fragment Carte on sessions {id ...Autre} fragment Autre on sessions {date}"
            ),
            ("{ fragment on query true null }", "{fragment on query true null}"),
            ("{ __typename }", "{__typename}"),
            (#"{ s(a: "é\n\t\"\\\/\u00e9\uD83D\uDE00\u{1F600}") }"#, "{s(a:\"é\n\t\"\\/é😀😀\")}"),
            ("{ s(a: \"\") }", "{s(a:\"\")}"),
            (
                "{ s(a: \"\"\"\n    Bonjour,\n      Élodie\n\n    \"\"\") }",
                "{s(a:\"Bonjour,\n  Élodie\")}"
            ),
            (#"{ s(a: """a \""" b""") }"#, "{s(a:\"a \"\"\" b\")}"),
        ] as [(String, String)])
    func `a selection is parsed as GraphQL defines it`(text: String, expected: String) throws {
        #expect(try SelectionParser.parse(text).canonical == expected)
    }

    @Test(
        arguments: [
            ("", 1, 1), ("id", 1, 1), ("{", 1, 2), ("{ }", 1, 1), ("{ id", 1, 5), ("{ id } }", 1, 8),
            ("{ id }\n{ id }", 2, 1), ("{ s() { id } }", 1, 4), ("{ s(first 3) }", 1, 11),
            ("{ s(first: ) }", 1, 12),
            ("{ a: }", 1, 6), ("{ a: b: c }", 1, 7), ("{ é }", 1, 3), ("{\n  id\r\n  ?\n}", 3, 3),
            ("{ .. }", 1, 3),
            ("{ s(a: 01) }", 1, 8), ("{ s(a: 1.) }", 1, 8), ("{ s(a: 1a) }", 1, 9), ("{ s(a: -) }", 1, 8),
            ("{ s(a: \"abc) }", 1, 8), ("{ s(a: \"\\x\") }", 1, 9), ("{ s(a: \"\\uD800\") }", 1, 9),
            ("{ s(a: \"\\u{110000}\") }", 1, 9), ("{ s(a: \"a\nb\") }", 1, 8),
            ("{ s(a: \"\"\"abc) }", 1, 8),
            ("{ s(a: \"é😀\" ?) }", 1, 13), ("{ id @include(if: true) }", 1, 6),
            ("{ ... on sessions { id } }", 1, 3),
            ("{ ... { id } }", 1, 3), ("{ ...A @b } ", 1, 8), ("query { id }", 1, 1),
            ("{ id } query Q { id }", 1, 8),
            ("{ ...A } fragment on on sessions { id }", 1, 19),
            ("{ ...A } fragment A sessions { id }", 1, 21),
            ("{ ...A } fragment A on sessions @x { id }", 1, 33),
            ("{ id } fragment A on sessions { }", 1, 31),
        ] as [(String, Int, Int)])
    func `an invalid selection is rejected with its position`(text: String, line: Int, column: Int) throws {
        let error = try #require(throws: SelectionError.self) { try SelectionParser.parse(text) }
        #expect(error.position == .init(line: line, column: column), "\(error)")
        #expect(!error.message.isEmpty)
    }

    @Test
    func `a text nested a thousand times is rejected`() throws {
        let sets = String(repeating: "{ a ", count: 1_000) + String(repeating: "}", count: 1_000)
        #expect(
            try #require(throws: SelectionError.self) { try SelectionParser.parse(sets) }.reason == .selectionTooDeep)
        let lists =
            "{ s(a: " + String(repeating: "[", count: 1_000) + String(repeating: "]", count: 1_000)
            + ") }"
        #expect(throws: SelectionError.self) { try SelectionParser.parse(lists) }
    }
}
