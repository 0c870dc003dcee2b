import PostgresDriver
import TestPostgres
import TestSupport
import Testing

/// Runs `body` with a client for an empty database of its own, and shuts the client down afterwards.
func withClient(
    _ change: (inout PostgresClient.Configuration) -> Void = { _ in },
    _ body: (PostgresClient, TestDatabase) async throws -> Void
) async throws {
    try await TestDatabase.with(migrated: false) { database in
        var configuration = PostgresClient.Configuration(connectionString: database.connectionString)
        configuration.acquireTimeout = .seconds(60)
        configuration.connectTimeout = .seconds(60)
        change(&configuration)
        let client = PostgresClient(configuration)
        do {
            try await body(client, database)
        } catch {
            await client.shutdown()
            throw error
        }
        await client.shutdown()
    }
}

/// Returns the error that `body` throws; fails the test if it throws none.
func failure<R>(
    of body: () async throws -> R, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> PostgresError {
    do {
        _ = try await body()
    } catch let error as PostgresError {
        return error
    }
    return try #require(nil as PostgresError?, "the call did not fail", sourceLocation: sourceLocation)
}

/// Makes a call with a deadline that passes while the statement runs on the server, and returns its error.
///
/// On a busy machine a short deadline can pass before the statement has begun, which is a different case. The call is then
/// repeated with twice the time.
/// - Parameters:
///   - isRunning: whether the statement runs on the server.
///   - call: takes its deadline.
func failure<R: Sendable>(
    atDeadlineWhile isRunning: () async throws -> Bool,
    of call: @escaping @Sendable (ContinuousClock.Instant) async throws -> R
) async throws -> PostgresError {
    var limit = Duration.milliseconds(300)
    while true {
        let hasEnded = Flag()
        let deadline = ContinuousClock.now + limit
        let error = Task {
            defer { hasEnded.set() }
            return try await failure { try await call(deadline) }
        }
        var wasRunning = false
        while !hasEnded.isSet, !wasRunning { wasRunning = try await isRunning() }
        let thrown = try await error.value
        if wasRunning || limit > .seconds(30) { return thrown }
        limit *= 2
    }
}

extension EventRecorder<PostgresEvent> {
    /// The messages of the notices so far.
    var notices: [String] { all.compactMap { if case .notice(_, _, let message) = $0 { message } else { nil } } }

    var connects: Int { all.count { if case .connected = $0 { true } else { false } } }

    var losses: Int { all.count { if case .connectionLost = $0 { true } else { false } } }

    var retries: Int { all.count { if case .retried = $0 { true } else { false } } }
}

extension TestDatabase {
    /// The number of this database's backends for which `condition` holds, a condition on `pg_stat_activity`; without the session
    /// that reads of the test share.
    func backends(where condition: String = "true") async throws -> Int {
        let count = try await cluster.psql(
            """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = '\(name)' AND NOT (application_name = 'psql' AND state = 'idle') AND \(condition)
            """)
        return try #require(Int(count))
    }

    /// Whether a statement with `pg_sleep` is running.
    func isSleeping() async throws -> Bool {
        try await backends(where: "state = 'active' AND query LIKE '%pg_sleep%'") > 0
    }

    /// Terminates every backend of this database, as an administrator would, without waiting for their end.
    func terminateBackends() async throws {
        try await cluster.psql(
            """
            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE datname = '\(name)' AND pid <> pg_backend_pid()
            """)
    }
}
