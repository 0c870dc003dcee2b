import CLibPQ
import Glibc
import Synchronization

/// Where other threads leave work for the driver's thread. A write to the eventfd wakes it, only when it sleeps.
final class Mailbox: Sendable {
    enum Message: Sendable {
        case submit(Call)
        case cancel(Call)
        case perform(@Reactor @Sendable () -> Void)
        case job(UnownedJob)
    }

    private struct State {
        var messages: [Message] = []
        var isSleeping = false
    }

    private let state = Mutex(State())
    /// Edge-triggered in the poller, so its count is never read back.
    let eventDescriptor: Int32

    init() {
        eventDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(eventDescriptor >= 0, "no eventfd: errno \(errno)")
    }

    func post(_ message: Message) {
        let wakes = state.withLock { state in
            state.messages.append(message)
            defer { state.isSleeping = false }
            return state.isSleeping
        }
        if wakes {
            var one: UInt64 = 1
            // Fails only when the count would overflow, and then the thread is awake anyway.
            _ = write(eventDescriptor, &one, 8)
        }
    }

    /// Swaps what came for an empty array, whose storage is used again.
    func take(into messages: inout [Message]) {
        state.withLock { state in
            state.isSleeping = false
            swap(&state.messages, &messages)
        }
    }

    /// Announces sleep, unless something came in the meantime.
    func maySleep() -> Bool {
        state.withLock { state in
            state.isSleeping = state.messages.isEmpty
            return state.isSleeping
        }
    }
}
