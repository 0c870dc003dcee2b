import ArgumentParser
import Documents
import DomainKit
import Glibc
import JSON
import RPCServer

/// The process of ``DocumentProcess``: reads a ``DocumentOrder`` from standard input and writes the document to standard output,
/// after a line with what it lacks, a JSON array of texts.
struct DrawDocument: ParsableCommand {
    static let name = "draw-document"
    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Draw a document, for the server.", shouldDisplay: false)

    /// Ten seconds are what a call may take. The planning of 260 sessions needs 60 MB in all.
    private static let limits = DrawingLimits(seconds: 10, memory: 512 << 20)

    func run() throws {
        if let problem = Self.limits.set() { try fail(problem) }
        guard let order = DocumentOrder(DrawingLimits.readAll()) else { return try fail("the order is none") }
        do {
            let content = try order.draw(in: ServerProgram.current.knownDomains)
            let warnings = JSONValue.array(content.warnings.map { .string($0) })
            try writeAll([UInt8](json: warnings) + [0x0A] + content.bytes, to: STDOUT_FILENO)
        } catch {
            try fail("\(error)")
        }
    }

    private func fail(_ problem: String) throws {
        write(problem, to: STDOUT_FILENO)
        throw ExitCode(DrawingLimits.Status.unavailable.rawValue)
    }
}
