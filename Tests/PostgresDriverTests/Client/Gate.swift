import PostgresDriver
import TestPostgres
import TestSupport
import Testing

/// An advisory lock held by a session of its own: statements that need it wait on the server until the test opens it.
final class Gate: Sendable {
    /// Waits until the gate is open, and returns its parameter.
    static let pass = Statement("SELECT $1::int FROM (SELECT pg_advisory_xact_lock_shared(1)) AS gate")

    private let database: TestDatabase
    private let opening: AsyncStream<Void>.Continuation
    private let holder: Task<Void, any Error>

    /// Takes the lock and returns when it is held.
    static func close(_ database: TestDatabase) async throws -> Gate {
        let gate = Gate(database)
        try await eventually("the gate is closed") {
            let count = try await database.psql(
                """
                SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database
                WHERE locktype = 'advisory' AND granted AND datname = current_database()
                """)
            return count == "1"
        }
        return gate
    }

    private init(_ database: TestDatabase) {
        self.database = database
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        opening = continuation
        holder = Task {
            var configuration = PostgresClient.Configuration(connectionString: database.connectionString)
            configuration.acquireTimeout = .seconds(60)
            let client = PostgresClient(configuration)
            try await client.withConnection { connection in
                _ = try await connection.query(Statement("SELECT pg_advisory_lock(1)"))
                for await _ in stream {}
            }
            await client.shutdown()
        }
    }

    /// Releases the lock and returns when that is done.
    func open() async throws {
        opening.finish()
        try await holder.value
    }

    /// Whether a statement waits at the gate.
    func hasWaiters() async throws -> Bool {
        try await database.backends(where: "wait_event = 'advisory'") > 0
    }

    /// Terminates the backends that wait at the gate, as an administrator would.
    func terminateWaiters() async throws {
        try await database.psql(
            """
            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event = 'advisory'
            """)
    }
}
