import Dispatch
import Glibc
import Synchronization

/// Collects log lines from any thread and writes them to a descriptor on a dispatch queue, many at a time. A caller never
/// waits for a write.
///
/// The buffer is bounded. While it is full, because the reader of the descriptor is slow, further lines are dropped and
/// counted. The next write ends with their number.
package final class LogSink: Sendable {
    private struct State {
        var pending: [UInt8] = []
        /// The buffer of the last write, emptied, so that its memory is reused.
        var spare: [UInt8] = []
        var dropped = 0
        var isScheduled = false
    }

    /// How long lines that are not urgent wait, so that one write carries several.
    private static let writeDelay = DispatchTimeInterval.milliseconds(50)

    /// Larger buffers are not kept for reuse.
    private static let maxSpareCapacity = 256 << 10

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "learntrack.log")
    private let descriptor: Int32
    private let capacity: Int

    /// - Parameters:
    ///   - descriptor: remains the caller's.
    ///   - capacity: the size in bytes from which on further lines are dropped.
    package init(descriptor: Int32 = STDERR_FILENO, capacity: Int = 4 << 20) {
        self.descriptor = descriptor
        self.capacity = capacity
    }

    /// Adds a line.
    ///
    /// - Parameters:
    ///   - isUrgent: whether it is written at once.
    ///   - line: appends the line and its newline to the buffer; it runs under a lock.
    package func write(urgently isUrgent: Bool = false, _ line: (inout [UInt8]) -> Void) {
        let mustSchedule = state.withLock { state in
            guard state.pending.count < capacity else {
                state.dropped += 1
                return false
            }
            line(&state.pending)
            guard isUrgent || !state.isScheduled else { return false }
            state.isScheduled = true
            return true
        }
        guard mustSchedule else { return }
        if isUrgent {
            queue.async { self.drain() }
        } else {
            queue.asyncAfter(deadline: .now() + Self.writeDelay) { self.drain() }
        }
    }

    /// Blocks the thread until all lines have been written, for at most `limit`. For the end of the process; never call it
    /// on an event loop.
    package func flush(within limit: Duration = .seconds(2)) {
        let done = DispatchSemaphore(value: 0)
        queue.async {
            self.drain()
            done.signal()
        }
        let (seconds, attoseconds) = limit.components
        let limit = DispatchTimeInterval.milliseconds(Int(seconds * 1_000 + attoseconds / 1_000_000_000_000_000))
        _ = done.wait(timeout: .now() + limit)
    }

    private func drain() {
        var (bytes, dropped) = state.withLock { state in
            state.isScheduled = false
            let taken = (state.pending, state.dropped)
            state.pending = []
            swap(&state.pending, &state.spare)
            state.dropped = 0
            return taken
        }
        if dropped > 0 { bytes.append(contentsOf: "\(dropped) log lines dropped\n".utf8) }
        bytes.withUnsafeBytes(send)
        guard bytes.capacity <= Self.maxSpareCapacity else { return }
        bytes.removeAll(keepingCapacity: true)
        state.withLock { [bytes] in $0.spare = bytes }
    }

    private func send(_ bytes: UnsafeRawBufferPointer) {
        var sent = 0
        while sent < bytes.count {
            let count = Glibc.write(descriptor, bytes.baseAddress! + sent, bytes.count - sent)
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, 1_000)
            } else if errno != EINTR {
                // The descriptor is closed, and there is no other place to report that.
                return
            }
        }
    }
}
