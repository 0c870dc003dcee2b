import CLibPQ
import Synchronization

/// The connections that statements of tests have used and others will use: one for each connection string. A new session knows
/// nothing of the schema yet: reading it and compiling the functions of triggers takes longer than most statements.
///
/// Only statements that leave nothing in their session use one of these.
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

    /// Whether the statement may run in a session that others use, too: whether it reads or writes rows, and leaves nothing in the
    /// session. A transaction may have settings of its own.
    static func suits(_ sql: String) -> Bool {
        let starts = ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "BEGIN;"]
        return starts.contains { sql.hasPrefix($0) }
            && ![
                "advisory", "set_config", "setseed", "pg_sleep", "pg_terminate", "lastval", "currval", "TEMP", "LISTEN",
                "PREPARE",
            ]
            .contains { sql.contains($0) }
            && !sql.split(whereSeparator: { $0 == "\n" || $0 == ";" }).contains {
                let words = $0.split(separator: " ").prefix(2)
                return words.first == "RESET" || words.first == "SET" && words.last != "LOCAL"
            }
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
    func giveBack(_ connection: OpaquePointer, at connectionString: String) {
        guard PQstatus(connection) == CONNECTION_OK, PQtransactionStatus(connection) == PQTRANS_IDLE else {
            return PQfinish(connection)
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
