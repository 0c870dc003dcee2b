import Synchronization

/// The bytes of COPY … FROM STDIN between the producer's task and the driver's thread. It holds at most `limit` bytes
/// and one chunk; the producer waits while it is full.
final class CopyInBuffer: Sendable {
    enum End: Equatable {
        case complete
        /// The server must undo what it has received.
        case aborted
    }

    private struct State {
        var bytes: [UInt8] = []
        var end: End?
        /// The driver's thread has been woken and has not called `take` since.
        var isWakeupPending = false
        var isClosed = false
        var producer: UnsafeContinuation<Void, Never>?
    }

    /// In bytes.
    static let limit = 128 << 10

    private let state = Mutex(State())

    // MARK: On the driver's thread

    /// Removes the bytes appended since the last call. `end` is set once the producer has finished.
    func take() -> (bytes: [UInt8], end: End?) {
        let (bytes, end, producer) = state.withLock { state in
            defer {
                state.bytes = []
                state.isWakeupPending = false
            }
            return (state.bytes, state.end, state.producer.take())
        }
        producer?.resume()
        return (bytes, end)
    }

    /// Ends the transfer: drops the bytes and makes every further `append` return false.
    func close() {
        let producer = state.withLock { state in
            state.isClosed = true
            state.bytes = []
            return state.producer.take()
        }
        producer?.resume()
    }

    // MARK: In the producer's task

    /// Waits while the buffer is full, then adds `chunk`.
    /// - Parameter wake: called when the driver's thread must be woken to send the bytes.
    /// - Returns: false when the COPY has ended.
    nonisolated(nonsending) func append(_ chunk: [UInt8], wake: () -> Void) async -> Bool {
        guard await waitForSpace() else { return false }
        let needsWakeup = state.withLock { state in
            state.bytes.append(contentsOf: chunk)
            defer { state.isWakeupPending = true }
            return !state.isWakeupPending
        }
        if needsWakeup { wake() }
        return true
    }

    private nonisolated(nonsending) func waitForSpace() async -> Bool {
        while true {
            let (isClosed, isFull) = state.withLock { ($0.isClosed, $0.bytes.count >= Self.limit) }
            if isClosed { return false }
            if !isFull { return true }
            await withUnsafeContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.isClosed || state.bytes.count < Self.limit { return true }
                    state.producer = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        }
    }

    func finish(_ end: End) {
        state.withLock { $0.end = end }
    }
}

/// The chunks of COPY … TO STDOUT between the driver's thread and the consumer's task. When it holds `limit` bytes, the
/// driver stops reading from the socket, and TCP makes the server wait.
final class CopyOutBuffer: Sendable {
    private struct State {
        var chunks = FIFO<[UInt8]>()
        var bytes = 0
        /// The driver's thread has stopped reading.
        var isPaused = false
        /// Further chunks are dropped.
        var isDiscarding = false
        var outcome: PoolRequest.Outcome?
        var consumer: UnsafeContinuation<Void, Never>?
    }

    /// In bytes. Reading starts again when half of them have been taken.
    static let limit = 256 << 10

    private let state = Mutex(State())

    // MARK: On the driver's thread

    /// - Returns: whether to continue reading. If not, `next` calls its `resume` when there is space.
    func append(_ chunk: [UInt8]) -> Bool {
        let (continues, consumer) = state.withLock { state in
            guard !state.isDiscarding else { return (true, nil as UnsafeContinuation<Void, Never>?) }
            state.chunks.append(chunk)
            state.bytes += chunk.count
            state.isPaused = state.bytes >= Self.limit
            return (!state.isPaused, state.consumer.take())
        }
        consumer?.resume()
        return continues
    }

    /// Drops the chunks that are here, and those that follow.
    func discard() {
        state.withLock { state in
            state.isDiscarding = true
            state.isPaused = false
            _ = state.chunks.drain()
            state.bytes = 0
        }
    }

    func finish(_ outcome: PoolRequest.Outcome) {
        let consumer = state.withLock { state in
            state.outcome = outcome
            return state.consumer.take()
        }
        consumer?.resume()
    }

    // MARK: In the consumer's task

    /// The next chunk; nil at the end.
    /// - Parameter resume: called when the driver's thread must start to read again.
    nonisolated(nonsending) func next(resume: () -> Void) async throws(PostgresError) -> [UInt8]? {
        while true {
            let (chunk, outcome, needsResume) = state.withLock { state in
                guard let chunk = state.chunks.popFirst() else { return (nil as [UInt8]?, state.outcome, false) }
                state.bytes -= chunk.count
                let needsResume = state.isPaused && state.bytes <= Self.limit / 2
                if needsResume { state.isPaused = false }
                return (chunk, nil, needsResume)
            }
            if needsResume { resume() }
            if let chunk { return chunk }
            if let outcome {
                try outcome.done()
                return nil
            }
            await withUnsafeContinuation { continuation in
                let isReady = state.withLock { state in
                    if !state.chunks.isEmpty || state.outcome != nil { return true }
                    state.consumer = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        }
    }

    /// The number of bytes that wait for the consumer.
    var bytes: Int { state.withLock { $0.bytes } }
}
