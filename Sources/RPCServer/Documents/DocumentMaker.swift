import Auth
import DomainKit
import JSON

/// Makes documents: loads what they show, and renders it away from the event loops.
struct DocumentMaker: Sendable {
    let executor: Executor
    let turns: RenderingTurns

    func make(_ plan: DocumentPlan, for call: Call) async throws(ExecutionError) -> Document {
        if let stored = plan.stored {
            let loaded = try await executor.load(plan.loads, for: call)
            return Document(kind: plan.kind, name: plan.name(loaded), bytes: try await stored(call.context.deadline))
        }
        guard plan.kind.isSlow else {
            let loaded = try await executor.load(plan.loads, for: call)
            guard let offLoop = call.context.offLoop else { return try Self.document(plan, loaded).get() }
            return try await withTaskExecutorPreference(offLoop) { Self.document(plan, loaded) }.get()
        }
        return try await turns.take(
            for: call.caller?.user.userID ?? 0, by: call.context.deadline
        ) { () throws(ExecutionError) in
            let loaded = try await executor.load(plan.loads, for: call)
            return try await LowPriorityThread.run { Self.document(plan, loaded) }.get()
        }
    }

    private static func document(
        _ plan: DocumentPlan, _ loaded: [JSONValue]
    ) -> Result<Document, ExecutionError> {
        if let refusal = plan.refusal?(loaded) { return .failure(refusal) }
        do {
            let content = try plan.render(loaded)
            return .success(
                Document(
                    kind: plan.kind, name: plan.name(loaded), bytes: content.bytes, subject: plan.subject?(loaded),
                    warnings: content.warnings))
        } catch {
            return .failure(.unexpected(cause: "a document cannot be rendered: \(error)"))
        }
    }
}
