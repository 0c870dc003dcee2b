import Glibc
import Synchronization
import TestPostgres
import TestSupport
import Testing
import Threads

@testable import PostgresDriver

/// The event loop and any number of calling threads take the reactor's lock. The thread that holds it must run all work
/// in the mailbox before it releases it, and the event loop must not sleep while work is pending.
struct ReactorExclusionFaultTests {
    /// Records the work of each thread. Isolated to the reactor, and so free of data races if the reactor excludes them.
    @Reactor
    final class WorkLog {
        var done: [[Int]]
        var isInUse = false
        var overlaps = 0

        nonisolated init(threads: Int) {
            done = Array(repeating: [], count: threads)
        }

        func take(_ number: Int, from thread: Int) {
            if isInUse { overlaps += 1 }
            isInUse = true
            done[thread].append(number)
            isInUse = false
        }
    }

    /// How a thread submits work.
    enum Submission: CaseIterable {
        /// Wakes the event loop if it sleeps.
        case post
        /// Runs the work in this thread, or leaves it to the thread that holds the lock.
        case run
    }

    private static func submit(_ submission: Submission, _ body: @escaping @Reactor @Sendable () -> Void) {
        switch submission {
        case .post: Reactor.mailbox.post(.perform(body))
        case .run:
            Reactor.mailbox.enqueue(.perform(body))
            Reactor.runPendingWork()
        }
    }

    /// Runs `body` on that many new threads, and returns when all have ended.
    private static func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
        await withTaskGroup { group in
            for thread in 0..<count {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        let hasStarted = BlockingThread.run(name: "reactor-test") {
                            body(thread)
                            continuation.resume()
                        }
                        if !hasStarted { continuation.resume() }
                    }
                }
            }
        }
    }

    private static func pause(upTo microseconds: Int) {
        // Sometimes long enough for the event loop to go to sleep, sometimes almost.
        if microseconds > 0 { usleep(UInt32.random(in: 0...UInt32(microseconds))) }
    }

    @Test func `work from many threads runs completely, one at a time, in each thread's order`() async throws {
        let threads = 6
        let count = 4_000 * rounds
        let log = WorkLog(threads: threads)
        await Self.onThreads(threads) { thread in
            for number in 0..<count {
                Self.submit(thread.isMultiple(of: 2) ? .post : .run) { log.take(number, from: thread) }
                if number.isMultiple(of: 100) { Self.pause(upTo: 300) }
            }
        }
        try await eventually("all work is done") { await log.done.allSatisfy { $0.count == count } }
        let (done, overlaps) = await (log.done, log.overlaps)
        for each in done { #expect(each.elementsEqual(0..<count)) }
        #expect(overlaps == 0)
    }

    @Test(arguments: Submission.allCases)
    func `each piece of work runs although no other event follows it`(_ submission: Submission) async throws {
        let done = LockedValue(0)
        let late = LockedValue(0)
        await Self.onThreads(3) { thread in
            for number in 0..<500 * rounds {
                // Around the moment at which the event loop goes to sleep.
                Self.pause(upTo: [0, 30, 100][(number + thread) % 3])
                let mark = Mark()
                Self.submit(submission) { mark.set() }
                let end = ContinuousClock.now + .seconds(10)
                while !mark.isSet, ContinuousClock.now < end { usleep(20) }
                if mark.isSet { done.withLock { $0 += 1 } } else { late.withLock { $0 += 1 } }
            }
        }
        #expect(late.value == 0)
        #expect(done.value == 1_500 * rounds)
    }

    private final class Mark: Sendable {
        private let state = Atomic<Bool>(false)

        var isSet: Bool { state.load(ordering: .acquiring) }
        func set() { state.store(true, ordering: .releasing) }
    }

    @Reactor
    final class Counter {
        var value = 0

        nonisolated init() {}
        func add() { value += 1 }
    }

    @Test func `asynchronous functions of the actor run while threads hold it continuously`() async throws {
        let counter = Counter()
        let isOver = Mark()
        let busy = Task {
            await Self.onThreads(2) { _ in
                while !isOver.isSet { Self.submit(.run) {} }
            }
        }
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<500 { await counter.add() } }
            }
        }
        isOver.set()
        await busy.value
        let value = await counter.value
        #expect(value == 4_000)
    }

    @Test func `sockets and deadlines are served while threads hold the actor continuously`() async throws {
        try await withClient {
            $0.poolSize = 2
        } _: { client, _ in
            let echo = Statement("SELECT $1::int")
            _ = try await client.query(echo, ["0"])
            let isOver = Mark()
            let busy = Task {
                await Self.onThreads(2) { _ in
                    while !isOver.isSet { Self.submit(.run) {} }
                }
            }
            let start = ContinuousClock.now
            for number in 0..<100 {
                #expect(try await client.query(echo, [.text("\(number)")]).text(0, 0) == "\(number)")
            }
            let late = try await failure {
                try await client.query(Statement("SELECT pg_sleep(600)"), deadline: .now + .milliseconds(50))
            }
            isOver.set()
            await busy.value
            #expect(late.kind == .timeout)
            #expect(ContinuousClock.now - start < .seconds(20), "the calls were starved")
        }
    }
}
