import PostgresDriver
import TestPostgres
import TestSupport
import Testing

/// Runs a test with a client of an empty database of its own, and shuts the client down afterwards.
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

/// The error a call ends with.
func failure<R>(
    of body: () async throws -> R, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> PostgresError {
    do {
        _ = try await body()
    } catch let error as PostgresError {
        return error
    }
    return try #require(nil as PostgresError?, "it should have failed", sourceLocation: sourceLocation)
}

extension EventRecorder<PostgresEvent> {
    /// The messages of the notices so far.
    var notices: [String] { all.compactMap { if case .notice(_, _, let message) = $0 { message } else { nil } } }

    var connects: Int { all.count { if case .connected = $0 { true } else { false } } }

    var losses: Int { all.count { if case .connectionLost = $0 { true } else { false } } }

    var retries: Int { all.count { if case .retried = $0 { true } else { false } } }
}

extension TestDatabase {
    /// Backends of this database in a state, asked from outside the client under test.
    func backends(where condition: String = "true") async throws -> Int {
        let count = try await cluster.psql(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(name)' AND \(condition)")
        return try #require(Int(count))
    }

    func isSleeping() async throws -> Bool {
        try await backends(where: "state = 'active' AND query LIKE '%pg_sleep%'") > 0
    }
}
