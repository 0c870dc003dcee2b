import Synchronization

/// A value that several tasks of a test change.
package final class Guarded<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    package init(_ value: Value) { state = Mutex(value) }

    package func withLock<R: Sendable>(_ body: (inout Value) -> R) -> R {
        state.withLock { value in body(&value) }
    }

    package var value: Value { withLock { $0 } }
}
