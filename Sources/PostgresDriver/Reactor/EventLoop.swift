/// A socket that is no pool's, with timers: that of a listener.
@Reactor
protocol EventSource: AnyObject {
    var id: UInt64 { get }
    /// When `onTimer` must be called; nil: not at all.
    var timerDeadline: ContinuousClock.Instant? { get }
    func onTimer(_ now: ContinuousClock.Instant)
    func onReady(readable: Bool, writable: Bool, _ now: ContinuousClock.Instant)
}

/// Distributes messages, socket events and timers to connections and pools, and delivers the outcomes of requests together
/// at the end.
@Reactor
final class EventLoop {
    static let shared = EventLoop()

    let mailbox = Reactor.mailbox
    let arena = ParameterArena()
    private(set) var now = ContinuousClock.now

    private let poller = Reactor.poller
    private var connections: [UInt64: Connection] = [:]
    private var lastSourceID: UInt64 = Poller.wakeUp
    private var eventSources: [UInt64: any EventSource] = [:]
    private var pools: [ConnectionPool] = []
    private var inbox: [Mailbox.Message] = []
    private var jobs: [UnownedJob] = []
    private var outcomes: [(request: PoolRequest, outcome: PoolRequest.Outcome)] = []
    /// When the thread wakes at the latest; nil: only for an event.
    private var nextWakeUp: ContinuousClock.Instant?

    private init() {}

    /// One iteration of the reactor's thread: sockets, jobs, messages, timers.
    /// - Parameters:
    ///   - ready: the sockets that epoll reported.
    ///   - timeout: set to the milliseconds for which the thread may sleep; -1: until an event.
    func runIteration(_ ready: [Poller.Readiness], _ timeout: inout Int32) {
        now = ContinuousClock.now
        for readiness in ready {
            if let connection = connections[readiness.id] {
                connection.onReady(readable: readiness.isReadable, writable: readiness.isWritable, now)
            } else {
                eventSources[readiness.id]?.onReady(
                    readable: readiness.isReadable, writable: readiness.isWritable, now)
            }
        }
        runJobs()
        let next = processWork()
        nextWakeUp = next
        deliverOutcomes()
        timeout = next.map { now.milliseconds(until: $0) } ?? -1
        if pools.contains(where: { $0.hasPendingWork }) { timeout = 0 }
    }

    /// Messages and timers, on the thread of a caller. Wakes the reactor's thread if it would sleep for too long.
    func processPendingWork() {
        now = ContinuousClock.now
        let next = processWork()
        let isEarlier = next.map { next in nextWakeUp.map { next < $0 } ?? true } ?? false
        if isEarlier { nextWakeUp = next }
        if isEarlier || pools.contains(where: { $0.hasPendingWork }) { mailbox.wakeUp() }
        deliverOutcomes()
    }

    /// - Returns: when the next timer is due.
    private func processWork() -> ContinuousClock.Instant? {
        processMessages()
        var next: ContinuousClock.Instant?
        for pool in pools {
            if pool.hasPendingWork || pool.timerDeadline.map({ $0 <= now }) ?? false { pool.schedule(now) }
            if let due = pool.timerDeadline { next = next.map { min($0, due) } ?? due }
        }
        for source in eventSources.values {
            if let due = source.timerDeadline, due <= now { source.onTimer(now) }
            if let due = source.timerDeadline { next = next.map { min($0, due) } ?? due }
        }
        return next
    }

    private func processMessages() {
        mailbox.take(into: &inbox)
        guard !inbox.isEmpty else { return }
        // Handling a message may post another one, which must not change the array that is iterated over.
        var batch: [Mailbox.Message] = []
        swap(&batch, &inbox)
        for message in batch {
            switch message {
            case .submit(let request): request.pool.submit(request, now)
            case .cancel(let request): request.pool.cancel(request, .cancelled, now)
            case .perform(let body): body()
            }
        }
        batch.removeAll(keepingCapacity: true)
        swap(&batch, &inbox)
    }

    private func runJobs() {
        mailbox.take(into: &jobs)
        guard !jobs.isEmpty else { return }
        var batch: [UnownedJob] = []
        swap(&batch, &jobs)
        for job in batch { job.runSynchronously(on: Reactor.shared.unownedExecutor) }
        batch.removeAll(keepingCapacity: true)
        swap(&batch, &jobs)
    }

    private func deliverOutcomes() {
        guard !outcomes.isEmpty else { return }
        for (request, outcome) in outcomes { request.resume(outcome) }
        outcomes.removeAll(keepingCapacity: true)
    }

    // MARK: Pools and connections

    /// Completes a request that is not finished yet. Its caller is resumed at the end of the iteration.
    func finish(_ request: PoolRequest, _ outcome: PoolRequest.Outcome) {
        guard !request.isFinished else { return }
        request.state = .finished
        outcomes.append((request, outcome))
        request.pool.endHedge(of: request, outcome)
    }

    func add(_ pool: ConnectionPool) {
        pools.append(pool)
    }

    func remove(_ pool: ConnectionPool) {
        pools.removeAll { $0 === pool }
    }

    /// An identifier for a socket in epoll, never used twice.
    func nextSourceID() -> UInt64 {
        lastSourceID += 1
        return lastSourceID
    }

    func watch(_ connection: Connection) {
        connections[connection.id] = connection
        poller.add(connection.libpq.socket, id: connection.id)
    }

    func watch(_ connection: Connection, wantsWrite: Bool) {
        poller.modify(connection.libpq.socket, id: connection.id, wantsWrite: wantsWrite)
    }

    func unwatch(_ connection: Connection) {
        guard connections.removeValue(forKey: connection.id) != nil else { return }
        poller.remove(connection.libpq.socket)
    }

    /// Stops reading from a connection until `resume`, so that the server has to wait.
    func pause(_ connection: Connection) {
        poller.remove(connection.libpq.socket)
    }

    func resume(_ connection: Connection) {
        poller.add(connection.libpq.socket, id: connection.id)
    }

    // MARK: Event sources

    func register(_ source: any EventSource) {
        eventSources[source.id] = source
    }

    func unregister(_ source: any EventSource) {
        eventSources[source.id] = nil
    }

    func watch(_ socket: Int32, for source: any EventSource) {
        poller.add(socket, id: source.id)
    }

    func watch(_ socket: Int32, for source: any EventSource, wantsWrite: Bool) {
        poller.modify(socket, id: source.id, wantsWrite: wantsWrite)
    }

    func unwatch(_ socket: Int32, of source: any EventSource) {
        poller.remove(socket)
    }
}

extension ContinuousClock.Instant {
    /// Rounded up, so that a timer is due when the wait for it ends.
    fileprivate func milliseconds(until other: ContinuousClock.Instant) -> Int32 {
        let (seconds, attoseconds) = duration(to: other).components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return Int32(clamping: min(seconds, 3_600) * 1_000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
}
