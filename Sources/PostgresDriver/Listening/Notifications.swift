/// An event of a listener. The events arrive in the order in which they happened.
public enum ListenEvent: Sendable {
    /// From here on every notification is delivered.
    ///
    /// `mayHaveMissed` is false at the beginning. Later it is true: notifications may have been lost, because the
    /// connection was lost, or because the consumer was too slow and the oldest events were dropped. A consumer that keeps
    /// a copy of some state must read that state again now.
    case listening(mayHaveMissed: Bool)
    /// Another session, or this one's transaction, sent a notification.
    case notification(PostgresNotification)
    /// The connection was lost or could not be made. It is retried until the sequence ends.
    ///
    /// The error is `.connectionLost`, `.unavailable`, or `.server` if the server refused LISTEN. The event occurs once per
    /// interruption, however many attempts fail.
    case interrupted(PostgresError)
}

/// A notification sent with NOTIFY or `pg_notify`.
public struct PostgresNotification: Sendable, Hashable {
    /// The name of the channel, as it was passed to `listen`.
    public let channel: String
    /// At most 7,999 bytes of UTF-8; empty if the sender gave none.
    public let payload: String
    /// The process id of the sender's backend, as in `pg_stat_activity.pid`.
    public let senderProcessID: Int32

    /// Makes a notification, for tests of code that processes notifications.
    public init(channel: String, payload: String, senderProcessID: Int32) {
        self.channel = channel
        self.payload = payload
        self.senderProcessID = senderProcessID
    }
}

extension PostgresClient {
    /// Listens to channels on a connection of its own, which is replaced when it is lost.
    ///
    /// ```swift
    /// for await event in try client.listen(to: ["orders"]) {
    ///     if case .notification(let notification) = event { print(notification.payload) }
    /// }
    /// ```
    ///
    /// The connection does not count towards `poolSize`. It is opened at once, as the login of `listenConnectionString`
    /// (or of `connectionString`): the configuration's role and settings do not apply. It needs a session of its own on the
    /// server, so it must not go through a pooler in transaction mode, which loses the effect of LISTEN.
    /// - Parameters:
    ///   - channels: names as in `NOTIFY "Name"`, letter case included; at most 63 bytes of UTF-8 each.
    ///   - heartbeat: the interval at which an empty query checks that the connection still works.
    ///   - heartbeatTimeout: how long the server may take to answer before the connection counts as lost.
    ///   - capacity: the number of events that wait for a slow consumer, of up to 8 kB each. Beyond it the oldest are
    ///     dropped and `.listening(mayHaveMissed: true)` takes their place.
    /// - Returns: the events, for one iteration. This method does not wait for the connection.
    /// - Throws: `.invalidParameter` if a name cannot be a channel's, or `channels` is empty.
    public func listen(
        to channels: [String], heartbeat: Duration = .seconds(1), heartbeatTimeout: Duration = .seconds(5),
        capacity: Int = 1024
    ) throws(PostgresError) -> Notifications {
        Notifications(
            pool, statements: try ChannelName.listen(to: channels), capacity: capacity,
            timing: ListenerStateMachine.Timing(heartbeatInterval: heartbeat, heartbeatTimeout: heartbeatTimeout))
    }
}

/// The notifications of some channels, as an asynchronous sequence that outlives its connection: a lost connection is
/// replaced, and an event says that notifications may have been missed.
///
/// ```swift
/// for await event in try client.listen(to: ["orders"]) {
///     switch event {
///     case .listening: try await readAllOrders()
///     case .notification(let notification): try await readOrder(notification.payload)
///     case .interrupted(let error): logger.warning("\(error)")
///     }
/// }
/// ```
///
/// It supports one iteration and ends with it: the connection is closed when the loop is left, its task is cancelled, the
/// client is shut down, or the last reference to the sequence is released. It does not keep its client alive, so hold the
/// client for as long as you listen.
public final class Notifications: AsyncSequence, Sendable {
    /// A notification, or a change in the state of the listener.
    public typealias Element = ListenEvent
    /// The sequence never throws: losses are events.
    public typealias Failure = Never

    private let pool: ConnectionPool
    private let buffer: NotificationBuffer

    init(_ pool: ConnectionPool, statements: String, capacity: Int, timing: ListenerStateMachine.Timing) {
        self.pool = pool
        let buffer = NotificationBuffer(capacity: capacity)
        self.buffer = buffer
        pool.mailbox.post(.perform { pool.listen(statements, timing, into: buffer) })
    }

    deinit {
        end()
    }

    /// Every notification committed before this instant has been delivered. It has also been processed if the consumer
    /// processes each event before it asks for the next one.
    ///
    /// ```swift
    /// let isFresh = notifications.upToDateAsOf.map { $0 > .now - .seconds(2) } ?? false
    /// ```
    ///
    /// It is the instant at which the last answered heartbeat was sent, so it lags behind the present by up to the heartbeat
    /// interval and one round trip. It is nil before the connection is made, while it is interrupted, after the end, and
    /// behind a connection pooler, where delivery cannot be verified. Safe to read from any thread.
    public var upToDateAsOf: ContinuousClock.Instant? { buffer.upToDateAsOf }

    /// Closes the connection and ends the sequence.
    fileprivate func end() {
        let pool = pool
        let buffer = buffer
        buffer.end(discarding: true)
        pool.mailbox.post(.perform { pool.stopListening(buffer) })
    }

    /// Makes the iterator. Only the first one yields events; any other ends at once.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(iteration: buffer.beginIteration() ? Iteration(self) : nil)
    }

    /// Yields the events one by one. The sequence ends when its iterator is destroyed.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// Nil if the sequence was iterated before.
        fileprivate let iteration: Iteration?

        /// Waits for the next event. Returns nil at the end.
        public nonisolated(nonsending) mutating func next() async -> ListenEvent? {
            await iteration?.next()
        }

        /// Waits for the next event on the caller's actor. Returns nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ListenEvent? {
            await iteration?.next()
        }
    }

    /// Ends the sequence when the iterator is destroyed.
    fileprivate final class Iteration: Sendable {
        private let notifications: Notifications

        init(_ notifications: Notifications) {
            self.notifications = notifications
        }

        deinit {
            notifications.end()
        }

        nonisolated(nonsending) func next() async -> ListenEvent? {
            let notifications = notifications
            return await withTaskCancellationHandler {
                await notifications.buffer.next()
            } onCancel: {
                notifications.end()
            }
        }
    }
}

/// Channel names as quoted SQL identifiers.
enum ChannelName {
    /// In bytes. The server truncates longer names, and so would listen to a different channel.
    static let maxLength = 63

    /// Returns the name in double quotes, which preserves letter case.
    /// - Throws: `.invalidParameter` if the name is empty, longer than 63 bytes, or contains a NUL character.
    static func quoted(_ name: String) throws(PostgresError) -> String {
        func invalid(_ reason: String) -> PostgresError {
            PostgresError(.invalidParameter, cause: "the name of a channel \(reason)")
        }
        guard !name.isEmpty else { throw invalid("is empty") }
        guard name.utf8.count <= maxLength else { throw invalid("is longer than \(maxLength) bytes") }
        guard !name.utf8.contains(0) else { throw invalid("contains a NUL character") }
        var quoted = "\""
        for scalar in name.unicodeScalars {
            if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    /// Returns one LISTEN statement per name.
    static func listen(to names: [String]) throws(PostgresError) -> String {
        guard !names.isEmpty else { throw PostgresError(.invalidParameter, cause: "no channel to listen to") }
        var statements = ""
        for name in names { statements += "LISTEN \(try quoted(name));" }
        return statements
    }
}
