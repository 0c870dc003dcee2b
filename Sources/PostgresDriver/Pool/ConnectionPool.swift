import Synchronization

/// The connections of one client and the calls that wait for them: carries out what `Pool` decides.
@Reactor
final class ConnectionPool {
    enum Life {
        case fresh
        case open
        case closing(until: ContinuousClock.Instant)
        case closed
    }

    /// How long a slow read leaves connections to transactions.
    private static let givingWay: Duration = .seconds(2)

    nonisolated let configuration: PostgresClient.Configuration
    nonisolated let mailbox: Mailbox
    /// The connection where quick reads gather has all it may have under way: what is submitted now could not be sent
    /// at once, and the reply that makes room wakes the driver's thread anyway.
    nonisolated let isFull = Atomic<Bool>(false)

    /// Something happened that may let a call go on.
    var isDirty = false
    /// When something is to be done without anything having happened.
    private(set) var due: ContinuousClock.Instant?

    var decisions: Pool
    var links: [Link?]
    /// What the better runs of all statements take: on a machine with too much to do, long.
    var usual = BetterRuns()
    /// One queue per demand.
    var waiting = [FIFO<Call>](repeating: FIFO(), count: Pool.Demand.allCases.count)
    /// Transactions that yielded to another and try again a little later.
    var delayed: [(due: ContinuousClock.Instant, call: Call)] = []
    /// Not later than the first deadline of all calls.
    var nextExpiry: ContinuousClock.Instant?
    /// A thread is asking the server for a sign of life.
    var isAskingForLife = false
    var lastQuestion: ContinuousClock.Instant?
    /// Why there was no connection the last time.
    var lastFailure: String?
    var lastMove: ContinuousClock.Instant?
    var life = Life.fresh
    var closers: [UnsafeContinuation<Void, Never>] = []
    /// By the identity of their outlets.
    var listeners: [ObjectIdentifier: Listener] = [:]

    nonisolated init(_ configuration: PostgresClient.Configuration) {
        self.configuration = configuration
        mailbox = Reactor.mailbox
        let size = max(1, configuration.poolSize)
        decisions = Pool(size: size)
        links = Array(repeating: nil, count: size)
    }

    var loop: EventLoop { EventLoop.shared }

    func report(_ event: PostgresEvent) {
        configuration.onEvent?(event)
    }

    // MARK: Calls come and go

    func submit(_ call: Call, _ now: ContinuousClock.Instant) {
        if case .fresh = life {
            life = .open
            loop.add(self)
        }
        call.isSubmitted = true
        isDirty = true
        if case .release(let lease) = call.kind { return release(lease, call) }
        if let kind = call.stopped { return loop.finish(call, .failed(PostgresError(kind))) }
        if let deadline = call.deadline, deadline <= now {
            return loop.finish(call, .failed(PostgresError(.timeout, cause: "its deadline had passed before it began")))
        }
        if let lease = call.lease { return submit(call, on: lease) }
        guard case .open = life else { return loop.finish(call, .failed(.shutDown)) }
        call.patience = now + configuration.acquireTimeout
        noteExpiry(of: call)
        enqueue(call)
    }

    private func submit(_ call: Call, on lease: Lease) {
        guard !lease.hasEnded else {
            return loop.finish(call, .failed(PostgresError(.closed, cause: "the connection was given back")))
        }
        guard !lease.link.isLost else {
            return loop.finish(call, .failed(PostgresError(.connectionLost, isRetrySafe: true)))
        }
        noteExpiry(of: call)
        call.place = .placed
        call.link = lease.link
        lease.link.backlog.append(call)
    }

    /// Puts a call in line for a connection.
    func enqueue(_ call: Call, atFront: Bool = false) {
        isDirty = true
        call.place = .waiting
        call.link = nil
        call.waitingSince = loop.now
        (call.demand, call.cost) = call.estimate(usual)
        if atFront {
            waiting[call.demand.rawValue].prepend(call)
        } else {
            waiting[call.demand.rawValue].append(call)
        }
    }

    func noteExpiry(of call: Call) {
        if let expiry = call.expiry { nextExpiry = nextExpiry.map { min($0, expiry) } ?? expiry }
    }

    /// Takes back what a connection was given and has not sent.
    func reclaim(_ link: Link) {
        for call in link.backlog.drain().reversed() {
            unplace(call, from: link)
            enqueue(call, atFront: true)
        }
    }

    func unplace(_ call: Call, from link: Link) {
        if call.lease == nil { decisions.left(link.slot, demand: call.demand, cost: call.cost) }
        call.leave()
    }

    // MARK: One round

    /// Lets everything go on that can.
    func pump(_ now: ContinuousClock.Instant) {
        isDirty = false
        if let nextExpiry, nextExpiry <= now { expire(now) }
        if !delayed.isEmpty { wakeDelayed(now) }
        var next: ContinuousClock.Instant?
        for link in links {
            if let link, let time = attend(link, now) { next = next.map { min($0, time) } ?? time }
        }
        placeWaiting(now)
        for link in links { link?.transmit(now) }
        if let nextExpiry { next = next.map { min($0, nextExpiry) } ?? nextExpiry }
        if let decision = nextDecision(now) { next = next.map { min($0, decision) } ?? decision }
        for (time, _) in delayed { next = next.map { min($0, time) } ?? time }
        if case .closing(let until) = life {
            close(now, until)
            next = next.map { min($0, until) } ?? until
        }
        let isFull = hasFullConnection(now)
        self.isFull.store(isFull, ordering: .sequentiallyConsistent)
        // What is submitted meanwhile is not to wait for a reply that does not come.
        if isFull, let stale = decisions.nextStale(after: now) { next = next.map { min($0, stale) } ?? stale }
        due = next
    }

    private func hasFullConnection(_ now: ContinuousClock.Instant) -> Bool {
        links.contains { link in
            guard let link, link.lease == nil, link.flightCount >= link.sharedFlights else { return false }
            return decisions.slots[link.slot].slowCalls == 0 && !decisions.isStale(link.slot, now: now)
        }
    }

    /// When a connection's silence, or the end of a pause, may change where the waiting go.
    private func nextDecision(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let isWaiting = waiting.contains { !$0.isEmpty }
        guard isWaiting || links.contains(where: { !($0?.backlog.isEmpty ?? true) }) else {
            return nil
        }
        var next = decisions.nextStale(after: now)
        if isWaiting, let until = decisions.closedUntil, until > now { next = next.map { min($0, until) } ?? until }
        if let slow = waiting[Pool.Demand.slow.rawValue].first, !hasWaitedLong(slow, now) {
            let turn = (slow.waitingSince ?? now) + Self.givingWay
            next = next.map { min($0, turn) } ?? turn
        }
        return next
    }

    /// What a connection needs beside its replies.
    /// - Returns: when to look again.
    private func attend(_ link: Link, _ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        var next: ContinuousClock.Instant?
        if link.stoppedCalls > 0 {
            next = link.cancelIfDue(now)
        } else if decisions.slots[link.slot].isCancelling, !link.isCancelRunning, link.cancelsSent == 0 || !link.isBusy
        {
            decisions.cancelling(link.slot, false)
        }
        guard !link.isLost else { return nil }
        if let time = watchSilence(of: link, now) { next = next.map { min($0, time) } ?? time }
        if let time = link.attendCopy(now) { next = next.map { min($0, time) } ?? time }
        if link.lease != nil {
            if link.release != nil, link.isIdle, !link.isCancelRunning { link.endLease(now) }
            return next
        }
        if !link.backlog.isEmpty, decisions.isStale(link.slot, now: now) { reclaim(link) }
        let end = link.isOutdated ? now : link.openedAt + configuration.maxConnectionAge
        if now >= end {
            decisions.retire(link.slot)
            reclaim(link)
            if link.isIdle, !link.isCancelRunning { close(link) }
            return next
        }
        return next.map { min($0, end) } ?? end
    }

    private func placeWaiting(_ now: ContinuousClock.Instant) {
        for demand in Pool.Demand.allCases {
            while let call = waiting[demand.rawValue].first {
                if call.isFinished {
                    _ = waiting[demand.rawValue].popFirst()
                    continue
                }
                guard isStill(demand, call) else { continue }
                let decision = decisions.place(call.demand, isOverdue: hasWaitedLong(call, now), now: now)
                if let slot = decision.open { open(slot, now) }
                guard let slot = decision.use, let link = links[slot] else { break }
                _ = waiting[demand.rawValue].popFirst()
                place(call, on: link)
            }
        }
        if waiting[Pool.Demand.lease.rawValue].isEmpty {
            decisions.dropReservation()
        } else {
            decisions.reserveForLease()
        }
    }

    /// While a read waited, more may have become known of its statement; if that makes it a slow one, it changes queues.
    private func isStill(_ demand: Pool.Demand, _ call: Call) -> Bool {
        guard demand == .unsure || demand == .slow else { return true }
        (call.demand, call.cost) = call.estimate(usual)
        guard demand == .unsure, call.demand == .slow else { return true }
        _ = waiting[demand.rawValue].popFirst()
        waiting[Pool.Demand.slow.rawValue].append(call)
        return false
    }

    /// A slow read gives way to transactions, but not for ever.
    private func hasWaitedLong(_ call: Call, _ now: ContinuousClock.Instant) -> Bool {
        guard call.demand == .slow, let since = call.waitingSince else { return false }
        return now - since >= Self.givingWay
    }

    private func place(_ call: Call, on link: Link) {
        call.link = link
        if case .lease = call.kind {
            let lease = Lease(link)
            link.lease = lease
            decisions.leased(link.slot)
            return loop.finish(call, .lease(lease))
        }
        call.place = .placed
        decisions.placed(link.slot, demand: call.demand, cost: call.cost)
        call.join()
        link.backlog.append(call)
    }

    private func wakeDelayed(_ now: ContinuousClock.Instant) {
        let ready = delayed.filter { $0.due <= now }
        delayed.removeAll { $0.due <= now }
        for (_, call) in ready where !call.isFinished { enqueue(call) }
    }
}

extension Call {
    /// Whether the server has not begun with it, so that it still waits for its connection, as a read does that was
    /// sent behind a statement that turns out to take long.
    var isWaitingItsTurn: Bool {
        guard place == .sent else { return true }
        guard case .read = kind, held == nil, let link else { return false }
        return link.head !== self
    }

    /// When it must be looked at, whatever happens.
    var expiry: ContinuousClock.Instant? {
        guard let patience, isWaitingItsTurn else { return deadline }
        return deadline.map { min($0, patience) } ?? patience
    }

    /// A read is given to a connection: until it is known what its statement costs, one of them tries it out.
    func join() {
        guard case .read = kind, case .one(let statement, _) = work, !isTryingOut else { return }
        isTryingOut = true
        statement.cost.underWay += 1
    }

    /// It has left its connection, answered or not.
    func leave() {
        guard isTryingOut, case .one(let statement, _) = work else { return }
        isTryingOut = false
        statement.cost.underWay -= 1
    }

    /// What it needs, and how long that may take in microseconds.
    func estimate(_ usual: BetterRuns) -> (Pool.Demand, Int) {
        switch (kind, work) {
        case (.lease, _): (.lease, 0)
        case (.read, .one(let statement, _)): (statement.cost.demand(usual: usual), statement.cost.estimate)
        case (_, .many(let steps)): (.write, steps.reduce(0) { $0 + $1.statement.cost.estimate })
        default: (.quick, LearnedCost.unknown)
        }
    }
}

extension PostgresError {
    static let shutDown = PostgresError(.closed, cause: "the client was shut down")
}
