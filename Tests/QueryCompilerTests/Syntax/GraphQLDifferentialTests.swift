import ChildProcesses
import DomainKit
import Foundation
import TestSupport
import Testing

@testable import QueryCompiler

/// The grammar against another reader of it: graphql-core, which script/test puts into `.build/graphql-core`.
@Suite("GraphQL's grammar")
struct GraphQLDifferentialTests {
    private struct Verdict: Decodable {
        let subset: Bool
        let canonical: String?
    }

    @Test("is read as graphql-core reads it: the same texts, with the same meaning")
    func differential() async throws {
        var generator = SelectionGenerator(seed: 20_261_121)
        let texts = (0..<randomCases(4_000)).map { _ in generator.text() }
        let verdicts = try await Self.verdicts(on: texts)
        try #require(verdicts.count == texts.count)
        var accepted = 0
        var refused = 0
        for (text, verdict) in zip(texts, verdicts) {
            let read = Result { try SelectionParser.parse(text) }
            switch (read, verdict) {
            case (.success(let document), let verdict?):
                // Byte by byte: Swift takes texts for equal that are canonically equivalent.
                let canonical = Array(document.canonical.utf8)
                let isSame = verdict.subset && canonical == verdict.canonical.map { Array($0.utf8) }
                #expect(isSame, "\(text.debugDescription): \(document.canonical.debugDescription), not \(verdict)")
                accepted += 1
            case (.failure(let fault), let verdict?):
                #expect(!verdict.subset, "\(text.debugDescription): \(fault)")
                refused += 1
            case (.success, nil):
                Issue.record("accepted, and is no GraphQL: \(text.debugDescription)")
            case (.failure, nil):
                refused += 1
            }
        }
        // Both kinds must be there, or this proves nothing.
        #expect(accepted > texts.count / 4)
        #expect(refused > texts.count / 4)
    }

    @Test(
        "that is more than a selection is refused in words of its own",
        arguments: [
            ("query { id }", "opérations"), ("mutation M { id }", "opérations"),
            ("{ id @skip(if: true) }", "directives"),
            ("{ ...A @a } fragment A on b { id }", "directives"), ("{ ... on b { id } }", "fragments en ligne"),
            ("{ ... { id } }", "fragments en ligne"), ("{ ... @a { id } }", "fragments en ligne"),
            ("{ id } query Q { id }", "fragment"),
        ])
    func outside(text: String, word: String) async throws {
        let fault = try #require(throws: SelectionError.self) { try SelectionParser.parse(text) }
        #expect(fault.message.contains(word))
        let verdict = try #require(try await Self.verdicts(on: [text])[0])
        #expect(!verdict.subset)
    }

    /// What graphql-core makes of each text; nil for one that is no GraphQL.
    private static func verdicts(on texts: [String]) async throws -> [Verdict?] {
        let encoder = JSONEncoder()
        let input = try texts.map { String(decoding: try encoder.encode($0), as: UTF8.self) + "\n" }.joined()
        let folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        let script = folder.appending(path: "graphql_reference.py")
        let library = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: ".build/graphql-core").path
        try #require(FileManager.default.fileExists(atPath: library), "graphql-core is missing: run script/test")
        let ran = try await ChildProcess.run(
            "/usr/bin/env", ["python3", script.path], input: input,
            environment: ProcessInfo.processInfo.environment.merging(
                ["PYTHONPATH": library, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"]) { $1 })
        try #require(ran.status == 0, "\(ran.errors)")
        let decoder = JSONDecoder()
        return try ran.output.split(separator: "\n").map { try decoder.decode(Verdict?.self, from: Data($0.utf8)) }
    }
}
