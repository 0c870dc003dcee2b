package import DomainKit
import JSON
package import Logging
package import PostgresDriver
package import RPCServer
import Synchronization

/// Sends the messages that commands have entered in the outbox of the database.
///
/// Each instance of the server has one. It claims messages that are due, as soon as the database announces one and every five
/// seconds, and sends at most eight at once. A message whose sender ends abnormally is claimed again when the lease ends; its
/// receiver may then get it twice, with the same id, and the log says so.
package final class Outbox: Sendable {
    /// What has happened since the start, for metrics.
    package struct Counts: Sendable {
        /// Messages that have left.
        package var sent = 0
        /// Attempts that have failed.
        package var failed = 0
        /// Messages that will never leave.
        package var gaveUp = 0
        /// Messages that were sent again although they may have been sent before.
        package var repeated = 0
        /// Messages that may have been sent, which nothing confirms: their records had nothing more to say.
        package var unconfirmed = 0
        /// Messages of all instances that wait, and since how many seconds the oldest does.
        package var waiting = 0
        package var secondsWaiting = 0
        /// How many of them wait after a failure, by what it concerned.
        package var blocked: [FailureCause: Int] = [:]
        /// Messages of all instances that were given up within ``Outbox/retention`` and can be sent again.
        package var givenUp = 0
    }

    struct State: Sendable {
        var active = 0
        var counts = Counts()
        var isStopping = false
    }

    private static let channel = "outbox"
    private static let maxActive = 8
    /// Announcements may be lost, and messages become due.
    private static let pollInterval: Duration = .seconds(5)
    private static let upkeepInterval: Duration = .seconds(15)
    private static let retention: Duration = .seconds(30 * 86_400)

    let notices: [String: PlannedNotice]
    let store: OutboxStore
    let executor: Executor
    let transport: any MessageTransport
    let logger: Logger
    let state = Mutex(State())
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    /// - Parameter database: connections of the workers' role.
    package init(
        _ kernel: Kernel, _ notices: Notices, database: PostgresClient, transport: any MessageTransport,
        logger: Logger
    ) {
        self.notices = notices.byName
        store = OutboxStore(database: database)
        executor = kernel.executor
        self.transport = transport
        self.logger = logger
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package var counts: Counts { state.withLock { $0.counts } }

    /// Sends until ``stop()`` is called; then ends when the messages that are being sent have left, or have failed.
    package func run() async {
        await withTaskGroup { group in
            group.addTask { await self.listen() }
            group.addTask {
                while await Self.sleep(for: Self.pollInterval) { self.wake.yield() }
            }
            group.addTask {
                repeat { await self.keepUp() } while await Self.sleep(for: Self.upkeepInterval)
            }
            wake.yield()
            await withDiscardingTaskGroup { deliveries in
                for await _ in wakes {
                    for claim in await nextClaims() {
                        deliveries.addTask {
                            await self.deliver(claim)
                            self.state.withLock { $0.active -= 1 }
                            self.wake.yield()
                        }
                    }
                }
            }
            group.cancelAll()
        }
    }

    /// Claims no further messages.
    package func stop() {
        state.withLock { $0.isStopping = true }
        wake.finish()
    }

    /// Ends the attempts that are under way. Their messages are due again later.
    package func abort() { transport.abort() }

    /// Looks at the outbox again when a message becomes due before the next poll.
    func wake(after pause: Duration) {
        guard pause < Self.pollInterval else { return }
        Task {
            if await Self.sleep(for: pause + .milliseconds(50)) { wake.yield() }
        }
    }

    private func listen() async {
        let notifications: Notifications
        do throws(PostgresError) {
            notifications = try store.database.listen(to: [Self.channel])
        } catch {
            preconditionFailure("the channel name is valid: \(error)")
        }
        for await event in notifications {
            if case .interrupted = event { continue }
            if case .notification(let notification) = event, notification.payload == "retry" { transport.retry() }
            wake.yield()
        }
    }

    /// As many claims as there are free places.
    private func nextClaims() async -> [OutboxClaim] {
        let free = state.withLock { $0.isStopping ? 0 : Self.maxActive - $0.active }
        guard free > 0 else { return [] }
        do throws(PostgresError) {
            let claims = try await store.claim(notices.keys.sorted(), atMost: free)
            state.withLock { $0.active += claims.count }
            return claims
        } catch {
            // The driver has logged the error. What it may have claimed is due again when the lease ends.
            return []
        }
    }

    private func keepUp() async {
        do throws(PostgresError) {
            let summary = try await store.summary()
            state.withLock { state in
                state.counts.waiting = summary.waiting
                state.counts.secondsWaiting = summary.secondsWaiting
                state.counts.blocked = summary.blocked
                state.counts.givenUp = summary.givenUp
            }
            try await store.prune(keeping: Self.retention, atMost: 1_000)
        } catch {
            // The driver has logged the error. The next call does what this one has not.
        }
    }

    /// False if the sleep was cancelled.
    static func sleep(for time: Duration) async -> Bool {
        do { try await Task.sleep(for: time) } catch { return false }
        return true
    }
}
