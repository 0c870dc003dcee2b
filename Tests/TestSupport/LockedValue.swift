import Synchronization

/// A value that several tasks or threads of a test read and change.
package final class LockedValue<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    package init(_ value: Value) { state = Mutex(value) }

    package func withLock<R: Sendable>(_ body: (inout Value) -> R) -> R {
        state.withLock { value in body(&value) }
    }

    /// A copy of the present value.
    package var value: Value { withLock { $0 } }
}

/// A condition that one task sets and others poll; it is never reset.
package final class Flag: Sendable {
    private let state = LockedValue(false)

    package init() {}

    package var isSet: Bool { state.value }

    package func set() { state.withLock { $0 = true } }
}

/// Keeps the events that a handler receives, in the order of their arrival.
package final class EventRecorder<Event: Sendable>: Sendable {
    private let events = LockedValue<[Event]>([])

    package init() {}

    package func record(_ event: Event) { events.withLock { $0.append(event) } }

    /// Every event so far.
    package var all: [Event] { events.value }
}
