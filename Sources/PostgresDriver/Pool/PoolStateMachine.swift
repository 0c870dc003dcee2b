/// Which connection a request goes to, and when another one is opened: the decisions of a pool, as a pure state machine.
///
/// One connection that many quick reads share costs less than several, so quick reads gather on the first connection as long
/// as the wait there is short. A connection that runs a slow statement, or has waited for a reply for a while, gets no
/// more requests. Costs are in microseconds.
struct PoolStateMachine {
    /// What a request needs of a connection, in the order in which requests are served.
    enum Demand: Int, CaseIterable {
        /// A connection for one caller alone.
        case lease
        /// A transaction. On a connection of its own it commits without delaying other requests.
        case write
        /// A read of a statement that is known to be quick.
        case quick
        /// A read of a statement that has not run often enough: treated as slow if there is room, otherwise as quick.
        case unknown
        /// A read of a statement that is known to be slow. Slow reads never take all connections, not even together with
        /// transactions.
        case slow
    }

    struct Decision: Equatable {
        /// The slot of the connection to use now.
        var use: Int?
        /// The slot of the connection to open.
        var open: Int?
    }

    struct Slot: Equatable {
        enum Phase: Equatable {
            case empty
            case connecting
            case ready
            case leased
            /// Gets no more requests and is closed once it is idle.
            case retiring
        }

        var phase = Phase.empty
        var requests = 0
        var slowRequests = 0
        var writes = 0
        var cost = 0
        /// Since when no reply has come to what is under way.
        var silentSince: ContinuousClock.Instant?
        /// A statement is being cancelled. The cancel request could hit a request that is placed here.
        var isCancelling = false
        /// It is kept free for a lease.
        var isReserved = false

        var acceptsRequests: Bool { phase == .ready && !isCancelling && !isReserved }
        var isIdle: Bool { acceptsRequests && requests == 0 }
    }

    /// Up to this much queued work, a shared connection is better than another one.
    static let quickQueueLimit = 3_000
    /// Behind more queued work than this no request is placed: it waits for the first connection that is free.
    static let maxQueueDelay = 50_000
    /// A connection that has waited for a reply for longer than this is stalled, however cheap its statement was expected
    /// to be.
    static let maxHeadSilence: Duration = .milliseconds(5)
    /// Transactions on one connection: the next one is already there while one runs.
    static let writesPerConnection = 2

    private(set) var slots: [Slot]
    private var backoff = Backoff()
    /// No connection is opened before then, because the last attempt failed.
    private(set) var connectPausedUntil: ContinuousClock.Instant?

    init(size: Int) {
        slots = Array(repeating: Slot(), count: max(1, size))
    }

    // MARK: Decisions

    /// Where a request of that demand goes now.
    /// - Parameter isOverdue: whether a slow read has waited long enough to be placed behind transactions.
    func assign(_ demand: Demand, isOverdue: Bool = false, now: ContinuousClock.Instant) -> Decision {
        switch demand {
        case .quick: assignQuick(now)
        case .unknown: hasRoomForSlow ? assignSlow(now) : assignQuick(now)
        case .slow: hasRoomForSlow ? assignSlow(now) : isOverdue ? assignBehindWrites(now) : Decision()
        case .write: assignWrite(now)
        case .lease: assignLease(now)
        }
    }

    private func assignQuick(_ now: ContinuousClock.Instant) -> Decision {
        var best: Int?
        for index in slots.indices where isOpen(index, now) {
            let slot = slots[index]
            if slot.writes == 0, slot.cost <= Self.quickQueueLimit { return Decision(use: index) }
            if best.map({ wait(index) < wait($0) }) ?? true { best = index }
        }
        let isConnecting = slots.contains { $0.phase == .connecting }
        let open = isConnecting ? nil : slotToOpen(now)
        // How long a transaction takes is unknown: opening a connection is the safer choice.
        if let slot = best, slots[slot].writes > 0, isConnecting || open != nil { best = nil }
        return Decision(use: best, open: open)
    }

    private func assignSlow(_ now: ContinuousClock.Instant) -> Decision {
        if let idle = lastIdle { return Decision(use: idle) }
        if let open = slotToOpen(now) { return Decision(open: open) }
        guard !slots.contains(where: { $0.phase == .connecting }) else { return Decision() }
        return Decision(use: slots.indices.filter { isOpen($0, now) }.min { wait($0) < wait($1) })
    }

    private func assignBehindWrites(_ now: ContinuousClock.Instant) -> Decision {
        Decision(use: slots.indices.filter { slots[$0].writes > 0 && isOpen($0, now) }.min { wait($0) < wait($1) })
    }

    /// Connections that will be busy for an unknown time. One connection is always left to quick reads.
    private var occupiedCount: Int { slots.count { $0.slowRequests > 0 || $0.writes > 0 } }

    /// One connection is left to quick reads and another one to transactions, if the pool is large enough.
    private var hasRoomForSlow: Bool {
        occupiedCount < max(1, slots.count - 1) && slots.count { $0.slowRequests > 0 } < max(1, slots.count - 2)
    }

    /// Transactions that wait for one locked row must not take every connection: one is left to reads, and further
    /// transactions wait behind others.
    private func assignWrite(_ now: ContinuousClock.Instant) -> Decision {
        let mayTakeAnother = occupiedCount < max(1, slots.count - 1) || !slots.contains { $0.writes > 0 }
        if mayTakeAnother, let idle = lastIdle { return Decision(use: idle) }
        let candidates = slots.indices.filter { index in
            isOpen(index, now) && slots[index].writes < Self.writesPerConnection
                && (mayTakeAnother || slots[index].writes > 0)
        }
        return Decision(
            use: candidates.min { wait($0) < wait($1) }, open: mayTakeAnother ? slotToOpen(now) : nil)
    }

    private func assignLease(_ now: ContinuousClock.Instant) -> Decision {
        if let idle = lastIdle { return Decision(use: idle) }
        if let reserved = slots.firstIndex(where: { $0.isReserved && $0.phase == .ready }) {
            let slot = slots[reserved]
            return slot.requests == 0 && !slot.isCancelling ? Decision(use: reserved) : Decision()
        }
        return Decision(open: slotToOpen(now))
    }

    /// The last one, because quick reads gather on the first.
    private var lastIdle: Int? { slots.lastIndex { $0.isIdle } }

    private func isOpen(_ index: Int, _ now: ContinuousClock.Instant) -> Bool {
        let slot = slots[index]
        guard slot.acceptsRequests, slot.slowRequests == 0, slot.cost <= Self.maxQueueDelay else { return false }
        guard let silent = slot.silentSince else { return true }
        return now - silent <= Self.maxHeadSilence
    }

    /// A commit waits for the disk, which is no part of the statements' costs.
    private func wait(_ index: Int) -> Int {
        slots[index].cost + slots[index].writes * 1_000
    }

    private func slotToOpen(_ now: ContinuousClock.Instant) -> Int? {
        if let connectPausedUntil, now < connectPausedUntil { return nil }
        return slots.firstIndex { $0.phase == .empty }
    }

    /// Whether the server has not replied for too long: what the connection has not sent is placed elsewhere.
    func isStalled(_ index: Int, now: ContinuousClock.Instant) -> Bool {
        guard let silent = slots[index].silentSince else { return false }
        return now - silent > Self.maxHeadSilence
    }

    /// When the next connection that is not stalled yet will be.
    func nextStall(after now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        var next: ContinuousClock.Instant?
        for slot in slots {
            guard let silent = slot.silentSince, now - silent <= Self.maxHeadSilence else { continue }
            let due = silent + Self.maxHeadSilence + .milliseconds(1)
            next = next.map { min($0, due) } ?? due
        }
        return next
    }

    /// Keeps requests off the least busy connection, so that it becomes free for a lease.
    mutating func reserveForLease() {
        guard !slots.contains(where: { $0.isReserved || $0.phase == .connecting }) else { return }
        let candidates = slots.indices.filter { slots[$0].acceptsRequests }
        guard let index = candidates.min(by: { slots[$0].cost < slots[$1].cost }) else { return }
        slots[index].isReserved = true
    }

    mutating func dropReservation() {
        for index in slots.indices { slots[index].isReserved = false }
    }

    // MARK: Events of requests

    mutating func assigned(_ index: Int, demand: Demand, cost: Int) {
        slots[index].requests += 1
        slots[index].cost += cost
        if demand == .slow || demand == .unknown { slots[index].slowRequests += 1 }
        if demand == .write { slots[index].writes += 1 }
    }

    mutating func unassigned(_ index: Int, demand: Demand, cost: Int) {
        slots[index].requests -= 1
        slots[index].cost -= cost
        if demand == .slow || demand == .unknown { slots[index].slowRequests -= 1 }
        if demand == .write { slots[index].writes -= 1 }
    }

    /// Something was sent on the connection, or something came.
    mutating func noteActivity(_ index: Int, isWaiting: Bool, now: ContinuousClock.Instant) {
        slots[index].silentSince = isWaiting ? now : nil
    }

    mutating func cancelling(_ index: Int, _ isCancelling: Bool) {
        slots[index].isCancelling = isCancelling
    }

    // MARK: Events of connections

    mutating func connecting(_ index: Int) {
        slots[index] = Slot(phase: .connecting)
    }

    mutating func connected(_ index: Int, now: ContinuousClock.Instant) {
        slots[index] = Slot(phase: .ready)
        backoff.succeeded()
        connectPausedUntil = nil
    }

    /// - Parameter chance: a random number from 0 up to 1.
    /// - Returns: how long no further attempt is made.
    mutating func connectFailed(_ index: Int, now: ContinuousClock.Instant, chance: Double) -> Duration {
        slots[index] = Slot()
        let delay = backoff.failed(chance: chance)
        connectPausedUntil = now + delay
        return delay
    }

    mutating func closed(_ index: Int) {
        slots[index] = Slot()
    }

    mutating func leased(_ index: Int) {
        slots[index].phase = .leased
        slots[index].isReserved = false
    }

    mutating func returned(_ index: Int) {
        slots[index].phase = .ready
    }

    mutating func retire(_ index: Int) {
        slots[index].phase = .retiring
    }
}

/// Delays between attempts to connect to a server that does not answer: exponential, bounded, with jitter, so that clients
/// do not connect in step.
struct Backoff {
    /// In milliseconds.
    static let first = 50
    /// In milliseconds.
    static let longest = 500

    private var attempt = 0

    /// - Parameter chance: a random number from 0 up to 1, which picks a delay between half and all of the current one.
    mutating func failed(chance: Double) -> Duration {
        let full = min(Self.longest, Self.first << min(attempt, 10))
        attempt += 1
        return .milliseconds(full / 2 + Int(chance * Double(full - full / 2)))
    }

    mutating func succeeded() {
        attempt = 0
    }
}
