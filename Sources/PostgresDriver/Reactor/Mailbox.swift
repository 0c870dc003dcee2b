import CLibPQ
import Glibc
import Synchronization

/// Where other threads leave work for the driver. A write to the eventfd wakes the driver's thread, only when it sleeps.
final class Mailbox: Sendable {
    enum Message: Sendable {
        case submit(PoolRequest)
        case cancel(PoolRequest)
        case perform(@Reactor @Sendable () -> Void)
    }

    private struct State {
        var messages: [Message] = []
        /// Of the actor; run by the driver's own thread alone.
        var jobs: [UnownedJob] = []
        var isSleeping = false

        var isEmpty: Bool { messages.isEmpty && jobs.isEmpty }

        /// Answers whether the thread has to be woken.
        mutating func wake() -> Bool {
            defer { isSleeping = false }
            return isSleeping
        }
    }

    private let state = Mutex(State())
    /// Edge-triggered in the poller, so its count is never read back.
    let eventDescriptor: Int32

    init() {
        eventDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(eventDescriptor >= 0, "no eventfd: errno \(errno)")
    }

    /// Leaves a message and has the driver's thread look at it.
    func post(_ message: Message) {
        let wakes = state.withLock { state in
            state.messages.append(message)
            return state.wake()
        }
        if wakes { wakeUp() }
    }

    func post(_ job: UnownedJob) {
        let wakes = state.withLock { state in
            state.jobs.append(job)
            return state.wake()
        }
        if wakes { wakeUp() }
    }

    /// Leaves a message for whoever looks next.
    func enqueue(_ message: Message) {
        state.withLock { $0.messages.append(message) }
    }

    /// Swaps what came for an empty array, whose storage is used again.
    func take(into messages: inout [Message]) {
        state.withLock { swap(&$0.messages, &messages) }
    }

    func take(into jobs: inout [UnownedJob]) {
        state.withLock { swap(&$0.jobs, &jobs) }
    }

    var hasMessages: Bool { state.withLock { !$0.messages.isEmpty } }

    /// Announces sleep, unless something came in the meantime.
    func prepareToSleep() -> Bool {
        state.withLock { state in
            state.isSleeping = state.isEmpty
            return state.isSleeping
        }
    }

    func didWake() {
        state.withLock { $0.isSleeping = false }
    }

    func wakeUp() {
        var one: UInt64 = 1
        // Fails only when the count would overflow, and then the thread is awake anyway.
        _ = write(eventDescriptor, &one, 8)
    }
}
