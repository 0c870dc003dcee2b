/// Which connection a call goes to, and when another is opened: the pool's decisions as a pure machine.
///
/// One connection that many quick calls share beats several, so calls gather on the first one as long as the wait
/// there is short. A connection whose head has been silent for a while, or which runs something slow, takes no more
/// calls. Costs are in microseconds.
struct PoolStateMachine {
    /// In the order in which they are served.
    enum Demand: Int, CaseIterable {
        /// A connection for one caller alone.
        case lease
        /// A transaction: one that has a connection for itself commits without holding up others.
        case write
        /// A read that is quick as far as is known.
        case quick
        /// A read that nobody knows well enough: like a slow one if there is room, else like a quick one.
        case unknown
        /// A read known to be slow: never all connections at once, with transactions or without.
        case slow
    }

    struct Decision: Equatable {
        /// The connection to use now.
        var use: Int?
        /// The connection to begin opening.
        var open: Int?
    }

    struct Slot: Equatable {
        enum Phase: Equatable {
            case empty
            case connecting
            case ready
            case leased
            /// Takes no more calls and is closed once it is idle.
            case retiring
        }

        var phase = Phase.empty
        var requests = 0
        var slowRequests = 0
        var writes = 0
        var cost = 0
        /// Since when nothing came while something was under way.
        var silentSince: ContinuousClock.Instant?
        /// A statement is being cancelled: whoever were placed behind it might be hit.
        var isCancelling = false
        var isReserved = false

        var acceptsRequests: Bool { phase == .ready && !isCancelling && !isReserved }
        var isIdle: Bool { acceptsRequests && requests == 0 }
    }

    /// A wait up to this long on a shared connection is better than waking another.
    static let quickQueueLimit = 3_000
    /// Behind more than this nobody is put: waiting for whichever connection comes free is better.
    static let maxQueueDelay = 50_000
    /// A head silent for longer than this is slow, whatever it was expected to cost.
    static let maxHeadSilence: Duration = .milliseconds(5)
    /// Transactions on one connection: one runs while the next is already there.
    static let writesPerConnection = 2

    private(set) var slots: [Slot]
    private var backoff = Backoff()
    private(set) var connectPausedUntil: ContinuousClock.Instant?

    init(size: Int) {
        slots = Array(repeating: Slot(), count: max(1, size))
    }

    // MARK: Decisions

    /// - Parameter isOverdue: whether a slow read has waited long enough to be put among transactions.
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
        // How long a transaction holds its connection nobody knows: a new connection is the surer wait.
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

    /// Connections that nobody knows when they come free. One is always left to quick reads.
    private var occupiedCount: Int { slots.count { $0.slowRequests > 0 || $0.writes > 0 } }

    /// One connection is left to quick reads and another to transactions, if there are so many.
    private var hasRoomForSlow: Bool {
        occupiedCount < max(1, slots.count - 1) && slots.count { $0.slowRequests > 0 } < max(1, slots.count - 2)
    }

    /// Transactions that wait for one locked row are not to take every connection: one is left to reads, and further
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

    /// The last rather than the first: the first is where quick reads gather.
    private var lastIdle: Int? { slots.lastIndex { $0.isIdle } }

    private func isOpen(_ index: Int, _ now: ContinuousClock.Instant) -> Bool {
        let slot = slots[index]
        guard slot.acceptsRequests, slot.slowRequests == 0, slot.cost <= Self.maxQueueDelay else { return false }
        guard let silent = slot.silentSince else { return true }
        return now - silent <= Self.maxHeadSilence
    }

    /// A transaction ends with a wait for the disk that no statement's cost shows beforehand.
    private func wait(_ index: Int) -> Int {
        slots[index].cost + slots[index].writes * 1_000
    }

    private func slotToOpen(_ now: ContinuousClock.Instant) -> Int? {
        if let connectPausedUntil, now < connectPausedUntil { return nil }
        return slots.firstIndex { $0.phase == .empty }
    }

    /// Whether a connection has an unanswered head for too long: what it has not sent yet belongs elsewhere.
    func isStalled(_ index: Int, now: ContinuousClock.Instant) -> Bool {
        guard let silent = slots[index].silentSince else { return false }
        return now - silent > Self.maxHeadSilence
    }

    /// When a connection will turn stale that is not yet.
    func nextStall(after now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        var next: ContinuousClock.Instant?
        for slot in slots {
            guard let silent = slot.silentSince, now - silent <= Self.maxHeadSilence else { continue }
            let due = silent + Self.maxHeadSilence + .milliseconds(1)
            next = next.map { min($0, due) } ?? due
        }
        return next
    }

    /// Keeps calls off the least busy connection, so that it comes free for one caller alone.
    mutating func reserveForLease() {
        guard !slots.contains(where: { $0.isReserved || $0.phase == .connecting }) else { return }
        let candidates = slots.indices.filter { slots[$0].acceptsRequests }
        guard let index = candidates.min(by: { slots[$0].cost < slots[$1].cost }) else { return }
        slots[index].isReserved = true
    }

    mutating func dropReservation() {
        for index in slots.indices { slots[index].isReserved = false }
    }

    // MARK: What happens to calls

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

    /// Something was sent, or something came.
    mutating func noteActivity(_ index: Int, isWaiting: Bool, now: ContinuousClock.Instant) {
        slots[index].silentSince = isWaiting ? now : nil
    }

    mutating func cancelling(_ index: Int, _ isCancelling: Bool) {
        slots[index].isCancelling = isCancelling
    }

    // MARK: What happens to connections

    mutating func connecting(_ index: Int) {
        slots[index] = Slot(phase: .connecting)
    }

    mutating func connected(_ index: Int, now: ContinuousClock.Instant) {
        slots[index] = Slot(phase: .ready)
        backoff.succeeded()
        connectPausedUntil = nil
    }

    /// Answers how long no further attempt is made.
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
