import Synchronization

/// One request of a caller to the pool, from its submission until its outcome is delivered.
///
/// The caller sets the constants; everything else belongs to the reactor.
@Reactor
final class PoolRequest {
    enum Operation: Sendable {
        /// - Parameter settings: made in the transaction of the statement, before it.
        case read(Statement, [Parameter], settings: Step?)
        case transaction([Step])
        /// A connection for the caller alone.
        case lease
        /// Ends a lease.
        case release(Lease)
        case leasedRead(Lease, Statement, [Parameter])
        case leasedTransaction(Lease, [Step])
        case simpleQuery(Lease, String)
        case copy(Lease, CopyTransfer)
    }

    enum Outcome: Sendable {
        case rows(Rows)
        case many([Rows])
        case lease(Lease)
        case done
        case failed(PostgresError)
    }

    enum State {
        /// Not submitted yet: it is still in the mailbox.
        case created
        /// Waits for a connection, or for its retry.
        case queued
        /// Given to a connection, not sent yet.
        case assigned(Connection)
        /// Under way on the server.
        case sent(Connection)
        case finished
    }

    /// What its caller wants of it beside its outcome.
    struct Terms: Sendable {
        /// The share that it counts for; nil for no limits.
        var share: Share?
        var expected = ExpectedRunTime.unknown
        var deadline: ContinuousClock.Instant?
    }

    /// Why the caller does not want it any more, and since when. Both are nil while it is wanted.
    struct Cancellation {
        var reason: PostgresError.Kind?
        var at: ContinuousClock.Instant?
        /// How many cancel requests had been sent on the connection when this request was sent.
        var requestsBefore = 0
    }

    /// How it waits for a connection.
    struct Wait {
        /// Since when it waits this time.
        var since: ContinuousClock.Instant?
        /// Until when it may wait for a connection, retries included.
        var acquireDeadline: ContinuousClock.Instant?
        /// What it counts for in the queue of its share, in microseconds.
        var cost = 0
    }

    /// What it counts for on its connection.
    struct Load {
        var demand = PoolStateMachine.Demand.quick
        /// In microseconds, as estimated when it was queued.
        var cost = 0
        /// Whether it is one of its statement's `inFlight`.
        fileprivate var isCounted = false
    }

    /// A read that is stuck behind a slow statement runs a second time, on another connection. The first result counts.
    struct Hedge {
        enum Role {
            case none
            /// It is stuck; this is its second run.
            case sent(PoolRequest)
            /// It is the second run of that request, and has no caller of its own.
            case second(of: PoolRequest)
        }

        var role = Role.none
        /// How many second runs it has had: one may be stuck as well.
        var count = 0

        var isSecond: Bool {
            if case .second = role { true } else { false }
        }
    }

    /// The results that this run of the request has so far.
    struct PartialResult {
        /// The result of a read that is not a SELECT. The read succeeds only when its batch does.
        var rows: Rows?
        /// The results of a transaction, one for each step that was answered.
        var steps: [Rows] = []
        var failure: PostgresError?
    }

    nonisolated let pool: ConnectionPool
    nonisolated let operation: Operation
    nonisolated let terms: Terms
    /// Written once before the request is posted; the mailbox's lock orders that before every read of it.
    private nonisolated(unsafe) var continuation: UnsafeContinuation<Outcome, Never>?

    var state = State.created
    var load = Load()
    var retries = RetryCounts()
    var result = PartialResult()
    /// Rows that a COPY brought in; written before the outcome is delivered, read after.
    nonisolated(unsafe) var copiedRows = 0
    var wait = Wait()
    var cancellation = Cancellation()
    /// Whether it was sent twice, or is the second one.
    var hedge = Hedge()

    nonisolated init(
        _ pool: ConnectionPool, _ operation: Operation, for share: Share? = nil,
        expecting expected: ExpectedRunTime = .unknown, deadline: ContinuousClock.Instant? = nil
    ) {
        self.pool = pool
        self.operation = operation
        terms = Terms(share: share, expected: expected, deadline: deadline)
    }

    // MARK: The caller's side

    /// Submits it and waits for its outcome. A task that is cancelled asks for its end.
    nonisolated(nonsending) func run() async -> Outcome {
        let mailbox = pool.mailbox
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                self.continuation = continuation
                let pool = pool
                mailbox.enqueue(.submit(self))
                guard case .read = operation else { return Reactor.runPendingWork() }
                // Read after the request is in the mailbox: the reactor looks there after it has cleared the flag.
                guard !pool.isFull.load(ordering: .sequentiallyConsistent) else { return }
                if let schedule = pool.configuration.scheduleFlush, schedule({ Reactor.runPendingWork() }) { return }
                Reactor.runPendingWork()
            }
        } onCancel: {
            mailbox.post(.cancel(self))
        }
    }

    /// The same for what must happen even in a cancelled task.
    nonisolated(nonsending) func runToEnd() async -> Outcome {
        await withUnsafeContinuation { continuation in
            self.continuation = continuation
            pool.mailbox.post(.submit(self))
        }
    }

    /// Delivers the outcome to the caller; only once.
    func resume(_ outcome: Outcome) {
        continuation?.resume(returning: outcome)
        continuation = nil
    }
}

// MARK: What it is

extension PoolRequest {
    nonisolated var share: Share? { terms.share }
    nonisolated var deadline: ContinuousClock.Instant? { terms.deadline }

    var isFinished: Bool {
        if case .finished = state { true } else { false }
    }

    /// The connection that it was given to.
    var connection: Connection? {
        switch state {
        case .assigned(let connection), .sent(let connection): connection
        case .created, .queued, .finished: nil
        }
    }

    var lease: Lease? {
        switch operation {
        case .release(let lease), .leasedRead(let lease, _, _), .leasedTransaction(let lease, _),
            .simpleQuery(let lease, _), .copy(let lease, _):
            lease
        case .read, .transaction, .lease: nil
        }
    }

    var isRead: Bool {
        switch operation {
        case .read, .leasedRead: true
        default: false
        }
    }

    /// Whether it may run more than once: on another connection, or again after its connection was lost.
    var isRepeatable: Bool {
        if case .read = operation { result.rows == nil } else { false }
    }

    /// Whether every statement of it has been answered. Only then can the server have begun to commit.
    var isAnswered: Bool {
        switch operation {
        case .transaction(let steps), .leasedTransaction(_, let steps): result.steps.count >= steps.count
        case .read, .leasedRead: result.rows != nil
        default: true
        }
    }

    /// The step of a transaction that an error of the server belongs to; nil if every step was answered.
    var failedStep: Int? {
        switch operation {
        case .transaction, .leasedTransaction: isAnswered ? nil : result.steps.count
        default: nil
        }
    }

    /// Whether the server has not begun with it, so that it still waits for its connection. A read may have been sent
    /// behind a statement that turns out to take long.
    var isUnstarted: Bool {
        if case .sent(let second) = hedge.role, !second.isUnstarted { return false }
        guard case .sent(let connection) = state else { return true }
        guard isRepeatable else { return false }
        return connection.head !== self
    }

    /// The next time at which it must be looked at.
    var expiry: ContinuousClock.Instant? {
        guard let end = wait.acquireDeadline, isUnstarted else { return deadline }
        return deadline.map { min($0, end) } ?? end
    }

    /// What it demands of a connection, and how many microseconds that may take.
    func estimate(_ typicalRunTime: LowBiasedAverage) -> (PoolStateMachine.Demand, Int) {
        switch operation {
        case .lease: (.lease, 0)
        // It goes where there is room now: that was the condition for its second run.
        case .read(let statement, _, _) where hedge.isSecond:
            (.quick, statement.statistics.estimate(expected: .quick))
        case .read(let statement, _, _):
            (
                statement.statistics.demand(typicalRunTime: typicalRunTime, expected: terms.expected),
                statement.statistics.estimate(expected: terms.expected)
            )
        case .transaction(let steps), .leasedTransaction(_, let steps):
            (
                .write,
                steps.reduce(0) { $0 + $1.statement.statistics.estimate() }
            )
        default: (.quick, ExpectedRunTime.unknown.microseconds)
        }
    }

    /// It was given to a connection. As long as the cost of its statement is unknown, one read of it runs at a time.
    func noteAssigned() {
        guard case .read(let statement, _, _) = operation, !load.isCounted else { return }
        load.isCounted = true
        statement.statistics.inFlight += 1
    }

    /// It has left its connection, answered or not.
    func noteUnassigned() {
        guard load.isCounted, case .read(let statement, _, _) = operation else { return }
        load.isCounted = false
        statement.statistics.inFlight -= 1
    }

    /// Forgets the last run.
    func prepareForRetry() {
        result = PartialResult()
        state = .queued
    }
}

extension PoolRequest: nonisolated Equatable {
    nonisolated static func == (left: PoolRequest, right: PoolRequest) -> Bool { left === right }
}

extension PoolRequest: Identifiable {}

extension PoolRequest: @Reactor ConnectionRequest {
    var cancelledAt: ContinuousClock.Instant? { cancellation.at }

    var transport: RequestTransport {
        switch operation {
        // Settings hold for a whole batch.
        case .read(_, _, .some): .ownBatch
        case .read(let statement, _, nil):
            !retries.needsOwnSync && statement.planning == .generic && statement.statistics.isShareable
                ? .sharedBatch : .ownBatch
        case .transaction: .ownBatchWhenIdle
        case .simpleQuery: .simpleQuery
        case .copy: .copy
        case .leasedRead, .leasedTransaction, .lease, .release: .ownBatch
        }
    }
}

/// How often a request was run again, by reason.
struct RetryCounts {
    enum Reason {
        /// A cancel request that was meant for another request hit it.
        case strayCancel
        /// Its prepared plan was out of date.
        case stalePlan
        /// Its transaction lost a serialisation conflict or was a deadlock's victim.
        case conflict
        /// Its connection was lost.
        case connectionLoss
    }

    /// A read that stray cancel requests hit this often is given up.
    static let maxStrayCancels = 10
    /// A request may meet a stale plan on every connection, for each of its statements, and definitions may go on
    /// changing.
    static let maxStalePlans = 50

    private var strayCancels = 0
    private var stalePlans = 0
    private(set) var conflicts = 0
    private var connectionLosses = 0
    /// Whether it must not share a batch any more, because it was undone in one, or has failed.
    private(set) var needsOwnSync = false

    /// Counts another retry.
    /// - Returns: false, without counting, after `limit` retries for that reason.
    mutating func spend(_ reason: Reason, limit: Int = .max) -> Bool {
        switch reason {
        case .strayCancel: Self.increment(&strayCancels, limit)
        case .stalePlan: Self.increment(&stalePlans, limit)
        case .conflict: Self.increment(&conflicts, limit)
        case .connectionLoss: Self.increment(&connectionLosses, limit)
        }
    }

    /// It runs alone from now on.
    mutating func separate() {
        needsOwnSync = true
    }

    private static func increment(_ count: inout Int, _ limit: Int) -> Bool {
        guard count < limit else { return false }
        count += 1
        return true
    }
}

/// A connection lent to one caller.
@Reactor
final class Lease {
    let connection: Connection
    /// The caller has given it back.
    var hasEnded = false
    /// The request that ends it, once it was submitted; completed when the connection is clean.
    var release: PoolRequest?

    init(_ connection: Connection) {
        self.connection = connection
    }
}

extension PoolRequest.Outcome {
    func rows() throws(PostgresError) -> Rows {
        switch self {
        case .rows(let rows): return rows
        case .failed(let error): throw error
        default: throw .unexpectedOutcome
        }
    }

    func many() throws(PostgresError) -> [Rows] {
        switch self {
        case .many(let rows): return rows
        case .failed(let error): throw error
        default: throw .unexpectedOutcome
        }
    }

    func lease() throws(PostgresError) -> Lease {
        switch self {
        case .lease(let lease): return lease
        case .failed(let error): throw error
        default: throw .unexpectedOutcome
        }
    }

    func done() throws(PostgresError) {
        if case .failed(let error) = self { throw error }
    }
}

extension PostgresError {
    fileprivate static let unexpectedOutcome = PostgresError(
        .protocolViolation, cause: "the driver delivered an outcome of another kind than was asked for")
}
