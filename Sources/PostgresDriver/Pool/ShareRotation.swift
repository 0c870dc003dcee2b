/// The shares that have requests of one demand, in the order of their turns: groups take turns, and within a group its shares.
///
/// A group with a thousand shares therefore has no more turns than one with a single share. Requests without a share are a group
/// of their own.
struct ShareRotation {
    /// The group that is next. It is kept apart from the others, so that one group alone costs no look-up.
    private var group: Int64?
    private var shares = FIFO<Share?>()
    /// The further groups that have shares, in the order of their turns.
    private var order = FIFO<Int64?>()
    private var others: [Int64?: FIFO<Share?>] = [:]

    var isEmpty: Bool { shares.isEmpty && order.isEmpty }

    /// How many groups have shares.
    var groupCount: Int { order.count + (shares.isEmpty ? 0 : 1) }

    /// How many shares the group has that is next.
    var shareCount: Int { shares.count }

    /// The share that is next.
    var first: Share?? { shares.first }

    /// Adds a share behind those of its group, and its group, if it is not there yet, behind the others.
    mutating func append(_ share: Share?) {
        if isEmpty { group = share?.group }
        guard share?.group != group else { return shares.append(share) }
        if others[share?.group] == nil { order.append(share?.group) }
        others[share?.group, default: FIFO()].append(share)
    }

    /// Puts the share that is next behind those of its group.
    ///
    /// - Parameter stays: false for one that leaves, because it has no more requests.
    mutating func passShare(stays: Bool) {
        guard let share = shares.popFirst(), stays else { return }
        shares.append(share)
    }

    /// Puts the group that is next behind the others. One without shares leaves.
    mutating func passGroup() {
        guard let next = order.popFirst() else { return }
        if !shares.isEmpty {
            others[group] = shares
            order.append(group)
        }
        group = next
        shares = others.removeValue(forKey: next) ?? FIFO()
    }

    /// Removes shares, and the groups that have no others.
    mutating func removeAll(where matches: (Share?) -> Bool) {
        shares.removeAll(where: matches)
        for group in order.drain() {
            others[group]?.removeAll(where: matches)
            if others[group]?.isEmpty == false { order.append(group) } else { others[group] = nil }
        }
        if shares.isEmpty { passGroup() }
    }
}
