/// What the server does by itself at certain times: a function of the database.
///
/// One instance of the server at a time runs it, in one transaction, which the journal ascribes to `job:<name>`. A run that was due
/// while no server ran is made up for, once. What it is to send it enters in the outbox.
///
/// ```swift
/// Job(
///     name: "loans.remind", label: "Rappels des prêts", schedule: .daily(hour: 7, minute: 30),
///     function: "bookshop.remind")
/// ```
public struct Job: Sendable {
    /// When a job runs.
    public enum Schedule: Sendable, Equatable {
        /// So many seconds after the end of the last run, at least one.
        case every(seconds: Int)
        /// At this time of day, in the time zone of the service.
        case daily(hour: Int, minute: Int)

        /// What `kernel.job_keep` takes.
        package var text: String {
            switch self {
            case .every(let seconds): "every \(max(1, seconds))"
            case .daily(let hour, let minute): "daily \(hour):\(minute < 10 ? "0" : "")\(minute)"
            }
        }
    }

    /// The name, unique over all domains: `loans.remind`.
    public let name: String
    /// What administrators read in the list of jobs: French, with a capital letter. A domain that is served gives each job one.
    public let label: String?
    public let schedule: Schedule
    /// A function without parameters, for which the migrations have called `kernel.worker_keep`.
    public let function: String

    /// Creates a job.
    public init(name: String, label: String? = nil, schedule: Schedule, function: String) {
        self.name = name
        self.label = label
        self.schedule = schedule
        self.function = function
    }
}
