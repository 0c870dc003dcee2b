import DomainKit

/// Writes the condition that a record sorts after a cursor.
struct KeysetSQL {
    let schema: Schema
    let table: Table
    let aliases: Aliases
    let order: [OrderKey]
    /// The cursor; nil for all records.
    let after: AfterShape?

    var branches: [KeysetBranch] {
        guard let after else { return KeysetBranch.branches(of: order) }
        return KeysetBranch.branches(of: order, hasValue: after.slots.map { $0 != nil })
    }

    /// The branches for a statement that reads each of them by itself.
    var separateBranches: [KeysetBranch] { KeysetBranch.separatingGreatest(branches, of: order) }

    /// The condition of one branch; nil when the branch has all records.
    func sql(_ branch: KeysetBranch, in scope: Scope) -> String? {
        branch.terms.isEmpty ? nil : branch.terms.map { term($0, in: scope) }.joined(separator: " AND ")
    }

    /// All branches as one condition; nil without a cursor. In the order of an index, a comparison of the first key precedes
    /// them, so that the scan can start there. Otherwise the branch that most records fulfil is tested first.
    func sql(in scope: Scope) -> String? {
        guard let after else { return nil }
        let branches = self.branches
        guard branches.count > 1 else { return branches.first.flatMap { sql($0, in: scope) } }
        guard let first = order.first, first.isIndexed, !first.isNullable, let slot = after.slots[0] else {
            let others = branches.filter { !$0.startsAfterFirstKey }
            return "(\(disjunction(of: branches.filter(\.startsAfterFirstKey) + others, in: scope)))"
        }
        let comparison = first.isDescending ? "<=" : ">="
        return "\(collated(0, in: scope)) \(comparison) \(first.field.type.parameter(slot))"
            + " AND (\(disjunction(of: branches, in: scope)))"
    }

    private func disjunction(of branches: [KeysetBranch], in scope: Scope) -> String {
        branches.compactMap { sql($0, in: scope).map { "(\($0))" } }.joined(separator: " OR ")
    }

    /// The ORDER BY list for the rows of one branch. It leaves out keys that have one value in the whole branch. It
    /// does not mention nulls where a key is always or never null, so that an ordinary index has this order.
    func order(of branch: KeysetBranch, in scope: Scope) -> String {
        var terms: [String] = []
        for (index, key) in order.enumerated() {
            if branch.terms.contains(.equal(index)) || branch.terms.contains(.greatest(index)) { continue }
            if branch.terms.contains(.null(index)) {
                terms.append(scope.nullness(of: key) ?? collated(index, in: scope))
            } else if branch.hasNoNulls(inKey: index) {
                terms.append(collated(index, in: scope) + (key.isDescending ? " DESC" : ""))
            } else {
                terms.append(OrderSQL.term(key, scope.expression(key)))
            }
        }
        return terms.joined(separator: ", ")
    }

    private func term(_ term: KeysetBranch.Term, in scope: Scope) -> String {
        switch term {
        case .equal(let index): compare([index], "=", in: scope)
        case .null(let index): "\(scope.nullness(of: order[index]) ?? scope.expression(order[index])) IS NULL"
        case .notNull(let index): "\(scope.expression(order[index])) IS NOT NULL"
        case .greatest(let index): "\(collated(index, in: scope)) = \(greatest(index))"
        case .belowGreatest(let index): "\(collated(index, in: scope)) < \(greatest(index))"
        case .after(let range): compare(Array(range), order[range.lowerBound].isDescending ? "<" : ">", in: scope)
        }
    }

    private func compare(_ indices: [Int], _ comparison: String, in scope: Scope) -> String {
        let left = indices.map { collated($0, in: scope) }
        let right = indices.compactMap { index in after?.slots[index].map(order[index].field.type.parameter) }
        guard indices.count > 1 else { return "\(left[0]) \(comparison) \(right.joined())" }
        return "(\(left.joined(separator: ", "))) \(comparison) (\(right.joined(separator: ", ")))"
    }

    private func collated(_ index: Int, in scope: Scope) -> String {
        scope.expression(order[index]) + order[index].field.sortCollation
    }

    /// A subquery for the greatest value of a column of the table itself, or the greatest below the cursor's value.
    private func greatest(_ index: Int) -> String {
        let scope = Scope(table, aliases, schema: schema)
        let key = order[index]
        let value = scope.expression(key)
        let collation = key.field.sortCollation
        let condition =
            after?.slots[index].map { "\(value)\(collation) < \(key.field.type.parameter($0))" }
            ?? "\(value) IS NOT NULL"
        let reached = table.reachClause(on: scope.alias)
        return
            "(SELECT \(value) FROM \(scope.from) WHERE \(condition)\(reached) ORDER BY \(value)\(collation) DESC LIMIT 1)"
    }
}

extension KeysetBranch {
    /// Whether all of its records differ from the cursor in the first key, as most records of an order do.
    fileprivate var startsAfterFirstKey: Bool {
        if case .after(let range)? = terms.first { range.lowerBound == 0 } else { false }
    }

    /// Whether the branch's own condition on the key excludes nulls.
    fileprivate func hasNoNulls(inKey index: Int) -> Bool {
        terms.contains { term in
            if case .after(let range) = term { return range.lowerBound == index }
            return term == .notNull(index) || term == .belowGreatest(index)
        }
    }
}
