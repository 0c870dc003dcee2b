import Foundation
import TestSupport
import Testing

@testable import ServerTests

/// The examples of docs/counting.md, which "run as they are": in one shell, with the answers that the page has.
@Suite struct DocumentedExampleTests {
    @Test func `the examples of the page have the answers that stand below them`() async throws {
        let page = try String(
            contentsOf: LearnTrackProcess.projectRoot.appendingPathComponent("docs/counting.md"), encoding: .utf8)
        let start = try #require(page.range(of: "The examples below run as they are"))
        let server = try await DemoTests.start(serving: ["counting"])
        let examples = Self.examples(in: page[start.upperBound...])
        #expect(examples.count > 10 && examples.count { $0.answers != nil } > 6)

        // A marker before each example. Its day does not begin meanwhile: it is evening where the place of the page is.
        let script = examples.enumerated().map { "echo '\(Self.marker) \($0)'\n\($1.shell)" }.joined(separator: "\n")
            .replacing("127.0.0.1:8080", with: "127.0.0.1:\(server.port)")
            .replacing("Europe/Paris", with: Self.eveningZone())
        let run = try await ExternalProgram.run("/bin/bash", ["-c", script])
        let outputs = run.output.split(separator: "\(Self.marker) ").map {
            $0.drop { $0 != "\n" }.trimmingCharacters(in: .newlines)
        }
        try #require(outputs.count == examples.count, "\(run.output)\(run.errors)")
        for (example, output) in zip(examples, outputs) {
            #expect(!output.contains(#""error""#), "\(example.shell): \(output)")
            if let answers = example.answers { #expect(output == answers, "\(example.shell)") }
        }
        #expect(outputs.last?.contains("event: ready") == true, "the stream of the feed: \(outputs)")
    }

    private static let marker = "=== example"

    private struct Example {
        let shell: String
        /// What stands below it; nil if the page leaves it out.
        let answers: String?
    }

    private static func examples(in page: Substring) -> [Example] {
        var examples: [Example] = []
        // Every second part is a block, which begins with its language.
        for block in page.components(separatedBy: "```").enumerated().filter({ !$0.offset.isMultiple(of: 2) }) {
            let lines = block.element.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            guard lines.count == 2 else { continue }
            let text = lines[1].trimmingCharacters(in: .newlines)
            if lines[0] == "sh" {
                examples.append(Example(shell: text, answers: nil))
            } else if lines[0] == "json", let example = examples.popLast() {
                examples.append(Example(shell: example.shell, answers: text))
            }
        }
        return examples
    }

    /// A time zone in which it is between 20:00 and 21:00.
    private static func eveningZone() -> String {
        let hour = Int(Date.now.timeIntervalSince1970) / 3600 % 24
        let ahead = hour <= 5 ? -4 - hour : 20 - hour
        // The sign is that of POSIX.
        return ahead == 0 ? "Etc/GMT" : "Etc/GMT\(ahead > 0 ? "-" : "+")\(abs(ahead))"
    }
}
