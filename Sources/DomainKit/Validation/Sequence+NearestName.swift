extension Sequence<String> {
    /// The name of this sequence that `name` is probably a misspelling of; nil if none is near.
    ///
    /// A name is near if it differs by few typing errors (a letter missing, added, wrong, or two letters swapped; about
    /// one error for every three letters, case ignored), or if it begins with `name`. Among equally near names, one that
    /// contains all typed letters in their order is preferred: `ge` suggests `gte` rather than `ne`.
    ///
    /// ```swift
    /// ["title", "isbn", "author_id"].nearest(to: "titel")  // "title"
    /// ```
    public func nearest(to name: String) -> String? {
        let typed = Array(name.lowercased().unicodeScalars)
        guard !typed.isEmpty, typed.count <= 64 else { return nil }
        let tolerance = Swift.min(3, Swift.max(1, typed.count / 3))
        var best: (name: String, distance: Int, isLonger: Bool)?
        var extended: String?
        for candidate in self {
            let known = Array(candidate.lowercased().unicodeScalars)
            let isLonger = known.contains(inOrder: typed)
            let bound = best.map { isLonger && !$0.isLonger ? $0.distance : $0.distance - 1 } ?? tolerance
            if let distance = editDistance(typed, known, atMost: bound), distance < Swift.max(known.count, 2) {
                best = (candidate, distance, isLonger)
            }
            if extended == nil, typed.count >= 3, known.starts(with: typed) {
                extended = candidate
            }
        }
        return best?.name ?? extended
    }
}

extension [Unicode.Scalar] {
    /// Whether `others` is a subsequence of this array.
    fileprivate func contains(inOrder others: [Unicode.Scalar]) -> Bool {
        var rest = others[...]
        for scalar in self where scalar == rest.first { rest.removeFirst() }
        return rest.isEmpty
    }
}

/// The number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other (the
/// optimal string alignment distance); nil if it is above `bound`.
private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar], atMost bound: Int) -> Int? {
    guard bound >= 0, abs(left.count - right.count) <= bound else { return nil }
    guard !left.isEmpty, !right.isEmpty else { return Swift.max(left.count, right.count) }
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 1...left.count {
        var current = [row]
        current.reserveCapacity(right.count + 1)
        for column in 1...right.count {
            let isSame = left[row - 1] == right[column - 1]
            var cost = Swift.min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1))
            if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                cost = Swift.min(cost, beforeLast[column - 2] + 1)
            }
            current.append(cost)
        }
        if current.allSatisfy({ $0 > bound }) { return nil }
        (beforeLast, last) = (last, current)
    }
    return last[right.count] <= bound ? last[right.count] : nil
}
