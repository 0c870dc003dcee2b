import CLibPQ

/// Which session of which server a connection leads to, so that the server can be asked about it over another one.
struct ServerSession: Hashable, Sendable {
    /// The process id of its backend.
    let processID: Int32
    /// Since when the server has been running, to the microsecond. Several servers may stand behind one address, and the
    /// process ids of one mean nothing to another.
    let server: String

    /// What the server says that a session does.
    enum State: Equatable, Sendable {
        case working
        /// It waits for its client to say something or to take something, or is over.
        case awaitingClient
        /// The server cannot be asked about it.
        case unknown
    }
}

extension ServerSession {
    private static let server = """
        pg_catalog.to_char(pg_catalog.pg_postmaster_start_time() AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS')
        """

    /// Asks a new session for what it is, and under which role statements run on it.
    static func identify(
        _ libpq: LibPQConnection, _ configuration: PostgresClient.Configuration, _ deadline: ContinuousClock.Instant
    ) throws(ConnectError) {
        let question = "SELECT current_user, pg_catalog.pg_backend_pid(), \(server)"
        if case .rows(let rows) = try Connector.query(question, on: libpq.raw, deadline), let row = rows.first,
            row.count == 3, let role = row[0], let processID = row[1].flatMap({ Int32($0) }), let server = row[2]
        {
            try Connector.verify(role, configuration)
            // A pooler in between invents a process id, and may use another session from one statement to the next.
            guard processID == PQbackendPID(libpq.raw) else { return }
            libpq.session = ServerSession(processID: processID, server: server)
        } else if configuration.role != nil {
            // Another kind of server, which has no such functions.
            switch try Connector.query("SELECT current_user", on: libpq.raw, deadline) {
            case .rows(let rows): try Connector.verify(rows.first?.first.flatMap { $0 } ?? "", configuration)
            case .refused(let cause): throw ConnectError(cause: cause)
            }
        }
    }

    /// Asks the server about sessions, over a connection for this one question. Blocks for as long as connecting may
    /// take.
    /// - Returns: what can be told; nothing about sessions of another server, or hidden behind a pooler.
    static func states(
        of sessions: [ServerSession], within limit: Duration, _ configuration: PostgresClient.Configuration
    ) -> [ServerSession: State] {
        var asking = configuration
        // A login sees what its own sessions do; the role it has taken on may not.
        asking.role = nil
        asking.settings = [:]
        asking.applicationName += " liveness"
        asking.connectTimeout = limit
        asking.onEvent = nil
        let deadline = ContinuousClock.now + limit
        guard case .success(let libpq) = Connector.connect(asking), let own = libpq.session,
            PQexitPipelineMode(libpq.raw) == 1
        else { return [:] }
        let known = sessions.filter { $0.server == own.server }
        guard !known.isEmpty,
            case .success(.rows(let rows)) = Result(catching: { () throws(ConnectError) in
                try Connector.query(question(about: known), on: libpq.raw, deadline)
            })
        else { return [:] }
        var states: [ServerSession: State] = [:]
        for row in rows where row.count == 2 {
            guard let processID = row[0].flatMap({ Int32($0) }), let isAwaitingClient = row[1] else { continue }
            states[ServerSession(processID: processID, server: own.server)] =
                isAwaitingClient == "t" ? .awaitingClient : .working
        }
        return states
    }

    /// Answers null for a session whose state is not shown. An active one that waits for its client has received a part
    /// of what was sent, or cannot get rid of its answer.
    private static func question(about sessions: [ServerSession]) -> String {
        let ids = sessions.map { "\($0.processID)" }.joined(separator: ",")
        return """
            SELECT asked.pid, CASE WHEN a.pid IS NULL THEN true
                WHEN a.state LIKE 'idle%' OR a.wait_event IN ('ClientRead', 'ClientWrite') THEN true
                WHEN a.state = 'active' THEN false END
            FROM pg_catalog.unnest('{\(ids)}'::int[]) AS asked(pid)
            LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = asked.pid
            """
    }
}
