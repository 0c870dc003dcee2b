extension PostgresClient {
    /// Listens to channels, on a connection of its own that comes back by itself and takes no place in the pool.
    ///
    /// It connects at once, as the login of `listenConnectionString` (or of `connectionString`) itself: the
    /// configuration's role and settings do not apply. It must reach a session of the server: a pooler that lends
    /// sessions by the transaction loses what LISTEN asked for.
    /// - Parameters:
    ///   - channels: each means itself, letter case included; at most 63 bytes of UTF-8.
    ///   - heartbeat: how often an empty query asks whether the connection still works.
    ///   - answerWithin: how long the answer may take before the connection counts as lost.
    ///   - capacity: events that wait for a slow consumer at most, each of up to 8 kB. Then the oldest are dropped, and
    ///     `.listening(mayHaveMissed: true)` comes in their place.
    /// - Throws: `.invalidParameter` for a name that cannot be one, or none at all.
    public func listen(
        to channels: [String], heartbeat: Duration = .seconds(1), answerWithin: Duration = .seconds(5),
        capacity: Int = 1024
    ) throws(PostgresError) -> Notifications {
        Notifications(
            pool, statements: try ChannelName.listen(to: channels), capacity: capacity,
            rhythm: ListeningState.Rhythm(heartbeat: heartbeat, answerWithin: answerWithin))
    }
}
