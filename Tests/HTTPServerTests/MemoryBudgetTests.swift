import Testing

@testable import HTTPServer

@Suite struct MemoryBudgetTests {
    /// An event, so that a test is a list of events and the connections that each of them closes.
    enum Event: Sendable {
        /// `from` is the last byte of an address.
        case reserve(Int, by: UInt64, from: Int = 1, isAnonymous: Bool = true, at: UInt64)
        case release(Int, by: UInt64, isAnonymous: Bool = true, at: UInt64)
        case clientFinished(UInt64)
        case remove(UInt64)
    }

    enum Outcome: Equatable, Sendable {
        case closed([UInt64])
        case refused
    }

    private static let limits = MemoryBudget.Limits(
        total: 100, anonymous: 40, address: 60, connection: 30, stallTime: 1)

    private static func claim(_ connection: UInt64, _ address: Int = 1, _ isAnonymous: Bool) -> MemoryBudget.Claim {
        MemoryBudget.Claim(
            connection: ConnectionID(number: connection), address: AddressShare("192.0.2.\(address)"),
            isAnonymous: isAnonymous)
    }

    private func expect(
        _ steps: [(Event, Outcome)], held: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var budget = MemoryBudget(Self.limits)
        for (index, (event, expected)) in steps.enumerated() {
            var outcome = Outcome.closed([])
            switch event {
            case .reserve(let bytes, let connection, let address, let isAnonymous, let time):
                let closed = budget.reserve(bytes, for: Self.claim(connection, address, isAnonymous), now: time)
                outcome = closed.map { .closed($0.map(\.number)) } ?? .refused
            case .release(let bytes, let connection, let isAnonymous, let time):
                budget.release(bytes, of: Self.claim(connection, 1, isAnonymous), now: time)
            case .clientFinished(let connection): budget.clientFinished(ConnectionID(number: connection))
            case .remove(let connection): budget.remove(ConnectionID(number: connection))
            }
            #expect(outcome == expected, "step \(index), \(event)", sourceLocation: sourceLocation)
        }
        #expect(budget.bytesHeld == held, sourceLocation: sourceLocation)
    }

    @Test func `bytes are reserved and given back`() {
        expect(
            [
                (.reserve(20, by: 1, at: 0), .closed([])), (.reserve(10, by: 2, at: 0), .closed([])),
                (.release(5, by: 1, at: 1), .closed([])), (.release(15, by: 1, at: 2), .closed([])),
                (.remove(2), .closed([])),
            ], held: 0)
    }

    @Test func `a connection takes no more than its share`() {
        expect(
            [
                (.reserve(31, by: 1, isAnonymous: false, at: 0), .refused),
                (.reserve(30, by: 1, isAnonymous: false, at: 0), .closed([])),
                (.reserve(1, by: 1, isAnonymous: false, at: 0), .refused),
            ], held: 30)
    }

    @Test func `when the anonymous part is full, the anonymous connection without progress for the longest is closed`()
    {
        expect(
            [
                (.reserve(10, by: 9, from: 9, isAnonymous: false, at: 0), .closed([])),
                (.reserve(20, by: 1, from: 1, at: 1), .closed([])), (.reserve(10, by: 2, from: 2, at: 2), .closed([])),
                (.reserve(5, by: 1, from: 1, at: 3), .closed([])),
                (.reserve(10, by: 3, from: 3, at: 4), .closed([2])),
                (.reserve(30, by: 4, from: 4, at: 5), .closed([1])),
            ], held: 50)
    }

    @Test func `when the share of an address is full, one of its own connections is closed`() {
        expect(
            [
                (.reserve(30, by: 9, from: 2, isAnonymous: false, at: 0), .closed([])),
                (.reserve(30, by: 1, isAnonymous: false, at: 1), .closed([])),
                (.reserve(30, by: 2, isAnonymous: false, at: 2), .closed([])),
                (.reserve(20, by: 3, isAnonymous: false, at: 3), .closed([1])),
            ], held: 80)
    }

    @Test func `when everything is full, the connection without progress for the longest is closed`() {
        expect(
            [
                (.reserve(30, by: 1, from: 1, isAnonymous: false, at: 1), .closed([])),
                (.reserve(30, by: 2, from: 2, isAnonymous: false, at: 2), .closed([])),
                (.reserve(30, by: 3, from: 3, isAnonymous: false, at: 3), .closed([])),
                (.release(0, by: 1, isAnonymous: false, at: 4), .closed([])),
                (.reserve(20, by: 4, from: 4, isAnonymous: false, at: 5), .closed([2])),
                (.reserve(30, by: 5, from: 5, isAnonymous: false, at: 6), .closed([3])),
            ], held: 80)
    }

    @Test func `a connection that waits for the server is not closed`() {
        expect(
            [
                (.reserve(30, by: 1, from: 1, at: 1), .closed([])), (.clientFinished(1), .closed([])),
                (.reserve(10, by: 2, from: 2, at: 2), .closed([])),
                (.reserve(10, by: 3, from: 3, at: 3), .closed([2])),
                (.reserve(11, by: 4, from: 4, at: 4), .refused),
            ], held: 40)
    }

    @Test func `a connection that has just made progress is not closed, and the newcomer is refused`() {
        expect(
            [
                (.reserve(30, by: 1, from: 1, at: 5), .closed([])),
                (.reserve(30, by: 2, from: 2, at: 5), .refused),
                (.reserve(0, by: 1, from: 1, at: 6), .closed([])),
                (.reserve(30, by: 2, from: 2, at: 6), .refused),
                (.reserve(30, by: 2, from: 2, at: 7), .closed([1])),
            ], held: 30)
    }

    @Test func `as many connections are closed as are needed, and none when they do not suffice`() {
        expect(
            [
                (.reserve(10, by: 1, from: 1, at: 1), .closed([])), (.reserve(10, by: 2, from: 2, at: 2), .closed([])),
                (.reserve(10, by: 3, from: 3, at: 3), .closed([])), (.reserve(10, by: 4, from: 4, at: 4), .closed([])),
                (.reserve(25, by: 5, from: 5, at: 5), .closed([1, 2, 3])),
                (.clientFinished(5), .closed([])),
                (.reserve(26, by: 6, from: 6, at: 6), .refused),
                (.release(10, by: 4, at: 7), .closed([])),
            ], held: 25)
    }

    @Test func `what a closed connection gives back was free before`() {
        expect(
            [
                (.reserve(30, by: 1, from: 1, at: 1), .closed([])), (.reserve(30, by: 2, from: 2, at: 2), .closed([1])),
                (.release(30, by: 1, at: 3), .closed([])),
            ], held: 30)
    }
}

@Suite struct AddressShareTests {
    @Test func `an IPv4 address has a share, and so have the first 64 bits of an IPv6 address`() {
        #expect(AddressShare("192.0.2.1") == AddressShare("::ffff:192.0.2.1"))
        #expect(AddressShare("192.0.2.1") != AddressShare("192.0.2.2"))
        #expect(AddressShare("2001:db8::1") == AddressShare("2001:db8::2:3"))
        #expect(AddressShare("2001:db8::1") != AddressShare("2001:db8:0:1::1"))
        #expect(AddressShare(nil) == AddressShare("a socket"))
    }
}
