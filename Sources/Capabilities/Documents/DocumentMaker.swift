import Auth
import DomainKit
import JSON
package import RPCServer

/// Makes documents: loads what they show, and has it drawn away from the event loops.
package struct DocumentMaker: Sendable {
    let executor: Executor
    package let turns: AccountTurns
    let drawing: any DocumentDrawing

    package func make(_ plan: DocumentPlan, for call: Call) async throws(ExecutionError) -> Document {
        switch plan.content {
        case .stored(let read):
            let loaded = try await executor.load(plan.loads, for: call)
            return Document(kind: plan.kind, name: plan.name(loaded), bytes: try await read(call.context.deadline))
        case .written(let write):
            let loaded = try await load(plan, for: call)
            let content = try await Self.awayFromLoops(call) { () throws(ExecutionError) in
                try Self.content(write, loaded)
            }
            return plan.document(content, loaded)
        case .drawn(let order):
            // The turn is taken before anything is loaded, so that documents that wait hold no rows.
            return try await turns.take(
                for: call.caller?.user.accountID ?? 0, in: call.company, by: call.context.deadline
            ) { () throws(ExecutionError) in
                let loaded = try await load(plan, for: call)
                let content = try await mapError(
                    async: await Self.awayFromLoops(call) { () throws(DocumentDrawingError) in
                        try await drawing.draw(order(loaded), by: call.context.deadline)
                    }, ExecutionError.init(drawing:))
                return plan.document(content, loaded)
            }
        }
    }

    /// Also what is only passed on to another process may be large.
    private static func awayFromLoops<Value: Sendable, Failure: Error>(
        _ call: Call, _ work: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard let offLoop = call.context.offLoop else { return try await work() }
        return try await withTaskExecutorPreference(offLoop, operation: work)
    }

    private func load(_ plan: DocumentPlan, for call: Call) async throws(ExecutionError) -> [JSONValue] {
        let loaded = try await executor.load(plan.loads, for: call)
        if let refusal = plan.refusal?(loaded) { throw refusal }
        return loaded
    }

    private static func content(
        _ write: ([JSONValue]) throws -> DocumentContent, _ loaded: [JSONValue]
    ) throws(ExecutionError) -> DocumentContent {
        do {
            return try write(loaded)
        } catch {
            throw .unexpected(cause: "a document cannot be written: \(error)")
        }
    }
}

extension DocumentPlan {
    fileprivate func document(_ content: DocumentContent, _ loaded: [JSONValue]) -> Document {
        Document(
            kind: kind, name: name(loaded), bytes: content.bytes, subject: subject?(loaded), warnings: content.warnings)
    }
}
