import PostgresDriver
import Synchronization

/// What is true of the installation as a whole and may change while the server runs: whether it serves several companies. From then on
/// each read names the company that it acts in.
///
/// `learntrack companies enable` waits until every server knows it. A server that cannot ask the database does not know, and names the
/// company: that is never wrong.
package final class Installation: Sendable {
    private enum Knowledge {
        /// Nobody has asked: the service is only described, or part of a test.
        case unasked
        /// The database has said so, and what it says holds until then.
        case oneCompany(until: ContinuousClock.Instant)
        case several
    }

    /// Between two questions.
    private static let interval: Duration = .seconds(1)
    /// How long an answer holds. With the time that a read waits for a connection, it is shorter than the command waits.
    private static let validity: Duration = .seconds(3)

    private let database: PostgresClient
    private let knowledge = Mutex(Knowledge.unasked)

    /// - Parameter database: connections of the role that signs people in.
    init(database: PostgresClient) {
        self.database = database
    }

    /// Whether a read must name its company, although it is the one that an installation has at first.
    var readsNameCompany: Bool {
        switch knowledge.withLock({ $0 }) {
        case .unasked: false
        case .oneCompany(let until): ContinuousClock.now >= until
        case .several: true
        }
    }

    /// Whether the database has said that several companies are enabled.
    package var servesSeveral: Bool {
        if case .several = knowledge.withLock({ $0 }) { true } else { false }
    }

    /// How the addresses of the application's pages begin for a company: `/s/2`; empty as long as there is one.
    package func pageBeginning(of company: Company) -> String { servesSeveral ? "/s/\(company.id)" : "" }

    /// Asks the database. To be called before the first call is served.
    package func ask() async {
        let start = ContinuousClock.now
        do throws(PostgresError) {
            let rows = try await database.query(Self.isEnabled, deadline: start + .seconds(2))
            note(isEnabled: rows.text(0, 0) != "false", at: start)
        } catch {
            // The driver has logged the error. What was known holds until its time is over.
            knowledge.withLock { knowledge in
                guard case .unasked = knowledge else { return }
                knowledge = .oneCompany(until: start)
            }
        }
    }

    /// Asks until the calling task is cancelled.
    package func follow() async {
        while !Task.isCancelled {
            await ask()
            // Sleeping fails only when it is cancelled, which ends the loop.
            do { try await Task.sleep(for: Self.interval) } catch { return }
        }
    }

    /// - Parameter instant: when the question was asked.
    func note(isEnabled: Bool, at instant: ContinuousClock.Instant) {
        knowledge.withLock { $0 = isEnabled ? .several : .oneCompany(until: instant + Self.validity) }
    }

    private static let isEnabled = Statement(
        "SELECT EXISTS (SELECT FROM kernel.installation i WHERE i.enabled_at IS NOT NULL)::text")
}
