import Synchronization

/// A primary and its replicas: sends reads to a replica that is fresh enough, everything else to the primary.
///
/// ```swift
/// let monitor = ReplicaMonitor(primary: configuration, replicas: ["host=replica dbname=shop"])
/// let replica = PostgresClient(configuration.forReplica(at: "host=replica dbname=shop"))
/// let client = ReplicatedClient(PostgresClient(configuration), replicas: [replica], monitor)
/// let rows = try await client.query(byID, ["7"], after: lastWrite)
/// try await client.primary.transaction([Step(insertItem, ["8", "lamp"])])
/// ```
public final class ReplicatedClient: Sendable {
    /// The client of the primary, for writes and for reads that must see every commit.
    public let primary: PostgresClient
    private let replicas: [PostgresClient]
    private let monitor: ReplicaMonitor?
    private let onReplica = Atomic<Int>(0)
    private let onPrimary = Atomic<Int>(0)
    private let repeated = Atomic<Int>(0)

    /// Makes a client without replicas: every read goes to the primary.
    public init(_ primary: PostgresClient) {
        self.primary = primary
        replicas = []
        monitor = nil
    }

    /// Makes a client that reads from replicas. It shuts down the clients passed here, but not the monitor.
    /// - Parameters:
    ///   - replicas: one client per replica of the monitor, in the same order, made with `forReplica(at:)`.
    ///   - monitor: decides which replica is fresh enough; other clients may share it.
    public init(_ primary: PostgresClient, replicas: [PostgresClient], _ monitor: ReplicaMonitor) {
        self.primary = primary
        self.replicas = replicas
        self.monitor = monitor
    }

    /// The maximum lag of a replica that is used for reads; nil without replicas.
    public var maxLag: Duration? { monitor?.maxLag }

    /// The number of reads so far that a replica answered, that went to the primary, and of the latter those that were
    /// repeated because a replica had failed. Any thread may ask.
    public var reads: (onReplica: Int, onPrimary: Int, repeated: Int) {
        (
            onReplica.load(ordering: .relaxed), onPrimary.load(ordering: .relaxed),
            repeated.load(ordering: .relaxed)
        )
    }

    /// Runs a statement that only reads. The result is at most `maxLag` old.
    ///
    /// ```swift
    /// try await client.primary.transaction([Step(insertItem, ["8", "lamp"])])
    /// let written = ContinuousClock.now
    /// let rows = try await client.query(allItems, after: written)       // contains item 8
    /// ```
    ///
    /// If a replica fails, the statement runs again on the primary. A replica may use half of the time left until
    /// `deadline`, so that enough remains for the primary.
    /// - Parameters:
    ///   - settings: as in `PostgresClient.query`.
    ///   - share: as in `PostgresClient.query`.
    ///   - expected: as in `PostgresClient.query`.
    ///   - instant: the result shows everything committed by then. Pass the instant at which the last write returned.
    ///   - deadline: as in `PostgresClient.query`.
    /// - Throws: as `PostgresClient.query`.
    public nonisolated(nonsending) func query(
        _ statement: Statement, _ parameters: [Parameter] = [], settings: Step? = nil, for share: Share? = nil,
        expecting expected: ExpectedRunTime = .unknown, after instant: ContinuousClock.Instant? = nil,
        deadline: ContinuousClock.Instant? = nil
    ) async throws(PostgresError) -> Rows {
        guard let monitor else {
            return try await primary.query(
                statement, parameters, settings: settings, for: share, expecting: expected, deadline: deadline)
        }
        if let replica = choose(monitor.usable(after: instant)) {
            do throws(PostgresError) {
                let now = ContinuousClock.now
                let rows = try await replicas[replica].query(
                    statement, parameters, settings: settings, for: share, expecting: expected,
                    deadline: deadline.map { now + now.duration(to: $0) / 2 })
                onReplica.add(1, ordering: .relaxed)
                return rows
            } catch {
                switch error.kind {
                case .cancelled, .invalidParameter, .overloaded: throw error
                case .server: break
                default: monitor.exclude(replica)
                }
                if let deadline, deadline <= .now { throw error }
                repeated.add(1, ordering: .relaxed)
            }
        }
        onPrimary.add(1, ordering: .relaxed)
        return try await primary.query(
            statement, parameters, settings: settings, for: share, expecting: expected, deadline: deadline)
    }

    /// Shuts down the clients of the primary and the replicas, but not the monitor.
    public func shutdown() async {
        await withTaskGroup { group in
            for client in [primary] + replicas { group.addTask { await client.shutdown() } }
        }
    }

    /// Picks round-robin.
    private func choose(_ usable: [Int]) -> Int? {
        guard !usable.isEmpty else { return nil }
        return usable[(onReplica.load(ordering: .relaxed) &+ repeated.load(ordering: .relaxed)) % usable.count]
    }
}

extension PostgresClient.Configuration {
    /// Returns this configuration, changed for the client of a replica in a `ReplicatedClient`: another connection string,
    /// an `acquireTimeout` of at most 500 ms and no `conflictRetries`, because the primary is asked when a replica fails.
    /// - Parameter connectionString: leads to the same database on the replica.
    public func forReplica(at connectionString: String) -> Self {
        var configuration = self
        configuration.connectionString = connectionString
        configuration.acquireTimeout = min(acquireTimeout, .milliseconds(500))
        configuration.conflictRetries = 0
        return configuration
    }
}
