/// What stands between a client and its server, and so what a connection keeps from one call to the next.
public enum Pooling: Sendable {
    /// Nothing, or a pooler that gives each connection one of its own for life: role and settings are set once while
    /// connecting, and statements are prepared once per connection.
    case session
    /// A pooler that may carry out each transaction on another of its connections, such as PgBouncer with
    /// `pool_mode = transaction`.
    ///
    /// Every batch sets role and settings itself, for its own transaction, and runs its statements unnamed. That costs
    /// one small statement per batch and the parsing and planning of every statement. `withConnection` is refused:
    /// what it is for (locks, temporary tables, LISTEN, transactions that take several batches) needs a connection
    /// that stays the same one.
    case transaction
}
