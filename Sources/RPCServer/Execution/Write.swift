import Auth
package import DomainKit
package import PostgresDriver
package import QueryCompiler

/// What one call writes: a record, or what the function of a command does.
///
/// Writes are sent in batches, each of which is one transaction (``WriteBatch``). A write leaves its answer, such as the id of its
/// record, in the setting `learntrack.answered`.
package protocol Write: Sendable {
    var cost: CallCost { get }
    /// The statements, in order.
    var queries: [Query] { get }
    /// The index of the statement that writes. Its result is the answer.
    var writeIndex: Int { get }
    /// Whether the write has matched no record if it leaves no answer, and is refused then.
    var mustMatch: Bool { get }
    /// The entity of the record that the write answers with, which later calls of the transaction can refer to; nil if it
    /// does not answer the id of a record.
    var answeredEntity: Entity? { get }
    /// The references in ``WriteMode/references`` that the write uses.
    var usedReferences: Set<UsedReference> { get }

    /// The result of the call; nil if the write has matched no record.
    ///
    /// - Parameters:
    ///   - rows: of the last statement.
    ///   - answer: what the write has left as its answer; nil if it has matched no record or has returned null.
    func result(of rows: Rows, answer: String?) throws(ExecutionError) -> CallResult?

    /// The query that answers the call again after an earlier call has written; nil if `answer` suffices.
    func readAgain(_ answer: String?) -> Query?

    /// The result of the call when it is sent again. A record that is gone is answered as a deletion.
    ///
    /// - Parameter rows: of ``readAgain(_:)``.
    /// - Returns: `{id, deleted}` in the place of a record that no longer exists.
    func result(ofReadingAgain rows: Rows?, answer: String?) throws(ExecutionError) -> CallResult

    /// The error of a write that has matched no record.
    ///
    /// - Parameters:
    ///   - missing: the missing record, as `kernel.no_record` says; nil if the database has not named it.
    ///   - answers: those of the calls before it in the transaction.
    func unmatched(
        _ missing: MissingRecord?, after answers: [String?], in context: WriteContext
    ) async throws(ExecutionError) -> ExecutionError

    /// The error of the database in terms of the values that the caller gave.
    func explain(_ error: PostgresError, in context: WriteContext) async -> ExecutionError

    /// Whether the write can violate this constraint.
    func declares(constraint: String) -> Bool

    /// Whether the write is refused by a value that it has copied from a record, which another transaction has changed
    /// meanwhile. Made again, it copies the new value.
    func copiedOldValue(_ error: PostgresError) -> Bool
}

extension Write {
    func copiedOldValue(_ error: PostgresError) -> Bool { false }
}

/// Where a write was tried, for the queries that explain its failure.
package struct WriteContext: Sendable {
    let executor: Executor
    let database: PostgresClient
    let call: Call
    /// Whether other calls of the transaction come before it.
    var followsOthers = false
}

/// The record that does not exist, as `kernel.no_record` says.
package struct MissingRecord: Sendable {
    /// Nil if the function has given null.
    let id: String?
    /// Where the call names it; nil if the function does not say it.
    let path: String?
}

/// The record that has another version than its call expects, as `kernel.check_version` says. The versions are those that the
/// transaction has seen.
struct OutdatedRecord: Sendable {
    let id: String
    let version: String
    let expected: String
}

/// Writes that are made as one transaction, and its terms.
package struct WriteBatch: Sendable {
    let writes: [PlannedWrite]
    var terms = WriteTerms()
    /// Whether the writes are the calls of a transaction: their results are listed, and errors name the call.
    var isTransaction = false
    /// The role in which the calls of a transaction are made; nil for that of the call itself.
    var role: ActingRole?
    /// The methods of the calls of a transaction, for the log.
    var methods: [String] = []

    /// Whether each write leaves its answer to the statements after it.
    var keepsAnswers: Bool { isTransaction || terms.once != nil }

    var cost: CallCost { writes.dropFirst().reduce(writes.first?.cost ?? CallCost()) { $0.adding($1.cost) } }

    /// An error of the write with this index.
    func error(_ error: ExecutionError, of index: Int) -> ExecutionError {
        isTransaction ? .inCall(index, error) : error
    }
}
