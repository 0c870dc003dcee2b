/// A connection lent to one caller by `PostgresClient.withConnection`.
///
/// ```swift
/// try await client.withConnection { connection in
///     try await connection.simpleQuery("BEGIN; LOCK TABLE items")
///     let count = try await connection.query(countItems).text(0, 0)
///     try await connection.simpleQuery(count == "0" ? "ROLLBACK" : "COMMIT")
/// }
/// ```
///
/// Calls made at the same time are carried out one after the other. After a call that failed the connection can still be
/// used, unless it is lost: then every further call throws `.connectionLost`. After `withConnection` has returned, calls
/// throw `.closed`.
///
/// A `query` or `transaction` is run again only outside of a transaction begun before, and only when its plan was out of
/// date or a cancel request for another call hit it.
public final class PostgresConnection: Sendable {
    let pool: ConnectionPool
    let lease: Lease
    let deadline: ContinuousClock.Instant?

    init(_ pool: ConnectionPool, _ lease: Lease, deadline: ContinuousClock.Instant?) {
        self.pool = pool
        self.lease = lease
        self.deadline = deadline
    }

    /// Runs one statement, which may change something or begin a transaction.
    /// - Throws: as `PostgresClient.query`. After `.connectionLost`, `.timeout` or `.cancelled` without `isRetrySafe` the
    ///   statement may have been carried out.
    public nonisolated(nonsending) func query(
        _ statement: Statement, _ parameters: [Parameter] = []
    ) async throws(PostgresError) -> Rows {
        try Parameter.check(parameters)
        return try await PoolRequest(pool, .leasedRead(lease, statement, parameters), deadline: deadline).run().rows()
    }

    /// Runs statements in one batch. Unless a transaction was begun before, they are one transaction.
    /// - Returns: one result per step; none for no steps.
    /// - Throws: as `PostgresClient.transaction`.
    public nonisolated(nonsending) func transaction(_ steps: [Step]) async throws(PostgresError) -> [Rows] {
        for step in steps { try Parameter.check(step.parameters) }
        guard !steps.isEmpty else { return [] }
        return try await PoolRequest(pool, .leasedTransaction(lease, steps), deadline: deadline).run().many()
    }

    /// Runs any number of statements separated by semicolons, by the simple query protocol: without parameters and
    /// without results. COPY is not possible here.
    ///
    /// The statements are one transaction, unless the text itself begins and ends transactions. A text that commits
    /// (COMMIT, or a CALL of a procedure that commits) can fail after it has changed something, and `isRetrySafe` cannot
    /// know of that: write such a text so that running it twice does no harm.
    /// - Throws: as `query`; `.invalidParameter` for a text with a NUL character.
    public nonisolated(nonsending) func simpleQuery(_ sql: String) async throws(PostgresError) {
        guard !sql.utf8.contains(0) else {
            throw PostgresError(.invalidParameter, cause: "the SQL text contains a NUL character")
        }
        try await PoolRequest(pool, .simpleQuery(lease, sql), deadline: deadline).run().done()
    }
}
