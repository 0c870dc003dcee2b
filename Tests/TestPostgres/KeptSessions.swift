import CLibPQ
import Synchronization

/// The connections that statements of tests have used and others will use: one for each connection string. A new session knows
/// nothing of the schema yet: reading it and compiling the functions of triggers takes longer than most statements.
final class KeptSessions: Sendable {
    static let shared = KeptSessions()

    private struct Session: @unchecked Sendable {
        let connectionString: String
        // Used by the one thread that has taken it.
        let connection: OpaquePointer
    }

    /// The one used last at the end. A few, because tests leave databases behind, and a server has a limited number of
    /// connections.
    private let sessions = Mutex<[Session]>([])
    private static let capacity = 8

    /// How a script may use a session that others use, too.
    enum Use {
        /// It leaves nothing in the session.
        case asItIs
        /// What it leaves, such as settings and locks, is discarded.
        case discarding
        /// It needs a session of its own: it waits for long, ends others, or changes what a new session begins with.
        case none
    }

    static func use(of sql: String, _ statements: [String]) -> Use {
        let foreign = ["pg_sleep", "pg_terminate", "PREPARE TRANSACTION", "ALTER DATABASE", "ALTER ROLE", "ALTER USER"]
        if foreign.contains(where: sql.contains) { return .none }
        let leaving = ["advisory", "set_config", "setseed", "lastval", "currval", "TEMP", "LISTEN", "PREPARE"]
        let isLeaving =
            leaving.contains(where: sql.contains)
            || statements.contains { statement in
                let words = statement.split(whereSeparator: \.isWhitespace).prefix(2)
                return switch words.first {
                case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "BEGIN", "COMMIT", "ROLLBACK": false
                case "SET": words.last != "LOCAL"
                default: true
                }
            }
        return isLeaving ? .discarding : .asItIs
    }

    /// A session that no server has ended, if one is kept.
    func take(at connectionString: String) -> OpaquePointer? {
        let kept = sessions.withLock { sessions in
            sessions.lastIndex { $0.connectionString == connectionString }.map { sessions.remove(at: $0) }
        }
        guard let kept else { return nil }
        guard PQconsumeInput(kept.connection) == 1, PQstatus(kept.connection) == CONNECTION_OK else {
            PQfinish(kept.connection)
            return nil
        }
        return kept.connection
    }

    /// Keeps the session, or ends it if it cannot be used again.
    func giveBack(_ connection: OpaquePointer, at connectionString: String, after use: Use) {
        guard PQstatus(connection) == CONNECTION_OK, PQtransactionStatus(connection) == PQTRANS_IDLE else {
            return PQfinish(connection)
        }
        if use == .discarding {
            let result = PQexec(connection, "DISCARD ALL")
            defer { PQclear(result) }
            guard PQresultStatus(result) == PGRES_COMMAND_OK else { return PQfinish(connection) }
        }
        let session = Session(connectionString: connectionString, connection: connection)
        let ended = sessions.withLock { sessions -> Session? in
            if sessions.contains(where: { $0.connectionString == connectionString }) { return session }
            sessions.append(session)
            return sessions.count > Self.capacity ? sessions.removeFirst() : nil
        }
        if let ended { PQfinish(ended.connection) }
    }

    /// Ends the session of a database that is about to be dropped or copied.
    func end(at connectionString: String) {
        if let connection = take(at: connectionString) { PQfinish(connection) }
    }
}
