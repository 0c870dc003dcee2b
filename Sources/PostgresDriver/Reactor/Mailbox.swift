import CLibPQ
import Glibc
import Synchronization

/// Work that other threads hand to the reactor. Its thread is woken through an eventfd, and only when it sleeps.
final class Mailbox: Sendable {
    enum Message: Sendable {
        case submit(PoolRequest)
        case cancel(PoolRequest)
        case perform(@Reactor @Sendable () -> Void)
    }

    private struct State {
        var messages: [Message] = []
        /// Jobs of the actor. Only the reactor's thread runs them.
        var jobs: [UnownedJob] = []
        var isSleeping = false

        var isEmpty: Bool { messages.isEmpty && jobs.isEmpty }

        /// - Returns: whether the thread must be woken.
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

    /// Adds a message and wakes the reactor's thread if it sleeps.
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

    /// Adds a message without waking the thread. The caller must have the mailbox read: see `Reactor.runPendingWork`.
    func enqueue(_ message: Message) {
        state.withLock { $0.messages.append(message) }
    }

    /// Exchanges the messages for an empty array and reuses its storage.
    func take(into messages: inout [Message]) {
        state.withLock { swap(&$0.messages, &messages) }
    }

    func take(into jobs: inout [UnownedJob]) {
        state.withLock { swap(&$0.jobs, &jobs) }
    }

    var hasMessages: Bool { state.withLock { !$0.messages.isEmpty } }

    /// To be called before the thread sleeps.
    /// - Returns: false when there is something to do.
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
        // It fails only when the counter would overflow, and then the thread is awake.
        _ = write(eventDescriptor, &one, 8)
    }
}
