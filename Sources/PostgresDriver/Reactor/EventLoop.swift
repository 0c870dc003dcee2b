/// The driver at work: it takes what callers left, what sockets brought and what became due, lets the pools act on it,
/// and delivers outcomes in one batch.
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
    /// When the thread will wake at the latest; nil: not by itself.
    private var nextWakeUp: ContinuousClock.Instant?

    private init() {}

    /// The thread's turn: what is ready, what came by mail, what is due.
    /// - Parameter timeout: how many milliseconds it may then sleep at most; -1: until something happens.
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

    /// A caller's turn: what came by mail and what is due. The thread is woken when it would sleep too long.
    func processPendingWork() {
        now = ContinuousClock.now
        let next = processWork()
        let isEarlier = next.map { next in nextWakeUp.map { next < $0 } ?? true } ?? false
        if isEarlier { nextWakeUp = next }
        if isEarlier || pools.contains(where: { $0.hasPendingWork }) { mailbox.wakeUp() }
        deliverOutcomes()
    }

    /// Takes the mail, and lets everything go on that can.
    /// - Returns: when something is due.
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
        // Pools may act meanwhile: none of that touches the batch being read.
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

    // MARK: For pools and links

    func finish(_ request: PoolRequest, _ outcome: PoolRequest.Outcome) {
        guard !request.isFinished else { return }
        request.state = .finished
        outcomes.append((request, outcome))
    }

    func add(_ pool: ConnectionPool) {
        pools.append(pool)
    }

    func remove(_ pool: ConnectionPool) {
        pools.removeAll { $0 === pool }
    }

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

    /// Leaves a connection's input where it is, until `resume`.
    func pause(_ connection: Connection) {
        poller.remove(connection.libpq.socket)
    }

    func resume(_ connection: Connection) {
        poller.add(connection.libpq.socket, id: connection.id)
    }

    // MARK: For those beside pools

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
    /// Rounded up, so that what is due at an instant is due when the wait ends.
    fileprivate func milliseconds(until other: ContinuousClock.Instant) -> Int32 {
        let (seconds, attoseconds) = duration(to: other).components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return Int32(clamping: min(seconds, 3_600) * 1_000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
}
