import Synchronization

/// The connections of one client and the requests that wait for them. It carries out what `PoolStateMachine` decides.
@Reactor
final class ConnectionPool {
    enum Lifecycle {
        /// No request has been submitted yet.
        case unused
        case open
        /// Running requests may finish until then. The continuations are resumed when all connections are closed.
        case closing(until: ContinuousClock.Instant, [UnsafeContinuation<Void, Never>])
        case closed
    }

    nonisolated let configuration: PostgresClient.Configuration
    /// A quick read that is submitted now could not be sent at once, because the connection on which such reads gather has
    /// as many batches under way as it may have. Its caller need not run the reactor: the reply that makes room will.
    nonisolated let isFull = Atomic<Bool>(false)

    /// Something has happened after which a request may be sent or completed: `schedule` must run.
    var hasPendingWork = false
    /// When `schedule` must run if no event comes before.
    var timerDeadline: ContinuousClock.Instant?

    var stateMachine: PoolStateMachine
    /// By slot.
    var connections: [Connection?]
    var queue = RequestQueue()
    var health = ServerHealth()
    /// Cancel requests that have not returned, also those of connections that are gone.
    var cancelsInFlight = 0
    /// What has happened since the start.
    var statistics = PoolStatistics()
    var lifecycle = Lifecycle.unused
    /// By the identity of their buffers.
    var listeners: [ObjectIdentifier: Listener] = [:]

    nonisolated init(_ configuration: PostgresClient.Configuration) {
        self.configuration = configuration
        let size = max(1, configuration.poolSize)
        stateMachine = PoolStateMachine(size: size)
        connections = Array(repeating: nil, count: size)
    }

    nonisolated var mailbox: Mailbox { Reactor.mailbox }

    var loop: EventLoop { EventLoop.shared }

    var isOpen: Bool {
        if case .open = lifecycle { true } else { false }
    }

    func report(_ event: PostgresEvent) {
        configuration.onEvent?(event)
    }

    // MARK: Requests

    func submit(_ request: PoolRequest, _ now: ContinuousClock.Instant) {
        if case .unused = lifecycle {
            lifecycle = .open
            loop.add(self)
        }
        request.state = .queued
        hasPendingWork = true
        if case .release(let lease) = request.operation { return release(lease, request) }
        if let reason = request.cancellation.reason { return loop.finish(request, .failed(PostgresError(reason))) }
        if let deadline = request.deadline, deadline <= now {
            return loop.finish(
                request, .failed(PostgresError(.timeout, cause: "its deadline had passed before it began")))
        }
        if let lease = request.lease { return submit(request, on: lease) }
        guard isOpen else { return loop.finish(request, .failed(.shutDown)) }
        if let retryAfter = overload(by: request) {
            statistics.overloads += 1
            return loop.finish(
                request,
                .failed(PostgresError(.overloaded(retryAfter: retryAfter), cause: "its share has too much waiting")))
        }
        request.wait.acquireDeadline = now + configuration.acquireTimeout
        queue.noteExpiry(of: request)
        enqueue(request)
    }

    /// How long its caller should wait before another attempt, if the share already has as much work of this kind waiting
    /// as it may have; nil if the request may wait here.
    private func overload(by request: PoolRequest) -> Duration? {
        guard let share = request.share else { return nil }
        let demand = queue.demand(of: request)
        guard overload(of: share, demand) != nil else { return nil }
        queue.removeFinished(of: share)
        return overload(of: share, demand)
    }

    private func overload(of share: Share, _ demand: PoolStateMachine.Demand) -> Duration? {
        let load = queue.load(of: share, demand)
        let time = Duration.microseconds(load.cost)
        guard load.count >= configuration.maxWaitingPerShare || time > configuration.acquireTimeout else { return nil }
        return max(.seconds(1), time - configuration.acquireTimeout)
    }

    private func submit(_ request: PoolRequest, on lease: Lease) {
        guard !lease.hasEnded else {
            return loop.finish(request, .failed(PostgresError(.closed, cause: "the connection was given back")))
        }
        guard !lease.connection.isLost else {
            return loop.finish(request, .failed(PostgresError(.connectionLost, isRetrySafe: true)))
        }
        queue.noteExpiry(of: request)
        request.state = .assigned(lease.connection)
        lease.connection.enqueue(request)
    }

    /// Has a request wait for a connection.
    func enqueue(_ request: PoolRequest, atFront: Bool = false) {
        hasPendingWork = true
        if atFront { queue.prepend(request, loop.now) } else { queue.append(request, loop.now) }
    }

    /// Takes back what a connection was given and has not sent.
    func reclaim(_ connection: Connection) {
        for request in connection.takeBacklog().reversed() {
            unassign(request, from: connection)
            enqueue(request, atFront: true)
        }
    }

    /// The request has left its connection: the connection's load shrinks.
    func unassign(_ request: PoolRequest, from connection: Connection) {
        if request.lease == nil {
            stateMachine.unassigned(
                connection.slot, demand: request.load.demand, of: request.share, cost: request.load.cost)
        }
        request.noteUnassigned()
    }
}

extension PostgresError {
    static let shutDown = PostgresError(.closed, cause: "the client was shut down")
}
