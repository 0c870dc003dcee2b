/// Why a call on Postgres did not succeed, and what that means for whoever made it.
///
/// ```swift
/// do {
///     _ = try await client.transaction(steps)
/// } catch where error.kind == .outcomeUnknown {
///     // Look whether it is there, or make it again if a second time does no harm.
/// } catch where error.isRetrySafe {
///     // Nothing happened: it may be made again, if that has a chance (`.unavailable`, `.connectionLost`).
/// }
/// ```
///
/// Its description shows no parameter and nothing that may quote one (`detail` does, and the messages of data
/// exceptions); ask `server` for those.
public struct PostgresError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Whether the call may have happened, `isRetrySafe` tells: where it is false, it may.
    public enum Kind: Sendable, Equatable {
        /// The server refused the statement; `server` says why. Its transaction is rolled back.
        case server
        /// No connection could be had within `Configuration.acquireTimeout`: the server is away, full or refuses the login,
        /// or all connections are busy. `cause` says which.
        case unavailable
        /// The connection broke while the call was under way. What a statement on a leased connection did, it may have
        /// done; of anything else it is known that nothing happened.
        case connectionLost
        /// The call's deadline passed; the statement was cancelled and its transaction rolled back. On a lent
        /// connection and in COPY … TO it may have happened all the same (`isRetrySafe`), if the connection was lost
        /// meanwhile.
        case timeout
        /// The calling task was cancelled; so were the statement and its transaction. On a lent connection and in
        /// COPY … TO as with `timeout`.
        case cancelled
        /// The connection broke after a transaction was sent: it may or may not have been committed.
        case outcomeUnknown
        /// A parameter, the name of a channel or a COPY cannot be sent as it is; nothing was.
        case invalidParameter
        /// The client's way of connecting rules it out: `withConnection` and COPY through a transaction pooler.
        case unsupported
        /// The client was shut down, or a lent connection used after it was given back.
        case closed
        /// The server or libpq answered what the driver cannot follow (COPY in a query, for instance).
        case protocolViolation
    }

    /// What kind of failure it is.
    public let kind: Kind
    /// What the server said, when it said something.
    public let server: ServerFields?
    /// For logs: what happened below, in words that may change; without parameters.
    public let cause: String?
    /// Whether nothing happened on the server that lasts, so that making the same call again is safe.
    ///
    /// It cannot know of text that itself commits (a script with COMMIT, a CALL of a procedure that commits), nor of a
    /// statement that changes something though it was given to `PostgresClient.query`.
    public let isRetrySafe: Bool

    /// The server's five characters for what is wrong, such as `23505` for a unique violation; nil when it said nothing.
    public var sqlState: String? { server?.sqlState }

    init(_ kind: Kind, server: ServerFields? = nil, cause: String? = nil, isRetrySafe: Bool? = nil) {
        self.kind = kind
        self.server = server
        self.cause = cause
        self.isRetrySafe = isRetrySafe ?? kind.leavesNothing
    }

    /// One line for a log, without values.
    public var description: String {
        var text = "\(kind)"
        if let server { text += " \(server.sqlState) \(server.severity): \(server.messageWithoutValues)" }
        if let cause { text += " (\(cause))" }
        return text
    }
}

extension PostgresError.Kind {
    fileprivate var leavesNothing: Bool {
        switch self {
        case .server, .unavailable, .invalidParameter, .unsupported, .closed, .cancelled, .timeout: true
        case .connectionLost, .outcomeUnknown, .protocolViolation: false
        }
    }
}

/// The fields of an error report of the server, as its documentation's "Error and Notice Message Fields" has them. An
/// empty or absent field was not sent.
public final class ServerFields: Sendable {
    /// `ERROR`, `FATAL` or `PANIC`, in English whatever the server's language.
    public let severity: String
    /// Five characters, as listed in the appendix "PostgreSQL Error Codes".
    public let sqlState: String
    /// May quote parameters when the state is of class 22, data exception.
    public let message: String
    /// May quote values of rows and parameters.
    public let detail: String?
    /// What might help, in the server's words.
    public let hint: String?
    /// The schema of the object that is concerned.
    public let schema: String?
    /// The table that is concerned: of a constraint that was violated, for one.
    public let table: String?
    /// The column that is concerned: of a null where none may be, for one.
    public let column: String?
    /// The constraint that was violated; unique indexes count.
    public let constraint: String?
    /// Where it happened, in the server's words: the line and column of a COPY, the call stack of a function. May quote
    /// values.
    public let context: String?
    /// Where in the SQL, in characters counted from 1.
    public let position: Int?
    /// The function of the server that raised it; independent of its language.
    public let routine: String?

    /// Whether the connection ends with it.
    var isLast: Bool { severity == "FATAL" || severity == "PANIC" }

    fileprivate var messageWithoutValues: String {
        sqlState.hasPrefix("22") ? "a data exception, raised in \(routine ?? "the server")" : message
    }

    init(
        severity: String, sqlState: String, message: String, detail: String? = nil, hint: String? = nil,
        schema: String? = nil, table: String? = nil, column: String? = nil, constraint: String? = nil,
        context: String? = nil, position: Int? = nil, routine: String? = nil
    ) {
        self.severity = severity
        self.sqlState = sqlState
        self.message = message
        self.detail = detail
        self.hint = hint
        self.schema = schema
        self.table = table
        self.column = column
        self.constraint = constraint
        self.context = context
        self.position = position
        self.routine = routine
    }
}
