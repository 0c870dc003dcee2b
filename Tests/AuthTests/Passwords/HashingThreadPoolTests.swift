import TestSupport
import Testing

@testable import Auth

/// security.md: "hashing | off the event loops, yescrypt cost 5 (7 takes 64 MB a hash), at most 2 at once, a bounded queue
/// behind (429 past it): logins never starve reads".
struct HashingThreadPoolTests {
    private let anyone = HashingOrigin.stranger(network: nil)

    @Test func `at most maxThreads run, maxWaiting wait, and the next is rejected at once`() async throws {
        let threads = HashingThreadPool(maxThreads: 2, maxWaiting: 3)
        let gate = BlockingGate()
        let accepted = (1...5).map { _ in
            Task { try await threads.run(for: anyone) { gate.enter() } }
        }
        try await eventually { threads.load == (2, 3) && gate.waiting == 2 }
        await #expect(throws: HashingThreadPoolError.queueFull) { try await threads.run(for: anyone) {} }
        gate.open(5)
        for task in accepted { try await task.value }
        #expect(gate.mostWaiting == 2)
        try await eventually { threads.load == (0, 0) }
        #expect(try await threads.run(for: anyone) { 42 } == 42)
    }

    @Test func `two threads run by default`() async throws {
        let threads = HashingThreadPool()
        let gate = BlockingGate()
        let all = (1...5).map { _ in Task { try await threads.run(for: anyone) { gate.enter() } } }
        try await eventually { threads.load == (2, 3) && gate.waiting == 2 }
        gate.open(5)
        for task in all { try await task.value }
        #expect(gate.mostWaiting == 2)
    }

    @Test func `a waiting item that is cancelled leaves the queue, a running one is completed`() async throws {
        let threads = HashingThreadPool(maxThreads: 1, maxWaiting: 8)
        let gate = BlockingGate()
        let running = Task { try await threads.run(for: anyone) { gate.enter() } }
        try await eventually { threads.load == (1, 0) }
        let waiting = Task { try await threads.run(for: anyone) { Issue.record("ran though cancelled") } }
        try await eventually { threads.load == (1, 1) }
        waiting.cancel()
        await #expect(throws: HashingThreadPoolError.cancelled) { try await waiting.value }
        #expect(threads.load == (1, 0))
        running.cancel()
        gate.open(1)
        try await running.value
    }

    @Test func `a task that was cancelled before it called is rejected`() async throws {
        let threads = HashingThreadPool()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await threads.run(for: anyone) { 1 }
        }
        task.cancel()
        await #expect(throws: HashingThreadPoolError.cancelled) { try await task.value }
    }

    @Test func `an item whose deadline passed while it waited is not run`() async throws {
        let threads = HashingThreadPool(maxThreads: 1, maxWaiting: 8)
        let gate = BlockingGate()
        let running = Task { try await threads.run(for: anyone) { gate.enter() } }
        try await eventually { threads.load == (1, 0) }
        let waiting = Task {
            try await threads.run(for: anyone, deadline: .now - .seconds(1)) { Issue.record("ran though late") }
        }
        try await eventually { threads.load == (1, 1) }
        gate.open(1)
        await #expect(throws: HashingThreadPoolError.deadlineExceeded) { try await waiting.value }
        try await running.value
    }

    @Test func `an owner at a known place is hashed although strangers fill the queue`() async throws {
        let threads = HashingThreadPool(maxThreads: 1, maxWaiting: 2)
        let gate = BlockingGate()
        let order = EventRecorder<String>()
        let running = Task { try await threads.run(for: anyone) { gate.enter() } }
        try await eventually { gate.waiting == 1 }
        let strangers = (1...2).map { index in
            Task { try await threads.run(for: .stranger(network: "\(index)")) { order.record("stranger") } }
        }
        try await eventually { threads.load == (1, 2) }
        let owner = Task { try await threads.run(for: .known(account: "anne")) { order.record("owner") } }
        try await eventually { threads.load == (1, 3) }
        gate.open(1)
        for task in [running, owner] + strangers { try await task.value }
        #expect(order.all == ["owner", "stranger", "stranger"])
    }

    @Test func `a hash that a newcomer displaces is rejected`() async throws {
        let threads = HashingThreadPool(maxThreads: 1, maxWaiting: 2)
        let gate = BlockingGate()
        let running = Task { try await threads.run(for: anyone) { gate.enter() } }
        try await eventually { gate.waiting == 1 }
        let greedy = (1...2).map { _ in Task { try await threads.run(for: .stranger(network: "a")) { true } } }
        try await eventually { threads.load == (1, 2) }
        let newcomer = Task { try await threads.run(for: .stranger(network: "b")) { true } }
        let rejected = LockedValue(0)
        let outcomes = greedy.map { task in
            Task {
                do { _ = try await task.value } catch HashingThreadPoolError.queueFull { rejected.withLock { $0 += 1 } }
            }
        }
        // The queue is as long as before once the newcomer is in it, so only the rejection shows that it is.
        try await eventually { rejected.value == 1 }
        gate.open(1)
        try await running.value
        #expect(try await newcomer.value)
        for outcome in outcomes { try await outcome.value }
        #expect(rejected.value == 1)
    }
}
