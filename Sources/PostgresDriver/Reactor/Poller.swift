import CLibPQ
import Glibc

/// Linux's epoll, level-triggered for sockets. It does not own the descriptors and never closes one.
struct Poller: Sendable {
    struct Readiness: Sendable {
        let id: UInt64
        let isReadable: Bool
        let isWritable: Bool
    }

    /// The id under which the mailbox's eventfd is registered.
    static let wakeUp: UInt64 = 0

    private let descriptor: Int32

    init(wakeUpDescriptor: Int32) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        precondition(descriptor >= 0, "no epoll: errno \(errno)")
        change(EPOLL_CTL_ADD, wakeUpDescriptor, Self.wakeUp, EPOLLIN.rawValue | EPOLLET.rawValue)
    }

    func add(_ socket: Int32, id: UInt64) {
        change(EPOLL_CTL_ADD, socket, id, EPOLLIN.rawValue)
    }

    func modify(_ socket: Int32, id: UInt64, wantsWrite: Bool) {
        change(EPOLL_CTL_MOD, socket, id, EPOLLIN.rawValue | (wantsWrite ? EPOLLOUT.rawValue : 0))
    }

    func remove(_ socket: Int32) {
        change(EPOLL_CTL_DEL, socket, 0, 0)
    }

    /// Ignores errors: libpq may have closed the descriptor, and then the kernel has removed it already.
    private func change(_ operation: Int32, _ socket: Int32, _ id: UInt64, _ events: UInt32) {
        var event = epoll_event()
        event.events = events
        event.data.u64 = id
        _ = epoll_ctl(descriptor, operation, socket, &event)
    }

    /// The waiting side, used by one thread only.
    struct Waiter {
        private let descriptor: Int32
        private var events = [epoll_event](repeating: epoll_event(), count: 64)

        init(_ poller: Poller) {
            descriptor = poller.descriptor
        }

        /// Waits until a socket is ready or the mailbox wakes the thread.
        /// - Parameters:
        ///   - timeout: in milliseconds; -1 waits without limit.
        ///   - ready: replaced by the sockets that are ready.
        mutating func wait(timeout: Int32, into ready: inout [Readiness]) {
            ready.removeAll(keepingCapacity: true)
            let count = events.withUnsafeMutableBufferPointer { buffer in
                epoll_wait(descriptor, buffer.baseAddress, Int32(buffer.count), timeout)
            }
            guard count > 0 else { return }
            for event in events[0..<Int(count)] where event.data.u64 != Poller.wakeUp {
                let mask = event.events
                // The next read reports what an error or hang-up was.
                let broken = mask & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
                ready.append(
                    Readiness(
                        id: event.data.u64, isReadable: broken || mask & EPOLLIN.rawValue != 0,
                        isWritable: mask & EPOLLOUT.rawValue != 0))
            }
        }
    }
}
