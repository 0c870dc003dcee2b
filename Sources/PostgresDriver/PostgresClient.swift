import CLibPQ
import Threads

/// A pool of connections to one database under one role, and the entry point of the driver.
///
/// ```swift
/// let client = PostgresClient(.init(connectionString: "host=/run/postgresql dbname=shop"))
/// let rows = try await client.query(Statement("SELECT name FROM items WHERE id = $1"), [.text("7")])
/// print(rows[0, "name"] ?? "none")
/// await client.shutdown()
/// ```
///
/// Connections are opened on demand. Any task may call it at any time; no call blocks a thread. Every call throws
/// `PostgresError`; its `isRetrySafe` says whether the call may be made again.
public final class PostgresClient: Sendable {
    let pool: ConnectionPool

    /// A client that opens its first connection when the first call needs one. That call throws if the configuration is
    /// wrong.
    ///
    /// When the last reference to the client goes, it closes its connections; `shutdown` also waits for that.
    /// `Notifications` and `CopyOut` do not keep the client alive: hold it while you iterate over them.
    public init(_ configuration: Configuration) {
        pool = ConnectionPool(configuration)
    }

    deinit {
        let pool = pool
        pool.mailbox.post(.perform { pool.shutDown(nil) })
    }

    /// Runs a statement that only reads. It is sent together with other reads, over a shared connection.
    ///
    /// The statement may run more than once: when its connection was lost (once; when an administrator ends sessions,
    /// 57P01, once per connection of the pool and once more), when its plan was out of date, when another call's error or
    /// cancel request hit it, and when it is stuck behind a statement that turns out to be slow. A statement that changes
    /// something belongs in `transaction`. Given to `query`, it can fail after it has changed something, and `isRetrySafe`
    /// cannot know of that.
    /// - Parameters:
    ///   - settings: a statement that is run directly before, in the same transaction, for settings that end with it:
    ///     `SELECT set_config('app.tenant', $1, true)`, on which row-level security may depend. Its result is dropped. Such
    ///     a read does not share its round trip.
    ///   - share: the user or tenant that the call counts for; see ``Share``.
    ///   - expected: decides which connection it runs on as long as the statement's run time is not known.
    ///   - deadline: when to give up. The statement is then cancelled on the server and `.timeout` thrown.
    /// - Throws: `.server`, `.unavailable`, `.overloaded`, `.timeout`, `.cancelled`, `.invalidParameter`, `.closed`;
    ///   `.connectionLost` if the connection was lost more often than the statement is repeated; `.outcomeUnknown` only for
    ///   a statement other than a SELECT; `.protocolViolation` for a COPY.
    public nonisolated(nonsending) func query(
        _ statement: Statement, _ parameters: [Parameter] = [], settings: Step? = nil, for share: Share? = nil,
        expecting expected: ExpectedRunTime = .unknown, deadline: ContinuousClock.Instant? = nil
    ) async throws(PostgresError) -> Rows {
        try Parameter.check(parameters)
        if let settings { try Parameter.check(settings.parameters) }
        return try await PoolRequest(
            pool, .read(statement, parameters, settings: settings), for: share, expecting: expected,
            deadline: deadline
        ).run().rows()
    }

    /// Runs statements as one transaction: all of them happen, or none.
    ///
    /// They are sent in one batch and end with one Sync, which makes them a transaction without BEGIN and COMMIT. The
    /// transaction is run again only when the server rolled it back: for a conflict (SQLSTATE 40001, 40P01), a plan that
    /// was out of date, or another call's cancel request. When the connection is lost after it was sent, `.outcomeUnknown`
    /// is thrown, unless the transaction certainly had no effect.
    ///
    /// A step that itself commits, such as a CALL of a procedure that commits, can fail after it has changed something,
    /// and `isRetrySafe` cannot know of that: write such work so that doing it twice does no harm.
    /// - Parameters:
    ///   - share: the user or tenant that the call counts for; see ``Share``.
    ///   - deadline: as in `query`. A statement that does not react to being cancelled for five seconds costs its
    ///     connection; the outcome may then be unknown.
    /// - Returns: one result per step; none for no steps.
    /// - Throws: as `query`. `.server` is the error of the step that failed; then no step has happened.
    public nonisolated(nonsending) func transaction(
        _ steps: [Step], for share: Share? = nil, deadline: ContinuousClock.Instant? = nil
    ) async throws(PostgresError) -> [Rows] {
        for step in steps { try Parameter.check(step.parameters) }
        guard !steps.isEmpty else { return [] }
        return try await PoolRequest(pool, .transaction(steps), for: share, deadline: deadline).run().many()
    }

    /// Lends a connection to `body` alone: for simple queries, locks, and transactions that decide as they go.
    ///
    /// ```swift
    /// let total = try await client.withConnection { connection in
    ///     try await connection.simpleQuery("CREATE TEMP TABLE t (n int); INSERT INTO t VALUES (1), (2)")
    ///     return try await connection.query(Statement("SELECT sum(n) FROM t")).text(0, 0)
    /// }
    /// ```
    ///
    /// When `body` ends, the connection returns to the pool without the settings, locks and temporary tables that `body`
    /// left behind. A connection that is inside a transaction is closed instead.
    /// - Parameter deadline: of waiting for the connection, and of each call on it.
    /// - Throws: what `body` throws; `.unavailable`, `.timeout`, `.cancelled` or `.closed` when no connection could be had;
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

    /// Ends the client: lets running calls finish for as long as `Configuration.shutdownGrace` allows, fails waiting ones
    /// as `.closed`, ends all listening and closes every connection. Returns when that is done; may be called again.
    public func shutdown() async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let pool = pool
            pool.mailbox.post(.perform { pool.shutDown(continuation) })
        }
    }
}

extension PostgresError {
    static let leaseThroughPooler = PostgresError(
        .unsupported,
        cause:
            "a transaction pooler may use another server connection for each transaction: connect to the server itself"
    )
}

/// A server's reply to `PostgresClient.ping`: the four results of libpq's `PQping`.
///
/// ```swift
/// while await PostgresClient.ping(serverAt: connectionString) != .accepting {
///     try await Task.sleep(for: .seconds(1))
/// }
/// ```
public enum PingReply: Sendable {
    /// The server accepts connections. Whether it accepts a given login is another matter.
    case accepting
    /// The server is there and accepts no connections now: it starts, stops or recovers.
    case rejecting
    /// No reply came in time, or no server listens at the address.
    case silent
    /// No attempt was made, because the connection string cannot be read. Connecting throws the reason.
    case unreadable
}

extension PostgresClient {
    /// Asks a server whether it accepts connections, for two seconds at most: for a program that starts together with
    /// its server, and for health checks.
    ///
    /// No password is needed. One that is given is used, and a wrong one is reported in the server's log.
    /// - Parameter connectionString: as in `Configuration`.
    public static func ping(serverAt connectionString: String) async -> PingReply {
        await withUnsafeContinuation { continuation in
            let configuration = Configuration(connectionString: connectionString)
            let hasStarted = BlockingThread.run(name: "pg-ping") {
                continuation.resume(returning: ConnectOptions.ping(configuration, within: 2))
            }
            if !hasStarted { continuation.resume(returning: .silent) }
        }
    }
}

extension PostgresClient {
    /// Why no connection can be opened, as the resolver, the socket or the server says it, with the host and the port that
    /// were tried; nil when one can. It never contains a password. Gives up after two seconds for each address.
    /// - Parameter connectionString: as in `Configuration`.
    public static func connectFailure(serverAt connectionString: String) async -> String? {
        await withUnsafeContinuation { continuation in
            let configuration = Configuration(connectionString: connectionString)
            let hasStarted = BlockingThread.run(name: "pg-probe") {
                continuation.resume(returning: ConnectOptions.connectFailure(configuration, within: 2))
            }
            if !hasStarted { continuation.resume(returning: "no thread could be started") }
        }
    }
}

extension ConnectOptions {
    /// Blocks.
    static func connectFailure(_ configuration: PostgresClient.Configuration, within seconds: Int) -> String? {
        var options: ConnectOptions
        do throws(ConnectError) {
            options = try ConnectOptions(configuration)
        } catch {
            return error.cause
        }
        options.keywords.removeAll { $0.key == "connect_timeout" }
        options.keywords.append(("connect_timeout", String(seconds)))
        let connection = options.withPointers { PQconnectdbParams($0, $1, 0) }
        defer { PQfinish(connection) }
        guard PQstatus(connection) != CONNECTION_OK else { return nil }
        let message = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
        return message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Blocks.
    /// - Parameter seconds: at least two; libpq's timeout is no finer.
    static func ping(_ configuration: PostgresClient.Configuration, within seconds: Int) -> PingReply {
        guard case .success(var options) = Result(catching: { try ConnectOptions(configuration) }) else {
            return .unreadable
        }
        options.keywords.append(("connect_timeout", String(seconds)))
        return switch options.withPointers({ PQpingParams($0, $1, 0) }) {
        case PQPING_OK: .accepting
        case PQPING_REJECT: .rejecting
        case PQPING_NO_ATTEMPT: .unreadable
        default: .silent
        }
    }
}
