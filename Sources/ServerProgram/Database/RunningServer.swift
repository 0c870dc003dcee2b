import Migrations
import PostgresDriver

/// A server that uses a database, as its connections name themselves there.
struct RunningServer: Sendable, Equatable {
    /// The process of Postgres that has the server's connection which listens for messages of the outbox: each server has one.
    let pid: Int
    /// Where the server is; nil: on the machine of Postgres.
    let address: String?
    /// Nil for a server from before connections said it.
    let version: ReleaseVersion?

    /// What connections of a server are called in `pg_stat_activity`: `learntrack_user 1.2.0`.
    ///
    /// - Parameter role: nil: the role of the login.
    static func connectionName(of role: String?) -> String { "\(role ?? "learntrack") \(ServerProgram.version)" }

    /// Those of the database. What another login than this one runs does not show.
    static func all(_ owner: PostgresClient) async throws(PostgresError) -> [RunningServer] {
        let rows = try await owner.query(listeners)
        return (0..<rows.count).compactMap { row in
            guard let pid = rows.text(row, 0).flatMap({ Int($0) }) else { return nil }
            return RunningServer(
                pid: pid, address: rows.text(row, 1), version: rows.text(row, 2).flatMap { ReleaseVersion($0) })
        }
    }

    var isOlder: Bool { version.map { $0 < .current } ?? true }

    /// For people: `pid 4711 (10.0.0.2, version 0.9.0)`.
    var description: String {
        "pid \(pid) (\(address ?? "this machine"), \(version.map { "version \($0)" } ?? "an unknown version"))"
    }

    private static let listeners = Statement(
        """
        SELECT pid::text, host(client_addr), substring(application_name FROM '^learntrack_worker (\\S+) listener$')
        FROM pg_stat_activity
        WHERE datname = current_database() AND application_name ~ '^learntrack_worker( \\S+)? listener$' ORDER BY pid
        """)
}
