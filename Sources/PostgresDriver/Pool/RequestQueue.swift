/// The requests of a pool that wait for a connection, one queue for each demand, and those that wait for a retry.
@Reactor
struct RequestQueue {
    /// How long a slow read leaves connections to transactions.
    private static let maxSlowReadDelay: Duration = .seconds(2)

    private var queues = [FIFO<PoolRequest>](repeating: FIFO(), count: PoolStateMachine.Demand.allCases.count)
    /// Transactions that lost a conflict and are run again a little later.
    private var retries: [(due: ContinuousClock.Instant, request: PoolRequest)] = []
    /// What the better runs of all statements take. Long on a machine that is overloaded.
    private var typicalRunTime = LowBiasedAverage()
    /// No later than the first expiry of all requests of the pool.
    private(set) var nextExpiry: ContinuousClock.Instant?

    nonisolated init() {}

    var isEmpty: Bool { queues.allSatisfy { $0.isEmpty } }

    func isEmpty(_ demand: PoolStateMachine.Demand) -> Bool { queues[demand.rawValue].isEmpty }

    mutating func append(_ request: PoolRequest, _ now: ContinuousClock.Instant) {
        prepare(request, now)
        queues[request.load.demand.rawValue].append(request)
    }

    mutating func prepend(_ request: PoolRequest, _ now: ContinuousClock.Instant) {
        prepare(request, now)
        queues[request.load.demand.rawValue].prepend(request)
    }

    private mutating func prepare(_ request: PoolRequest, _ now: ContinuousClock.Instant) {
        request.state = .queued
        request.wait.since = now
        (request.load.demand, request.load.cost) = request.estimate(typicalRunTime)
    }

    /// The first request of that demand that is still wanted. It stays in the queue.
    mutating func first(_ demand: PoolStateMachine.Demand) -> PoolRequest? {
        while let request = queues[demand.rawValue].first {
            if request.isFinished || hasBecomeSlow(request, demand) {
                _ = queues[demand.rawValue].popFirst()
                if !request.isFinished { queues[PoolStateMachine.Demand.slow.rawValue].append(request) }
                continue
            }
            return request
        }
        return nil
    }

    mutating func removeFirst(_ demand: PoolStateMachine.Demand) {
        _ = queues[demand.rawValue].popFirst()
    }

    /// While a read of an unknown statement waits, other runs of it may show that the statement is slow.
    private func hasBecomeSlow(_ request: PoolRequest, _ demand: PoolStateMachine.Demand) -> Bool {
        guard demand == .unknown || demand == .slow else { return false }
        (request.load.demand, request.load.cost) = request.estimate(typicalRunTime)
        return demand == .unknown && request.load.demand == .slow
    }

    /// Removes all requests.
    mutating func removeAll() -> [PoolRequest] {
        var all: [PoolRequest] = []
        for demand in PoolStateMachine.Demand.allCases { all += queues[demand.rawValue].drain() }
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
        guard let request = queues[PoolStateMachine.Demand.slow.rawValue].first, !isOverdue(request, now) else {
            return nil
        }
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

    // MARK: Deadlines

    mutating func noteExpiry(of request: PoolRequest) {
        if let expiry = request.expiry { nextExpiry = nextExpiry.map { min($0, expiry) } ?? expiry }
    }

    /// Forgets the next expiry, which is noted anew for each request that has not expired.
    /// - Returns: every request that waits.
    mutating func beginExpiry() -> [PoolRequest] {
        nextExpiry = nil
        var all: [PoolRequest] = []
        for demand in PoolStateMachine.Demand.allCases {
            queues[demand.rawValue].removeAll { $0.isFinished }
            all += queues[demand.rawValue].elements
        }
        return all + retries.map(\.request)
    }
}
