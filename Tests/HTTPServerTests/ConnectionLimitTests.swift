import Testing

@testable import HTTPServer

@Suite struct ConnectionLimitTests {
    /// Connections whose activities a test sets.
    private struct Connections {
        var limit: ConnectionLimit
        var activities: [UInt64: ConnectionActivity] = [:]
        private var opened: UInt64 = 0

        init(total: Int, perAddress: Int) {
            limit = ConnectionLimit(total: total, perAddress: perAddress)
        }

        /// Opens the next connection and returns the one that is closed for it. `from` is the last byte of an address.
        mutating func open(from address: Int, at now: UInt64 = 0, isBounded: Bool = true) -> UInt64? {
            opened += 1
            activities[opened] = ConnectionActivity(kind: .idle, since: now)
            let activities = activities
            return limit.opened(
                ConnectionID(number: opened), from: AddressShare("192.0.2.\(address)"), isBounded: isBounded, now: now
            ) { activities[$0.number] ?? ConnectionActivity(kind: .answering, since: 0) }?.number
        }

        mutating func set(_ number: UInt64, _ kind: ConnectionActivity.Kind, since: UInt64 = 0) {
            activities[number] = ConnectionActivity(kind: kind, since: since)
        }
    }

    private static let second: UInt64 = 1_000_000_000

    @Test func `the idlest connection of the address that has the most is closed`() {
        var connections = Connections(total: 4, perAddress: 4)
        for address in [2, 1, 1, 1] { #expect(connections.open(from: address) == nil) }
        connections.set(1, .idle, since: 0)
        connections.set(2, .idle, since: 30)
        connections.set(3, .idle, since: 10)
        connections.set(4, .idle, since: 20)
        #expect(connections.open(from: 3, at: 40) == 3)
        #expect(connections.open(from: 4, at: 40) == 4)
        #expect(connections.limit.count == 6, "until the channels report that they are closed")
    }

    @Test func `many addresses with one connection each do not displace one with a few that are in use`() {
        var connections = Connections(total: 64, perAddress: 64)
        for _ in 0..<3 { #expect(connections.open(from: 1) == nil) }
        for number in 1...3 { connections.set(UInt64(number), .idle, since: 90) }
        for address in 2...62 {
            #expect(connections.open(from: address) == nil)
            connections.set(UInt64(address + 2), .idle, since: UInt64(address))
        }
        #expect(connections.open(from: 100, at: 100) == 4)
    }

    @Test func `an address at its limit gives up a connection of its own`() {
        var connections = Connections(total: 10, perAddress: 2)
        for address in [1, 1, 2] { #expect(connections.open(from: address) == nil) }
        #expect(connections.open(from: 1) == 1)
        #expect(connections.open(from: 2) == nil)
        #expect(connections.open(from: 2) == 3)
    }

    @Test func `the limit of an address does not apply to a trusted proxy`() {
        var connections = Connections(total: 3, perAddress: 1)
        for _ in 0..<3 { #expect(connections.open(from: 1, isBounded: false) == nil) }
        #expect(connections.open(from: 1, isBounded: false) == 1)
    }

    @Test func `a request that runs or is arriving is not cut off, and the newcomer is closed instead`() {
        var connections = Connections(total: 2, perAddress: 2)
        for _ in 0..<2 { #expect(connections.open(from: 1) == nil) }
        connections.set(1, .answering)
        connections.set(2, .transferring, since: 5 * Self.second)
        #expect(connections.open(from: 2, at: 6 * Self.second) == 3)
        #expect(connections.open(from: 2, at: 7 * Self.second) == 2, "no byte for two seconds")
    }

    @Test func `an idle connection goes before one that has stalled`() {
        var connections = Connections(total: 2, perAddress: 2)
        for _ in 0..<2 { #expect(connections.open(from: 1) == nil) }
        connections.set(1, .transferring, since: 0)
        connections.set(2, .idle, since: 9 * Self.second)
        #expect(connections.open(from: 2, at: 10 * Self.second) == 2)
    }

    @Test func `a candidate that has become busy is passed over`() {
        var connections = Connections(total: 3, perAddress: 3)
        for _ in 0..<3 { #expect(connections.open(from: 1) == nil) }
        #expect(connections.open(from: 2) == 1)
        connections.set(2, .answering)
        #expect(connections.open(from: 3) == 3)
    }

    @Test func `a connection that stayed open counts again`() {
        var connections = Connections(total: 2, perAddress: 2)
        for _ in 0..<2 { #expect(connections.open(from: 1) == nil) }
        #expect(connections.open(from: 2) == 1)
        connections.limit.stayedOpen(ConnectionID(number: 1))
        connections.limit.closed(ConnectionID(number: 3))
        #expect(connections.open(from: 2) != nil)
    }

    @Test func `closed connections make room`() {
        var connections = Connections(total: 2, perAddress: 2)
        for _ in 0..<2 { #expect(connections.open(from: 1) == nil) }
        connections.limit.closed(ConnectionID(number: 1))
        #expect(connections.open(from: 1) == nil)
        #expect(connections.open(from: 1) == 2)
        #expect(connections.limit.count == 3)
    }
}
