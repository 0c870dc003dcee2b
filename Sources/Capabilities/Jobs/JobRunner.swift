package import DomainKit
package import Logging
package import PostgresDriver
import Synchronization

/// Runs the jobs of the served domains when they are due.
///
/// Each instance of the server has one. The row of a job in `kernel.jobs` is locked by the transaction of its run, so that two
/// instances do not run it at once, and a run whose server ends abnormally is rolled back and due again.
package final class JobRunner: Sendable {
    /// What is known about a job, for metrics.
    package struct Status: Sendable {
        /// When its last run on any instance has ended, in seconds since 1970; nil before the first.
        package var ended: Double?
        /// How many runs have failed since one that succeeded.
        package var failures = 0
    }

    private struct State {
        var status: [String: Status] = [:]
        var running: Set<String> = []
    }

    private static let maxRunning = 2
    private static let maxRunTime: Duration = .seconds(600)
    /// Between two looks at the jobs.
    private static let shortestPause = 0.25
    private static let longestPause = 5.0

    package let jobs: [Job]
    /// The call of the function of each job that runs once for the installation, by the name of the job. Connections know a
    /// statement that they have prepared by its identity, so that each is made once.
    private let calls: [String: Statement]
    private let database: PostgresClient
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameter database: connections of the workers' role.
    package init(_ jobs: [Job], database: PostgresClient, logger: Logger) {
        self.jobs = jobs
        calls = Dictionary(
            jobs.filter { $0.scope == .installation }.map { ($0.name, Statement("SELECT \($0.function)()")) },
            uniquingKeysWith: { first, _ in first })
        self.database = database
        self.logger = logger
    }

    package func status(of job: Job) -> Status { state.withLock { $0.status[job.name] ?? Status() } }

    /// Runs jobs until the calling task is cancelled, which rolls back the runs that are under way.
    package func run() async {
        while !Task.isCancelled, await !enter() { await sleep(1) }
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let due = await due()
                for job in start(due.jobs) { group.addTask { await self.run(job) } }
                await sleep(due.pause)
            }
        }
    }

    /// Enters the jobs with their schedules.
    private func enter() async -> Bool {
        do throws(PostgresError) {
            let steps = jobs.map { Step(Self.keep, [.text($0.name), .text($0.schedule.text)]) }
            _ = try await database.transaction(steps, deadline: .now + .seconds(10))
            return true
        } catch {
            // The driver has logged the error.
            return false
        }
    }

    /// The jobs that are due, and the time until others may be.
    private func due() async -> (jobs: [Job], pause: Double) {
        do throws(PostgresError) {
            let names = "{" + jobs.map { "\"\($0.name)\"" }.joined(separator: ",") + "}"
            let results = try await database.transaction(
                [Step(Self.due, [.text(names)])], deadline: .now + .seconds(10))
            guard let rows = results.first else { return ([], Self.longestPause) }
            var pause = Self.longestPause
            var found: [Job] = []
            for row in 0..<rows.count {
                guard let job = jobs.first(where: { $0.name == rows.text(row, 0) }),
                    let seconds = rows.text(row, 1).flatMap({ Double($0) })
                else { continue }
                let status = Status(
                    ended: rows.text(row, 2).flatMap { Double($0) },
                    failures: rows.text(row, 3).flatMap { Int($0) } ?? 0)
                state.withLock { $0.status[job.name] = status }
                if seconds <= 0 { found.append(job) }
                pause = min(pause, max(seconds, Self.shortestPause))
            }
            // A job that is running is not among the rows.
            if state.withLock({ !$0.running.isEmpty }) { pause = min(pause, 1) }
            return (found, pause)
        } catch {
            // The driver has logged the error.
            return ([], Self.longestPause)
        }
    }

    /// Those of the jobs for which there is a place.
    private func start(_ due: [Job]) -> [Job] {
        state.withLock { state in
            let free = due.filter { !state.running.contains($0.name) }.prefix(Self.maxRunning - state.running.count)
            state.running.formUnion(free.map(\.name))
            return Array(free)
        }
    }

    private func run(_ job: Job) async {
        defer { state.withLock { _ = $0.running.remove(job.name) } }
        let author = Step(Self.author, [.text("job:\(job.name)")])
        let name = Parameter.text(job.name)
        var steps = [author, Step(Self.begin, [name])]
        if let call = calls[job.name] {
            steps += [Step(call), Step(Self.end, [name, .null])]
        } else {
            steps.append(Step(Self.each, [name, .text(job.function)]))
        }
        do throws(PostgresError) {
            let results = try await database.transaction(steps, deadline: .now + Self.maxRunTime)
            // Of the last step, or of the one that notes the end and has no text.
            if let failures = results.last?.text(0, 0), !failures.isEmpty {
                logger.error("A job has failed in some companies: \(failures)", metadata: ["job": "\(job.name)"])
            } else {
                logger.debug("A job has run", metadata: ["job": "\(job.name)"])
            }
        } catch {
            guard error.server?.constraint != "kernel_job_taken", !Task.isCancelled else { return }
            logger.error("A job has failed: \(error)", metadata: ["job": "\(job.name)"])
            // An unknown outcome is not noted: the job is due again, or not, as the database says.
            guard error.kind != .outcomeUnknown else { return }
            do throws(PostgresError) {
                _ = try await database.transaction(
                    [Step(Self.end, [name, .text("\(error)")])], deadline: .now + .seconds(10))
            } catch {
                // The driver has logged the error. The job stays due.
                await sleep(1)
            }
        }
    }

    private func sleep(_ seconds: Double) async {
        // Sleeping fails only when it is cancelled, which the callers see by themselves.
        do { try await Task.sleep(for: .seconds(seconds)) } catch { return }
    }

    private static let keep = Statement("SELECT kernel.job_keep($1::text, $2::text)")
    private static let due = Statement(
        "SELECT name, seconds::text, ended::text, failures::text FROM kernel.jobs_due($1::text[])")
    private static let author = Statement(
        "SELECT set_config('learntrack.author', $1::text, true), set_config('learntrack.request', $1::text, true)")
    private static let begin = Statement("SELECT kernel.job_begin($1::text)")
    private static let end = Statement("SELECT kernel.job_end($1::text, $2::text)")
    /// Calls the function for each company, and notes the end: the errors of those in which it has failed, null if there is none.
    private static let each = Statement(
        """
        WITH run AS MATERIALIZED (SELECT kernel.job_each($2::text) AS failures)
        SELECT failures, kernel.job_end($1::text, failures) FROM run
        """)
}
