/// Where the wish to hash a password comes from. It decides the hash's place in the queue.
package enum HashingOrigin: Hashable, Sendable {
    /// A caller that has proved to be the owner of the account, or an attempt to sign in from a network that the account
    /// has signed in from before.
    case known(account: String)
    /// An attempt from any other network; nil if the network is unknown.
    case stranger(network: String?)
}

/// The hashes that wait for a thread, and the order in which they are taken.
///
/// A flood of attempts must not keep the owners of accounts out. Therefore the queue has two classes, each with a bound
/// of its own: known origins are served before strangers, except that after some of them a stranger gets a turn. Within
/// a class, the accounts or networks take turns, and when the class is full, a newcomer displaces the last hash of the
/// account or network that has the most.
struct HashingQueue<Element> {
    enum Admission {
        /// `displaced` no longer waits.
        case admitted(displaced: Element?)
        case rejected
    }

    /// So many known hashes are taken in a row while a stranger waits.
    private static var knownInARow: Int { 3 }

    private var known: TurnQueue<Element>
    private var strangers: TurnQueue<Element>
    private var knownSinceStranger = 0

    /// - Parameter capacity: of each class.
    init(capacity: Int) {
        known = TurnQueue(capacity: capacity)
        strangers = TurnQueue(capacity: capacity)
    }

    var count: Int { known.count + strangers.count }

    /// - Parameter number: identifies the element for ``remove(_:)``.
    mutating func add(_ element: Element, _ number: UInt64, from origin: HashingOrigin) -> Admission {
        switch origin {
        case .known(let account): known.add(element, number, of: account)
        case .stranger(let network): strangers.add(element, number, of: network ?? "")
        }
    }

    /// The next element, which no longer waits.
    mutating func next() -> Element? {
        let isStrangersTurn = known.count == 0 || knownSinceStranger >= Self.knownInARow
        if isStrangersTurn, let element = strangers.next() {
            knownSinceStranger = 0
            return element
        }
        knownSinceStranger = strangers.count == 0 ? 0 : knownSinceStranger + 1
        return known.next()
    }

    /// Removes an element that waits; nil if it does not.
    mutating func remove(_ number: UInt64) -> Element? {
        known.remove(number) ?? strangers.remove(number)
    }
}

/// A bounded queue in which keys take turns.
private struct TurnQueue<Element> {
    private typealias Entry = (number: UInt64, element: Element)

    private let capacity: Int
    /// The keys that have entries, in the order of their turns. The capacity bounds the number of keys.
    private var lines: [(key: String, entries: [Entry])] = []
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    mutating func add(_ element: Element, _ number: UInt64, of key: String) -> HashingQueue<Element>.Admission {
        var displaced: Element?
        if count >= capacity {
            let own = lines.first { $0.key == key }?.entries.count ?? 0
            guard let longest = lines.indices.max(by: { lines[$0].entries.count < lines[$1].entries.count }),
                lines[longest].entries.count > own + 1
            else { return .rejected }
            displaced = lines[longest].entries.removeLast().element
            count -= 1
        }
        if let line = lines.firstIndex(where: { $0.key == key }) {
            lines[line].entries.append((number, element))
        } else {
            lines.append((key, [(number, element)]))
        }
        count += 1
        return .admitted(displaced: displaced)
    }

    mutating func next() -> Element? {
        guard !lines.isEmpty else { return nil }
        var line = lines.removeFirst()
        let entry = line.entries.removeFirst()
        if !line.entries.isEmpty { lines.append(line) }
        count -= 1
        return entry.element
    }

    mutating func remove(_ number: UInt64) -> Element? {
        for line in lines.indices {
            guard let entry = lines[line].entries.firstIndex(where: { $0.number == number }) else { continue }
            let element = lines[line].entries.remove(at: entry).element
            if lines[line].entries.isEmpty { lines.remove(at: line) }
            count -= 1
            return element
        }
        return nil
    }
}
