import Synchronization
import Threads

/// Threads for password hashes. A hash keeps a core busy for many milliseconds, which would block the other tasks of a
/// cooperative thread or the other connections of an event loop.
///
/// A thread ends when no hash is waiting, so the pool needs no shutdown. The queue is bounded and divided fairly
/// (``HashingQueue``), and work that finds it full is rejected at once. The threads have a lower priority than those that
/// answer other calls.
package final class HashingThreadPool: Sendable {
    private struct Item {
        let number: UInt64
        let deadline: ContinuousClock.Instant?
        /// Called exactly once: with nil to do the work, or with the error to return instead.
        let run: @Sendable (HashingThreadPoolError?) -> Void
    }

    private struct State {
        var running = 0
        var started: UInt64 = 0
        var waiting: HashingQueue<Item>
        /// Items that were cancelled before they were queued, since the cancellation handler may run first.
        var cancelledEarly: Set<UInt64> = []
    }

    private let state: Mutex<State>
    private let maxThreads: Int

    /// - Parameters:
    ///   - maxThreads: the number of hashes that are computed at the same time.
    ///   - maxWaiting: the number of hashes that may wait for a thread: of known origins, and of strangers.
    package init(maxThreads: Int = 2, maxWaiting: Int = 64) {
        self.maxThreads = maxThreads
        state = Mutex(State(waiting: HashingQueue(capacity: maxWaiting)))
    }

    /// The number of hashes that are being computed and the number that wait.
    package var load: (running: Int, waiting: Int) {
        state.withLock { ($0.running, $0.waiting.count) }
    }

    /// Runs `work` on a thread of the pool and returns its result. Once it has begun, it is not cancelled.
    package func run<R: Sendable>(
        for origin: HashingOrigin, deadline: ContinuousClock.Instant? = nil, _ work: @escaping @Sendable () -> R
    ) async throws(HashingThreadPoolError) -> R {
        let number = state.withLock { state in
            state.started += 1
            return state.started
        }
        let outcome: Result<R, HashingThreadPoolError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enqueue(
                    Item(number: number, deadline: deadline) { error in
                        continuation.resume(returning: error.map { .failure($0) } ?? .success(work()))
                    }, from: origin)
            }
        } onCancel: {
            cancel(number)
        }
        state.withLock { _ = $0.cancelledEarly.remove(number) }
        return try outcome.get()
    }

    private func enqueue(_ item: Item, from origin: HashingOrigin) {
        enum Decision { case start, wait(displaced: Item?), reject(HashingThreadPoolError) }
        let decision: Decision = state.withLock { state in
            if state.cancelledEarly.remove(item.number) != nil { return .reject(.cancelled) }
            if state.running < maxThreads {
                state.running += 1
                return .start
            }
            return switch state.waiting.add(item, item.number, from: origin) {
            case .admitted(let displaced): .wait(displaced: displaced)
            case .rejected: .reject(.queueFull)
            }
        }
        switch decision {
        case .wait(let displaced): displaced?.run(.queueFull)
        case .reject(let error): item.run(error)
        case .start:
            if !BlockingThread.run(name: "hashing", priority: .low, { self.work(from: item) }) {
                state.withLock { $0.running -= 1 }
                item.run(.queueFull)
            }
        }
    }

    private func cancel(_ number: UInt64) {
        let item: Item? = state.withLock { state in
            if let item = state.waiting.remove(number) { return item }
            state.cancelledEarly.insert(number)
            return nil
        }
        item?.run(.cancelled)
    }

    /// The body of a thread: runs its first item, and then waiting ones until there are none.
    private func work(from first: Item) {
        var next: Item? = first
        while let item = next {
            let isOverdue = item.deadline.map { $0 < .now } ?? false
            item.run(isOverdue ? .deadlineExceeded : nil)
            next = state.withLock { state in
                let next = state.waiting.next()
                if next == nil { state.running -= 1 }
                return next
            }
        }
    }
}

/// Why a hash was not computed.
package enum HashingThreadPoolError: Error, Equatable {
    /// As many hashes as allowed are waiting already, or one of another account or network took the place.
    case queueFull
    /// The calling task was cancelled before a thread was free.
    case cancelled
    /// The deadline passed before a thread was free.
    case deadlineExceeded
}
