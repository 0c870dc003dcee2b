import Synchronization

/// Where the driver's thread leaves events and the consumer's task takes them.
final class NotificationOutlet: Sendable {
    private struct State {
        var queue: NotificationQueue
        var waiter: UnsafeContinuation<ListenEvent?, Never>?
        var isIterated = false
        var isEnded = false
    }

    private let state: Mutex<State>

    init(capacity: Int) {
        state = Mutex(State(queue: NotificationQueue(capacity: capacity)))
    }

    var heardAt: ContinuousClock.Instant? { state.withLock { $0.queue.heardAt } }

    // MARK: The driver's side

    func push(_ event: ListenEvent) {
        let delivery = state.withLock { state -> (UnsafeContinuation<ListenEvent?, Never>, ListenEvent)? in
            guard !state.isEnded else { return nil }
            state.queue.append(event)
            guard let waiter = state.waiter, let next = state.queue.next() else { return nil }
            state.waiter = nil
            return (waiter, next)
        }
        if let (waiter, event) = delivery { waiter.resume(returning: event) }
    }

    func heard(_ instant: ContinuousClock.Instant) {
        state.withLock { state in
            guard !state.isEnded else { return }
            state.queue.mark(instant, isAwaited: state.waiter != nil)
        }
    }

    // MARK: Both sides

    /// - Parameter forgetting: whether what has not been taken is of no interest any more.
    func end(forgetting: Bool) {
        let waiter = state.withLock { state in
            state.isEnded = true
            state.queue.end(forgetting: forgetting)
            return state.waiter.take()
        }
        waiter?.resume(returning: nil)
    }

    // MARK: The consumer's side

    /// Whether this is the first iteration.
    func beginIteration() -> Bool {
        state.withLock { state in
            defer { state.isIterated = true }
            return !state.isIterated
        }
    }

    nonisolated(nonsending) func next() async -> ListenEvent? {
        await withUnsafeContinuation { continuation in
            let isOver = state.withLock { state -> ListenEvent?? in
                if let event = state.queue.next() { return .some(event) }
                if state.isEnded { return .some(nil) }
                state.waiter = continuation
                return nil
            }
            if let event = isOver { continuation.resume(returning: event) }
        }
    }
}
