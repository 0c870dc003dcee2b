/// What a client's pool holds at one moment, and what it has done since its start: for metrics.
///
/// ```swift
/// let statistics = await client.statistics()
/// print("\(statistics.connections) of \(statistics.maxConnections) connections, \(statistics.waiting) calls wait")
/// ```
public struct PoolStatistics: Sendable {
    /// What the calls that were given to connections needed.
    public struct Placements: Sendable {
        /// Calls that have a connection for themselves.
        public internal(set) var leases = 0
        /// Transactions.
        public internal(set) var writes = 0
        /// Reads that are expected to be quick, and share a connection.
        public internal(set) var quickReads = 0
        /// Reads of statements that have not run often enough.
        public internal(set) var unknownReads = 0
        /// Reads that are expected to be slow, and occupy a connection.
        public internal(set) var slowReads = 0
        /// Reads that ran a second time, because they were stuck behind another call's slow statement.
        public internal(set) var secondRuns = 0

        public init() {}
    }

    /// The largest number of connections.
    public internal(set) var maxConnections = 0
    /// Open connections.
    public internal(set) var connections = 0
    /// Open connections with a call under way, or lent to a caller.
    public internal(set) var busy = 0
    /// Calls that wait for a connection.
    public internal(set) var waiting = 0
    public internal(set) var placements = Placements()
    /// How long the calls that were given to connections had waited for them, all together.
    public internal(set) var waitTime: Duration = .zero
    /// Requests to the server to cancel a statement.
    public internal(set) var cancelRequests = 0
    /// Calls that were refused because their share had too much waiting.
    public internal(set) var overloads = 0
    /// Calls that found no connection in time.
    public internal(set) var acquireTimeouts = 0

    public init() {}
}

extension PoolStatistics.Placements {
    mutating func count(_ demand: PoolStateMachine.Demand) {
        switch demand {
        case .lease: leases += 1
        case .write: writes += 1
        case .quick: quickReads += 1
        case .unknown: unknownReads += 1
        case .slow: slowReads += 1
        }
    }
}

extension PostgresClient {
    /// What the pool holds now, and what it has done since its start.
    public func statistics() async -> PoolStatistics {
        await withUnsafeContinuation { continuation in
            let pool = pool
            pool.mailbox.post(.perform { continuation.resume(returning: pool.presentStatistics) })
        }
    }
}

extension ConnectionPool {
    var presentStatistics: PoolStatistics {
        var statistics = statistics
        statistics.maxConnections = connections.count
        statistics.connections = connections.count { $0 != nil }
        statistics.busy = connections.count { $0.map { $0.isBusy || $0.lease != nil } ?? false }
        statistics.waiting = queue.count
        return statistics
    }
}
