import Dispatch
import Synchronization

/// Blocks the threads that enter it until the test lets them through, so that a test can look while work is under way.
package final class BlockingGate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let count = Atomic<Int>(0)
    private let highest = Atomic<Int>(0)

    package init() {}

    /// The number of threads that are blocked at this moment.
    package var waiting: Int { count.load(ordering: .relaxed) }

    /// The highest number of threads that were blocked at the same moment.
    package var mostWaiting: Int { highest.load(ordering: .relaxed) }

    /// Blocks the calling thread until `open` lets it through.
    package func enter() {
        highest.max(count.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
        semaphore.wait()
        count.subtract(1, ordering: .relaxed)
    }

    /// Lets so many threads through, including those that enter later.
    package func open(_ threads: Int = 1) {
        for _ in 0..<threads { semaphore.signal() }
    }
}
