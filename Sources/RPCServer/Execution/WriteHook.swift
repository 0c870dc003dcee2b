import DomainKit
package import PostgresDriver
package import QueryCompiler

/// What a capability adds to one write: before its transaction, in it, and after the commit.
package struct WriteHook: Sendable {
    /// What ``before`` reads costs.
    var cost = CallCost()
    /// The statements of ``before``, for the report of a slow call.
    var queries: [Query] = []
    /// Makes steps that come before those of the write. It runs before the transaction begins, because it may take long.
    var before: (@Sendable (Call) async throws(ExecutionError) -> [Step])?
    /// Makes steps that come directly after the statement that writes. It runs before the transaction begins.
    var after: (@Sendable (Call) async throws(ExecutionError) -> [Step])?
    /// Runs after the commit, and again when the write is answered again. The answer is the id of the record that was written, or
    /// what the function of a command has returned.
    var committed: (@Sendable (_ answer: String?, Call) async throws(ExecutionError) -> Void)?

    package init(
        cost: CallCost = CallCost(), queries: [Query] = [],
        before: (@Sendable (Call) async throws(ExecutionError) -> [Step])? = nil,
        after: (@Sendable (Call) async throws(ExecutionError) -> [Step])? = nil,
        committed: (@Sendable (_ answer: String?, Call) async throws(ExecutionError) -> Void)? = nil
    ) {
        self.cost = cost
        self.queries = queries
        self.before = before
        self.after = after
        self.committed = committed
    }
}

/// What a capability adds to a method that writes.
package struct WriteExtension: Sendable {
    /// Members that the parameter `values` takes beside columns.
    var members: [any DeclaredParameter] = []
    /// The further errors that the method may end in.
    var errors: Set<ErrorKind> = []
    /// Whether the method may still be called with an access key.
    var acceptsAccessKeys = false
    /// Whether the method can still be a call of a transaction.
    var isCallOfTransactions = true
    let hook: Planning

    package init(
        members: [any DeclaredParameter] = [], errors: Set<ErrorKind> = [], acceptsAccessKeys: Bool = false,
        isCallOfTransactions: Bool = true, hook: @escaping Planning
    ) {
        self.members = members
        self.errors = errors
        self.acceptsAccessKeys = acceptsAccessKeys
        self.isCallOfTransactions = isCallOfTransactions
        self.hook = hook
    }

    /// Plans what is added to one call.
    ///
    /// - Parameters:
    ///   - params: of the call.
    ///   - members: the values of ``WriteExtension/members``, with the columns as they were given.
    package typealias Planning =
        @Sendable (_ params: Params, _ members: Params, _ call: Call) throws(CallError) -> WriteHook
}

/// A write, with what capabilities add to it.
struct PlannedWrite: Sendable {
    let write: any Write
    var hooks: [WriteHook] = []

    var cost: CallCost { hooks.reduce(write.cost) { $0.adding($1.cost) } }
    var queries: [Query] { hooks.flatMap(\.queries) + write.queries }

    func committed(answer: String?, for call: Call) async throws(ExecutionError) {
        for hook in hooks { try await hook.committed?(answer, call) }
    }
}
