import Testing

@testable import Auth

/// security.md: "login floods from 250 addresses | an owner's known place keeps its own count".
struct HashingQueueTests {
    /// Adds elements such as `k1` (of the known account 1) and `s2` (of a stranger at network 2), in this order.
    private static func queue(
        _ elements: [String], capacity: Int = 64
    ) -> (queue: HashingQueue<String>, rejected: [String]) {
        var queue = HashingQueue<String>(capacity: capacity)
        var rejected: [String] = []
        for (index, element) in elements.enumerated() {
            let key = String(element.dropFirst().prefix(1))
            let origin: HashingOrigin = element.hasPrefix("k") ? .known(account: key) : .stranger(network: key)
            switch queue.add(element, UInt64(index), from: origin) {
            case .admitted(let displaced): rejected += displaced.map { [$0] } ?? []
            case .rejected: rejected.append(element)
            }
        }
        return (queue, rejected)
    }

    private static func drain(_ queue: HashingQueue<String>) -> [String] {
        var queue = queue
        var order: [String] = []
        while let next = queue.next() { order.append(next) }
        #expect(queue.count == 0)
        return order
    }

    @Test(arguments: [
        (["s1", "s2", "s3"], ["s1", "s2", "s3"]),
        // Networks take turns.
        (["s1a", "s1b", "s1c", "s2a", "s3a"], ["s1a", "s2a", "s3a", "s1b", "s1c"]),
        // Known places come first, accounts take turns.
        (["s1", "k1a", "k1b", "k2a"], ["k1a", "k2a", "k1b", "s1"]),
        // After three known places a stranger gets a turn.
        (["s1", "s2", "k1", "k2", "k3", "k4", "k5"], ["k1", "k2", "k3", "s1", "k4", "k5", "s2"]),
    ])
    func `the order is known places first and each key in turn`(added: [String], taken: [String]) {
        #expect(Self.drain(Self.queue(added).queue) == taken)
    }

    @Test(arguments: [
        // One network has all places: each newcomer takes one, until the shares are equal.
        (["s1a", "s1b", "s1c", "s1d", "s2a", "s2b", "s2c"], ["s1d", "s1c", "s2c"]),
        // A network does not displace itself.
        (["s1a", "s1b", "s1c", "s1d", "s1e"], ["s1e"]),
        // All have one place each.
        (["s1", "s2", "s3", "s4", "s5"], ["s5"]),
        // Strangers take no places of known ones, and the other way round.
        (["s1", "s2", "s3", "s4", "k1", "k2", "k3", "k4", "k5", "s5"], ["k5", "s5"]),
    ])
    func `a full class rejects or displaces those that have the most`(added: [String], rejected: [String]) {
        #expect(Self.queue(added, capacity: 4).rejected == rejected)
    }

    @Test func `a removed element is not taken and its place is free`() {
        var (queue, _) = Self.queue(["s1", "s2", "k1"], capacity: 2)
        #expect(queue.remove(0) == "s1")
        #expect(queue.remove(0) == nil)
        #expect(queue.remove(2) == "k1")
        #expect(queue.count == 1)
        guard case .admitted(nil) = queue.add("s3", 3, from: .stranger(network: "3")) else {
            Issue.record("rejected")
            return
        }
        #expect(Self.drain(queue) == ["s2", "s3"])
    }
}
