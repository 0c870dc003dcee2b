import Synchronization
import TestSupport
import Testing

@testable import RPCServer

/// The turns of companies and their accounts that make slow documents.
struct AccountTurnsTests {
    /// Holds the work of turns until the test ends it.
    private final class Work: Sendable {
        private let state = Mutex<(order: [Int64], waiting: [CheckedContinuation<Void, Never>])>(([], []))

        var order: [Int64] { state.withLock { $0.order } }

        func run(_ account: Int64) async {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    state.order.append(account)
                    state.waiting.append(continuation)
                }
            }
        }

        func endFirst() { state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }?.resume() }
    }

    private static func start(
        _ account: Int64, in company: Company = .only, _ turns: AccountTurns, _ work: Work,
        by deadline: Duration = .seconds(60)
    ) -> Task<String, Never> {
        Task {
            do throws(ExecutionError) {
                try await turns.take(for: account, in: company, by: .now + deadline) { () throws(ExecutionError) in
                    await work.run(account)
                }
                return "done"
            } catch .overloaded {
                return "overloaded"
            } catch .unavailable {
                return "unavailable"
            } catch .timeout {
                return "timeout"
            } catch .cancelled {
                return "cancelled"
            } catch {
                return "\(error)"
            }
        }
    }

    @Test func `two documents are made at once, and the accounts that wait take turns`() async throws {
        let (turns, work) = (AccountTurns(atOnce: 2), Work())
        var tasks: [Task<String, Never>] = []
        for (index, account) in ([1, 1, 1, 1, 2, 3] as [Int64]).enumerated() {
            tasks.append(Self.start(account, turns, work))
            try await eventually("it has begun or waits") { turns.load.running + turns.load.waiting == index + 1 }
        }
        #expect(turns.load.running == 2)
        for ended in 1...6 {
            try await eventually("its turn has begun") { work.order.count >= min(6, ended + 1) }
            work.endFirst()
        }
        for task in tasks { #expect(await task.value == "done") }
        #expect(work.order.prefix(2) == [1, 1])
        #expect(work.order.dropFirst(2) == [1, 2, 3, 1])
        #expect(turns.load == (running: 0, waiting: 0))
    }

    @Test(arguments: [
        // Companies with their accounts as they come, and the order in which the accounts begin.
        ("1:1 1:2 1:3 2:9", [1, 9, 2, 3]),
        ("1:1 1:2 1:3 1:4 2:9 2:9", [1, 9, 2, 9, 3, 4]),
        ("1:1 2:9 3:20 1:1 2:9 3:20", [1, 9, 20, 1, 9, 20]),
        // An account takes turns with the others of its company alone.
        ("1:1 1:1 1:2 2:9 2:9 2:9", [1, 9, 2, 9, 1, 9]),
        // One person in two companies.
        ("1:1 1:1 2:1 2:9", [1, 1, 1, 9]),
    ])
    func `companies take turns, and then their accounts`(coming: String, order: [Int64]) async throws {
        let (turns, work) = (AccountTurns(atOnce: 1), Work())
        var tasks = [Self.start(0, in: Company(id: 99), turns, work)]
        try await eventually("the first one has begun") { work.order == [0] }
        for (index, pair) in coming.split(separator: " ").enumerated() {
            let numbers = pair.split(separator: ":").compactMap { Int64($0) }
            tasks.append(Self.start(numbers[1], in: Company(id: numbers[0]), turns, work))
            try await eventually("it waits") { turns.load.waiting == index + 1 }
        }
        for ended in 1...tasks.count {
            try await eventually("its turn has begun") { work.order.count >= ended }
            work.endFirst()
        }
        for task in tasks { #expect(await task.value == "done") }
        #expect(Array(work.order.dropFirst()) == order)
    }

    @Test func `when all places are taken, the company with the most gives one up to a company with fewer`()
        async throws
    {
        let (turns, work) = (AccountTurns(atOnce: 1, maxWaiting: 4), Work())
        var tasks: [Task<String, Never>] = []
        for account in 1...5 as ClosedRange<Int64> {
            tasks.append(Self.start(account, turns, work))
            try await eventually("it has begun or waits") { turns.load.running + turns.load.waiting == Int(account) }
        }
        let other = Company(id: 2)
        let newcomers = [Self.start(8, in: other, turns, work), Self.start(9, in: other, turns, work)]
        // The newest of the first company.
        #expect(await tasks.removeLast().value == "unavailable")
        #expect(await tasks.removeLast().value == "unavailable")
        #expect(await Self.start(10, in: other, turns, work).value == "unavailable", "both have as many")
        for ended in 1...5 {
            try await eventually("its turn has begun") { work.order.count >= ended }
            work.endFirst()
        }
        for task in tasks + newcomers { #expect(await task.value == "done") }
        #expect(turns.load == (running: 0, waiting: 0))
    }

    @Test func `one account has half of the places, and all have no more than there are`() async throws {
        let (turns, work) = (AccountTurns(atOnce: 1, maxWaiting: 4), Work())
        var tasks: [Task<String, Never>] = []
        for (index, account) in ([1, 1, 1, 2, 2] as [Int64]).enumerated() {
            tasks.append(Self.start(account, turns, work))
            try await eventually("it has begun or waits") { turns.load.running + turns.load.waiting == index + 1 }
        }
        #expect(await Self.start(1, turns, work).value == "overloaded")
        #expect(await Self.start(3, turns, work).value == "unavailable")
        for ended in 1...5 {
            try await eventually("its turn has begun") { work.order.count >= ended }
            work.endFirst()
        }
        for task in tasks { #expect(await task.value == "done") }
    }

    @Test func `an account with as many turns as it may have lets the next account begin`() async throws {
        let (turns, work) = (AccountTurns(atOnce: 3, perAccount: 2), Work())
        var tasks: [Task<String, Never>] = []
        for (index, account) in ([1, 1, 1, 1] as [Int64]).enumerated() {
            tasks.append(Self.start(account, turns, work))
            try await eventually("it has begun or waits") { turns.load.running + turns.load.waiting == index + 1 }
        }
        #expect(turns.load == (running: 2, waiting: 2))
        tasks.append(Self.start(2, turns, work))
        try await eventually("another account begins") { turns.load == (running: 3, waiting: 2) }
        for ended in 1...5 {
            try await eventually("its turn has begun") { work.order.count >= ended }
            work.endFirst()
        }
        for task in tasks { #expect(await task.value == "done") }
        #expect(turns.load == (running: 0, waiting: 0))
    }

    @Test func `who waits learns of its deadline then, while a turn still lasts`() async throws {
        let (turns, work) = (AccountTurns(atOnce: 1), Work())
        let first = Self.start(1, turns, work)
        try await eventually("the first turn has begun") { work.order.count == 1 }
        #expect(await Self.start(2, turns, work, by: .milliseconds(50)).value == "timeout")
        #expect(turns.load == (running: 1, waiting: 0))
        work.endFirst()
        #expect(await first.value == "done")
    }

    @Test func `a client that has gone, and a deadline that has passed, cost no turn`() async throws {
        let (turns, work) = (AccountTurns(atOnce: 1), Work())
        let first = Self.start(1, turns, work)
        try await eventually("the first turn has begun") { work.order.count == 1 }
        let gone = Self.start(2, turns, work)
        try await eventually("it waits") { turns.load.waiting == 1 }
        gone.cancel()
        #expect(await gone.value == "cancelled")
        #expect(await Self.start(3, turns, work, by: .zero).value == "timeout")
        let last = Self.start(4, turns, work)
        try await eventually("the last one waits") { turns.load.waiting == 1 }
        work.endFirst()
        try await eventually("the last turn has begun") { work.order.count == 2 }
        work.endFirst()
        #expect(await first.value == "done")
        #expect(await last.value == "done")
        #expect(work.order == [1, 4])
    }
}
