import RPCServer
import Testing

@testable import Feed

/// Which listeners of the change feed may read a page.
struct CatchUpTurnsTests {
    private let start = ContinuousClock.now

    private static func begun(_ turns: inout CatchUpTurns) -> [CatchUpTurns.ID] {
        var ids: [CatchUpTurns.ID] = []
        while let id = turns.next() { ids.append(id) }
        return ids
    }

    /// Listeners of these accounts, in their order, whose pages are being sent since `start` plus their position.
    private func sending(to accounts: [Int64]) -> CatchUpTurns {
        var turns = CatchUpTurns()
        for (index, account) in accounts.enumerated() {
            let id = CatchUpTurns.ID(index)
            turns.request(id, of: account, in: .only)
            #expect(turns.next() == id)
            turns.send(id, of: account, at: start + .milliseconds(index))
        }
        return turns
    }

    @Test func `few listeners read at once, and the accounts that wait take turns`() {
        var turns = CatchUpTurns()
        for id in 1...20 { turns.request(CatchUpTurns.ID(id), of: 1, in: .only) }
        for id in 21...22 { turns.request(CatchUpTurns.ID(id), of: 2, in: .only) }
        let first = Self.begun(&turns)
        #expect(first == [1, 21, 2, 22] + Array(3...14))
        turns.end(21)
        #expect(turns.next() == 15)
        #expect(turns.next() == nil)
    }

    @Test func `companies take turns, and then their accounts`() {
        var turns = sending(to: Array(repeating: 1, count: CatchUpTurns.maxPages))
        let coming: [(company: Int64, account: Int64)] = [(1, 1), (1, 2), (1, 3), (2, 9), (2, 9)]
        for (index, one) in coming.enumerated() {
            turns.request(CatchUpTurns.ID(1_001 + index), of: one.account, in: Company(id: one.company))
        }
        #expect(turns.next() == nil)
        for index in 0..<coming.count { turns.end(CatchUpTurns.ID(index)) }
        #expect(Self.begun(&turns) == [1_001, 1_004, 1_002, 1_005, 1_003])
    }

    @Test func `while a page is sent, another listener reads`() {
        var turns = sending(to: Array(repeating: 1, count: 2 * CatchUpTurns.maxReading))
        turns.request(1_000, of: 1, in: .only)
        #expect(turns.next() == 1_000)
    }

    @Test func `a listener that is gone gets no turn, and its place is free`() {
        var turns = sending(to: Array(repeating: 1, count: CatchUpTurns.maxPages))
        turns.request(1_000, of: 1, in: .only)
        turns.request(1_001, of: 1, in: .only)
        #expect(turns.next() == nil)
        turns.remove(1_000)
        turns.remove(5)
        #expect(turns.next() == 1_001)
        #expect(turns.next() == nil)
    }

    @Test func `when too many pages are in memory, the slowest listeners of the largest account lose theirs`() {
        var turns = sending(to: [2, 3] + Array(repeating: 1, count: CatchUpTurns.maxPages - 2))
        #expect(turns.takeSlow(at: start + .seconds(60)) == [], "there is place, because no other listener waits")
        turns.request(1_000, of: 4, in: .only)
        turns.request(1_001, of: 4, in: .only)
        #expect(turns.next() == nil)
        #expect(turns.takeSlow(at: start + .milliseconds(900)) == [])
        #expect(turns.takeSlow(at: start + .seconds(60)) == [2, 3])
        #expect(turns.takeSlow(at: start + .seconds(60)) == [])
        #expect(Self.begun(&turns) == [1_000, 1_001])
    }
}
