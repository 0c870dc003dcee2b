import Synchronization

/// Where the driver's thread leaves what COPY … TO STDOUT gives and a consumer takes it. When it is full the thread
/// stops reading from the connection, and the server waits.
final class CopyOutlet: Sendable {
    private struct State {
        var chunks = FIFO<[UInt8]>()
        var bytes = 0
        /// The driver's thread has stopped reading.
        var isPaused = false
        /// Nobody wants what comes.
        var isUnwanted = false
        var outcome: PoolRequest.Outcome?
        var waiter: UnsafeContinuation<Void, Never>?
    }

    static let limit = 256 << 10

    private let state = Mutex(State())

    // MARK: The driver's side

    /// - Returns: whether to go on reading; if not, the consumer says when.
    func push(_ chunk: [UInt8]) -> Bool {
        let (goesOn, waiter) = state.withLock { state in
            guard !state.isUnwanted else { return (true, nil as UnsafeContinuation<Void, Never>?) }
            state.chunks.append(chunk)
            state.bytes += chunk.count
            state.isPaused = state.bytes >= Self.limit
            return (!state.isPaused, state.waiter.take())
        }
        waiter?.resume()
        return goesOn
    }

    /// What comes from here on is thrown away.
    func discard() {
        state.withLock { state in
            state.isUnwanted = true
            state.isPaused = false
            _ = state.chunks.drain()
            state.bytes = 0
        }
    }

    func finish(_ outcome: PoolRequest.Outcome) {
        let waiter = state.withLock { state in
            state.outcome = outcome
            return state.waiter.take()
        }
        waiter?.resume()
    }

    // MARK: The consumer's side

    /// The next chunk; nil at the end.
    /// - Parameter resume: called when the driver's thread may read again.
    nonisolated(nonsending) func next(resume: () -> Void) async throws(PostgresError) -> [UInt8]? {
        while true {
            let (chunk, outcome, mayGoOn) = state.withLock { state in
                guard let chunk = state.chunks.popFirst() else { return (nil as [UInt8]?, state.outcome, false) }
                state.bytes -= chunk.count
                let mayGoOn = state.isPaused && state.bytes <= Self.limit / 2
                if mayGoOn { state.isPaused = false }
                return (chunk, nil, mayGoOn)
            }
            if mayGoOn { resume() }
            if let chunk { return chunk }
            if let outcome {
                try outcome.done()
                return nil
            }
            await withUnsafeContinuation { continuation in
                let isReady = state.withLock { state in
                    if !state.chunks.isEmpty || state.outcome != nil { return true }
                    state.waiter = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        }
    }

    /// Of both what waits and, for tests, the proof that it is bounded.
    var bytes: Int { state.withLock { $0.bytes } }
}
