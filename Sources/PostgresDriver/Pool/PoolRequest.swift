import Synchronization

/// One call of a caller, from its submission until its outcome is delivered.
///
/// What the caller gives is constant; the rest belongs to the driver's thread.
@Reactor
final class PoolRequest {
    enum Kind: Sendable {
        case read
        case transaction
        /// A connection for the caller alone.
        case lease
        /// Ends a lease.
        case release(Lease)
        /// A statement on a leased connection.
        case leasedRead(Lease)
        case leasedTransaction(Lease)
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

    enum Work: Sendable {
        case none
        case one(Statement, [Parameter])
        case many([Step])
    }

    enum State {
        case queued
        /// Given to a connection, not yet sent.
        case assigned
        /// Under way on the server.
        case sent
        case finished
    }

    nonisolated let pool: ConnectionPool
    nonisolated let kind: Kind
    nonisolated let work: Work
    nonisolated let deadline: ContinuousClock.Instant?
    /// Written once before the call is posted; the mailbox's lock orders that before every read of it.
    private nonisolated(unsafe) var continuation: UnsafeContinuation<Outcome, Never>?

    var state = State.queued
    var isSubmitted = false
    /// The connection it was given to.
    var connection: Connection?
    /// Why the caller no longer wants it.
    var cancelReason: PostgresError.Kind?
    var cancelledAt: ContinuousClock.Instant?
    /// Since when it waits for a connection, this time.
    var queuedSince: ContinuousClock.Instant?
    /// Until when it may wait for a connection.
    var acquireDeadline: ContinuousClock.Instant?
    /// As it was counted when it was placed.
    var demand = PoolStateMachine.Demand.quick
    var cost = 0
    /// Counted among those of its statement that are with a connection.
    var countsAsInFlight = false

    /// Runs with a Sync of its own: it has been aborted by a neighbour, or has failed, before.
    var needsOwnSync = false
    var connectionLosses = 0
    var replans = 0
    var conflicts = 0
    var strayCancels = 0
    /// The connection's count of cancel requests when it was sent.
    var cancelsBefore = 0

    /// Of this run: what has come so far.
    var held: Rows?
    var results: [Rows] = []
    var failure: PostgresError?
    /// Rows a COPY brought in; written before the outcome is delivered, read after.
    nonisolated(unsafe) var copied = 0

    nonisolated init(
        _ pool: ConnectionPool, _ kind: Kind, _ work: Work = .none, deadline: ContinuousClock.Instant? = nil
    ) {
        self.pool = pool
        self.kind = kind
        self.work = work
        self.deadline = deadline
    }

    var isFinished: Bool { state == .finished }

    var lease: Lease? {
        switch kind {
        case .release(let lease), .leasedRead(let lease), .leasedTransaction(let lease), .simpleQuery(let lease, _),
            .copy(let lease, _):
            lease
        case .read, .transaction, .lease: nil
        }
    }

    var isRead: Bool {
        switch kind {
        case .read, .leasedRead: true
        default: false
        }
    }

    var stepCount: Int {
        switch work {
        case .none: 0
        case .one: 1
        case .many(let steps): steps.count
        }
    }

    /// Whether it may share a Sync with others.
    var isShareable: Bool {
        guard case .read = kind, case .one(let statement, _) = work, !needsOwnSync else { return false }
        return statement.statistics.isShareable
    }

    /// Forgets the last run.
    func prepareForRetry() {
        held = nil
        results = []
        failure = nil
        connection = nil
        state = .queued
    }

    /// Hands the outcome to the caller; only once.
    func resume(_ outcome: Outcome) {
        continuation?.resume(returning: outcome)
        continuation = nil
    }

    // MARK: The caller's side

    /// Submits it and waits for its outcome; a cancelled task asks for its end.
    nonisolated(nonsending) func run() async -> Outcome {
        let mailbox = pool.mailbox
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                self.continuation = continuation
                let pool = pool
                mailbox.enqueue(.submit(self))
                guard case .read = kind else { return Reactor.runPendingWork() }
                // Looked at after leaving: whoever clears it looks into the mailbox afterwards.
                guard !pool.isFull.load(ordering: .sequentiallyConsistent) else { return }
                if let scheduleFlush = pool.configuration.scheduleFlush, scheduleFlush({ Reactor.runPendingWork() }) {
                    return
                }
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
}

/// A connection lent to one caller.
@Reactor
final class Lease {
    let connection: Connection
    var hasEnded = false
    /// The request that ends it.
    var release: PoolRequest?

    init(_ connection: Connection) {
        self.connection = connection
    }
}
