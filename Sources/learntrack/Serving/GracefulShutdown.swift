import Synchronization

/// The wish that the server end. What it means depends on how far the server is: a start is called off, and what serves
/// finishes its requests.
final class StopRequest: Sendable {
    private struct State {
        var isMade = false
        var start: Task<Void, any Error>?
        var drain: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    var isMade: Bool { state.withLock { $0.isMade } }

    /// May be made again; the server is reminded.
    func make() {
        act { $0.isMade = true }
    }

    /// Until the server serves, it is this task that ends.
    func cancels(_ start: Task<Void, any Error>) {
        act { $0.start = start }
    }

    /// From now on the server serves, and ends by this.
    func drains(by drain: @escaping @Sendable () -> Void) {
        act { $0.drain = drain }
    }

    private func act(after change: (inout State) -> Void) {
        let (isMade, start, drain) = state.withLock { state in
            change(&state)
            return (state.isMade, state.start, state.drain)
        }
        guard isMade else { return }
        if let drain { drain() } else { start?.cancel() }
    }
}
