import Auth
import DomainKit
import PostgresDriver
import QueryCompiler

/// A change of the database that one call asks for: a write of a record, or a command.
///
/// Changes are sent in batches, each of which is one transaction (``ChangeBatch``). A change in a batch with an
/// idempotency key, or among the calls of a transaction, leaves its answer in the setting `learntrack.answered`; it is
/// planned with ``WriteMode/keepsID``.
protocol Change: Sendable {
    var cost: CallCost { get }
    /// The statements of the query compiler in ``steps(for:)``, and those that run before.
    var queries: [Query] { get }
    /// The read that is all the change consists of. It needs no transaction. Nil for other changes.
    var soleRead: Query? { get }
    /// Whether the change has matched no record if it leaves no answer, and is refused then.
    var mustMatch: Bool { get }
    /// The entity of the record that the change answers with, which later calls of the transaction can refer to; nil if it
    /// does not answer the id of a record.
    var answeredEntity: Entity? { get }
    /// The references in ``WriteMode/references`` that the change uses.
    var usedReferences: Set<UsedReference> { get }

    /// The statements of the change, in order.
    func steps(for call: Call) async throws(ExecutionError) -> [Step]

    /// The result of the call; nil if the change has matched no record.
    ///
    /// - Parameters:
    ///   - results: one for each of the steps.
    ///   - answer: what the change has left as its answer, if it was asked to.
    func result(of results: ArraySlice<Rows>, answer: String?) throws(ExecutionError) -> CallResult?

    /// What follows the commit, for example the end of sign-ins. It is done again when the change is answered again.
    func committed(answer: String?, for call: Call) async throws(ExecutionError)

    /// The query that answers the call again after an earlier call has made the change; nil if `answer` suffices.
    func readAgain(_ answer: String?) -> Query?

    /// The result of the call when it is sent again. A record that is gone is answered as a deletion.
    ///
    /// - Parameter rows: of ``readAgain(_:)``.
    /// - Returns: `{id, deleted}` in the place of a record that no longer exists.
    func result(ofReadingAgain rows: Rows?, answer: String?) throws(ExecutionError) -> CallResult

    /// The error of a change that has matched no record.
    ///
    /// - Parameters:
    ///   - missing: the missing record, as `kernel.no_record` says; nil if the database has not named it.
    ///   - answers: those of the calls before it in the transaction.
    func unmatched(
        _ missing: MissingRecord?, after answers: [String?], in context: ChangeContext
    ) async throws(ExecutionError) -> ExecutionError

    /// The error of the database in terms of the values that the caller gave.
    func explain(_ error: PostgresError, in context: ChangeContext) async -> ExecutionError

    /// Whether the change can violate this constraint.
    func declares(constraint: String) -> Bool

    /// Whether the change is refused by a value that it has copied from a record, which another transaction has changed
    /// meanwhile. Made again, it copies the new value.
    func copiedOldValue(_ error: PostgresError) -> Bool
}

extension Change {
    func copiedOldValue(_ error: PostgresError) -> Bool { false }
}

/// Where a change was tried, for the queries that explain its failure.
struct ChangeContext: Sendable {
    let executor: Executor
    let database: PostgresClient
    let call: Call
    /// Whether other calls of the transaction come before the change.
    var followsOthers = false
}

/// The record that does not exist, as `kernel.no_record` says.
struct MissingRecord: Sendable {
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

/// Changes that are made as one transaction, and its terms.
struct ChangeBatch: Sendable {
    let changes: [any Change]
    var terms = WriteTerms()
    /// Whether the changes are the calls of a transaction: their results are listed, and errors name the call.
    var isTransaction = false
    /// The role in which the calls of a transaction are made; nil for that of the call itself.
    var role: ActingRole?
    /// The methods of the calls of a transaction, for the log.
    var methods: [String] = []

    /// Whether each change leaves its answer to the statements after it.
    var keepsAnswers: Bool { isTransaction || terms.once != nil }

    var cost: CallCost { changes.dropFirst().reduce(changes.first?.cost ?? CallCost()) { $0.adding($1.cost) } }

    /// The read that is all the batch consists of.
    var soleRead: Query? { changes.count == 1 && !keepsAnswers ? changes.first?.soleRead : nil }

    /// An error of the change with this index.
    func error(_ error: ExecutionError, of index: Int) -> ExecutionError {
        isTransaction ? .inCall(index, error) : error
    }
}
