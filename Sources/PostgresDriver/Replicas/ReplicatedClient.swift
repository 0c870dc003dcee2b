import Synchronization

/// A primary and its replicas: reads go to a replica that is fresh enough, everything else to the primary.
///
/// ```swift
/// let monitor = ReplicaMonitor(primary: configuration, replicas: ["host=replica dbname=shop"])
/// let replica = PostgresClient(configuration.forReplica(at: "host=replica dbname=shop"))
/// let client = ReplicatedClient(PostgresClient(configuration), replicas: [replica], monitor)
/// let rows = try await client.query(byID, ["7"], after: lastWrite)
/// try await client.primary.transaction([Step(insertItem, ["8", "lamp"])])
/// ```
public final class ReplicatedClient: Sendable {
    /// Where writes go, and reads that must see everything.
    public let primary: PostgresClient
    private let replicas: [PostgresClient]
    private let monitor: ReplicaMonitor?
    private let onReplica = Atomic<Int>(0)
    private let onPrimary = Atomic<Int>(0)
    private let repeated = Atomic<Int>(0)

    /// A primary alone.
    public init(_ primary: PostgresClient) {
        self.primary = primary
        replicas = []
        monitor = nil
    }

    /// - Parameter replicas: the monitor's, in its order, with configurations from `forReplica(at:)`.
    public init(_ primary: PostgresClient, replicas: [PostgresClient], _ monitor: ReplicaMonitor) {
        self.primary = primary
        self.replicas = replicas
        self.monitor = monitor
    }

    /// How far behind a replica may be that is read from; nil where there are none.
    public var maxLag: Duration? { monitor?.maxLag }

    /// Reads so far: answered by a replica, by the primary, and of the latter those that a replica had failed before.
    public var reads: (onReplica: Int, onPrimary: Int, repeated: Int) {
        (
            onReplica.load(ordering: .relaxed), onPrimary.load(ordering: .relaxed),
            repeated.load(ordering: .relaxed)
        )
    }

    /// Runs a statement that only reads; its answer is at most `maxLag` old.
    ///
    /// What a replica fails at, it never fails for good: the primary is asked again. A replica may use half of the time
    /// left until `deadline`.
    /// - Parameters:
    ///   - instant: the answer shows all that was committed by then: the caller's last write.
    ///   - deadline: as in `PostgresClient.query`.
    public nonisolated(nonsending) func query(
        _ statement: Statement, _ parameters: [Parameter] = [], after instant: ContinuousClock.Instant? = nil,
        deadline: ContinuousClock.Instant? = nil
    ) async throws(PostgresError) -> Rows {
        guard let monitor else { return try await primary.query(statement, parameters, deadline: deadline) }
        if let replica = choose(monitor.usable(after: instant)) {
            do throws(PostgresError) {
                let now = ContinuousClock.now
                let rows = try await replicas[replica].query(
                    statement, parameters, deadline: deadline.map { now + now.duration(to: $0) / 2 })
                onReplica.add(1, ordering: .relaxed)
                return rows
            } catch {
                switch error.kind {
                case .cancelled, .invalidParameter: throw error
                case .server: break
                default: monitor.distrust(replica)
                }
                if let deadline, deadline <= .now { throw error }
                repeated.add(1, ordering: .relaxed)
            }
        }
        onPrimary.add(1, ordering: .relaxed)
        return try await primary.query(statement, parameters, deadline: deadline)
    }

    /// Shuts down the clients, not the monitor.
    public func shutdown() async {
        await withTaskGroup { group in
            for client in [primary] + replicas { group.addTask { await client.shutdown() } }
        }
    }

    /// In turn, since nothing is known of what they have to do beside this.
    private func choose(_ usable: [Int]) -> Int? {
        guard !usable.isEmpty else { return nil }
        return usable[(onReplica.load(ordering: .relaxed) &+ repeated.load(ordering: .relaxed)) % usable.count]
    }
}

extension PostgresClient.Configuration {
    /// The same for the reads of a `ReplicatedClient` on a replica: what does not work there is soon tried elsewhere.
    public func forReplica(at connectionString: String) -> Self {
        var configuration = self
        configuration.connectionString = connectionString
        configuration.acquireTimeout = min(acquireTimeout, .milliseconds(500))
        configuration.conflictRetries = 0
        return configuration
    }
}
