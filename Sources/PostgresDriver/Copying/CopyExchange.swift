/// One COPY from the server's first answer to its last: a pure machine, replies in, actions out.
struct CopyExchange {
    enum Direction: Sendable {
        case into
        case out
    }

    enum Phase: Equatable {
        /// The server has not said yet what it makes of the statement.
        case starting
        /// Data flow.
        case transferring
        /// The last answers are on their way.
        case finishing
        case over
    }

    enum Reply {
        case readyForData
        case dataFollow
        /// The command is done, with so many rows.
        case complete(rows: Int)
        case failure(PostgresError)
        /// The server is ready for the next command.
        case end
    }

    enum Action {
        case none
        case transfer
        /// Data are expected that nobody has: tell the server so, which undoes the command.
        case refuse
        /// Data come that nobody wants: read them away.
        case discard
        case finished(PostgresError?)
    }

    let direction: Direction
    /// Within a transaction that was begun before, nothing is committed by the COPY itself.
    let isInTransaction: Bool
    private(set) var phase = Phase.starting
    private(set) var rows = 0
    /// The server was told that the data are complete: from then on it may be committed.
    private var isComplete = false
    private var isDone = false
    private var failure: PostgresError?

    init(_ direction: Direction, isInTransaction: Bool) {
        self.direction = direction
        self.isInTransaction = isInTransaction
    }

    mutating func receive(_ reply: Reply) -> Action {
        switch (phase, reply) {
        case (.starting, .readyForData): return begin(.into, orElse: .refuse, "the COPY wants data, and gives none")
        case (.starting, .dataFollow): return begin(.out, orElse: .discard, "the COPY gives data, and wants none")
        case (.starting, .complete):
            fail(PostgresError(.protocolViolation, cause: "the COPY does not pass through the connection"))
            phase = .finishing
        case (.finishing, .complete(let count)):
            rows = count
            isDone = true
        case (.starting, .failure(let error)), (.transferring, .failure(let error)), (.finishing, .failure(let error)):
            fail(error)
            phase = .finishing
        case (.finishing, .end):
            phase = .over
            return .finished(failure)
        default:
            fail(PostgresError(.protocolViolation, cause: "an answer to COPY out of turn"))
            phase = .over
            return .finished(failure)
        }
        return .none
    }

    /// The first failure is the cause of those after it.
    private mutating func fail(_ error: PostgresError) {
        failure = failure ?? error
    }

    private mutating func begin(_ actual: Direction, orElse remedy: Action, _ complaint: String) -> Action {
        guard actual != direction else {
            phase = .transferring
            return .transfer
        }
        // What COPY … TO gives, it may have changed something to get.
        fail(PostgresError(.protocolViolation, cause: complaint, isRetrySafe: actual == .into))
        phase = actual == .into ? .finishing : .transferring
        return remedy
    }

    /// The server was told that no more data come.
    /// - Parameter isComplete: false when it was told to undo what came.
    mutating func dataEnded(isComplete: Bool = false) {
        self.isComplete = isComplete
        phase = .finishing
    }

    /// What it means for the caller that the connection is gone.
    /// - Parameter fields: the server's last words in the place of the next reply.
    func loss(_ cause: String, serverFields fields: ServerFields?, cancelReason: PostgresError.Kind?) -> PostgresError {
        guard direction == .into else {
            return PostgresError(cancelReason ?? .connectionLost, server: fields, cause: cause, isRetrySafe: false)
        }
        // It is committed after the command is done. A pooler's words (class 08) say nothing about that.
        let isServersWord = fields.map { !$0.sqlState.hasPrefix("08") } ?? false
        let isUndone = !isComplete || isInTransaction || failure != nil || (isServersWord && !isDone)
        guard isUndone else { return PostgresError(.outcomeUnknown, server: fields, cause: cause) }
        return PostgresError(cancelReason ?? .connectionLost, server: fields, cause: cause, isRetrySafe: true)
    }
}
