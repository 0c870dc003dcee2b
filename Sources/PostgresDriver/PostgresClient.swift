/// A pool of connections to one database under one role: the door to Postgres.
///
/// ```swift
/// let client = PostgresClient(.init(connectionString: "host=/run/postgresql dbname=shop"))
/// let rows = try await client.query(Statement("SELECT name FROM items WHERE id = $1"), [.text("7")])
/// print(rows[0, "name"] ?? "none")
/// ```
///
/// Connections are opened on demand. Calls may come from any task; nothing here blocks a thread.
public final class PostgresClient: Sendable {
    let pool: ConnectionPool

    /// A client that opens its first connection when the first call needs one, and tells by that call what is wrong with
    /// the configuration. It closes its connections when nobody holds it any more; `shutdown` waits for that.
    /// `Notifications` and `CopyOut` do not keep it alive: whoever iterates over them must hold it.
    public init(_ configuration: Configuration) {
        pool = ConnectionPool(configuration)
    }

    deinit {
        let pool = pool
        pool.mailbox.post(.perform { pool.shutDown(nil) })
    }

    /// Runs a statement that only reads.
    ///
    /// It travels with other reads. It is run again once if its connection was lost (when an administrator ends
    /// sessions, 57P01, once per connection of the pool and once more), and again if its plan was stale or a
    /// neighbour's error or cancel request hit it: a statement that changes something belongs in
    /// `transaction`. Given to this, it can fail after it has changed something, and `isRetrySafe` cannot know of it.
    /// - Parameter deadline: when to give up; the statement is cancelled on the server and `.timeout` thrown.
    /// - Throws: `.server`, `.unavailable`, `.timeout`, `.cancelled`, `.invalidParameter`, `.closed`, and
    ///   `.connectionLost` if it was lost once more than that; `.outcomeUnknown` only for what is no SELECT.
    ///   `.protocolViolation` for a COPY.
    public nonisolated(nonsending) func query(
        _ statement: Statement, _ parameters: [Parameter] = [], deadline: ContinuousClock.Instant? = nil
    ) async throws(PostgresError) -> Rows {
        try Parameter.check(parameters)
        return try await PoolRequest(pool, .read(statement, parameters), deadline: deadline).run().rows()
    }

    /// Runs statements that belong together: all of them happen, or none.
    ///
    /// They go out at once and end with one Sync, which makes them one transaction without BEGIN and COMMIT. It is
    /// never repeated by itself, except when the server rolled it back: for a conflict (SQLSTATE 40001, 40P01), a stale
    /// plan, or the cancel request of another call. When the connection is lost after sending, `.outcomeUnknown` is
    /// thrown unless it is certain that nothing happened.
    ///
    /// A step that itself commits, such as a CALL of a procedure that does, can fail after it has changed something.
    /// `isRetrySafe` cannot know of it: write such work so that doing it a second time does no harm.
    /// - Parameter deadline: as in `query`; a statement that ignores being cancelled for five seconds costs its
    ///   connection, and then the outcome may be unknown.
    /// - Returns: one result per step; none for no steps.
    /// - Throws: as `query`; `server` tells of the step that failed, and none of them happened.
    public nonisolated(nonsending) func transaction(
        _ steps: [Step], deadline: ContinuousClock.Instant? = nil
    ) async throws(PostgresError) -> [Rows] {
        for step in steps { try Parameter.check(step.parameters) }
        guard !steps.isEmpty else { return [] }
        return try await PoolRequest(pool, .transaction(steps), deadline: deadline).run().many()
    }

    /// Lends a connection to `body` alone: for scripts, locks, and transactions that decide as they go.
    ///
    /// When `body` ends the connection goes back to the pool without what it left behind (settings, locks, temporary
    /// tables); one inside a transaction is closed instead.
    /// - Parameter deadline: of waiting for the connection and of each call on it.
    /// - Throws: what `body` throws; `.unavailable`, `.timeout`, `.cancelled` or `.closed` when no connection could be had,
    ///   `.unsupported` through a transaction pooler.
    public func withConnection<R: Sendable>(
        deadline: ContinuousClock.Instant? = nil, _ body: @Sendable (PostgresConnection) async throws -> R
    ) async throws -> R {
        guard pool.configuration.pooling == .session else { throw PostgresError.leaseThroughPooler }
        let lease = try await PoolRequest(pool, .lease, deadline: deadline).run().lease()
        let connection = PostgresConnection(pool, lease, deadline: deadline)
        do {
            let answer = try await body(connection)
            _ = await PoolRequest(pool, .release(lease)).runToEnd()
            return answer
        } catch {
            _ = await PoolRequest(pool, .release(lease)).runToEnd()
            throw error
        }
    }

    /// Lets running calls finish, for as long as the configuration's `shutdownGrace` allows, fails those that wait as
    /// `.closed`, ends all listening, and closes every connection. Returns when that is done; may be called again.
    public func shutdown() async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let pool = pool
            pool.mailbox.post(.perform { pool.shutDown(continuation) })
        }
    }
}

extension PostgresError {
    static let leaseThroughPooler = PostgresError(
        .unsupported, cause: "through a transaction pooler no connection stays the same: connect to the server itself")
}
