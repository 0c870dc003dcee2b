import Observability
import PostgresDriver

extension DatabaseClients {
    /// How replicas fare, if there are any: their lag, and where reads went.
    func addReplicaMetrics(to metrics: PrometheusRegistry) {
        guard let monitor else { return }
        for replica in 0..<replicaCount {
            metrics.gauge("replica_lag_seconds", [("replica", "\(replica + 1)")]) {
                monitor.lag(of: replica).map { $0 / .seconds(1) } ?? .infinity
            }
        }
        for (role, client) in [("user", user), ("admin", admin)] {
            metrics.counter("database_reads_total", [("role", role), ("server", "replica")]) {
                Double(client.reads.onReplica)
            }
            metrics.counter("database_reads_total", [("role", role), ("server", "primary")]) {
                Double(client.reads.onPrimary)
            }
            metrics.counter("database_reads_repeated_total", [("role", role)]) { Double(client.reads.repeated) }
        }
    }
}
