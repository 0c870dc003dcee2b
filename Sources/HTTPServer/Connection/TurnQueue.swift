import NIOCore

/// Elements of several owners, which take turns: the next element is the first of the owner that has waited for the
/// longest since its last turn.
package struct TurnQueue<Owner: Hashable, Element> {
    private var queues: [Owner: CircularBuffer<Element>] = [:]
    /// The owners that have elements.
    private var turns = CircularBuffer<Owner>()

    package init() {}

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
