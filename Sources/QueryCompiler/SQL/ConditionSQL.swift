import DomainKit

/// Writes conditions on the record of one alias.
struct ConditionSQL {
    /// Up to so many relations Postgres may turn into joins, whose best order it then looks for; the time that takes
    /// grows with their factorial.
    private static let joinable = 6

    private let schema: Schema
    private let aliases: Aliases
    private let isJoinable: Bool
    private let isOrderedList: Bool

    /// The whole condition on one record.
    ///
    /// - Parameter isListed: whether some of the records are wanted, in an order, and not a number over all of them.
    static func sql(
        _ condition: Condition, on table: Table, _ alias: String, schema: Schema, aliases: Aliases, isOrderedList: Bool
    ) -> String {
        ConditionSQL(
            schema: schema, aliases: aliases, isJoinable: condition.relationCount <= joinable,
            isOrderedList: isOrderedList
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
        case .indexedPrefix(let field, let slot):
            "\(FieldType.indexedPrefix(of: field.expression(on: alias)))\(field.type.comparisonCollation)"
                + " = ANY (\(field.type.arrayParameter(slot)))"
        case .null(let field, true) where field.isColumn && field.type.isUnbounded:
            "\(FieldType.indexedPrefix(of: field.expression(on: alias))) IS NULL"
        case .null(let field, let isNull):
            "\(field.expression(on: alias)) IS \(isNull ? "" : "NOT ")NULL"
        case .document(let slot):
            table.entity.search.map { "\(SQLIdentifier.sql($0.document))(\(alias)) LIKE $\(slot + 1)::text" } ?? "true"
        case .missing(let relationship):
            missing(relationship, alias)
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

    private func compare(_ field: Field, _ comparison: Comparison, _ slot: Int, _ alias: String) -> String {
        let value = field.expression(on: alias)
        let parameter = field.type.parameter(slot)
        // Patterns have the column's own collation, which tells ILIKE what letters are alike.
        let collation = comparison.isPattern ? "" : field.type.comparisonCollation
        let condition = "\(value)\(collation) \(comparison.sql) \(parameter)"
        if isOrderedList, comparison.isOrdering, field.isIndexed, field.type.isDecimal {
            // Knowing nothing of what lies beyond one number, Postgres expects half the table there and reads all of it;
            // between two it expects little, and lets the index show. No number is beyond these.
            let isAbove = comparison == .gt || comparison == .gte
            return "(\(condition) AND \(value) \(isAbove ? "<= 'NaN'" : ">= '-Infinity'")::numeric)"
        }
        if comparison == .eq, let prefilter = field.prefilter {
            return "(\(condition) AND \(SQLIdentifier.sql(prefilter))(\(alias), ARRAY[\(parameter)]))"
        }
        guard field.isColumn, field.type.isUnbounded, let looser = comparison.onPrefixes else { return condition }
        // Follows from the first, and is what an index can answer.
        let (indexedPrefix, wanted) = (FieldType.indexedPrefix(of: value), FieldType.indexedPrefix(of: parameter))
        return "(\(condition) AND \(indexedPrefix)\(collation) \(looser.sql) \(wanted))"
    }

    private func member(_ field: Field, _ slot: Int, isNegated: Bool, _ alias: String) -> String {
        let value = field.expression(on: alias)
        let collation = field.type.comparisonCollation
        let array = field.type.arrayParameter(slot)
        guard !isNegated else { return "\(value)\(collation) <> ALL (\(array))" }
        let condition = "\(value)\(collation) = ANY (\(array))"
        if let prefilter = field.prefilter {
            return "(\(condition) AND \(SQLIdentifier.sql(prefilter))(\(alias), \(array)))"
        }
        return condition
    }

    private func missing(_ relationship: Relationship, _ alias: String) -> String {
        guard case .toOne(let column) = relationship.relation.kind else { return "false" }
        return "\(alias).\(SQLIdentifier.sql(column)) IS NULL"
    }

    private func semiJoin(_ relationship: Relationship, _ inner: Condition, _ alias: String) -> String {
        guard let target = schema.target(of: relationship), case .toOne(let column) = relationship.relation.kind else {
            return "false"
        }
        let other = aliases.next()
        return "\(alias).\(SQLIdentifier.sql(column)) = ANY (ARRAY(SELECT \(other).id FROM"
            + " \(SQLIdentifier.sql(target.name)) \(other) WHERE \(sql(inner, on: target, other))))"
    }

    private func related(_ relationship: Relationship, _ inner: Condition, _ alias: String) -> String {
        guard let target = schema.target(of: relationship) else { return "false" }
        let other = aliases.next()
        let condition = inner == .all([]) ? "" : " AND " + sql(inner, on: target, other)
        let exists =
            "EXISTS (SELECT 1 FROM \(SQLIdentifier.sql(target.name)) \(other)"
            + " WHERE \(relationship.match(from: alias, to: other))\(condition))"
        return isJoinable ? exists : "coalesce(\(exists), false)"
    }
}

extension Relationship {
    /// What ties the record `alias` to the related record `other`.
    func match(from alias: String, to other: String) -> String {
        switch relation.kind {
        case .toOne(let column): "\(other).id = \(alias).\(SQLIdentifier.sql(column))"
        case .toMany(let column): "\(other).\(SQLIdentifier.sql(column)) = \(alias).id"
        }
    }
}
