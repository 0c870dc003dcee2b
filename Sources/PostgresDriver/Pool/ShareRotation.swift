/// The shares that have requests of one demand, in the order of their turns.
///
/// While at most one group has requests, all shares take turns: those of the group, those of no group, and requests without a share,
/// which are one share among them. From two groups on, groups take turns, and within a group its shares: a group with a thousand
/// shares has no more turns than one with a single share. The shares of no group are a group then, and so are requests without a
/// share: however many accounts call, a request of the program itself, such as a sign-in, waits for one turn of each group.
struct ShareRotation {
    private struct Turn {
        let share: Share?
        /// Grows with each share that is put behind the others.
        let place: Int
    }

    /// The group that is next; 0: the shares of none; nil: requests without a share. It is kept apart from the others, so that one
    /// group alone costs no look-up.
    private var group: Int64?
    private var shares = FIFO<Turn>()
    /// The further groups that have shares, in the order of their turns.
    private var order = FIFO<Int64?>()
    private var others: [Int64?: FIFO<Turn>] = [:]
    private var nextPlace = 0

    var isEmpty: Bool { shares.isEmpty && order.isEmpty }

    /// How many groups take turns.
    var groupCount: Int { hasSeveralGroups ? order.count + (shares.isEmpty ? 0 : 1) : isEmpty ? 0 : 1 }

    /// How many shares take turns before the turn passes to another group.
    var shareCount: Int {
        guard !order.isEmpty, !hasSeveralGroups else { return shares.count }
        return others.values.reduce(shares.count) { $0 + $1.count }
    }

    /// The share that is next.
    var first: Share?? { shares.first.map { $0.share } }

    /// Adds a share behind those of its group, and its group, if it is not there yet, behind the others.
    mutating func append(_ share: Share?) {
        if isEmpty { group = share?.group }
        put(share)
    }

    /// Puts the share that is next behind those with which it takes turns.
    ///
    /// - Parameter stays: false for one that leaves, because it has no more requests.
    mutating func passShare(stays: Bool) {
        guard let turn = shares.popFirst() else { return }
        if stays { put(turn.share) }
        findNext()
    }

    /// Puts the group that is next behind the others, if there are others. One without shares leaves.
    mutating func passGroup() {
        guard hasSeveralGroups else { return }
        advance()
        findNext()
    }

    /// Removes shares, and the groups that have no others.
    mutating func removeAll(where matches: (Share?) -> Bool) {
        shares.removeAll { matches($0.share) }
        for group in order.drain() {
            others[group]?.removeAll { matches($0.share) }
            if others[group]?.isEmpty == false { order.append(group) } else { others[group] = nil }
        }
        if shares.isEmpty { advance() }
        findNext()
    }

    /// Whether the turns are those of groups. No more than two of those in turn are none.
    private var hasSeveralGroups: Bool {
        guard let second = order.first, let last = order.last else { return false }
        let others = order.count == 1 ? number(second) : number(second) + number(last)
        return order.count > 2 || number(group) + others > 1
    }

    private func number(_ group: Int64?) -> Int { (group ?? 0) == 0 ? 0 : 1 }

    private mutating func put(_ share: Share?) {
        let turn = Turn(share: share, place: nextPlace)
        nextPlace += 1
        guard share?.group != group else { return shares.append(turn) }
        if others[share?.group] == nil { order.append(share?.group) }
        others[share?.group, default: FIFO()].append(turn)
    }

    /// The turn passes to the next of those in `order`.
    private mutating func advance() {
        guard let next = order.popFirst() else { return }
        if !shares.isEmpty {
            others[group] = shares
            order.append(group)
        }
        group = next
        shares = others.removeValue(forKey: next) ?? FIFO()
    }

    /// Where groups do not take turns, the share is next that has waited longest for its own.
    private mutating func findNext() {
        guard !order.isEmpty, !hasSeveralGroups else { return }
        var next: (group: Int64?, place: Int)? = shares.first.map { (group, $0.place) }
        for (group, shares) in others {
            guard let place = shares.first?.place else { continue }
            if next.map({ place < $0.place }) ?? true { next = (group, place) }
        }
        while let next, next.group != group, !order.isEmpty { advance() }
    }
}
