/// What someone said with NOTIFY or `pg_notify`.
public struct PostgresNotification: Sendable, Hashable {
    /// The channel it was said on, as it was given to `listen`.
    public let channel: String
    /// Up to 8000 bytes; empty when none was given.
    public let payload: String
    /// The process id of the server's backend that said it, as in `pg_stat_activity.pid`.
    public let senderProcessID: Int32

    /// For tests of what deals with notifications.
    public init(channel: String, payload: String, senderProcessID: Int32) {
        self.channel = channel
        self.payload = payload
        self.senderProcessID = senderProcessID
    }
}
