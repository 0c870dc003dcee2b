import DomainKit
import JSON
import PostgresDriver
import QueryCompiler

/// A call that asks for signatures: the change of its command, before which the document is made and kept.
struct SignatureRequest: Change {
    /// Names the signatories.
    let command: any Change
    let document: DocumentPlan
    let kind: String
    let method: String
    let params: JSONObject
    /// Where the call has the params of the document.
    let path: String
    let maker: DocumentMaker

    var cost: CallCost { command.cost.adding(document.cost) }
    var queries: [Query] { document.loads.flatMap(\.queries) + command.queries }
    var soleRead: Query? { nil }
    var mustMatch: Bool { command.mustMatch }
    var answeredEntity: Entity? { command.answeredEntity }
    var usedReferences: Set<UsedReference> { command.usedReferences }

    /// Makes the document before the transaction begins, because it may wait for its turn.
    func steps(for call: Call) async throws(ExecutionError) -> [Step] {
        let made = try await make(for: call)
        let named = Document(
            kind: made.kind, name: ContentDisposition.fileName(made.name), bytes: made.bytes, subject: made.subject)
        let params = JSONValue.object(params).jsonText
        return [SignatureStore.step(kind: kind, method: method, params: params, named)]
            + (try await command.steps(for: call))
    }

    /// A record that is missing is named at its place in the params of the call.
    private func make(for call: Call) async throws(ExecutionError) -> Document {
        do throws(ExecutionError) {
            return try await maker.make(document, for: call)
        } catch {
            guard case .notFound(let noun, let facts, let path) = error else { throw error }
            throw .notFound(noun, facts: facts, path: self.path + (path ?? "/id"))
        }
    }

    func result(of results: ArraySlice<Rows>, answer: String?) throws(ExecutionError) -> CallResult? {
        try command.result(of: results.dropFirst(), answer: answer)
    }

    func committed(answer: String?, for call: Call) async throws(ExecutionError) {
        try await command.committed(answer: answer, for: call)
    }

    func readAgain(_ answer: String?) -> Query? { command.readAgain(answer) }

    func result(ofReadingAgain rows: Rows?, answer: String?) throws(ExecutionError) -> CallResult {
        try command.result(ofReadingAgain: rows, answer: answer)
    }

    func unmatched(
        _ missing: MissingRecord?, after answers: [String?], in context: ChangeContext
    ) async throws(ExecutionError) -> ExecutionError {
        try await command.unmatched(missing, after: answers, in: context)
    }

    func explain(_ error: PostgresError, in context: ChangeContext) async -> ExecutionError {
        await command.explain(error, in: context)
    }

    func declares(constraint: String) -> Bool { command.declares(constraint: constraint) }
}
