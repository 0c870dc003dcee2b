import Synchronization

/// The connections of one client and the calls that wait for them: carries out what `PoolStateMachine` decides.
@Reactor
final class ConnectionPool {
    enum Phase {
        case fresh
        case open
        case closing(until: ContinuousClock.Instant)
        case closed
    }

    nonisolated let configuration: PostgresClient.Configuration
    nonisolated let mailbox: Mailbox
    /// The connection where quick reads gather has all it may have under way: what is submitted now could not be sent
    /// at once, and the reply that makes room wakes the driver's thread anyway.
    nonisolated let isFull = Atomic<Bool>(false)

    /// Something happened that may let a call go on.
    var hasPendingWork = false
    /// When something is to be done without anything having happened.
    var timerDeadline: ContinuousClock.Instant?

    var stateMachine: PoolStateMachine
    var connections: [Connection?]
    /// What the better runs of all statements take: on a machine with too much to do, long.
    var typicalRunTime = LowBiasedAverage()
    /// One queue per demand.
    var queues = [FIFO<PoolRequest>](repeating: FIFO(), count: PoolStateMachine.Demand.allCases.count)
    /// Transactions that yielded to another and try again a little later.
    var retries: [(due: ContinuousClock.Instant, request: PoolRequest)] = []
    /// Not later than the first deadline of all calls.
    var nextExpiry: ContinuousClock.Instant?
    /// Cancel requests that have not returned, also of connections that are gone.
    var cancelsInFlight = 0
    /// A thread is asking the server for a sign of life.
    var isProbing = false
    var lastProbe: ContinuousClock.Instant?
    /// Why there was no connection the last time.
    var lastFailure: String?
    var lastFailover: ContinuousClock.Instant?
    var phase = Phase.fresh
    var shutdownWaiters: [UnsafeContinuation<Void, Never>] = []
    /// By the identity of their outlets.
    var listeners: [ObjectIdentifier: Listener] = [:]

    nonisolated init(_ configuration: PostgresClient.Configuration) {
        self.configuration = configuration
        mailbox = Reactor.mailbox
        let size = max(1, configuration.poolSize)
        stateMachine = PoolStateMachine(size: size)
        connections = Array(repeating: nil, count: size)
    }

    var loop: EventLoop { EventLoop.shared }

    func report(_ event: PostgresEvent) {
        configuration.onEvent?(event)
    }

    // MARK: Calls come and go

    func submit(_ request: PoolRequest, _ now: ContinuousClock.Instant) {
        if case .fresh = phase {
            phase = .open
            loop.add(self)
        }
        request.isSubmitted = true
        hasPendingWork = true
        if case .release(let lease) = request.kind { return release(lease, request) }
        if let kind = request.cancelReason { return loop.finish(request, .failed(PostgresError(kind))) }
        if let deadline = request.deadline, deadline <= now {
            return loop.finish(
                request, .failed(PostgresError(.timeout, cause: "its deadline had passed before it began")))
        }
        if let lease = request.lease { return submit(request, on: lease) }
        guard case .open = phase else { return loop.finish(request, .failed(.shutDown)) }
        request.acquireDeadline = now + configuration.acquireTimeout
        noteExpiry(of: request)
        enqueue(request)
    }

    private func submit(_ request: PoolRequest, on lease: Lease) {
        guard !lease.hasEnded else {
            return loop.finish(request, .failed(PostgresError(.closed, cause: "the connection was given back")))
        }
        guard !lease.connection.isLost else {
            return loop.finish(request, .failed(PostgresError(.connectionLost, isRetrySafe: true)))
        }
        noteExpiry(of: request)
        request.state = .assigned
        request.connection = lease.connection
        lease.connection.enqueue(request)
    }

    /// Puts a call in line for a connection.
    func enqueue(_ request: PoolRequest, atFront: Bool = false) {
        hasPendingWork = true
        request.state = .queued
        request.connection = nil
        request.queuedSince = loop.now
        (request.demand, request.cost) = request.estimate(typicalRunTime)
        if atFront {
            queues[request.demand.rawValue].prepend(request)
        } else {
            queues[request.demand.rawValue].append(request)
        }
    }

    func noteExpiry(of request: PoolRequest) {
        if let expiry = request.expiry { nextExpiry = nextExpiry.map { min($0, expiry) } ?? expiry }
    }

    /// Takes back what a connection was given and has not sent.
    func reclaim(_ connection: Connection) {
        for request in connection.takeBacklog().reversed() {
            unassign(request, from: connection)
            enqueue(request, atFront: true)
        }
    }

    func unassign(_ request: PoolRequest, from connection: Connection) {
        if request.lease == nil { stateMachine.unassigned(connection.slot, demand: request.demand, cost: request.cost) }
        request.noteUnassigned()
    }
}

extension PostgresError {
    static let shutDown = PostgresError(.closed, cause: "the client was shut down")
}
