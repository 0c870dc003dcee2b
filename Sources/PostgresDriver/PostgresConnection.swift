/// A connection lent to one caller by `PostgresClient.withConnection`; of no use after that, when calls throw `.closed`.
///
/// Calls made at the same time are carried out one after the other. A call that fails leaves the connection usable unless
/// it is lost: then every further one throws `.connectionLost`. Nothing is repeated here by itself, except a
/// `query` or `transaction`, outside of a transaction begun before, whose plan was out of date or that another call's
/// cancel request hit.
public final class PostgresConnection: Sendable {
    let pool: ConnectionPool
    let lease: Lease
    let deadline: ContinuousClock.Instant?

    init(_ pool: ConnectionPool, _ lease: Lease, deadline: ContinuousClock.Instant?) {
        self.pool = pool
        self.lease = lease
        self.deadline = deadline
    }

    /// Runs one statement, also one that changes something or begins a transaction.
    /// - Throws: as `PostgresClient.query`; after `.connectionLost`, `.timeout` or `.cancelled` without
    ///   `isRetrySafe` it may have been carried out.
    public nonisolated(nonsending) func query(
        _ statement: Statement, _ parameters: [Parameter] = []
    ) async throws(PostgresError) -> Rows {
        try Parameter.check(parameters)
        return try await PoolRequest(pool, .leasedRead(lease, statement, parameters), deadline: deadline).run()
            .rows()
    }

    /// Runs statements in one batch: one transaction of their own, unless one was begun before.
    /// - Throws: as `PostgresClient.transaction`.
    public nonisolated(nonsending) func transaction(_ steps: [Step]) async throws(PostgresError) -> [Rows] {
        for step in steps { try Parameter.check(step.parameters) }
        guard !steps.isEmpty else { return [] }
        return try await PoolRequest(pool, .leasedTransaction(lease, steps), deadline: deadline).run().many()
    }

    /// Runs any number of statements separated by semicolons, without parameters and without results.
    ///
    /// They are one transaction unless the text itself begins and ends some. COPY is not possible here.
    ///
    /// A text that commits (COMMIT, a CALL of a procedure that commits) can fail after it has changed something.
    /// `isRetrySafe` cannot know of it: write such a text so that running it a second time does no harm.
    /// - Throws: as `query`; `.invalidParameter` for a NUL.
    public nonisolated(nonsending) func simpleQuery(_ sql: String) async throws(PostgresError) {
        guard !sql.utf8.contains(0) else {
            throw PostgresError(.invalidParameter, cause: "the script contains a NUL character")
        }
        try await PoolRequest(pool, .simpleQuery(lease, sql), deadline: deadline).run().done()
    }
}
