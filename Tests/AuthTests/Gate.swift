import Dispatch
import Synchronization

/// Work that stays on its thread until it is let go.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let count = Atomic<Int>(0)
    private let highest = Atomic<Int>(0)

    /// How many are held at this moment.
    var inside: Int { count.load(ordering: .relaxed) }

    /// The most that were held at one moment.
    var most: Int { highest.load(ordering: .relaxed) }

    func pass() {
        highest.max(count.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
        semaphore.wait()
        count.subtract(1, ordering: .relaxed)
    }

    func open(_ times: Int = 1) {
        for _ in 0..<times { semaphore.signal() }
    }
}
