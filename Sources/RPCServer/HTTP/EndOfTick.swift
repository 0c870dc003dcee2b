import NIOCore
import NIOPosix
import Synchronization

/// Puts work off until an event loop has read all that is ready: what the requests of one round ask of the database
/// then leaves in one write, and wakes a backend once instead of once each.
public final class EndOfTick: Sendable {
    private final class Pending: Sendable {
        let isPutOff = Atomic(false)
    }

    /// One per event loop.
    private let pending = ThreadSpecificVariable<Pending>()

    public init() {}

    /// Runs `work` once, however often it was put off since it last ran on this event loop.
    /// - Returns: false on a thread that is no event loop's; nothing is put off then.
    public func putOff(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard let loop = MultiThreadedEventLoopGroup.currentEventLoop else { return false }
        let pending = ofThisThread
        guard !pending.isPutOff.exchange(true, ordering: .relaxed) else { return true }
        loop.execute {
            pending.isPutOff.store(false, ordering: .relaxed)
            work()
        }
        return true
    }

    private var ofThisThread: Pending {
        if let known = pending.currentValue { return known }
        let new = Pending()
        pending.currentValue = new
        return new
    }
}
