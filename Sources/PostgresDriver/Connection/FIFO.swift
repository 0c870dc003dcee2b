/// A queue in a ring buffer: adding and removing at either end takes constant time.
struct FIFO<Element> {
    private var ring: [Element?] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    var first: Element? { count == 0 ? nil : ring[head] }

    var last: Element? { count == 0 ? nil : ring[(head + count - 1) & (ring.count - 1)] }

    mutating func append(_ element: Element) {
        if count == ring.count { grow() }
        ring[(head + count) & (ring.count - 1)] = element
        count += 1
    }

    mutating func prepend(_ element: Element) {
        if count == ring.count { grow() }
        head = (head + ring.count - 1) & (ring.count - 1)
        ring[head] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = ring[head].take()
        head = (head + 1) & (ring.count - 1)
        count -= 1
        return element
    }

    /// Changes the newest element in place, if there is one.
    mutating func updateLast(_ change: (inout Element) -> Void) {
        guard count > 0 else { return }
        let index = (head + count - 1) & (ring.count - 1)
        guard var element = ring[index].take() else { return }
        change(&element)
        ring[index] = element
    }

    /// Removes all elements, the oldest first.
    mutating func drain() -> [Element] {
        var all: [Element] = []
        all.reserveCapacity(count)
        while let element = popFirst() { all.append(element) }
        return all
    }

    /// All elements, the oldest first.
    var elements: [Element] {
        var all: [Element] = []
        all.reserveCapacity(count)
        forEach { all.append($0) }
        return all
    }

    mutating func removeAll(where matches: (Element) -> Bool) {
        for element in drain() where !matches(element) { append(element) }
    }

    func contains(where matches: (Element) -> Bool) -> Bool {
        for offset in 0..<count {
            if let element = ring[(head + offset) & (ring.count - 1)], matches(element) { return true }
        }
        return false
    }

    func forEach(_ body: (Element) -> Void) {
        for offset in 0..<count {
            if let element = ring[(head + offset) & (ring.count - 1)] { body(element) }
        }
    }

    /// The size stays a power of two, so that a mask replaces the remainder.
    private mutating func grow() {
        var larger = [Element?](repeating: nil, count: max(8, ring.count * 2))
        for offset in 0..<count { larger[offset] = ring[(head + offset) & (ring.count - 1)] }
        ring = larger
        head = 0
    }
}
