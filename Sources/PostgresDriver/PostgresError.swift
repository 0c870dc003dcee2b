/// Why a call did not succeed, and whether it may be made again.
///
/// ```swift
/// do {
///     _ = try await client.transaction(steps)
/// } catch where error.kind == .outcomeUnknown {
///     // Look whether it happened, or run it again if running it twice does no harm.
/// } catch where error.isRetrySafe {
///     // It had no effect. Another attempt may succeed after `.unavailable` and `.connectionLost`.
/// }
/// ```
///
/// The description is meant for logs: it contains no parameter, and neither of the fields that may quote one (`detail`, and
/// the message of a data exception). `server` has those.
public struct PostgresError: Error, Sendable, CustomStringConvertible {
    /// What went wrong. `isRetrySafe` says whether the call may have had an effect all the same.
    public enum Kind: Sendable, Equatable {
        /// The server refused the statement; `server` says why. Its transaction is rolled back.
        case server
        /// There was no connection within `Configuration.acquireTimeout`: the server is away or full, it refuses the login,
        /// or all connections are busy. `cause` says which.
        case unavailable
        /// The call's share has too many calls waiting (`Configuration.maxWaitingPerShare`), or this one waited for a
        /// connection for too long because the share's own calls occupied as many as they may. Calls of other shares are
        /// not affected. `retryAfter` says when it is worth another attempt.
        case overloaded(retryAfter: Duration)
        /// The connection broke while the call was under way. A statement on a leased connection may have been carried out
        /// (`isRetrySafe`); any other call is known not to have happened.
        case connectionLost
        /// The call's deadline passed. The statement was cancelled and its transaction rolled back. On a leased connection
        /// and in COPY … TO it may have happened (`isRetrySafe`), if the connection was lost meanwhile.
        case timeout
        /// The calling task was cancelled. The statement was cancelled and its transaction rolled back, with the exception
        /// that `timeout` has.
        case cancelled
        /// The connection broke after a transaction was sent. It may or may not have been committed.
        case outcomeUnknown
        /// A parameter, a channel name or a COPY statement cannot be sent as it is. It was not sent.
        case invalidParameter
        /// The call needs a session, and the client connects through a transaction pooler: `withConnection` and COPY.
        case unsupported
        /// The client was shut down, or a leased connection was used after it was given back.
        case closed
        /// The server replied in a way that the driver does not support, such as COPY in a query.
        case protocolViolation
        /// A result lacks the row that its statement always gives: a row or a function of the database was removed or
        /// replaced.
        case missingRow
    }

    /// What went wrong.
    public let kind: Kind
    /// The server's error report, if it sent one.
    public let server: ServerFields?
    /// What happened below, for logs. Contains no parameter; its wording may change.
    public let cause: String?
    /// Whether the call certainly left no lasting effect on the server, so that it may be made again.
    ///
    /// It does not take into account text that itself commits (a simple query with COMMIT, a CALL of a procedure that
    /// commits), nor a statement that changes something although it was given to `PostgresClient.query`.
    public let isRetrySafe: Bool
    /// Which step of a transaction the server refused, counted from 0. Nil for other calls, and when the transaction could
    /// not be committed after its last step, for example because of a deferred constraint.
    public internal(set) var failedStep: Int?

    /// The server's error code of five characters, such as `23505` for a unique violation; nil when there is none.
    public var sqlState: String? { server?.sqlState }

    /// Whether the server has no place for a connection: for anyone, for the role, or for the database. PgBouncer says so with
    /// the code of a violation of the protocol.
    public var lacksPlace: Bool {
        guard kind == .unavailable, let cause else { return false }
        return cause.contains(" 53300: ") || cause.contains("no more connections allowed")
    }

    init(_ kind: Kind, server: ServerFields? = nil, cause: String? = nil, isRetrySafe: Bool? = nil) {
        self.kind = kind
        self.server = server
        self.cause = cause
        self.isRetrySafe = isRetrySafe ?? kind.impliesNoEffect
    }

    /// One line for a log, without parameters.
    public var description: String {
        var text = "\(kind)"
        if let server { text += " \(server.sqlState) \(server.severity): \(server.messageWithoutValues)" }
        if let cause { text += " (\(cause))" }
        return text
    }
}

extension PostgresError.Kind {
    fileprivate var impliesNoEffect: Bool {
        switch self {
        case .server, .unavailable, .overloaded, .invalidParameter, .unsupported, .closed, .cancelled, .timeout: true
        case .connectionLost, .outcomeUnknown, .protocolViolation, .missingRow: false
        }
    }
}

/// The fields of an error report of the server, as described in "Error and Notice Message Fields" of its documentation. A
/// field that is empty or nil was not sent.
///
/// ```swift
/// if error.server?.constraint == "items_name_key" { throw NameTaken() }
/// ```
public final class ServerFields: Sendable {
    /// `ERROR`, `FATAL` or `PANIC`, always in English.
    public let severity: String
    /// The error code of five characters, as listed in the appendix "PostgreSQL Error Codes".
    public let sqlState: String
    /// The message, in the server's language. May quote parameters when `sqlState` is of class 22, data exception.
    public let message: String
    /// Details. May quote values of rows and parameters.
    public let detail: String?
    /// The server's suggestion of what to do.
    public let hint: String?
    /// The schema of the object that the error is about.
    public let schema: String?
    /// The table that the error is about, such as that of a violated constraint.
    public let table: String?
    /// The column that the error is about, such as one that must not be null.
    public let column: String?
    /// The constraint or unique index that was violated.
    public let constraint: String?
    /// Where it happened: the line and column of a COPY, or the call stack of a function. May quote values.
    public let context: String?
    /// The position in the SQL text, in characters, counted from 1.
    public let position: Int?
    /// The server's C function that raised the error. Independent of the server's language.
    public let routine: String?

    /// Whether the server ends the connection with it.
    var isLast: Bool { severity == "FATAL" || severity == "PANIC" }

    fileprivate var messageWithoutValues: String {
        switch sqlState.prefix(2) {
        case "22": "a data exception, raised in \(routine ?? "the server")"
        // A full disk, a file that cannot be read: the server's own paths are of no use to the reader of a client's log.
        case "53", "58", "XX": message.replacing(/["«„][^"»“]*\/[^"»“]*["»“]/, with: "a file of the database")
        default: message
        }
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

extension PostgresError {
    /// The prepared statement is gone, or its result has other columns now. Independent of the server's language.
    var isStalePlan: Bool {
        sqlState == "26000" || (sqlState == "0A000" && server?.routine == "RevalidateCachedQuery")
    }
}
