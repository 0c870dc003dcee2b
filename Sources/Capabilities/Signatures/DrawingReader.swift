import Documents
import DomainKit
import Outbox
import RPCServer
import Threads

/// Reads what signatories draw, to its end, before it is accepted.
///
/// Every holder of a link may send drawings. Therefore few are read at once, and the companies take turns, then their documents.
/// Documents that accounts make do not wait for them.
struct DrawingReader: Sendable {
    let turns = AccountTurns(atOnce: 2)

    /// Whether the evidence can show a drawing.
    ///
    /// - Parameters:
    ///   - document: the id of the document that is signed, which is one of the company.
    ///   - terms: those of the signatures that it belongs to.
    func canRead(
        _ drawing: [UInt8], of document: Int64, in company: Company, _ terms: Signatures,
        by deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> Bool {
        try await turns.take(for: document, in: company, by: deadline) { () throws(ExecutionError) in
            try await BlockingThread.value(
                name: "signature", priority: .low, orThrow: .unavailable(cause: "the system has no thread left")
            ) { () throws(ExecutionError) in
                do {
                    return try terms.acceptsDrawing(drawing)
                } catch {
                    throw .unexpected(cause: "a drawing cannot be checked: \(error)")
                }
            }
        }
    }
}
