import Glibc
import Synchronization
import TestPostgres
import TestSupport
import Testing

@testable import PostgresDriver

/// The driver's own thread and any number of callers take turns: what is left in the mailbox is looked at by whoever has
/// the turn, and nobody may sleep over it.
@Suite("Turns")
struct ReactorExclusionFaultTests {
    /// Notes of what was done in whose turn; touched in turns only, which is what is to be shown.
    @Reactor
    final class Notes {
        var done: [[Int]]
        var isInTurn = false
        var overlaps = 0

        nonisolated init(threads: Int) {
            done = Array(repeating: [], count: threads)
        }

        func take(_ number: Int, from thread: Int) {
            if isInTurn { overlaps += 1 }
            isInTurn = true
            done[thread].append(number)
            isInTurn = false
        }
    }

    /// How a thread hands something in.
    enum Way: CaseIterable {
        /// Has the driver's thread look, waking it if it sleeps.
        case post
        /// Looks itself, or leaves it to whoever has the turn.
        case run
    }

    private static func handIn(_ way: Way, _ body: @escaping @Reactor @Sendable () -> Void) {
        switch way {
        case .post: Reactor.mailbox.post(.perform(body))
        case .run:
            Reactor.mailbox.enqueue(.perform(body))
            Reactor.runPendingWork()
        }
    }

    /// Runs `body` on that many threads of their own and waits for their ends.
    private static func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
        await withTaskGroup { group in
            for thread in 0..<count {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        let hasStarted = BlockingThread.run(name: "turn-test") {
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
        // Sometimes long enough for the driver's thread to fall asleep, sometimes just about.
        if microseconds > 0 { usleep(UInt32.random(in: 0...UInt32(microseconds))) }
    }

    @Test("what many threads hand in at once is done, all of it, each thread's in its order, and one at a time")
    func order() async throws {
        let threads = 6
        let count = 4_000 * rounds
        let notes = Notes(threads: threads)
        await Self.onThreads(threads) { thread in
            for number in 0..<count {
                Self.handIn(thread.isMultiple(of: 2) ? .post : .run) { notes.take(number, from: thread) }
                if number.isMultiple(of: 100) { Self.pause(upTo: 300) }
            }
        }
        try await eventually("all is done") { await notes.done.allSatisfy { $0.count == count } }
        let (done, overlaps) = await (notes.done, notes.overlaps)
        for each in done { #expect(each.elementsEqual(0..<count)) }
        #expect(overlaps == 0)
    }

    @Test("nothing is slept over: each is done though nothing else happens after it", arguments: Way.allCases)
    func wakeUps(_ way: Way) async throws {
        let done = LockedValue(0)
        let late = LockedValue(0)
        await Self.onThreads(3) { thread in
            for number in 0..<500 * rounds {
                // Around the moment at which the driver's thread goes to sleep.
                Self.pause(upTo: [0, 30, 100][(number + thread) % 3])
                let mark = Mark()
                Self.handIn(way) { mark.set() }
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

    @Test("asynchronous functions of the actor get their turns among threads that take one after the other")
    func jobs() async throws {
        let counter = Counter()
        let isOver = Mark()
        let busy = Task {
            await Self.onThreads(2) { _ in
                while !isOver.isSet { Self.handIn(.run) {} }
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

    @Test("what comes from the network is read, and what is due happens, though others take one turn after the other")
    func sockets() async throws {
        try await withClient {
            $0.poolSize = 2
        } _: { client, _ in
            let echo = Statement("SELECT $1::int")
            _ = try await client.query(echo, ["0"])
            let isOver = Mark()
            let busy = Task {
                await Self.onThreads(2) { _ in
                    while !isOver.isSet { Self.handIn(.run) {} }
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
            #expect(ContinuousClock.now - start < .seconds(20), "not starved")
        }
    }
}
