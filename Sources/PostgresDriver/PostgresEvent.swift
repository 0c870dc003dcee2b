/// What a client wants known besides the answers to its calls. Never holds a parameter.
///
/// Delivered on the driver's thread: a handler must return at once and must not block.
public enum PostgresEvent: Sendable {
    /// A NOTICE, WARNING or other message the server sent beside its answers.
    case notice(severity: String, sqlState: String, message: String)
    /// A connection is open and in the pool, or a listener's is. The version is as `server_version_num` has it: 150004.
    case connected(serverVersion: Int)
    /// An attempt to connect failed. Calls wait for the next one, which is made no sooner than `retryIn`.
    case connectFailed(cause: String, retryIn: Duration)
    /// A connection broke that the pool had not given up by itself.
    case connectionLost(cause: String)
    /// A call is made again: its connection broke, its plan was stale, or its transaction had to yield.
    case retried(cause: String)
}
