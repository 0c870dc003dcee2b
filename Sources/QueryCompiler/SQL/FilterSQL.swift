import DomainKit

/// Writes a filter as an SQL condition on one record.
struct FilterSQL {
    /// The number of relationships that Postgres may turn into joins. Postgres searches for their best order, in time
    /// that grows with the factorial of their number.
    private static let maxJoinedRelationships = 6

    private let schema: Schema
    private let aliases: Aliases
    private let allowsJoins: Bool

    /// - Parameter alias: of the record.
    static func sql(
        _ condition: Condition, on table: Table, _ alias: String, schema: Schema, aliases: Aliases
    ) -> String {
        FilterSQL(
            schema: schema, aliases: aliases, allowsJoins: condition.relationCount <= maxJoinedRelationships
        ).sql(condition, on: table, alias)
    }

    private func sql(_ condition: Condition, on table: Table, _ alias: String) -> String {
        switch condition {
        case .all(let parts):
            parts.isEmpty ? "true" : joined(parts, by: "AND", on: table, alias)
        case .any(let parts):
            parts.isEmpty ? "false" : joined(parts, by: "OR", on: table, alias)
        case .not(let part):
            "NOT (\(sql(part, on: table, alias)))"
        case .compare(let field, let comparison, let slot):
            compare(field, comparison, slot, alias)
        case .member(let field, let slot, let isNegated):
            member(field, slot, isNegated: isNegated, alias)
        case .null(let field, let isNull):
            "\(field.expression(on: alias)) IS \(isNull ? "" : "NOT ")NULL"
        case .searchText(let slot):
            table.searchFunction.map { "\($0)(\(alias)) LIKE $\(slot + 1)::text" } ?? "true"
        case .noRelated(let relationship):
            noRelated(relationship, alias)
        case .related(let relationship, let inner):
            related(relationship, inner, alias)
        case .semiJoin(let relationship, let inner):
            semiJoin(relationship, inner, alias)
        }
    }

    private func joined(_ parts: [Condition], by word: String, on table: Table, _ alias: String) -> String {
        guard parts.count > 1 else { return sql(parts[0], on: table, alias) }
        return "(" + parts.map { sql($0, on: table, alias) }.joined(separator: " \(word) ") + ")"
    }

    // MARK: Fields

    private func compare(_ field: Field, _ comparison: Comparison, _ slot: Int, _ alias: String) -> String {
        let value = field.expression(on: alias)
        let parameter = field.type.parameter(slot)
        // Patterns use the column's own collation, by which ILIKE decides which letters are equal.
        let collation = comparison.isPattern ? "" : field.type.comparisonCollation
        let condition = "\(value)\(collation) \(comparison.sql) \(parameter)"
        if comparison == .eq, let prefilter = field.prefilter {
            return "(\(condition) AND \(prefilter)(\(alias), ARRAY[\(parameter)]))"
        }
        return condition
    }

    private func member(_ field: Field, _ slot: Int, isNegated: Bool, _ alias: String) -> String {
        let value = field.expression(on: alias)
        let collation = field.type.comparisonCollation
        let array = field.type.arrayParameter(slot)
        guard !isNegated else { return "\(value)\(collation) <> ALL (\(array))" }
        let condition = "\(value)\(collation) = ANY (\(array))"
        if let prefilter = field.prefilter {
            return "(\(condition) AND \(prefilter)(\(alias), \(array)))"
        }
        return condition
    }

    // MARK: Relationships

    private func noRelated(_ relationship: Relationship, _ alias: String) -> String {
        guard case .toOne(let column) = relationship.relation.kind else { return "false" }
        if relationship.reachesOwnRowsOnly { return "NOT \(related(relationship, .all([]), alias))" }
        return "\(alias).\(SQLIdentifier.sql(column)) IS NULL"
    }

    private func semiJoin(_ relationship: Relationship, _ inner: Condition, _ alias: String) -> String {
        guard let target = schema.target(of: relationship), case .toOne(let column) = relationship.relation.kind else {
            return "false"
        }
        let other = aliases.next()
        return "\(alias).\(SQLIdentifier.sql(column)) = ANY (ARRAY(SELECT \(other).id FROM"
            + " \(target.sql) \(other) WHERE \(sql(inner, on: target, other))"
            + "\(target.reachClause(on: other))))"
    }

    private func related(_ relationship: Relationship, _ inner: Condition, _ alias: String) -> String {
        guard let target = schema.target(of: relationship) else { return "false" }
        let other = aliases.next()
        let condition = inner == .all([]) ? "" : " AND " + sql(inner, on: target, other)
        let exists =
            "EXISTS (SELECT 1 FROM \(target.sql) \(other)"
            + " WHERE \(relationship.match(from: alias, to: other))\(target.reachClause(on: other))\(condition))"
        // Postgres does not turn an EXISTS inside an expression into a join.
        return allowsJoins ? exists : "coalesce(\(exists), false)"
    }
}

extension Relationship {
    /// The condition that the record `other` is related to the record `alias`.
    func match(from alias: String, to other: String) -> String {
        switch relation.kind {
        case .toOne(let column): "\(other).id = \(alias).\(SQLIdentifier.sql(column))"
        case .toMany(let column): "\(other).\(SQLIdentifier.sql(column)) = \(alias).id"
        }
    }
}
