import Dispatch
import Glibc
import Synchronization

/// Takes log lines from any thread without ever making it wait, and writes them on a queue of its own, many at a time.
///
/// What is not written yet is bounded: while the other end of the descriptor does not read, further lines are counted
/// and the count is written once it reads again.
package final class LogSink: Sendable {
    private struct State {
        var pending: [UInt8] = []
        /// What has been written last, empty, for its memory.
        var spare: [UInt8] = []
        var dropped = 0
        var isScheduled = false
    }

    /// Lines wait this long for others to leave with them; urgent ones do not.
    private static let patience = DispatchTimeInterval.milliseconds(50)

    private static let keptCapacity = 256 << 10

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "learntrack.log")
    private let descriptor: Int32
    private let capacity: Int

    /// - Parameters:
    ///   - descriptor: stays open and belongs to the caller.
    ///   - capacity: how many bytes may wait.
    package init(descriptor: Int32 = STDERR_FILENO, capacity: Int = 4 << 20) {
        self.descriptor = descriptor
        self.capacity = capacity
    }

    /// Adds a line, which `line` appends with its newline.
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
            queue.asyncAfter(deadline: .now() + Self.patience) { self.drain() }
        }
    }

    /// Waits until what was written before has left, or `limit` is over: for the end of the process, not for an event
    /// loop.
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
        guard bytes.capacity <= Self.keptCapacity else { return }
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
                // Nobody reads any more, and there is nowhere to say so.
                return
            }
        }
    }
}
