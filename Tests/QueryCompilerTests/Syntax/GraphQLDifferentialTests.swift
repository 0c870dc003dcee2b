import ChildProcesses
import DomainKit
import Foundation
import JSON
import TestSupport
import Testing

@testable import QueryCompiler

/// Compares the parser with graphql-core, which script/test installs in `.build/graphql-core`.
struct GraphQLDifferentialTests {
    private struct Verdict: Decodable {
        let subset: Bool
        let canonical: String?
    }

    @Test
    func `the parser accepts the same texts as graphql-core and reads them the same way`() async throws {
        var generator = SelectionGenerator(seed: 20_261_121)
        let texts = (0..<randomCases(4_000)).map { _ in generator.text() }
        let verdicts = try await Self.verdicts(on: texts)
        try #require(verdicts.count == texts.count)
        var accepted = 0
        var rejected = 0
        for (text, verdict) in zip(texts, verdicts) {
            let read = Result { try SelectionParser.parse(text) }
            switch (read, verdict) {
            case (.success(let document), let verdict?):
                // Bytes are compared, because `String` treats canonically equivalent texts as equal.
                let canonical = Array(document.canonical.utf8)
                let isSame = verdict.subset && canonical == verdict.canonical.map { Array($0.utf8) }
                #expect(isSame, "\(text.debugDescription): \(document.canonical.debugDescription), not \(verdict)")
                accepted += 1
            case (.failure(let error), let verdict?):
                #expect(!verdict.subset, "\(text.debugDescription): \(error)")
                rejected += 1
            case (.success, nil):
                Issue.record("accepted, but not GraphQL: \(text.debugDescription)")
            case (.failure, nil):
                rejected += 1
            }
        }
        // The comparison is meaningful only with many texts of both kinds.
        #expect(accepted > texts.count / 4)
        #expect(rejected > texts.count / 4)
    }

    @Test(arguments: [
        ("query { id }", "opérations"), ("mutation M { id }", "opérations"),
        ("{ id @skip(if: true) }", "directives"),
        ("{ ...A @a } fragment A on b { id }", "directives"), ("{ ... on b { id } }", "fragments en ligne"),
        ("{ ... { id } }", "fragments en ligne"), ("{ ... @a { id } }", "fragments en ligne"),
        ("{ id } query Q { id }", "fragment"),
    ])
    func `GraphQL beyond a selection is rejected with a message of its own`(text: String, word: String) async throws {
        let error = try #require(throws: SelectionError.self) { try SelectionParser.parse(text) }
        #expect(error.message.contains(word))
        let verdict = try #require(try await Self.verdicts(on: [text])[0])
        #expect(!verdict.subset)
    }

    /// The result of graphql-core for each text; nil for a text that is not GraphQL.
    private static func verdicts(on texts: [String]) async throws -> [Verdict?] {
        let encoder = JSONEncoder()
        let input = try texts.map { String(decoding: try encoder.encode($0), as: UTF8.self) + "\n" }.joined()
        let folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        let script = folder.appending(path: "graphql_reference.py")
        let library = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: ".build/graphql-core").path
        let ran = try await ChildProcess.run(
            "/usr/bin/env", ["python3", script.path], input: input,
            environment: ProcessInfo.processInfo.environment.merging(
                ["PYTHONPATH": library, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"]) { $1 })
        try #require(ran.status == 0, "graphql-core must be installed, as script/test does: \(ran.errors)")
        let decoder = JSONDecoder()
        return try ran.output.split(separator: "\n").map { try decoder.decode(Verdict?.self, from: Data($0.utf8)) }
    }
}
