/// What is said on some channels, as a sequence that does not end with its connection: a lost one is replaced, and an
/// event says that notifications may have been missed meanwhile.
///
/// ```swift
/// for await event in try client.listen(to: ["orders"]) {
///     switch event {
///     case .listening: try await lookAtEverythingNew()
///     case .notification(let notification): try await lookAt(order: notification.payload)
///     case .interrupted(let error): logger.warning("\(error)")
///     }
/// }
/// ```
///
/// It is for one iteration, and ends with it: when the loop is left, its task cancelled or the client shut down, the
/// connection is closed. It also ends when nobody holds it any more.
public final class Notifications: AsyncSequence, Sendable {
    /// A notification, or what became of the listening.
    public typealias Element = ListenEvent
    /// It never throws: losses are events.
    public typealias Failure = Never

    private let pool: ConnectionPool
    private let outlet: NotificationOutlet

    init(_ pool: ConnectionPool, statements: String, capacity: Int, rhythm: ListeningState.Rhythm) {
        self.pool = pool
        let outlet = NotificationOutlet(capacity: capacity)
        self.outlet = outlet
        pool.mailbox.post(.perform { pool.listen(statements, rhythm, into: outlet) })
    }

    deinit {
        end()
    }

    /// The proof of freshness: whatever was committed before this instant has been delivered, and dealt with if the
    /// consumer deals with each event before it asks for the next.
    ///
    /// It is the time at which a heartbeat was sent that has been answered, so it lags behind by up to a heartbeat's
    /// interval. Nil before the beginning, while interrupted, after the end, and where a connection pooler stands in
    /// between, through which nobody can tell. Any thread may ask.
    public var heardAt: ContinuousClock.Instant? { outlet.heardAt }

    /// Closes the connection and ends the sequence.
    fileprivate func end() {
        let pool = pool
        let outlet = outlet
        outlet.end(forgetting: true)
        pool.mailbox.post(.perform { pool.stopListening(outlet) })
    }

    /// The one iteration there is; a second one ends at once.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(iteration: outlet.beginIteration() ? Iteration(self) : nil)
    }

    /// What is heard, event by event. Listening ends when it goes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// Nil: the sequence was iterated before.
        fileprivate let iteration: Iteration?

        /// Waits for the next event; nil at the end.
        public nonisolated(nonsending) mutating func next() async -> ListenEvent? {
            await iteration?.next()
        }

        /// The same, on the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ListenEvent? {
            await iteration?.next()
        }
    }

    /// Ends the sequence when the iterator is gone.
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
                await notifications.outlet.next()
            } onCancel: {
                notifications.end()
            }
        }
    }
}
