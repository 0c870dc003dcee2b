extension PostgresClient {
    /// Where a client connects to, and how much it may use.
    ///
    /// ```swift
    /// var configuration = PostgresClient.Configuration(connectionString: "host=/run/postgresql dbname=shop")
    /// configuration.role = "shop_reader"
    /// configuration.poolSize = 8
    /// let client = PostgresClient(configuration)
    /// ```
    public struct Configuration: Sendable {
        /// A URI or key/value string, in any form that libpq reads. It overrides the driver's defaults, which are no
        /// `gssencmode`, and keepalives and timeouts that notice a dead network within seconds.
        public var connectionString: String
        /// Where `listen` connects to instead, such as a way to the same database past a pooler.
        public var listenConnectionString: String?
        /// The database role under which every statement runs, if it is not the login itself. Each new connection is
        /// asked for its role; one that does not have it is not used.
        public var role: String?
        /// Server settings under which every statement runs, such as `["TimeZone": "UTC"]`.
        public var settings: [String: String] = [:]
        /// Whether a connection pooler is between the client and its server.
        public var pooling = Pooling.session
        /// How a user selects `.transaction`, for the error of a connection that turns out to need it: the name of a
        /// command-line flag, for example.
        public var transactionPoolingHint = "Configuration.pooling = .transaction"
        /// Shown in `pg_stat_activity`, unless the connection string sets `application_name`.
        public var applicationName = "swift"
        /// The largest number of connections, at least one. They are opened on demand and stay open.
        public var poolSize = 4
        /// How long a call may wait for a connection before it throws `.unavailable`.
        public var acquireTimeout: Duration = .milliseconds(4_500)
        /// How many requests one share may have waiting for a connection. A further one throws `.overloaded`. So does a
        /// request when its share has more work waiting than can be done within `acquireTimeout`.
        public var maxWaitingPerShare = 4_096
        /// How long one attempt to connect may take.
        public var connectTimeout: Duration = .seconds(5)
        /// A connection of this age takes no further calls and is replaced.
        public var maxConnectionAge: Duration = .seconds(1_800)
        /// Prepared statements per connection. Beyond it the least recently used one is deallocated.
        public var statementCacheSize = 256
        /// Bytes of SQL of the prepared statements of a connection. The server uses about a hundred times as much memory
        /// for them, on each connection.
        public var statementCacheBytes = 256 << 10
        /// How often a transaction is run again that lost a conflict (SQLSTATE 40001, 40P01).
        public var conflictRetries = 3
        /// How long `shutdown` lets running statements and leases finish.
        public var shutdownGrace: Duration = .seconds(8)
        /// Delays the sending of reads until the end of a burst, so that they leave in one write; nil sends each at once.
        ///
        /// It is called for every read, on the thread that submits it, with a function that it must have called a moment
        /// later, such as at the end of an event loop's tick. One call of `send` is enough for all reads submitted before
        /// it. Return false if `send` will not be called: the read is then sent at once. Transactions and leases are
        /// never delayed.
        public var scheduleFlush: (@Sendable (_ send: @escaping @Sendable () -> Void) -> Bool)?
        /// Receives what happens beside the results of calls. See `PostgresEvent` for its threads.
        public var onEvent: (@Sendable (PostgresEvent) -> Void)?

        /// - Parameter connectionString: `postgresql://…` or `host=… dbname=…`. An empty one leaves everything to libpq's
        ///   environment variables (`PGHOST`, …) and defaults. When it cannot be read, the first call throws.
        public init(connectionString: String) {
            self.connectionString = connectionString
        }
    }
}

/// Whether a connection pooler is between a client and its server, which decides what a connection keeps from one call
/// to the next.
///
/// ```swift
/// configuration.pooling = .transaction                                        // for PgBouncer's pool_mode = transaction
/// configuration.listenConnectionString = "host=10.0.0.5 port=5432 dbname=shop" // LISTEN needs a session of its own
/// ```
public enum Pooling: Sendable {
    /// No pooler, or one that assigns each connection a server connection for life. Role and settings are set once, while
    /// connecting, and statements are prepared once per connection.
    case session
    /// A pooler that may run each transaction on another server connection, such as PgBouncer with
    /// `pool_mode = transaction`.
    ///
    /// Every batch sets role and settings for its own transaction and runs its statements unnamed. That costs one small
    /// statement per batch, and the parsing and planning of every statement. `withConnection` and COPY throw
    /// `.unsupported`, because they need a session: for locks, temporary tables, and transactions of several batches.
    case transaction
}
