/// What someone said with NOTIFY or `pg_notify`.
public struct Notification: Sendable, Hashable {
    public let channel: String
    /// Up to 8000 bytes; empty when none was given.
    public let payload: String
    /// The process id of the server's backend that said it, as in `pg_stat_activity.pid`.
    public let senderProcessID: Int32

    public init(channel: String, payload: String, senderProcessID: Int32) {
        self.channel = channel
        self.payload = payload
        self.senderProcessID = senderProcessID
    }
}

/// What a listener hears, in order.
public enum ListenEvent: Sendable {
    /// From here on every notification is delivered. `mayHaveMissed` is false only at the very beginning: otherwise
    /// notifications may have been lost, because the connection was, or because the consumer was too slow and the
    /// oldest were dropped. Whoever follows something looks at its present state now.
    case listening(mayHaveMissed: Bool)
    case notification(Notification)
    /// The connection is lost or could not be made. It is tried again without end; said once for each interruption.
    case interrupted(PostgresError)
}
