import DomainKit

/// Writes the condition that a record comes after a cursor.
struct KeysetSQL {
    let schema: Schema
    let table: Table
    let aliases: Aliases
    let order: [OrderKey]
    /// Nil: all records.
    let after: AfterShape?

    var branches: [KeysetBranch] {
        guard let after else { return KeysetBranch.branches(of: order) }
        return KeysetBranch.branches(of: order, hasValue: after.slots.map { $0 != nil })
    }

    /// The arms for reading each by itself.
    var separateBranches: [KeysetBranch] { KeysetBranch.withGreatest(branches, of: order) }

    /// Nil when the arm is all there is.
    func sql(_ branch: KeysetBranch, in scope: Scope) -> String? {
        branch.terms.isEmpty ? nil : branch.terms.map { term($0, in: scope) }.joined(separator: " AND ")
    }

    /// All arms as one condition, with a bound on the first key that an index can begin at; nil without a cursor.
    func sql(in scope: Scope) -> String? {
        guard let after else { return nil }
        let branches = self.branches
        guard branches.count > 1 else { return branches.first.flatMap { sql($0, in: scope) } }
        let all = branches.compactMap { sql($0, in: scope).map { "(\($0))" } }.joined(separator: " OR ")
        guard let first = order.first, !first.isNullable, let slot = after.slots[0] else { return "(\(all))" }
        let comparison = first.isDescending ? "<=" : ">="
        return
            "\(scope.expression(first))\(first.field.type.sortCollation) \(comparison) \(first.field.type.parameter(slot))"
            + " AND (\(all))"
    }

    /// The order of the rows of one arm: keys that are the same in all of them decide nothing, and where a key is
    /// null always or never an ordinary index has the direction.
    func order(of branch: KeysetBranch, in scope: Scope) -> String {
        var terms: [String] = []
        for (index, key) in order.enumerated() where !branch.terms.contains(.equal(index)) {
            let value = scope.expression(key) + key.field.type.sortCollation
            let begins = branch.terms.contains { term in
                if case .after(let range) = term { return range.lowerBound == index }
                return term == .present(index) || term == .belowGreatest(index)
            }
            if branch.terms.contains(.greatest(index)) {
                continue
            } else if branch.terms.contains(.null(index)) {
                terms.append(scope.nullness(of: key) ?? value)
            } else if begins {
                terms.append(value + (key.isDescending ? " DESC" : ""))
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
        case .present(let index): "\(scope.expression(order[index])) IS NOT NULL"
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
        scope.expression(order[index]) + order[index].field.type.sortCollation
    }

    /// The greatest value of a column of the table itself, below the cursor's where there is one.
    private func greatest(_ index: Int) -> String {
        let scope = Scope(table, aliases, schema: schema)
        let key = order[index]
        let value = scope.expression(key)
        let rowBound =
            after?.slots[index].map { "\(value)\(key.field.type.sortCollation) < \(key.field.type.parameter($0))" }
            ?? "\(value) IS NOT NULL"
        return
            "(SELECT \(value) FROM \(scope.from) WHERE \(rowBound) ORDER BY \(value)\(key.field.type.sortCollation) DESC LIMIT 1)"
    }
}
