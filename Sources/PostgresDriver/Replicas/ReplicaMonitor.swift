import Synchronization

/// Knows as of when each replica of a primary shows everything, by asking all of them a few times a second.
///
/// A replica is used only while that is certain: not when it is behind, silent, promoted, or another system's. One
/// monitor serves any number of `ReplicatedClient`s.
public final class ReplicaMonitor: Sendable {
    /// How far behind the primary, in time, a replica may be that is read from.
    public let maxLag: Duration
    private let observed: Observed
    private let clients: [PostgresClient]
    private let tasks: [Task<Void, Never>]

    /// - Parameters:
    ///   - primary: any login will do; no role and no settings are needed.
    ///   - replicas: connection strings, in the order in which clients number them.
    public init(primary: PostgresClient.Configuration, replicas: [String], maxLag: Duration = .seconds(1)) {
        self.maxLag = maxLag
        let interval = min(.milliseconds(100), maxLag / 5)
        let observed = Observed(replicas: replicas.count)
        self.observed = observed
        var configuration = primary
        configuration.poolSize = 1
        configuration.acquireTimeout = .seconds(1)
        let source = PostgresClient(configuration)
        let copies = replicas.map { PostgresClient(configuration.forReplica(at: $0)) }
        clients = [source] + copies
        var tasks = [
            Task {
                await Self.repeating(every: interval) { start in
                    guard let standing = await Self.ask(source), !standing.isReplica else { return }
                    observed.primary(at: start, is: standing.position)
                }
            }
        ]
        for (index, client) in copies.enumerated() {
            tasks.append(
                Task {
                    await Self.repeating(every: interval) { start in
                        guard let standing = await Self.ask(client) else { return }
                        // One that was promoted goes its own way, whatever it still has in common.
                        observed.replica(index, at: start, has: standing.isReplica ? standing.position : nil)
                    }
                })
        }
        self.tasks = tasks
    }

    deinit {
        for task in tasks { task.cancel() }
    }

    /// Stops asking and closes the connections; no replica is used any more.
    public func shutdown() async {
        for task in tasks {
            task.cancel()
            await task.value
        }
        for client in clients { await client.shutdown() }
    }

    /// How long ago everything that the replica shows was all there was; nil when nothing is known.
    public func lag(of replica: Int) -> Duration? {
        observed.freshAsOf(replica).map { ContinuousClock.now - $0 }
    }

    /// The replicas that may be read from now by who must see all that was committed by `instant`.
    func usable(after instant: ContinuousClock.Instant?, now: ContinuousClock.Instant = .now) -> [Int] {
        let earliest = instant.map { max($0, now - maxLag) } ?? now - maxLag
        return observed.fresh(asOf: earliest)
    }

    /// Has a replica left alone that did not answer, until it is heard from again.
    func distrust(_ replica: Int) {
        observed.distrust(replica)
    }

    // MARK: Asking

    private static func repeating(
        every interval: Duration, _ body: @Sendable (_ start: ContinuousClock.Instant) async -> Void
    ) async {
        while !Task.isCancelled {
            await body(.now)
            do { try await Task.sleep(for: interval) } catch { return }
        }
    }

    private struct Standing {
        let isReplica: Bool
        let position: LogPosition
    }

    /// Nil when the server does not say.
    private static func ask(_ client: PostgresClient) async -> Standing? {
        do throws(PostgresError) {
            let rows = try await client.query(standing, deadline: .now + .seconds(1))
            guard rows.count == 1, let system = rows.text(0, 1), let timeline = rows.text(0, 2).flatMap({ Int($0) }),
                let bytes = rows.text(0, 3).flatMap({ UInt64($0) }),
                let segmentSize = rows.text(0, 4).flatMap({ UInt64($0) }), segmentSize > 0
            else { return nil }
            let history = LogPosition.History(system: system, timeline: timeline)
            let isReplica = rows.text(0, 0) == "true"
            return Standing(
                isReplica: isReplica,
                position: isReplica
                    ? LogPosition(history: history, bytes: bytes)
                    : LogPosition(history: history, insertingAt: bytes, segmentSize: segmentSize))
        } catch {
            // The client's events tell of it; here it shows as a replica that grows stale.
            return nil
        }
    }

    /// A primary's place to insert rather than what it has written: an asynchronous commit is acknowledged before.
    /// A replica's timeline may be told late, but never one that it has not come to.
    private static let standing = Statement(
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

/// What the monitor has seen so far.
private final class Observed: Sendable {
    private struct Replica {
        var position: LogPosition?
        var freshAsOf: ContinuousClock.Instant?
        /// What it says of moments before this is not believed.
        var distrustedAt: ContinuousClock.Instant?
    }

    private struct State {
        var freshness = Freshness()
        var replicas: [Replica]
    }

    private let state: Mutex<State>

    init(replicas: Int) {
        state = Mutex(State(replicas: Array(repeating: Replica(), count: replicas)))
    }

    func primary(at instant: ContinuousClock.Instant, is position: LogPosition) {
        state.withLock { state in
            state.freshness.primary(at: instant, is: position)
            for index in state.replicas.indices {
                state.replicas[index].freshAsOf = state.replicas[index].position.flatMap { state.freshness.asOf($0) }
            }
        }
    }

    func replica(_ index: Int, at instant: ContinuousClock.Instant, has position: LogPosition?) {
        state.withLock { state in
            if let distrustedAt = state.replicas[index].distrustedAt, instant <= distrustedAt { return }
            state.replicas[index].position = position
            state.replicas[index].freshAsOf = position.flatMap { state.freshness.asOf($0) }
        }
    }

    func distrust(_ index: Int) {
        state.withLock { $0.replicas[index] = Replica(distrustedAt: .now) }
    }

    func freshAsOf(_ index: Int) -> ContinuousClock.Instant? {
        state.withLock { $0.replicas[index].freshAsOf }
    }

    func fresh(asOf earliest: ContinuousClock.Instant) -> [Int] {
        state.withLock { state in
            state.replicas.indices.filter { index in state.replicas[index].freshAsOf.map { $0 >= earliest } ?? false }
        }
    }
}
