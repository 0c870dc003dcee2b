/// Numbers the connections of one server in the order in which they were opened.
struct ConnectionID: Hashable, Comparable, Sendable {
    let number: UInt64

    static func < (left: ConnectionID, right: ConnectionID) -> Bool { left.number < right.number }
}

/// What a connection is doing, and since when.
struct ConnectionActivity: Equatable, Sendable {
    enum Kind: UInt64, Sendable {
        case idle
        /// A request is being received or a response sent. The time is that of the last bytes.
        case transferring
        /// A request is being answered.
        case answering
    }

    /// How long a transfer must have made no progress before its connection may be closed, in nanoseconds.
    private static let stallTime: UInt64 = 2_000_000_000

    let kind: Kind
    /// In nanoseconds.
    let since: UInt64

    /// Whether the connection may be closed for another one.
    func givesWay(at now: UInt64) -> Bool {
        switch kind {
        case .idle: true
        case .transferring: since + Self.stallTime <= now
        case .answering: false
        }
    }
}

/// Limits how many connections are open, all together and of one address, by choosing which of them is closed when
/// another one opens. It is the idlest of the address that has too many, or that has the most and a large part of all;
/// otherwise the idlest of all.
///
/// A connection without a request goes first, then one with a request or response that has not moved on for two seconds. A
/// connection with a request that runs or is arriving is never chosen. If there is no other, the newcomer itself is.
struct ConnectionLimit {
    /// How many connections a search finds for later newcomers, so that a flood of them costs few searches.
    private static let candidatesPerSearch = 64

    private struct Member {
        let address: AddressShare
        var isClosing = false
    }

    private struct Candidates {
        /// nil: of all addresses.
        var address: AddressShare?
        /// The idlest is the last one.
        var stack: [(id: ConnectionID, activity: ConnectionActivity)] = []
    }

    private let total: Int
    /// An address with this many connections gives way first. One with a few, such as an office, does not.
    private var largePart: Int { max(2, total / 16) }
    private let perAddress: Int
    private var members: [ConnectionID: Member] = [:]
    /// How many connections each address has that are not closing.
    private var counts: [AddressShare: Int] = [:]
    /// How many connections are not closing.
    private var open = 0
    private var candidates = Candidates()

    init(total: Int, perAddress: Int) {
        self.total = total
        self.perAddress = perAddress
    }

    var count: Int { members.count }

    /// A connection has been opened.
    /// - Parameters:
    ///   - isBounded: whether the limit of one address applies. It does not to a trusted proxy.
    ///   - activity: what a connection is doing.
    /// - Returns: the connection to be closed for it; nil when there is room.
    mutating func opened(
        _ id: ConnectionID, from address: AddressShare, isBounded: Bool = true, now: UInt64,
        activity: (ConnectionID) -> ConnectionActivity
    ) -> ConnectionID? {
        members[id] = Member(address: address)
        counts[address, default: 0] += 1
        open += 1
        let chosen: ConnectionID?
        if isBounded, counts[address, default: 0] > perAddress {
            chosen = idlest(of: address, except: id, now, activity)
        } else if open > total {
            let largest = counts.max { $0.value < $1.value }.flatMap { $0.value >= largePart ? $0.key : nil }
            let own = largest.flatMap { idlest(of: $0, except: id, now, activity) }
            chosen = own ?? idlest(of: nil, except: id, now, activity)
        } else {
            return nil
        }
        let closing = chosen ?? id
        leave(closing)
        members[closing]?.isClosing = true
        return closing
    }

    /// A connection that was to be closed has received a request in the meantime, so it stays open.
    mutating func stayedOpen(_ id: ConnectionID) {
        guard let member = members[id], member.isClosing else { return }
        members[id]?.isClosing = false
        counts[member.address, default: 0] += 1
        open += 1
    }

    mutating func closed(_ id: ConnectionID) {
        if let member = members[id], !member.isClosing { leave(id) }
        members[id] = nil
    }

    private mutating func leave(_ id: ConnectionID) {
        guard let address = members[id]?.address else { return }
        let count = (counts[address] ?? 0) - 1
        counts[address] = count > 0 ? count : nil
        open -= 1
    }

    // MARK: Search

    private mutating func idlest(
        of address: AddressShare?, except newcomer: ConnectionID, _ now: UInt64,
        _ activity: (ConnectionID) -> ConnectionActivity
    ) -> ConnectionID? {
        if candidates.address != address { candidates = Candidates(address: address) }
        while let next = candidates.stack.popLast() {
            guard let member = members[next.id], !member.isClosing, activity(next.id) == next.activity else { continue }
            return next.id
        }
        search(address, except: newcomer, now, activity)
        return candidates.stack.popLast()?.id
    }

    private mutating func search(
        _ address: AddressShare?, except newcomer: ConnectionID, _ now: UInt64,
        _ activity: (ConnectionID) -> ConnectionActivity
    ) {
        var found: [(id: ConnectionID, activity: ConnectionActivity)] = []
        for (id, member) in members {
            guard !member.isClosing, id != newcomer, address == nil || member.address == address else { continue }
            let activity = activity(id)
            if activity.givesWay(at: now) { found.append((id, activity)) }
        }
        found.sort { left, right in
            (left.activity.kind.rawValue, left.activity.since, left.id)
                < (right.activity.kind.rawValue, right.activity.since, right.id)
        }
        candidates = Candidates(address: address, stack: found.prefix(Self.candidatesPerSearch).reversed())
    }
}
