import Dispatch
import Glibc
import Synchronization

/// The request to stop the server. While the server starts, a request cancels the start; once it serves, a request makes
/// it finish the calls in progress.
final class GracefulShutdown: Sendable {
    private struct State {
        var isRequested = false
        var start: Task<Void, any Error>?
        var drain: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    var isRequested: Bool { state.withLock { $0.isRequested } }

    /// May be called more than once.
    func request() {
        update { $0.isRequested = true }
    }

    /// Sets the task that a request cancels as long as no `drain` is set.
    func cancelOnRequest(_ start: Task<Void, any Error>) {
        update { $0.start = start }
    }

    /// Sets the function that a request calls from now on.
    func drainOnRequest(_ drain: @escaping @Sendable () -> Void) {
        update { $0.drain = drain }
    }

    private func update(_ change: (inout State) -> Void) {
        let (isRequested, start, drain) = state.withLock { state in
            change(&state)
            return (state.isRequested, state.start, state.drain)
        }
        guard isRequested else { return }
        if let drain { drain() } else { start?.cancel() }
    }
}

/// Calls a function on SIGTERM and SIGINT as long as this value exists.
struct TerminationSignals: ~Copyable {
    private let sources: [any DispatchSourceSignal]

    init(_ handler: @escaping @Sendable () -> Void) {
        sources = [SIGTERM, SIGINT].map { number in
            // The default action would end the process before the source has seen the signal.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler(handler: handler)
            source.activate()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
    }
}
