import NIOCore

/// Elements of several owners, which take turns: the next element is the first of the owner that has waited for the
/// longest since its last turn.
package struct TurnQueue<Owner: Hashable, Element> {
    private var queues: [Owner: CircularBuffer<Element>] = [:]
    /// The owners that have elements.
    private var turns = CircularBuffer<Owner>()

    package init() {}

    package var isEmpty: Bool { turns.isEmpty }

    package mutating func append(_ element: Element, of owner: Owner) {
        if queues[owner] == nil { turns.append(owner) }
        queues[owner, default: CircularBuffer(initialCapacity: 1)].append(element)
    }

    /// - Parameter mayHaveTurn: false for an owner that keeps its place while others come before it.
    package mutating func popNext(where mayHaveTurn: (Owner) -> Bool = { _ in true }) -> Element? {
        guard let index = turns.firstIndex(where: mayHaveTurn) else { return nil }
        let owner = turns.remove(at: index)
        let element = queues[owner]?.popFirst()
        if queues[owner]?.isEmpty == false { turns.append(owner) } else { queues[owner] = nil }
        return element
    }
}

extension TurnQueue: Sendable where Owner: Sendable, Element: Sendable {}

/// Elements of owners in groups: the groups take turns, and within a group its owners. A group with a thousand owners has no more
/// turns than one with a single owner.
package struct GroupedTurnQueue<Group: Hashable, Owner: Hashable, Element> {
    private var queues: [Group: TurnQueue<Owner, Element>] = [:]
    /// The groups that have elements.
    private var turns = CircularBuffer<Group>()

    package init() {}

    package mutating func append(_ element: Element, of owner: Owner, in group: Group) {
        if queues[group] == nil { turns.append(group) }
        queues[group, default: TurnQueue()].append(element, of: owner)
    }

    /// - Parameter mayHaveTurn: false for an owner that keeps its place while others come before it. A group keeps its place, too,
    ///   when none of its owners may.
    package mutating func popNext(where mayHaveTurn: (Group, Owner) -> Bool = { _, _ in true }) -> Element? {
        for offset in 0..<turns.count {
            let index = turns.index(turns.startIndex, offsetBy: offset)
            let group = turns[index]
            guard let element = queues[group]?.popNext(where: { mayHaveTurn(group, $0) }) else { continue }
            _ = turns.remove(at: index)
            if queues[group]?.isEmpty == false { turns.append(group) } else { queues[group] = nil }
            return element
        }
        return nil
    }
}

extension GroupedTurnQueue: Sendable where Group: Sendable, Owner: Sendable, Element: Sendable {}
