/// The protocol of one COPY as a pure state machine: the server's replies in, actions out.
struct CopyExchange {
    enum Direction: Sendable {
        case into
        case out
    }

    enum Phase: Equatable {
        /// The server has not answered the statement yet.
        case starting
        case transferring
        /// All data have been sent or received; the server's last replies are due.
        case finishing
        case over
    }

    enum Reply {
        /// CopyInResponse: the server expects data.
        case readyForData
        /// CopyOutResponse: the server sends data.
        case dataFollow
        /// CommandComplete, with the number of rows.
        case complete(rows: Int)
        case failure(PostgresError)
        /// The server is ready for the next command.
        case end
    }

    enum Action {
        case none
        case transfer
        /// The server expects data, but the caller has none: end the data with an error, which undoes the command.
        case abort
        /// The server sends data, but the caller expects none: read and drop them.
        case discard
        case finished(PostgresError?)
    }

    let direction: Direction
    /// Whether the COPY runs in a transaction that the caller began. The end of the COPY then does not commit.
    let isInTransaction: Bool
    private(set) var phase = Phase.starting
    private(set) var rows = 0
    /// CopyDone has been sent. From then on the server may commit.
    private var hasSentAllData = false
    private var hasCompleted = false
    private var failure: PostgresError?

    init(_ direction: Direction, isInTransaction: Bool) {
        self.direction = direction
        self.isInTransaction = isInTransaction
    }

    mutating func receive(_ reply: Reply) -> Action {
        switch (phase, reply) {
        case (.starting, .readyForData): return begin(.into, orElse: .abort, "COPY FROM expects data and returns none")
        case (.starting, .dataFollow): return begin(.out, orElse: .discard, "COPY TO returns data and expects none")
        case (.starting, .complete):
            fail(PostgresError(.protocolViolation, cause: "the COPY reads or writes a file or program of the server"))
            phase = .finishing
        case (.finishing, .complete(let count)):
            rows = count
            hasCompleted = true
        case (.starting, .failure(let error)), (.transferring, .failure(let error)), (.finishing, .failure(let error)):
            fail(error)
            phase = .finishing
        case (.finishing, .end):
            phase = .over
            return .finished(failure)
        default:
            fail(PostgresError(.protocolViolation, cause: "an unexpected reply to COPY"))
            phase = .over
            return .finished(failure)
        }
        return .none
    }

    /// Keeps the first error, which is the cause of later ones.
    private mutating func fail(_ error: PostgresError) {
        failure = failure ?? error
    }

    private mutating func begin(_ actual: Direction, orElse remedy: Action, _ complaint: String) -> Action {
        guard actual != direction else {
            phase = .transferring
            return .transfer
        }
        // The query of COPY (…) TO may have changed something.
        fail(PostgresError(.protocolViolation, cause: complaint, isRetrySafe: actual == .into))
        phase = actual == .into ? .finishing : .transferring
        return remedy
    }

    /// CopyDone or CopyFail has been sent, or the server has sent its last data.
    /// - Parameter isComplete: true for CopyDone.
    mutating func dataEnded(isComplete: Bool = false) {
        hasSentAllData = isComplete
        phase = .finishing
    }

    /// The caller's error when the connection is lost.
    /// - Parameter fields: the error that the server sent in place of the next reply.
    func loss(_ cause: String, serverFields fields: ServerFields?, cancelReason: PostgresError.Kind?) -> PostgresError {
        guard direction == .into else {
            return PostgresError(cancelReason ?? .connectionLost, server: fields, cause: cause, isRetrySafe: false)
        }
        // The server commits after the command has completed. An error of class 08 may come from a pooler in between and
        // does not show what the server did.
        let isFromServer = fields.map { !$0.sqlState.hasPrefix("08") } ?? false
        let isUndone = !hasSentAllData || isInTransaction || failure != nil || (isFromServer && !hasCompleted)
        guard isUndone else { return PostgresError(.outcomeUnknown, server: fields, cause: cause) }
        return PostgresError(cancelReason ?? .connectionLost, server: fields, cause: cause, isRetrySafe: true)
    }
}
