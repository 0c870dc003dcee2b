import DomainKit
import Observability
import Outbox
import RPCServer
import ServiceLifecycle

/// Sends the messages of the outbox as long as the server runs.
struct OutboxService: Service {
    /// How long messages may still be sent after the server was asked to stop.
    private static let drainTimeout = Duration.seconds(4)

    let outbox: Outbox

    func run() async throws {
        await withGracefulShutdownHandler {
            await outbox.run()
        } onGracefulShutdown: {
            outbox.stop()
            Task {
                do { try await Task.sleep(for: Self.drainTimeout) } catch { return }
                outbox.abort()
            }
        }
    }

    func addMetrics(to metrics: PrometheusRegistry) {
        metrics.counter("outbox_sent_total") { Double(outbox.counts.sent) }
        metrics.counter("outbox_failed_total") { Double(outbox.counts.failed) }
        metrics.counter("outbox_given_up_total") { Double(outbox.counts.gaveUp) }
        metrics.counter("outbox_repeated_total") { Double(outbox.counts.repeated) }
        metrics.counter("outbox_unconfirmed_total") { Double(outbox.counts.unconfirmed) }
        metrics.gauge("outbox_waiting") { Double(outbox.counts.waiting) }
        for cause in FailureCause.allCases {
            metrics.gauge("outbox_blocked", [("cause", cause.rawValue)]) { Double(outbox.counts.blocked[cause] ?? 0) }
        }
        metrics.gauge("outbox_given_up") { Double(outbox.counts.givenUp) }
        metrics.gauge("outbox_waiting_seconds") { Double(outbox.counts.secondsWaiting) }
    }
}
