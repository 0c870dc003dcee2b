import Synchronization

/// The events of a listener between the driver's thread and the consumer's task.
final class NotificationBuffer: Sendable {
    private struct State {
        var queue: NotificationQueue
        var consumer: UnsafeContinuation<ListenEvent?, Never>?
        var isIterated = false
        var isEnded = false
    }

    private let state: Mutex<State>

    /// - Parameter capacity: the number of events that are kept; older ones are dropped.
    init(capacity: Int) {
        state = Mutex(State(queue: NotificationQueue(capacity: capacity)))
    }

    var upToDateAsOf: ContinuousClock.Instant? { state.withLock { $0.queue.upToDateAsOf } }

    // MARK: On the driver's thread

    func append(_ event: ListenEvent) {
        let delivery = state.withLock { state -> (UnsafeContinuation<ListenEvent?, Never>, ListenEvent)? in
            guard !state.isEnded else { return nil }
            state.queue.append(event)
            guard let consumer = state.consumer, let next = state.queue.next() else { return nil }
            state.consumer = nil
            return (consumer, next)
        }
        if let (consumer, event) = delivery { consumer.resume(returning: event) }
    }

    /// Records that every notification committed before `instant` has been appended.
    func mark(_ instant: ContinuousClock.Instant) {
        state.withLock { state in
            guard !state.isEnded else { return }
            state.queue.mark(instant, consumerIsWaiting: state.consumer != nil)
        }
    }

    // MARK: On either side

    /// - Parameter discarding: whether events that have not been taken are dropped.
    func end(discarding: Bool) {
        let consumer = state.withLock { state in
            state.isEnded = true
            state.queue.end(discarding: discarding)
            return state.consumer.take()
        }
        consumer?.resume(returning: nil)
    }

    // MARK: In the consumer's task

    /// - Returns: whether this is the first iteration.
    func beginIteration() -> Bool {
        state.withLock { state in
            defer { state.isIterated = true }
            return !state.isIterated
        }
    }

    nonisolated(nonsending) func next() async -> ListenEvent? {
        await withUnsafeContinuation { continuation in
            let immediate = state.withLock { state -> ListenEvent?? in
                if let event = state.queue.next() { return .some(event) }
                if state.isEnded { return .some(nil) }
                state.consumer = continuation
                return nil
            }
            if let event = immediate { continuation.resume(returning: event) }
        }
    }
}

/// The events that wait for a listener's consumer: a bounded queue that drops the oldest. Pure.
///
/// Between the events are marks: instants up to which every notification has been appended. A mark takes effect when the
/// consumer asks for the event after it, which means that the consumer has processed the events before it.
struct NotificationQueue {
    let capacity: Int
    private var events = FIFO<ListenEvent>()
    private var marks: [(after: Int, instant: ContinuousClock.Instant)] = []
    private var appended = 0
    private var taken = 0
    private var hasDropped = false

    /// The consumer has processed every notification committed before this instant; nil when that is unknown.
    private(set) var upToDateAsOf: ContinuousClock.Instant?

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { events.count }

    mutating func append(_ event: ListenEvent) {
        if case .interrupted = event {
            marks.removeAll()
            upToDateAsOf = nil
        }
        if events.count == capacity {
            _ = events.popFirst()
            taken += 1
            hasDropped = true
        }
        events.append(event)
        appended += 1
    }

    /// - Parameter consumerIsWaiting: whether the consumer is waiting for an event at this moment.
    mutating func mark(_ instant: ContinuousClock.Instant, consumerIsWaiting: Bool) {
        if consumerIsWaiting, taken == appended, !hasDropped {
            upToDateAsOf = instant
        } else if marks.last?.after == appended {
            marks[marks.count - 1].instant = instant
        } else {
            marks.append((appended, instant))
        }
    }

    /// Removes the next event. The consumer has processed the events before it.
    mutating func next() -> ListenEvent? {
        if hasDropped {
            hasDropped = false
            return .listening(mayHaveMissed: true)
        }
        if let reached = marks.lastIndex(where: { $0.after <= taken }) {
            upToDateAsOf = marks[reached].instant
            marks.removeSubrange(...reached)
        }
        guard let event = events.popFirst() else { return nil }
        taken += 1
        return event
    }

    /// - Parameter discarding: whether events that have not been taken are dropped.
    mutating func end(discarding: Bool) {
        marks.removeAll()
        upToDateAsOf = nil
        if discarding {
            _ = events.drain()
            taken = appended
            hasDropped = false
        }
    }
}
