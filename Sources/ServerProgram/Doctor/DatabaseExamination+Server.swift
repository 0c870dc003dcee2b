import DomainKit
import PostgresDriver

/// What the server needs of Postgres beside its schema.
extension DatabaseExamination {
    func writing() async throws -> Finding? {
        let rows = try await owner.query(
            Statement("SELECT pg_is_in_recovery()::text, current_setting('default_transaction_read_only')"))
        if rows.text(0, 0) == "true" {
            return .fault(
                "writing", "the database is a replica, and takes no writes",
                remedy: "give the address of the primary in --database-url, and this one in --replica-url")
        }
        guard rows.text(0, 1) == "on" else { return nil }
        return .fault(
            "writing", "the database takes no writes (default_transaction_read_only is on)",
            remedy:
                "ALTER DATABASE … RESET default_transaction_read_only, or the same for the role or in postgresql.conf")
    }

    /// Row-level security does not hold for superusers. What is created by one is owned by one.
    func login() async throws -> Finding? {
        guard !isEmbedded else { return nil }
        let rows = try await owner.query(
            Statement(
                """
                SELECT r.rolname, CASE WHEN r.rolsuper THEN 'is a superuser' ELSE 'bypasses row-level security' END
                FROM pg_roles r WHERE (r.rolname = current_user OR r.rolname LIKE 'learntrack\\_%')
                    AND (r.rolsuper OR r.rolbypassrls) ORDER BY 1
                """))
        guard rows.count > 0, let name = rows.text(0, 0), let reason = rows.text(0, 1) else { return nil }
        return .fault(
            "login", "\(name) \(reason)",
            remedy: "serve with a login of its own that is none: docs/operations.md, Rights of the login")
    }

    /// The pools open connections when they need them: a server that starts does not show that there are too few.
    func connections() async throws -> Finding? {
        let free = try await freeConnections(of: owner)
        let servers = try await servers()
        let needs = settings.needs(roles: domains.all.roles.count)
        let places = "Postgres has \(free) for this login"
        guard settings.pooling == .session else {
            let direct = servers * needs.direct
            guard direct <= free else {
                return .fault(
                    "connections", "\(Self.count(servers)) up to \(needs.direct) beside the pooler, and \(places)",
                    remedy: Self.limitRemedy)
            }
            return .unknown(
                "connections",
                "\(Self.count(servers)) up to \(needs.pooled) to the pooler, whose max_client_conn does not show from here, "
                    + "and \(needs.direct) beside it; \(places)")
        }
        let most = needs.pooled + needs.direct
        let detail = "\(Self.count(servers)) up to \(most), and \(places)"
        guard servers * most <= free else {
            return .fault("connections", detail, remedy: "reduce --pool-size, or \(Self.limitRemedy)")
        }
        return .ok("connections", detail)
    }

    /// What is wrong with the limits of a replica; nil if they suffice.
    func shortage(of replica: PostgresClient) async throws -> String? {
        let free = try await freeConnections(of: replica)
        let servers = try await servers()
        let most = settings.replicaNeeds(roles: domains.all.roles.count)
        return servers * most <= free ? nil : "\(Self.count(servers)) up to \(most), and it has \(free) for this login"
    }

    static let limitRemedy =
        "raise max_connections of Postgres, CONNECTION LIMIT of the login or of the database"

    private static func count(_ servers: Int) -> String {
        servers == 1 ? "one server opens" : "\(servers) servers each open"
    }

    /// How many servers use the database: each has one connection that listens for messages of the outbox.
    private func servers() async throws -> Int {
        try await RunningServer.all(owner).count + (isServing ? 0 : 1)
    }

    private func freeConnections(of client: PostgresClient) async throws -> Int {
        try await client.query(Self.connectionLimits).text(0, 0).flatMap { Int($0) } ?? 0
    }

    /// The least that the limits of Postgres, the login and the database leave beside the connections of other programs. What a
    /// connection of another login is does not show; one without a name is a worker of Postgres.
    private static let connectionLimits = Statement(
        """
        WITH others AS (
            SELECT a.usename, a.datname FROM pg_stat_activity a
            WHERE a.datname IS NOT NULL AND a.application_name NOT LIKE 'learntrack%'
                AND (a.backend_type = 'client backend' OR a.backend_type IS NULL AND a.application_name <> '')
        )
        SELECT least(
            current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
                - coalesce(current_setting('reserved_connections', true)::integer, 0) - (SELECT count(*) FROM others),
            (SELECT nullif(rolconnlimit, -1) - (SELECT count(*) FROM others WHERE usename = current_user)
             FROM pg_roles WHERE rolname = current_user),
            (SELECT nullif(datconnlimit, -1) - (SELECT count(*) FROM others WHERE datname = current_database())
             FROM pg_database WHERE datname = current_database()))::text
        """)

    func timeZone() async throws -> Finding? {
        do throws(PostgresError) {
            _ = try await owner.query(Statement("SELECT now() AT TIME ZONE $1::text"), [.text(settings.timeZone)])
        } catch {
            guard error.sqlState == "22023" else { throw error }
            return .fault(
                "time zone", "there is no '\(settings.timeZone)': the server does not start",
                remedy: "give one of pg_timezone_names in --time-zone, such as Europe/Paris or Indian/Reunion")
        }
        return nil
    }

    /// What has not left although it should have.
    func outbox() async throws -> Finding? {
        guard let causes = try await causes() else { return nil }
        var blocked: [String] = []
        for cause in causes where cause.waiting > 0 && cause.cause?.isCommon == true {
            blocked.append(
                "\(cause.waiting) for \(Self.span(cause.seconds)) (\(cause.cause?.rawValue ?? ""))")
        }
        let waiting = causes.map(\.waiting).reduce(0, +)
        let givenUp = causes.map(\.givenUp).reduce(0, +)
        if !blocked.isEmpty {
            return .fault(
                "outbox", "messages wait after failures: \(blocked.sorted().joined(separator: ", "))",
                remedy:
                    "'learntrack outbox list --state failing' has the errors: mend their cause, then 'learntrack outbox "
                    + "retry --all' sends them at once")
        }
        guard givenUp == 0 else {
            return .fault(
                "outbox", "\(givenUp) messages were given up within thirty days",
                remedy:
                    "'learntrack outbox list --state given-up' says why, and 'learntrack outbox retry --all --given-up' sends "
                    + "them again"
            )
        }
        return .ok("outbox", waiting == 0 ? "no messages wait" : "\(waiting) messages wait")
    }

    /// The messages that have not left, by what their last failure concerned.
    private struct Cause {
        let cause: FailureCause?
        let waiting: Int
        let givenUp: Int
        let seconds: Int
    }

    /// Nil without the schema: another finding says why.
    private func causes() async throws -> [Cause]? {
        guard try await has("kernel.outbox_summary()") else { return nil }
        let rows = try await owner.query(Self.outbox)
        return (0..<rows.count).map { row in
            let numbers = (1...3).map { column in rows.text(row, column).flatMap { Int($0) } ?? 0 }
            return Cause(
                cause: rows.text(row, 0).flatMap(FailureCause.init), waiting: numbers[0], givenUp: numbers[1],
                seconds: numbers[2])
        }
    }

    /// Whether there is a function with this signature.
    func has(_ function: String) async throws -> Bool {
        try await owner.query(Statement("SELECT (to_regprocedure($1) IS NOT NULL)::text"), [.text(function)]).text(0, 0)
            == "true"
    }

    private static func span(_ seconds: Int) -> String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) days"
        }
    }

    private static let outbox = Statement(
        "SELECT cause, waiting::text, given_up::text, seconds::text FROM kernel.outbox_summary()")
}

extension DatabaseClients.Configuration {
    /// How many connections to the primary a server has at most: those of the pools, which a pooler may carry, and those that
    /// bypass it: the owner's and those that listen.
    ///
    /// - Parameter roles: the number of the served roles.
    fileprivate func needs(roles: Int) -> (pooled: Int, direct: Int) {
        let monitor = replicas.isEmpty ? 0 : 1
        return (
            roles * poolSize + authPoolSize + DatabaseClients.workerPoolSize + monitor, 1 + DatabaseClients.listeners
        )
    }

    /// How many connections to each replica a server has at most: the pools of the roles, and the one that looks at its lag.
    fileprivate func replicaNeeds(roles: Int) -> Int { roles * poolSize + 1 }
}
