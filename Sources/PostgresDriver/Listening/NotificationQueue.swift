/// What waits for a listener's consumer: bounded, the oldest goes first. Pure.
///
/// Between the events stand marks: instants up to which everything was heard. A mark counts once the consumer asks for
/// more than what stands before it, which means that it has dealt with that.
struct NotificationQueue {
    let capacity: Int
    private var events = FIFO<ListenEvent>()
    private var marks: [(after: Int, heardAt: ContinuousClock.Instant)] = []
    private var appended = 0
    private var taken = 0
    private var hasDropped = false

    /// Everything committed before it has been taken and dealt with; nil while that cannot be said.
    private(set) var heardAt: ContinuousClock.Instant?

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { events.count }

    mutating func append(_ event: ListenEvent) {
        if case .interrupted = event {
            marks.removeAll()
            heardAt = nil
        }
        if events.count == capacity {
            _ = events.popFirst()
            taken += 1
            hasDropped = true
        }
        events.append(event)
        appended += 1
    }

    /// - Parameter isAwaited: whether the consumer waits for an event at this moment.
    mutating func mark(_ instant: ContinuousClock.Instant, isAwaited: Bool) {
        if isAwaited, taken == appended, !hasDropped {
            heardAt = instant
        } else if marks.last?.after == appended {
            marks[marks.count - 1].heardAt = instant
        } else {
            marks.append((appended, instant))
        }
    }

    /// The next event, for a consumer that has dealt with those before.
    mutating func next() -> ListenEvent? {
        if hasDropped {
            hasDropped = false
            return .listening(mayHaveMissed: true)
        }
        if let reached = marks.lastIndex(where: { $0.after <= taken }) {
            heardAt = marks[reached].heardAt
            marks.removeSubrange(...reached)
        }
        guard let event = events.popFirst() else { return nil }
        taken += 1
        return event
    }

    /// Nothing is heard any more; what was heard may still be taken unless it is to be forgotten.
    mutating func end(forgetting: Bool) {
        marks.removeAll()
        heardAt = nil
        if forgetting {
            _ = events.drain()
            taken = appended
            hasDropped = false
        }
    }
}
