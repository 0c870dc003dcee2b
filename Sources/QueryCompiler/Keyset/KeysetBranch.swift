/// A stretch of an order that an index can read from one place on.
///
/// All arms together are exactly the records asked for; no two overlap; and every record of an arm comes before
/// those of the arms behind it.
struct KeysetBranch: Hashable, Sendable {
    enum Term: Hashable, Sendable {
        /// The key has the cursor's value.
        case equal(Int)
        case null(Int)
        case present(Int)
        /// These keys, compared as a row, come after the cursor's values. All go in one direction, and none but the
        /// first may be null elsewhere: a comparison of rows is not true where it meets a null.
        case after(Range<Int>)
        /// The key has the greatest value there is below the cursor's, or at all.
        case greatest(Int)
        /// The key is less than that.
        case belowGreatest(Int)
    }

    let terms: [Term]

    /// The records behind a cursor.
    ///
    /// - Parameters:
    ///   - keys: the order, ending with a key that is unique and never null.
    ///   - hasValue: whether the cursor has a value for the key; false stands for null.
    static func branches(of keys: [OrderKey], hasValue: [Bool]) -> [KeysetBranch] {
        branches(of: keys, hasValue, from: 0, within: [])
    }

    private static func branches(
        of keys: [OrderKey], _ hasValue: [Bool], from start: Int, within prefix: [Term]
    ) -> [KeysetBranch] {
        guard start < keys.count else { return [] }
        // Nulls are last: nothing comes after this one but what is null too.
        guard hasValue[start] else {
            return branches(of: keys, hasValue, from: start + 1, within: prefix + [.null(start)])
        }
        var end = start + 1
        // Columns of two tables make no comparison that an index could answer.
        while end < keys.count, hasValue[end], !keys[end].isNullable, keys[end].path == keys[start].path,
            keys[end].isDescending == keys[start].isDescending
        { end += 1 }
        let equal = (start..<end).map(Term.equal)
        return branches(of: keys, hasValue, from: end, within: prefix + equal)
            + [KeysetBranch(terms: prefix + [.after(start..<end)])]
            + (keys[start].isNullable ? [KeysetBranch(terms: prefix + [.null(start)])] : [])
    }

    /// All records.
    static func branches(of keys: [OrderKey]) -> [KeysetBranch] {
        guard let first = keys.first, first.isNullable, first.isDescending || !first.path.isEmpty else {
            return [KeysetBranch(terms: [])]
        }
        // Nulls, being last, stand at the wrong end of an index read backwards; and the index of a related table knows
        // no record without one.
        return [KeysetBranch(terms: [.present(0)]), KeysetBranch(terms: [.null(0)])]
    }

    /// The arms of a descending column whose ties are broken by ascending ids. Read backwards, an index on both has
    /// the ids the wrong way round, and sorting them costs as much as there are records of one value: half the table
    /// for a column of two. So the greatest value, which that index tells at once, gets an arm of its own.
    static func withGreatest(_ branches: [KeysetBranch], of keys: [OrderKey]) -> [KeysetBranch] {
        guard keys.count == 2, keys[0].isIndexed, keys[0].isDescending, !keys[1].isDescending else { return branches }
        return branches.flatMap { branch in
            switch branch.terms {
            case [], [.present(0)], [.after(0..<1)]:
                [KeysetBranch(terms: [.greatest(0)]), KeysetBranch(terms: [.belowGreatest(0)])]
            default: [branch]
            }
        }
    }
}
