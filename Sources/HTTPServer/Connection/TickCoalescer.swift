import NIOCore
import NIOPosix
import Synchronization

/// Delays work until an event loop has handled all sockets that are ready, and runs it once per tick. The queries of all
/// requests of one tick then leave in one write, which wakes a Postgres backend once instead of once per query.
public final class TickCoalescer: Sendable {
    private final class Pending: Sendable {
        let isScheduled = Atomic(false)
    }

    /// One per event loop.
    private let pending = ThreadSpecificVariable<Pending>()

    public init() {}

    /// Schedules `work` for the end of the tick, unless it is scheduled already. All callers pass the same work.
    /// - Returns: false, without scheduling, when the current thread is not an event loop's.
    public func schedule(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard let loop = MultiThreadedEventLoopGroup.currentEventLoop else { return false }
        let pending = pendingOfThisThread
        guard !pending.isScheduled.exchange(true, ordering: .relaxed) else { return true }
        loop.execute {
            pending.isScheduled.store(false, ordering: .relaxed)
            work()
        }
        return true
    }

    private var pendingOfThisThread: Pending {
        if let known = pending.currentValue { return known }
        let new = Pending()
        pending.currentValue = new
        return new
    }
}
