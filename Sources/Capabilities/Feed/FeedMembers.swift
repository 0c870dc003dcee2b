import Auth
import RPCServer

/// The listeners of the feed, and where each of them is.
///
/// A listener waits until the poller has read the database, and may be gone before, so that it is removed from where it
/// waits, too: otherwise clients that connect again and again while the database is away would use more and more memory.
struct FeedMembers<Listener: Sendable>: Sendable {
    typealias ID = UInt64

    /// A listener, and what it receives.
    struct Member: Sendable {
        enum Phase: Sendable {
            /// It waits for the next read of the poller, or catches up.
            case joining
            /// It receives what the poller reads after this position. The changes up to it were sent while it caught up.
            case live(after: ChangeCursor?)
        }

        let listener: Listener
        let filter: ChangeFilter
        let caller: Caller
        let authorization: String?
        var account: Int64 { caller.user.accountID }
        var phase = Phase.joining
    }

    /// A listener that continues from an earlier position.
    struct Newcomer: Sendable {
        let id: ID
        let member: Member
        let cursor: ChangeCursor
    }

    private(set) var members: [ID: Member] = [:]
    private var lastID: ID = 0
    /// How many listeners each account has.
    private var accounts: [Int64: Int] = [:]
    /// Listeners that begin at the present position, when the poller has read it.
    private(set) var fresh: [ID] = []
    /// Listeners that have to catch up, in their order.
    private(set) var resuming: [(id: ID, cursor: ChangeCursor)] = []

    var count: Int { members.count }
    var isEmpty: Bool { members.isEmpty }

    subscript(id: ID) -> Member? { members[id] }

    /// - Parameter cursor: where to continue; nil for the present position.
    mutating func add(_ member: Member, after cursor: ChangeCursor?) -> ID {
        lastID += 1
        members[lastID] = member
        accounts[member.account, default: 0] += 1
        if let cursor { resuming.append((lastID, cursor)) } else { fresh.append(lastID) }
        return lastID
    }

    mutating func remove(_ id: ID) {
        guard let member = members.removeValue(forKey: id) else { return }
        let count = accounts[member.account, default: 0] - 1
        accounts[member.account] = count > 0 ? count : nil
        fresh.removeAll { $0 == id }
        resuming.removeAll { $0.id == id }
    }

    /// From now on the listener receives what the poller reads.
    mutating func join(_ id: ID, after cursor: ChangeCursor?) { members[id]?.phase = .live(after: cursor) }

    /// Lets those listeners join that begin at the present position, and returns them.
    mutating func admitFresh() -> [Listener] {
        defer { fresh = [] }
        return fresh.compactMap { id in
            join(id, after: nil)
            return members[id]?.listener
        }
    }

    /// The listeners that have to catch up. Each is returned once.
    mutating func takeResuming() -> [Newcomer] {
        defer { resuming = [] }
        return resuming.compactMap { id, cursor in
            members[id].map { Newcomer(id: id, member: $0, cursor: cursor) }
        }
    }

    // MARK: Places

    /// Whether a listener of this account finds a place among `max`.
    func hasPlace(for account: Int64, among max: Int) -> Bool {
        count < max || accounts[account, default: 0] + 1 < accounts.values.max() ?? 0
    }

    /// The listener that has been there for the shortest time, of the account that has the most.
    var newestOfLargestAccount: Listener? {
        guard let largest = accounts.max(by: { $0.value < $1.value })?.key else { return nil }
        return members.filter { $0.value.account == largest }.max { $0.key < $1.key }?.value.listener
    }
}
