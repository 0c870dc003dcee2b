/// The requests of a pool that wait for a connection, and those that wait for a retry.
///
/// There is one queue for each share and demand. Of the requests of one demand, groups of shares are served in turn, and in each
/// group its shares.
@Reactor
struct RequestQueue {
    private typealias Demand = PoolStateMachine.Demand

    /// What one share has waiting.
    @Reactor
    fileprivate struct Waiting {
        /// By demand.
        var queues = [FIFO<PoolRequest>](repeating: FIFO(), count: Demand.allCases.count)
        var count = 0
        /// By demand the sum of the estimates of its requests, in microseconds.
        var costs = [Int](repeating: 0, count: Demand.allCases.count)
    }

    /// How long a slow read leaves connections to transactions.
    private static let maxSlowReadDelay: Duration = .seconds(2)
    /// Shares without waiting requests of which the empty queues are kept.
    private static let maxIdleShares = 256

    private var waiting: [Share?: Waiting] = [:]
    /// For each demand the shares that have such requests.
    private var rotations = [ShareRotation](repeating: ShareRotation(), count: Demand.allCases.count)
    /// Transactions that lost a conflict and are run again a little later.
    private var retries: [(due: ContinuousClock.Instant, request: PoolRequest)] = []
    /// What the better runs of all statements take. Long on a machine that is overloaded.
    private var typicalRunTime = LowBiasedAverage()
    /// No later than the first expiry of all requests of the pool.
    private(set) var nextExpiry: ContinuousClock.Instant?

    nonisolated init() {}

    var isEmpty: Bool { rotations.allSatisfy { $0.isEmpty } }

    /// How many requests wait, those of which the callers have gone included.
    var count: Int { waiting.values.reduce(retries.count) { $0 + $1.count } }

    func isEmpty(_ demand: PoolStateMachine.Demand) -> Bool { rotations[demand.rawValue].isEmpty }

    /// How many requests the share has waiting, and what those of one demand are expected to take, in microseconds.
    func load(of share: Share, _ demand: PoolStateMachine.Demand) -> (count: Int, cost: Int) {
        waiting[share].map { ($0.count, $0.costs[demand.rawValue]) } ?? (0, 0)
    }

    /// Forgets the requests of the share that their callers do not want any more.
    mutating func removeFinished(of share: Share) {
        waiting[share]?.removeFinished()
        dropEmptyQueues()
    }

    /// What the request demands, as far as that is known now.
    func demand(of request: PoolRequest) -> PoolStateMachine.Demand { request.estimate(typicalRunTime).0 }

    mutating func append(_ request: PoolRequest, _ now: ContinuousClock.Instant) {
        prepare(request, now)
        add(request, atFront: false)
    }

    mutating func prepend(_ request: PoolRequest, _ now: ContinuousClock.Instant) {
        prepare(request, now)
        add(request, atFront: true)
    }

    private mutating func prepare(_ request: PoolRequest, _ now: ContinuousClock.Instant) {
        request.state = .queued
        request.wait.since = now
        estimate(request)
    }

    private func estimate(_ request: PoolRequest) {
        (request.load.demand, request.load.cost) = request.estimate(typicalRunTime)
    }

    private mutating func add(_ request: PoolRequest, atFront: Bool) {
        let index = request.load.demand.rawValue
        request.wait.cost = request.load.cost
        let isFirst = waiting[request.share, default: Waiting()].add(request, to: index, atFront: atFront)
        if isFirst { rotations[index].append(request.share) }
    }

    /// The first request of that demand that is still wanted, of the share that is next in turn. It stays in the queue.
    /// - Parameter isServed: whether requests of a share can be served now; other shares come first then.
    mutating func first(
        _ demand: PoolStateMachine.Demand, where isServed: (Share?) -> Bool = { _ in true }
    ) -> PoolRequest? {
        let index = demand.rawValue
        for _ in 0..<rotations[index].groupCount {
            for _ in 0..<rotations[index].shareCount {
                guard let share = rotations[index].first else { return nil }
                if isServed(share), let request = first(demand, of: share) { return request }
                passShare(index)
            }
            rotations[index].passGroup()
        }
        return nil
    }

    private mutating func first(_ demand: PoolStateMachine.Demand, of share: Share?) -> PoolRequest? {
        let index = demand.rawValue
        while let request = waiting[share]?.queues[index].first {
            guard request.isFinished || hasBecomeSlow(request, demand) else { return request }
            _ = waiting[share]?.removeFirst(of: index)
            if !request.isFinished { add(request, atFront: false) }
        }
        return nil
    }

    /// Removes the request that `first` returned.
    mutating func removeFirst(_ demand: PoolStateMachine.Demand) {
        let index = demand.rawValue
        guard let share = rotations[index].first else { return }
        _ = waiting[share]?.removeFirst(of: index)
        passShare(index)
        rotations[index].passGroup()
    }

    /// The turn passes to the next share of the group. One that has no more requests of that demand leaves.
    private mutating func passShare(_ index: Int) {
        guard let share = rotations[index].first else { return }
        let isEmpty = waiting[share]?.queues[index].isEmpty ?? true
        rotations[index].passShare(stays: !isEmpty)
        if isEmpty, waiting.count > Self.maxIdleShares, waiting[share]?.count == 0 { waiting[share] = nil }
    }

    /// While a read of an unknown statement waits, other runs of it may show that the statement is slow.
    private func hasBecomeSlow(_ request: PoolRequest, _ demand: PoolStateMachine.Demand) -> Bool {
        guard demand == .unknown || demand == .slow else { return false }
        estimate(request)
        return demand == .unknown && request.load.demand == .slow
    }

    /// Removes all requests.
    mutating func removeAll() -> [PoolRequest] {
        var all: [PoolRequest] = []
        for share in waiting.keys {
            for index in rotations.indices { all += waiting[share]?.queues[index].drain() ?? [] }
        }
        waiting = [:]
        for index in rotations.indices { rotations[index] = ShareRotation() }
        all += retries.map(\.request)
        retries = []
        return all
    }

    mutating func noteRunTime(microseconds: Int) {
        typicalRunTime.add(microseconds)
    }

    // MARK: Slow reads

    /// Whether a slow read has left connections to transactions for long enough.
    func isOverdue(_ request: PoolRequest, _ now: ContinuousClock.Instant) -> Bool {
        guard request.load.demand == .slow, let since = request.wait.since else { return false }
        return now - since >= Self.maxSlowReadDelay
    }

    /// When the first slow read will be overdue, if it is not yet.
    func nextOverdue(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let index = Demand.slow.rawValue
        guard let share = rotations[index].first, let request = waiting[share]?.queues[index].first,
            request.load.demand == .slow, !isOverdue(request, now)
        else { return nil }
        return (request.wait.since ?? now) + Self.maxSlowReadDelay
    }

    // MARK: Retries

    mutating func retry(_ request: PoolRequest, at due: ContinuousClock.Instant) {
        retries.append((due, request))
    }

    var nextRetry: ContinuousClock.Instant? { retries.isEmpty ? nil : retries.map(\.due).min() }

    /// Removes the requests that are due to be run again.
    mutating func takeDueRetries(_ now: ContinuousClock.Instant) -> [PoolRequest] {
        guard !retries.isEmpty else { return [] }
        let due = retries.filter { $0.due <= now }.map(\.request)
        retries.removeAll { $0.due <= now }
        return due.filter { !$0.isFinished }
    }

    /// Has only shares with requests take turns.
    private mutating func dropEmptyQueues() {
        for index in rotations.indices {
            rotations[index].removeAll { waiting[$0]?.queues[index].isEmpty ?? true }
        }
        if waiting.count > Self.maxIdleShares { waiting = waiting.filter { $0.value.count > 0 } }
    }

    // MARK: Deadlines

    mutating func noteExpiry(of request: PoolRequest) {
        if let expiry = request.expiry { nextExpiry = nextExpiry.map { min($0, expiry) } ?? expiry }
    }

    /// Forgets the next expiry, which is noted anew for each request that has not expired.
    /// - Returns: every request that waits.
    mutating func beginExpiry() -> [PoolRequest] {
        nextExpiry = nil
        var all: [PoolRequest] = []
        defer { dropEmptyQueues() }
        for share in waiting.keys {
            waiting[share]?.removeFinished()
            for index in rotations.indices { all += waiting[share]?.queues[index].elements ?? [] }
        }
        return all + retries.map(\.request)
    }
}

@Reactor
extension RequestQueue.Waiting {
    /// - Returns: whether it is the only one of its demand.
    fileprivate mutating func add(_ request: PoolRequest, to index: Int, atFront: Bool) -> Bool {
        let isFirst = queues[index].isEmpty
        if atFront { queues[index].prepend(request) } else { queues[index].append(request) }
        count += 1
        costs[index] += request.wait.cost
        return isFirst
    }

    fileprivate mutating func removeFirst(of index: Int) -> PoolRequest? {
        guard let request = queues[index].popFirst() else { return nil }
        count -= 1
        costs[index] -= request.wait.cost
        return request
    }

    fileprivate mutating func removeFinished() {
        for index in queues.indices {
            for request in queues[index].drain() {
                count -= 1
                costs[index] -= request.wait.cost
                if !request.isFinished { _ = add(request, to: index, atFront: false) }
            }
        }
    }
}
