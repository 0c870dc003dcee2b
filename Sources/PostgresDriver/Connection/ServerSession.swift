import CLibPQ

/// Identifies the server's session behind a connection, so that the server can be asked about it over another connection.
struct ServerSession: Hashable, Sendable {
    /// The process id of the session's backend.
    let processID: Int32
    /// When the server was started, to the microsecond. Several servers may stand behind one address, and a process id is
    /// valid on one of them only.
    let server: String

    /// What a session does, as the server reports it.
    enum State: Equatable, Sendable {
        case working
        /// It waits until its client sends or reads something, or it has ended.
        case awaitingClient
        /// The server could not be asked, or does not show it.
        case unknown
    }
}

extension ServerSession {
    private static let server = """
        pg_catalog.to_char(pg_catalog.pg_postmaster_start_time() AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS')
        """

    /// Asks a new session for its identity and its role. Blocks until the deadline at most.
    /// - Throws: when statements would run under another role than the configuration's.
    static func identify(
        _ libpq: LibPQConnection, _ configuration: PostgresClient.Configuration, _ deadline: ContinuousClock.Instant
    ) throws(ConnectError) {
        let query = "SELECT current_user, pg_catalog.pg_backend_pid(), \(server)"
        if case .rows(let rows) = try Connector.query(query, on: libpq.raw, deadline), let row = rows.first,
            row.count == 3, let role = row[0], let processID = row[1].flatMap({ Int32($0) }), let server = row[2]
        {
            try Connector.verify(role, configuration)
            // A pooler makes up process ids, and may change the session from one statement to the next.
            guard processID == PQbackendPID(libpq.raw) else { return }
            libpq.session = ServerSession(processID: processID, server: server)
        } else if configuration.role != nil {
            // A server of another kind, without those functions.
            switch try Connector.query("SELECT current_user", on: libpq.raw, deadline) {
            case .rows(let rows): try Connector.verify(rows.first?.first.flatMap { $0 } ?? "", configuration)
            case .refused(let cause): throw ConnectError(cause: cause)
            }
        }
    }

    /// Asks the server what sessions do, over a connection opened for this query. Blocks for as long as connecting may
    /// take.
    /// - Returns: the states that are known. Sessions of another server, or behind a pooler, are left out.
    static func states(
        of sessions: [ServerSession], within limit: Duration, _ configuration: PostgresClient.Configuration
    ) -> [ServerSession: State] {
        var asking = configuration
        // A login may see the state of its own sessions, a role that it has taken on may not.
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
                try Connector.query(stateQuery(known), on: libpq.raw, deadline)
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

    /// The result is null for a session if its state is not shown. An active session that waits for its client has received
    /// only a part of what was sent, or its client does not read the result.
    private static func stateQuery(_ sessions: [ServerSession]) -> String {
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
