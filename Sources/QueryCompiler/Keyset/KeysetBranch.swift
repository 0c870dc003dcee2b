/// A range of an order that an index can read from its start: one branch of a keyset condition.
///
/// The branches of an order together are exactly the records asked for. No two branches overlap, and every record of a
/// branch sorts before those of the following branches.
struct KeysetBranch: Hashable, Sendable {
    /// A condition on keys of the order, which are given by their index.
    enum Term: Hashable, Sendable {
        /// The key has the cursor's value.
        case equal(Int)
        case null(Int)
        case notNull(Int)
        /// These keys, compared as a row, sort after the cursor's values. All have the same direction, and only the
        /// first may be nullable: a row comparison is never true when it meets a null.
        case after(Range<Int>)
        /// The key has the greatest value that is less than the cursor's, or the greatest of all without a cursor.
        case greatest(Int)
        /// The key is less than that value.
        case belowGreatest(Int)
    }

    let terms: [Term]

    /// The records after a cursor.
    ///
    /// - Parameters:
    ///   - keys: the order. Its last key is unique and never null.
    ///   - hasValue: for each key whether the cursor has a value for it; false means null.
    static func branches(of keys: [OrderKey], hasValue: [Bool]) -> [KeysetBranch] {
        branches(of: keys, hasValue, from: 0, within: [])
    }

    private static func branches(
        of keys: [OrderKey], _ hasValue: [Bool], from start: Int, within prefix: [Term]
    ) -> [KeysetBranch] {
        guard start < keys.count else { return [] }
        // Nulls sort last: only records where this key is null as well can follow.
        guard hasValue[start] else {
            return branches(of: keys, hasValue, from: start + 1, within: prefix + [.null(start)])
        }
        let run = start..<endOfComparableRun(of: keys, hasValue, from: start)
        return branches(of: keys, hasValue, from: run.upperBound, within: prefix + run.map(Term.equal))
            + [KeysetBranch(terms: prefix + [.after(run)])]
            + (keys[start].isNullable ? [KeysetBranch(terms: prefix + [.null(start)])] : [])
    }

    /// The end of the keys from `start` on that one row comparison can cover: not null, in one direction, and from one
    /// table, because an index cannot answer a comparison of columns of two tables.
    private static func endOfComparableRun(of keys: [OrderKey], _ hasValue: [Bool], from start: Int) -> Int {
        var end = start + 1
        while end < keys.count, hasValue[end], !keys[end].isNullable, keys[end].path == keys[start].path,
            keys[end].isDescending == keys[start].isDescending
        { end += 1 }
        return end
    }

    /// All records, without a cursor.
    static func branches(of keys: [OrderKey]) -> [KeysetBranch] {
        guard let first = keys.first, first.isNullable, first.isDescending || !first.path.isEmpty else {
            return [KeysetBranch(terms: [])]
        }
        // An index that is read backwards has the nulls at its start, where they do not belong; the index of a related
        // table has no entry for records without a related record.
        return [KeysetBranch(terms: [.notNull(0)]), KeysetBranch(terms: [.null(0)])]
    }

    /// Gives the greatest value of a descending column a branch of its own, where ascending ids break the ties.
    ///
    /// An index on the column and the id that is read backwards has the ids in the wrong direction. Postgres then sorts
    /// all records of one value, which is half of the table for a column of two values. It finds the greatest value in
    /// that index at once.
    static func separatingGreatest(_ branches: [KeysetBranch], of keys: [OrderKey]) -> [KeysetBranch] {
        guard keys.count == 2, keys[0].isIndexed, keys[0].isDescending, !keys[1].isDescending else { return branches }
        return branches.flatMap { branch in
            switch branch.terms {
            case [], [.notNull(0)], [.after(0..<1)]:
                [KeysetBranch(terms: [.greatest(0)]), KeysetBranch(terms: [.belowGreatest(0)])]
            default: [branch]
            }
        }
    }
}
