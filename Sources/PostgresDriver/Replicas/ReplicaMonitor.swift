import Synchronization

/// Measures continuously as of which instant each replica of a primary is up to date.
///
/// ```swift
/// let monitor = ReplicaMonitor(primary: configuration, replicas: ["host=replica dbname=shop"], maxLag: .seconds(1))
/// print(monitor.lag(of: 0) ?? "unknown")
/// ```
///
/// It asks the primary and every replica for their WAL positions, every 100 ms or five times per `maxLag` if that is more
/// often, on one connection each. A replica is used only while its freshness is certain: not when it lags behind, does not
/// answer, was promoted, or belongs to another cluster. One monitor serves any number of `ReplicatedClient`s. It stops
/// when it is released or shut down.
public final class ReplicaMonitor: Sendable {
    /// The maximum lag of a replica that is used for reads.
    public let maxLag: Duration
    private let observations: ReplicaObservations
    private let clients: [PostgresClient]
    private let tasks: [Task<Void, Never>]

    /// Starts to ask the servers.
    /// - Parameters:
    ///   - primary: how to connect. Any login suffices; no role and no settings are needed. The replicas are asked with
    ///     the same login.
    ///   - replicas: one connection string per replica. `ReplicatedClient` takes its replicas in the same order.
    ///   - maxLag: how old the data of a replica may be that is used for reads.
    public init(primary: PostgresClient.Configuration, replicas: [String], maxLag: Duration = .seconds(1)) {
        self.maxLag = maxLag
        let interval = min(.milliseconds(100), maxLag / 5)
        let observations = ReplicaObservations(replicas: replicas.count)
        self.observations = observations
        var configuration = primary
        configuration.poolSize = 1
        configuration.acquireTimeout = .seconds(1)
        let source = PostgresClient(configuration)
        let copies = replicas.map { PostgresClient(configuration.forReplica(at: $0)) }
        clients = [source] + copies
        var tasks = [
            Task {
                await Self.poll(every: interval) { start in
                    guard let server = await Self.fetchPosition(of: source), !server.isReplica else { return }
                    observations.recordPrimary(server.position, at: start)
                }
            }
        ]
        for (index, client) in copies.enumerated() {
            tasks.append(
                Task {
                    await Self.poll(every: interval) { start in
                        guard let server = await Self.fetchPosition(of: client) else { return }
                        // A promoted replica is no longer a copy of the primary, even at a position that both have.
                        observations.recordReplica(index, server.isReplica ? server.position : nil, at: start)
                    }
                })
        }
        self.tasks = tasks
    }

    deinit {
        for task in tasks { task.cancel() }
    }

    /// Stops and closes the connections. From then on no replica is used. Returns when that is done.
    public func shutdown() async {
        for task in tasks {
            task.cancel()
            await task.value
        }
        for client in clients { await client.shutdown() }
    }

    /// The age of a replica's data: everything committed longer ago than this is visible on it. Any thread may ask.
    /// - Parameter replica: the index of the replica in `replicas`.
    /// - Returns: nil if the age is unknown.
    public func lag(of replica: Int) -> Duration? {
        observations.upToDateAsOf(replica).map { ContinuousClock.now - $0 }
    }

    /// The indices of the replicas that show everything committed by `instant` and lag behind by at most `maxLag`.
    func usable(after instant: ContinuousClock.Instant?, now: ContinuousClock.Instant = .now) -> [Int] {
        let earliest = instant.map { max($0, now - maxLag) } ?? now - maxLag
        return observations.replicas(upToDateAsOf: earliest)
    }

    /// Excludes a replica that failed to answer a query, until it answers the monitor again.
    func exclude(_ replica: Int) {
        observations.exclude(replica)
    }

    // MARK: Asking the servers

    private static func poll(
        every interval: Duration, _ body: @Sendable (_ start: ContinuousClock.Instant) async -> Void
    ) async {
        while !Task.isCancelled {
            await body(.now)
            do { try await Task.sleep(for: interval) } catch { return }
        }
    }

    private struct ServerPosition {
        let isReplica: Bool
        let position: LogPosition
    }

    /// - Returns: nil if the server does not answer within a second.
    private static func fetchPosition(of client: PostgresClient) async -> ServerPosition? {
        do throws(PostgresError) {
            let rows = try await client.query(positionQuery, deadline: .now + .seconds(1))
            guard rows.count == 1, let system = rows.text(0, 1), let timeline = rows.text(0, 2).flatMap({ Int($0) }),
                let bytes = rows.text(0, 3).flatMap({ UInt64($0) }),
                let segmentSize = rows.text(0, 4).flatMap({ UInt64($0) }), segmentSize > 0
            else { return nil }
            let history = LogPosition.History(system: system, timeline: timeline)
            let isReplica = rows.text(0, 0) == "true"
            return ServerPosition(
                isReplica: isReplica,
                position: isReplica
                    ? LogPosition(history: history, bytes: bytes)
                    : LogPosition(history: history, insertingAt: bytes, segmentSize: segmentSize))
        } catch {
            // The client reports the error as an event; here the replica becomes stale.
            return nil
        }
    }

    /// For a primary the insert position rather than the write position, because an asynchronous commit is acknowledged
    /// before it is written. A replica may report its new timeline late, but never before it has reached it.
    private static let positionQuery = Statement(
        """
        SELECT pg_is_in_recovery()::text, s.system_identifier::text,
            CASE WHEN pg_is_in_recovery() THEN greatest(c.timeline_id, r.min_recovery_end_timeline)
            ELSE ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int END::text,
            (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
            ELSE pg_current_wal_insert_lsn() END - '0/0'::pg_lsn)::text,
            pg_size_bytes(current_setting('wal_segment_size'))::text
        FROM pg_control_system() s, pg_control_checkpoint() c, pg_control_recovery() r
        """)
}

/// The latest position of each server. Thread-safe.
private final class ReplicaObservations: Sendable {
    private struct Replica {
        var position: LogPosition?
        var upToDateAsOf: ContinuousClock.Instant?
        /// Observations made before this instant are ignored.
        var excludedAt: ContinuousClock.Instant?
    }

    private struct State {
        var freshness = Freshness()
        var replicas: [Replica]
    }

    private let state: Mutex<State>

    init(replicas: Int) {
        state = Mutex(State(replicas: Array(repeating: Replica(), count: replicas)))
    }

    func recordPrimary(_ position: LogPosition, at instant: ContinuousClock.Instant) {
        state.withLock { state in
            state.freshness.recordPrimary(position, at: instant)
            for index in state.replicas.indices {
                state.replicas[index].upToDateAsOf = state.replicas[index].position.flatMap {
                    state.freshness.upToDateAsOf($0)
                }
            }
        }
    }

    func recordReplica(_ index: Int, _ position: LogPosition?, at instant: ContinuousClock.Instant) {
        state.withLock { state in
            if let excludedAt = state.replicas[index].excludedAt, instant <= excludedAt { return }
            state.replicas[index].position = position
            state.replicas[index].upToDateAsOf = position.flatMap { state.freshness.upToDateAsOf($0) }
        }
    }

    func exclude(_ index: Int) {
        state.withLock { $0.replicas[index] = Replica(excludedAt: .now) }
    }

    func upToDateAsOf(_ index: Int) -> ContinuousClock.Instant? {
        state.withLock { $0.replicas[index].upToDateAsOf }
    }

    func replicas(upToDateAsOf earliest: ContinuousClock.Instant) -> [Int] {
        state.withLock { state in
            state.replicas.indices.filter { index in
                state.replicas[index].upToDateAsOf.map { $0 >= earliest } ?? false
            }
        }
    }
}
