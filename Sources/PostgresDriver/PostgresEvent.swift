/// What a client wants known besides the answers to its calls. Never holds a parameter.
///
/// Delivered on whichever thread is at work, also on two at once: a handler must be thread-safe, return at once and not
/// block.
public enum PostgresEvent: Sendable {
    /// A NOTICE, WARNING or other message the server sent beside its answers.
    case notice(severity: String, sqlState: String, message: String)
    /// A connection is open and in the pool, or a listener's is. The version is as `server_version_num` has it: 150004.
    case connected(serverVersion: Int)
    /// An attempt to connect failed. Calls wait for the next one, which is made no sooner than `retryIn`.
    case connectFailed(cause: String, retryIn: Duration)
    /// A connection broke or was ended by the server, or it was given up: for its silence, for a statement that would
    /// not end, or at shutdown.
    case connectionLost(cause: String)
    /// A call is made again: its plan was stale, or its transaction lost a conflict. What is run again because
    /// its connection was lost or a neighbour hit it is not told.
    case retried(cause: String)
}
