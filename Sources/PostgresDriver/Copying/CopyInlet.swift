import Synchronization

/// Where a producer leaves bytes for COPY … FROM STDIN and the driver's thread takes them. It holds no more than its
/// limit and one chunk: the producer waits while it is full.
final class CopyInlet: Sendable {
    enum End: Equatable {
        case complete
        /// The server undoes what it has received.
        case abandoned
    }

    private struct State {
        var bytes: [UInt8] = []
        var end: End?
        /// The driver's thread has been told that there is something, and has not looked yet.
        var isAnnounced = false
        var isOver = false
        var waiter: UnsafeContinuation<Void, Never>?
    }

    static let limit = 128 << 10

    private let state = Mutex(State())

    // MARK: The driver's side

    /// What has come since the last time, and whether it was the last.
    func take() -> (bytes: [UInt8], end: End?) {
        let (bytes, end, waiter) = state.withLock { state in
            defer {
                state.bytes = []
                state.isAnnounced = false
            }
            return (state.bytes, state.end, state.waiter.take())
        }
        waiter?.resume()
        return (bytes, end)
    }

    /// The COPY is over, whatever the producer still has.
    func close() {
        let waiter = state.withLock { state in
            state.isOver = true
            state.bytes = []
            return state.waiter.take()
        }
        waiter?.resume()
    }

    // MARK: The producer's side

    /// Waits while it is full, then adds `chunk`.
    /// - Parameter announce: called when the driver's thread must be told.
    /// - Returns: false when the COPY is over.
    nonisolated(nonsending) func write(_ chunk: [UInt8], announce: () -> Void) async -> Bool {
        guard await room() else { return false }
        let isNews = state.withLock { state in
            state.bytes.append(contentsOf: chunk)
            defer { state.isAnnounced = true }
            return !state.isAnnounced
        }
        if isNews { announce() }
        return true
    }

    private nonisolated(nonsending) func room() async -> Bool {
        while true {
            let (isOver, isFull) = state.withLock { ($0.isOver, $0.bytes.count >= Self.limit) }
            if isOver { return false }
            if !isFull { return true }
            await withUnsafeContinuation { continuation in
                let isFree = state.withLock { state in
                    if state.isOver || state.bytes.count < Self.limit { return true }
                    state.waiter = continuation
                    return false
                }
                if isFree { continuation.resume() }
            }
        }
    }

    func end(_ end: End) {
        state.withLock { $0.end = end }
    }
}
