import DomainKit
import Jobs
import Observability
import ServiceLifecycle

/// Runs the jobs of the domains as long as the server runs.
struct JobService: Service {
    let runner: JobRunner

    func run() async throws {
        await cancelWhenGracefulShutdown { await runner.run() }
    }

    func addMetrics(to metrics: PrometheusRegistry) {
        for job in runner.jobs {
            metrics.gauge("job_last_end_seconds", [("job", job.name)]) { runner.status(of: job).ended ?? 0 }
            metrics.gauge("job_failures", [("job", job.name)]) { Double(runner.status(of: job).failures) }
        }
    }
}
