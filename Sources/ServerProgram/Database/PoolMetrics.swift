import Observability
import PostgresDriver
import Synchronization

/// The state of each connection pool as metrics. A pool tells its state to those who wait for it, and metrics are read
/// without waiting: the last state is kept.
final class PoolMetrics: Sendable {
    private let pools: [(name: String, client: PostgresClient)]
    private let states = Mutex<[String: PoolStatistics]>([:])

    init(_ pools: [(name: String, client: PostgresClient)]) {
        self.pools = pools
    }

    func refresh() async {
        for (name, client) in pools {
            let state = await client.statistics()
            states.withLock { $0[name] = state }
        }
    }

    func add(to metrics: PrometheusRegistry) {
        for (name, _) in pools {
            let pool = [("pool", name)]
            func gauge(
                _ metric: String, _ labels: [(String, String)] = [],
                _ value: @escaping @Sendable (PoolStatistics) -> Double
            ) {
                metrics.gauge(metric, labels + pool) { self.value(name, value) }
            }
            func counter(
                _ metric: String, _ labels: [(String, String)] = [],
                _ value: @escaping @Sendable (PoolStatistics) -> Double
            ) {
                metrics.counter(metric, labels + pool) { self.value(name, value) }
            }
            gauge("database_connections_max") { Double($0.maxConnections) }
            gauge("database_connections", [("state", "busy")]) { Double($0.busy) }
            gauge("database_connections", [("state", "idle")]) { Double($0.connections - $0.busy) }
            gauge("database_calls_waiting") { Double($0.waiting) }
            counter("database_wait_seconds_total") { $0.waitTime / .seconds(1) }
            counter("database_placements_total", [("kind", "lease")]) { Double($0.placements.leases) }
            counter("database_placements_total", [("kind", "write")]) { Double($0.placements.writes) }
            counter("database_placements_total", [("kind", "quick_read")]) { Double($0.placements.quickReads) }
            counter("database_placements_total", [("kind", "unknown_read")]) { Double($0.placements.unknownReads) }
            counter("database_placements_total", [("kind", "slow_read")]) { Double($0.placements.slowReads) }
            counter("database_second_runs_total") { Double($0.placements.secondRuns) }
            counter("database_cancel_requests_total") { Double($0.cancelRequests) }
            counter("database_refused_total", [("reason", "share")]) { Double($0.overloads) }
            counter("database_refused_total", [("reason", "no_connection")]) { Double($0.acquireTimeouts) }
        }
    }

    private func value(_ pool: String, _ value: (PoolStatistics) -> Double) -> Double {
        states.withLock { value($0[pool] ?? PoolStatistics()) }
    }
}
