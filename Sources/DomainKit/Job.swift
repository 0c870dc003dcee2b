/// What the server does by itself at certain times: a function of the database.
///
/// One instance of the server at a time runs it, in one transaction, which the journal ascribes to `job:<name>`. A run that was due
/// while no server ran is made up for, once. What it is to send it enters in the outbox.
///
/// In an installation that serves several companies, a run calls the function once for each, which sees the rows of this one alone.
/// What fails in one company is undone there, and keeps no other from its own; the run then counts as failed. A further run calls the
/// function for all companies again, so that it should find what it has done already.
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

    /// How often a run calls the function.
    public enum Scope: Sendable, Equatable {
        /// Once for each company, in which it acts: `kernel.company()`.
        case eachCompany
        /// Once. The function looks after all companies itself, with the rights of the login that migrates: the role of a domain's
        /// commands sees no row outside a company.
        case installation
    }

    /// The name, unique over all domains: `loans.remind`.
    public let name: String
    /// What administrators read in the list of jobs: French, with a capital letter. A domain that is served gives each job one.
    public let label: String?
    public let schedule: Schedule
    /// A function without parameters, for which the migrations have called `kernel.worker_keep`.
    public let function: String
    public let scope: Scope

    /// Creates a job.
    public init(
        name: String, label: String? = nil, schedule: Schedule, function: String, for scope: Scope = .eachCompany
    ) {
        self.name = name
        self.label = label
        self.schedule = schedule
        self.function = function
        self.scope = scope
    }
}
