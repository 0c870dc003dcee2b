/// The driver at work: it takes what callers left, what sockets brought and what became due, lets the pools act on it,
/// and delivers outcomes in one batch.
@Reactor
final class EventLoop {
    static let shared = EventLoop()

    let mailbox = Reactor.mailbox
    let arena = ParameterArena()
    private(set) var now = ContinuousClock.now

    private let poller = Reactor.poller
    private var links: [UInt64: Link] = [:]
    private var lastLink: UInt64 = Poller.wakeUp
    private var attended: [UInt64: any Attended] = [:]
    private var pools: [ConnectionPool] = []
    private var inbox: [Mailbox.Message] = []
    private var jobs: [UnownedJob] = []
    private var outcomes: [(call: Call, outcome: Call.Outcome)] = []
    /// When the thread will wake at the latest; nil: not by itself.
    private var alarm: ContinuousClock.Instant?

    private init() {}

    /// The thread's turn: what is ready, what came by mail, what is due.
    /// - Parameter timeout: how many milliseconds it may then sleep at most; -1: until something happens.
    func round(_ ready: [Poller.Readiness], _ timeout: inout Int32) {
        now = ContinuousClock.now
        for readiness in ready {
            if let link = links[readiness.id] {
                link.isReady(readable: readiness.isReadable, writable: readiness.isWritable, now)
            } else {
                attended[readiness.id]?.isReady(
                    readable: readiness.isReadable, writable: readiness.isWritable, now)
            }
        }
        runJobs()
        let next = act()
        alarm = next
        deliver()
        timeout = next.map { now.milliseconds(until: $0) } ?? -1
        if pools.contains(where: { $0.isDirty }) { timeout = 0 }
    }

    /// A caller's turn: what came by mail and what is due. The thread is woken when it would sleep too long.
    func advance() {
        now = ContinuousClock.now
        let next = act()
        let isEarlier = next.map { next in alarm.map { next < $0 } ?? true } ?? false
        if isEarlier { alarm = next }
        if isEarlier || pools.contains(where: { $0.isDirty }) { mailbox.wakeUp() }
        deliver()
    }

    /// Takes the mail, and lets everything go on that can.
    /// - Returns: when something is due.
    private func act() -> ContinuousClock.Instant? {
        readMail()
        var next: ContinuousClock.Instant?
        for pool in pools {
            if pool.isDirty || pool.due.map({ $0 <= now }) ?? false { pool.pump(now) }
            if let due = pool.due { next = next.map { min($0, due) } ?? due }
        }
        for other in attended.values {
            if let due = other.due, due <= now { other.attend(now) }
            if let due = other.due { next = next.map { min($0, due) } ?? due }
        }
        return next
    }

    private func readMail() {
        mailbox.take(into: &inbox)
        guard !inbox.isEmpty else { return }
        // Pools may act meanwhile: none of that touches the batch being read.
        var batch: [Mailbox.Message] = []
        swap(&batch, &inbox)
        for message in batch {
            switch message {
            case .submit(let call): call.pool.submit(call, now)
            case .cancel(let call): call.pool.stop(call, .cancelled, now)
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

    private func deliver() {
        guard !outcomes.isEmpty else { return }
        for (call, outcome) in outcomes { call.resume(outcome) }
        outcomes.removeAll(keepingCapacity: true)
    }

    // MARK: For pools and links

    func finish(_ call: Call, _ outcome: Call.Outcome) {
        guard !call.isFinished else { return }
        call.place = .finished
        outcomes.append((call, outcome))
    }

    func add(_ pool: ConnectionPool) {
        pools.append(pool)
    }

    func remove(_ pool: ConnectionPool) {
        pools.removeAll { $0 === pool }
    }

    func nextLinkID() -> UInt64 {
        lastLink += 1
        return lastLink
    }

    func watch(_ link: Link) {
        links[link.id] = link
        poller.add(link.socket, id: link.id)
    }

    func watch(_ link: Link, wantsWrite: Bool) {
        poller.modify(link.socket, id: link.id, wantsWrite: wantsWrite)
    }

    func unwatch(_ link: Link) {
        guard links.removeValue(forKey: link.id) != nil else { return }
        poller.remove(link.socket)
    }

    /// Leaves a connection's input where it is, until `resume`.
    func pause(_ link: Link) {
        poller.remove(link.socket)
    }

    func resume(_ link: Link) {
        poller.add(link.socket, id: link.id)
    }

    // MARK: For those beside pools

    func attend(_ other: any Attended) {
        attended[other.id] = other
    }

    func leave(_ other: any Attended) {
        attended[other.id] = nil
    }

    func watch(_ socket: Int32, for other: any Attended) {
        poller.add(socket, id: other.id)
    }

    func watch(_ socket: Int32, for other: any Attended, wantsWrite: Bool) {
        poller.modify(socket, id: other.id, wantsWrite: wantsWrite)
    }

    func unwatch(_ socket: Int32, of other: any Attended) {
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
