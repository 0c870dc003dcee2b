extension PostgresClient {
    /// How a client connects and how much it may use.
    public struct Configuration: Sendable {
        /// A URI or key/value string, in any form libpq takes. What it says wins over the driver's defaults: no
        /// `gssencmode`, and keepalives and time-outs that notice a dead network within seconds.
        public var connectionString: String
        /// Where `listen` connects to instead, if that is another way to the same database, such as one past a pooler.
        public var listenConnectionString: String?
        /// The database role every statement runs as, if not the login itself. It is asked back once per connection: one on
        /// which it does not hold is not used.
        public var role: String?
        /// Server settings every statement runs under, such as `["TimeZone": "UTC"]`.
        public var settings: [String: String] = [:]
        /// Whether a pooler is in between that gives each transaction another connection.
        public var pooling = Pooling.session
        /// How to ask for `.transaction`, for the message of a connection that turns out to need it.
        public var transactionPoolingHint = "Configuration.pooling = .transaction"
        /// Shown in `pg_stat_activity`, unless the connection string names another.
        public var applicationName = "swift"
        /// Connections at most; at least one. They are opened when they are needed, and stay.
        public var poolSize = 4
        /// How long a call may wait for a connection before it fails as `.unavailable`.
        public var acquireTimeout: Duration = .milliseconds(4_500)
        /// How long one attempt to connect may take.
        public var connectTimeout: Duration = .seconds(5)
        /// A connection this old takes no further calls and is replaced.
        public var maxConnectionAge: Duration = .seconds(1_800)
        /// Prepared statements kept per connection; the one unused longest makes room.
        public var statementCacheSize = 256
        /// How many bytes of SQL these are together at most. The server keeps about a hundred times as much for them, on each
        /// connection.
        public var statementCacheBytes = 256 << 10
        /// How often a transaction is made again that lost a conflict (SQLSTATE 40001, 40P01).
        public var conflictRetries = 3
        /// How long `shutdown` lets running statements and leases finish.
        public var shutdownGrace: Duration = .seconds(8)
        /// Lets reads that are submitted in a burst leave in one write, where each would leave at once: called for every
        /// read on the thread that submits it, and to call `send` a moment later, when the burst is over, such as at the
        /// end of an event loop's tick. One `send` does for all reads submitted before it. Answers whether it will be
        /// called; where not, the read leaves at once. Transactions and leases never wait.
        public var scheduleFlush: (@Sendable (_ send: @escaping @Sendable () -> Void) -> Bool)?
        /// Told what happens beside calls, for logs and metrics. Called on whichever thread is at work, also on two at
        /// once: it must be thread-safe and return at once.
        public var onEvent: (@Sendable (PostgresEvent) -> Void)?

        /// - Parameter connectionString: `postgresql://…` or `host=… dbname=…`; the empty one leaves everything to libpq's
        ///   environment variables (`PGHOST`, …) and defaults. One that cannot be read is told by the first call.
        public init(connectionString: String) {
            self.connectionString = connectionString
        }
    }
}
