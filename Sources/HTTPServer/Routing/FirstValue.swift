import Synchronization

/// Resumes one continuation with the first of several values.
final class FirstValue<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case awaited(CheckedContinuation<Value, Never>)
        case set(Value)
        case resumed
    }

    private let state = Mutex(State.empty)

    func set(_ value: Value) {
        let continuation: CheckedContinuation<Value, Never>? = state.withLock { state in
            switch state {
            case .empty:
                state = .set(value)
                return nil
            case .awaited(let continuation):
                state = .resumed
                return continuation
            case .set, .resumed: return nil
            }
        }
        continuation?.resume(returning: value)
    }

    func resume(_ continuation: CheckedContinuation<Value, Never>) {
        let value: Value? = state.withLock { state in
            if case .set(let value) = state {
                state = .resumed
                return value
            }
            state = .awaited(continuation)
            return nil
        }
        if let value { continuation.resume(returning: value) }
    }
}
