/// The part of a pool that one of a program's users has: an account, a tenant, a queue of jobs.
///
/// ```swift
/// let rows = try await client.query(invoices, [.text("\(account)")], for: Share(account, of: tenant))
/// ```
///
/// Requests that wait for a connection are served in turn between the groups of shares, in turn between the shares of a group, and
/// in their order within one. So a group with a thousand shares gets no more than one with a single share. One
/// connection carries no request of the same share, and no share occupies the last connection that slow reads or
/// transactions may use, if there is more than one. So each share finds a connection soon, however much the others ask for.
/// How much one share may have waiting is limited, too: see `Configuration.maxWaitingPerShare`. A request without a share
/// has neither these limits nor this protection from its own kind.
public struct Share: Hashable, Sendable {
    let id: Int64
    let group: Int64

    /// A share is known by its number and its group. The shares of one client do not concern another one.
    ///
    /// - Parameter group: a group of shares that take turns with the other groups as one, for example the tenant of an account.
    ///   0: none. While one group alone waits, shares of no group and requests without a share take turns with its shares; from two
    ///   groups on, each of both is a group.
    public init(_ id: Int64, of group: Int64 = 0) {
        self.id = id
        self.group = group
    }

    /// Few numbers belong to several groups: the number alone tells shares apart well enough.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// How many requests of each share are on one connection.
struct ShareCounts {
    private struct Entry {
        let share: Share
        var count: Int
    }

    /// A few, because so is what one connection carries at a time.
    private var entries: [Entry] = []

    func contains(_ share: Share) -> Bool { entries.contains { $0.share == share } }

    mutating func add(_ share: Share) {
        if let index = entries.firstIndex(where: { $0.share == share }) {
            entries[index].count += 1
        } else {
            entries.append(Entry(share: share, count: 1))
        }
    }

    mutating func remove(_ share: Share) {
        guard let index = entries.firstIndex(where: { $0.share == share }) else { return }
        entries[index].count -= 1
        if entries[index].count == 0 { entries.remove(at: index) }
    }
}
