/// Which connection a request goes to, and when another one is opened: the decisions of a pool, as a pure state machine.
///
/// One connection that many quick reads share costs less than several, so quick reads gather on the first connection as long
/// as the wait there is short. A connection that runs a slow statement, or has waited for a reply for a while, gets no
/// more requests. Costs are in microseconds.
///
/// A slow read or a transaction occupies its connection for an unknown time. The pool limits how many connections are
/// occupied: in total, by slow reads, by transactions, and by each share. One connection is always left to quick reads,
/// and no share occupies the last one that slow reads, or transactions, may use. One connection carries no request of the
/// share at all, because any of its reads may turn out to be slow.
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
        /// A read of a statement that is slow, or is expected to be.
        case slow
    }

    struct Decision: Equatable {
        /// The slot of the connection to use now.
        var use: Int?
        /// The slot of the connection to open.
        var open: Int?
        /// The request waits because its own share occupies as many connections as it may. A request of another share may
        /// be assigned.
        var isShareLimited = false
    }

    /// Up to this much queued work, a shared connection is better than another one.
    static let quickQueueLimit = 3_000
    /// Behind more queued work than this no request is placed: it waits for the first connection that is free.
    static let maxQueueDelay = 10_000
    /// A connection that has waited for a reply for longer than this is stalled, however cheap its statement was expected
    /// to be.
    static let maxHeadSilence: Duration = .milliseconds(5)
    /// The reads that were sent behind such a statement run on another connection after this time.
    static let maxFollowerDelay: Duration = .milliseconds(15)
    /// A statement that takes longer than this is slow beyond doubt, even on a busy machine.
    static let maxQuickRunTime: Duration = .milliseconds(100)
    /// Transactions on one connection: the next one is already there while one runs.
    static let writesPerConnection = 2

    private(set) var slots: [Slot]
    /// Whose requests each connection has. Apart from the slots, which every decision copies: without arrays a copy is cheap.
    private var shares: [SlotShares]
    private var backoff = Backoff()
    /// No connection is opened before then, because the last attempt failed.
    private(set) var connectPausedUntil: ContinuousClock.Instant?
    /// Whether reads wait that are slow or may be: one connection is then kept from further transactions.
    var isSlowReadWaiting = false

    init(size: Int) {
        slots = Array(repeating: Slot(), count: max(1, size))
        shares = Array(repeating: SlotShares(), count: slots.count)
    }

    // MARK: Decisions

    /// Where a request of that demand goes now.
    /// - Parameters:
    ///   - share: nil for a request that no limit of a share concerns.
    ///   - isOverdue: whether a slow read has waited long enough to be placed behind transactions.
    func assign(
        _ demand: Demand, of share: Share? = nil, isOverdue: Bool = false, now: ContinuousClock.Instant
    ) -> Decision {
        switch demand {
        case .quick: assignQuick(share, now)
        case .unknown: assignUnknown(share, now)
        case .slow: assignSlow(share, isOverdue: isOverdue, now)
        case .write: assignWrite(share, now)
        case .lease: assignLease(now)
        }
    }

    private func assignQuick(_ share: Share?, _ now: ContinuousClock.Instant) -> Decision {
        let isSpread = isSpread(share, now)
        var best: Int?
        for index in slots.indices where isOpen(index, now) && mayUse(index, share, isSpread) {
            let slot = slots[index]
            if slot.writes == 0, slot.cost <= Self.quickQueueLimit { return Decision(use: index) }
            if best.map({ wait(index) < wait($0) }) ?? true { best = index }
        }
        let isConnecting = slots.contains { $0.phase == .connecting }
        let open = isConnecting || isSpread ? nil : slotToOpen(now)
        // How long a transaction takes is unknown: opening a connection is the safer choice.
        if let slot = best, slots[slot].writes > 0, isConnecting || open != nil { best = nil }
        return Decision(use: best, open: open, isShareLimited: isSpread && best == nil)
    }

    private func assignUnknown(_ share: Share?, _ now: ContinuousClock.Instant) -> Decision {
        if slowRoom(for: share) == .available { return useIdleOrOpen(for: share, now) }
        guard let share, slots.count > 2 else { return assignQuick(share, now) }
        guard occupiedCount < slots.count - 1 else { return Decision() }
        guard !isOccupationLimited(share) else { return Decision(isShareLimited: true) }
        return assignQuick(share, now)
    }

    private func assignSlow(_ share: Share?, isOverdue: Bool, _ now: ContinuousClock.Instant) -> Decision {
        switch slowRoom(for: share) {
        case .available: useIdleOrOpen(for: share, now)
        case .shareLimited: Decision(isShareLimited: true)
        // In a pool this small, transactions could keep slow reads waiting forever.
        case .none: isOverdue && slots.count <= 2 ? assignBehindWrites(now) : Decision()
        }
    }

    private func useIdleOrOpen(for share: Share?, _ now: ContinuousClock.Instant) -> Decision {
        let isSpread = isSpread(share, now)
        if let idle = lastIdle(for: share, isSpread) { return Decision(use: idle) }
        if !isSpread, let open = slotToOpen(now) { return Decision(open: open) }
        guard isSpread || !slots.contains(where: { $0.phase == .connecting }) else { return Decision() }
        let use = slots.indices.filter { isOpen($0, now) && mayUse($0, share, isSpread) }.min { wait($0) < wait($1) }
        return Decision(use: use, isShareLimited: use == nil && isSpread)
    }

    private func assignBehindWrites(_ now: ContinuousClock.Instant) -> Decision {
        Decision(use: slots.indices.filter { slots[$0].writes > 0 && isOpen($0, now) }.min { wait($0) < wait($1) })
    }

    /// Transactions that wait for one locked row must not take every connection: one is left to reads, one to the
    /// transactions of other shares, and further transactions wait behind others.
    private func assignWrite(_ share: Share?, _ now: ContinuousClock.Instant) -> Decision {
        let isSpread = isSpread(share, now)
        let isLimited = share.map { share in
            !leavesLast(
                own: shares.indices.count { shares[$0].ofWrites.contains(share) }, used: writeSlotCount,
                of: writeCapacity)
                || isOccupationLimited(share)
        }
        let isShareLimited = isLimited ?? false
        let hasRoom = occupiedCount < max(1, slots.count - 1) && writeSlotCount < writeCapacity || writeSlotCount == 0
        let mayTakeAnother = hasRoom && !isShareLimited
        if mayTakeAnother, let idle = lastIdle(for: share, isSpread) { return Decision(use: idle) }
        let candidates = slots.indices.filter { index in
            let slot = slots[index]
            guard isOpen(index, now), slot.writes < Self.writesPerConnection, mayUse(index, share, isSpread) else {
                return false
            }
            if mayTakeAnother { return true }
            return slot.writes > 0 && (!isShareLimited || shares[index].ofWrites.allSatisfy { $0 == share })
        }
        let use = candidates.min { wait($0) < wait($1) }
        let open = mayTakeAnother && !isSpread ? slotToOpen(now) : nil
        return Decision(
            use: use, open: open, isShareLimited: use == nil && open == nil && (isShareLimited || isSpread))
    }

    private func assignLease(_ now: ContinuousClock.Instant) -> Decision {
        if let idle = slots.lastIndex(where: { $0.isIdle }) { return Decision(use: idle) }
        if let reserved = slots.firstIndex(where: { $0.isReserved && $0.phase == .ready }) {
            let slot = slots[reserved]
            return slot.requests == 0 && !slot.isCancelling ? Decision(use: reserved) : Decision()
        }
        return Decision(open: slotToOpen(now))
    }

    // MARK: Limits

    /// Connections that will be busy for an unknown time. One connection is always left to quick reads.
    private var occupiedCount: Int { slots.count { $0.slowRequests > 0 || $0.writes > 0 } }

    private var slowSlotCount: Int { slots.count { $0.slowRequests > 0 } }

    private var writeSlotCount: Int { slots.count { $0.writes > 0 } }

    /// How many connections slow reads may occupy: half of the pool, and so few that one is left to quick reads and
    /// another one to transactions, if the pool is large enough.
    private var slowCapacity: Int { max(1, min(slots.count / 2, slots.count - 2)) }

    private var writeCapacity: Int {
        max(1, slots.count - 1 - max(slowSlotCount, isSlowReadWaiting ? 1 : 0))
    }

    private enum Room {
        case available, shareLimited, none
    }

    private func slowRoom(for share: Share?) -> Room {
        guard occupiedCount < max(1, slots.count - 1), slowSlotCount < slowCapacity else { return .none }
        guard let share else { return .available }
        let own = slots.count { $0.slowShare == share }
        let isLimited =
            own >= maxSlowPerShare || !leavesLast(own: own, used: slowSlotCount, of: slowCapacity)
            || isOccupationLimited(share)
        return isLimited ? .shareLimited : .available
    }

    /// How many connections one share may occupy. In a pool of three, one of them is left to others only as far as both
    /// a slow read and a transaction allow.
    private var maxOccupiedPerShare: Int { max(1, slots.count >= 4 ? slots.count / 2 : slots.count - 1) }

    /// How many slow reads one share may run: few, because they compete with the reads of others for the server's cores.
    private var maxSlowPerShare: Int { max(1, slots.count / 8) }

    private func isOccupationLimited(_ share: Share) -> Bool {
        let own = slots.indices.count { slots[$0].slowShare == share || shares[$0].ofWrites.contains(share) }
        return own >= maxOccupiedPerShare
            || slots.count > 4 && !leavesLast(own: own, used: occupiedCount, of: slots.count - 1)
    }

    /// Whether a share with `own` of the `capacity` connections may take another one: the last free one is for a share
    /// that has none.
    private func leavesLast(own: Int, used: Int, of capacity: Int) -> Bool {
        own == 0 || own < capacity - 1 && capacity - used > 1
    }

    /// Whether the share has requests on all connections but one, which it must then leave to others.
    ///
    /// Requests that are stuck behind another share's statement do not count, unless a statement of this share is slow as
    /// well: then they may be of its kind.
    private func isSpread(_ share: Share?, _ now: ContinuousClock.Instant) -> Bool {
        guard let share, slots.count > 2 else { return false }
        let isSlow = slots.indices.contains { index in
            slots[index].headShare == share && isStalled(index, for: Self.maxFollowerDelay, now: now)
        }
        let count = slots.indices.count { index in
            guard shares[index].ofAll.contains(share) else { return false }
            return isSlow || slots[index].headShare == share
                || !isStalled(index, for: Self.maxQuickRunTime, now: now)
        }
        return count >= slots.count - 1
    }

    private func mayUse(_ index: Int, _ share: Share?, _ isSpread: Bool) -> Bool {
        guard isSpread, let share else { return true }
        return shares[index].ofAll.contains(share)
    }

    /// Whether a request of the share would wait because of the share's own requests.
    func isLimited(_ demand: Demand, of share: Share, _ now: ContinuousClock.Instant) -> Bool {
        assign(demand, of: share, now: now).isShareLimited
    }

    /// The last one, because quick reads gather on the first.
    private func lastIdle(for share: Share?, _ isSpread: Bool) -> Int? {
        slots.indices.last { slots[$0].isIdle && mayUse($0, share, isSpread) }
    }

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
    /// - Parameter limit: how long is too long.
    func isStalled(
        _ index: Int, for limit: Duration = PoolStateMachine.maxHeadSilence, now: ContinuousClock.Instant
    ) -> Bool {
        guard let silent = slots[index].silentSince else { return false }
        return now - silent > limit
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
    mutating func reserveForLease(_ now: ContinuousClock.Instant) {
        // A reserved connection that is stalled may stay so for long.
        for index in slots.indices where slots[index].isReserved && isStalled(index, now: now) {
            guard slots.contains(where: { $0.acceptsRequests }) else { break }
            slots[index].isReserved = false
        }
        guard !slots.contains(where: { $0.isReserved || $0.phase == .connecting }) else { return }
        let candidates = slots.indices.filter { slots[$0].acceptsRequests }
        let moving = candidates.filter { !isStalled($0, now: now) }
        guard let index = (moving.isEmpty ? candidates : moving).min(by: { slots[$0].cost < slots[$1].cost })
        else { return }
        slots[index].isReserved = true
    }

    mutating func dropReservation() {
        for index in slots.indices { slots[index].isReserved = false }
    }

    // MARK: Events of requests

    mutating func assigned(_ index: Int, demand: Demand, of share: Share? = nil, cost: Int) {
        slots[index].add(demand, of: share, cost: cost)
        if let share { shares[index].add(demand, of: share) }
    }

    mutating func unassigned(_ index: Int, demand: Demand, of share: Share? = nil, cost: Int) {
        slots[index].remove(demand, cost: cost)
        if let share { shares[index].remove(demand, of: share) }
    }

    /// A batch was sent on an idle connection, or a statement was answered.
    /// - Parameter share: that of the request that the server is working on now.
    mutating func noteProgress(_ index: Int, isWaiting: Bool, share: Share? = nil, now: ContinuousClock.Instant) {
        slots[index].silentSince = isWaiting ? now : nil
        slots[index].headShare = isWaiting ? share : nil
    }

    mutating func cancelling(_ index: Int, _ isCancelling: Bool) {
        slots[index].isCancelling = isCancelling
    }

    // MARK: Events of connections

    mutating func connecting(_ index: Int) {
        restart(index, .connecting)
    }

    mutating func connected(_ index: Int, now: ContinuousClock.Instant) {
        restart(index, .ready)
        backoff.succeeded()
        connectPausedUntil = nil
    }

    /// - Parameter chance: a random number from 0 up to 1.
    /// - Returns: how long no further attempt is made.
    mutating func connectFailed(_ index: Int, now: ContinuousClock.Instant, chance: Double) -> Duration {
        restart(index, .empty)
        let delay = backoff.failed(chance: chance)
        connectPausedUntil = now + delay
        return delay
    }

    mutating func closed(_ index: Int) {
        restart(index, .empty)
    }

    private mutating func restart(_ index: Int, _ phase: Slot.Phase) {
        slots[index] = Slot(phase: phase)
        shares[index] = SlotShares()
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
        slots[index].isReserved = false
    }
}
