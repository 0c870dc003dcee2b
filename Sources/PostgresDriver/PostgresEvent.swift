/// Something that happened in a client beside the results of its calls, for logs and metrics. It never contains a
/// parameter.
///
/// ```swift
/// configuration.onEvent = { event in
///     switch event {
///     case .notice(let severity, _, let message): logger.info("\(severity): \(message)")
///     case .connected(let version): logger.debug("connected to \(version)")
///     case .connectFailed(let cause, let delay): logger.error("no connection: \(cause); next attempt in \(delay)")
///     case .connectionLost(let cause): logger.error("connection lost: \(cause)")
///     case .retried(let cause): logger.debug("retried: \(cause)")
///     }
/// }
/// ```
///
/// Events are delivered on the thread on which they happen, possibly on two threads at once. A handler must be
/// thread-safe, must not block and should return at once.
public enum PostgresEvent: Sendable {
    /// The server sent a NOTICE, a WARNING or another message beside its replies.
    case notice(severity: String, sqlState: String, message: String)
    /// A connection was opened, for the pool or for a listener. The version is that of `server_version_num`, such as
    /// 150004.
    case connected(serverVersion: Int)
    /// An attempt to connect failed. The next one is made after `retryIn` at the earliest; calls wait for it.
    case connectFailed(cause: String, retryIn: Duration)
    /// A connection broke, or was ended by the server, or was given up: because the server fell silent, because a
    /// cancelled statement did not end, or at shutdown.
    case connectionLost(cause: String)
    /// A call is run again because its prepared plan was out of date or its transaction lost a conflict. Calls that are
    /// run again for other reasons are not reported.
    case retried(cause: String)
}
