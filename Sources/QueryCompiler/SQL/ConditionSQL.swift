import DomainKit

/// Writes conditions on the record of one alias.
struct ConditionSQL {
    /// Up to so many relations Postgres may turn into joins, whose best order it then looks for; the time that takes
    /// grows with their factorial.
    private static let joinable = 6

    private let schema: Schema
    private let aliases: Aliases
    private let isJoinable: Bool
    private let isListed: Bool

    /// The whole condition on one record.
    ///
    /// - Parameter isListed: whether some of the records are wanted, in an order, and not a number over all of them.
    static func sql(
        _ condition: Condition, on table: Table, _ alias: String, schema: Schema, aliases: Aliases, isListed: Bool
    ) -> String {
        ConditionSQL(
            schema: schema, aliases: aliases, isJoinable: condition.relationCount <= joinable, isListed: isListed
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
        case .beginning(let field, let slot):
            "\(FieldType.beginning(of: field.expression(on: alias)))\(field.type.comparisonCollation)"
                + " = ANY (\(field.type.arrayParameter(slot)))"
        case .null(let field, true) where field.isColumn && field.type.isBoundless:
            "\(FieldType.beginning(of: field.expression(on: alias))) IS NULL"
        case .null(let field, let isNull):
            "\(field.expression(on: alias)) IS \(isNull ? "" : "NOT ")NULL"
        case .document(let slot):
            table.entity.search.map { "\(Identifier.sql($0.document))(\(alias)) LIKE $\(slot + 1)::text" } ?? "true"
        case .missing(let link):
            missing(link, alias)
        case .related(let link, let inner):
            related(link, inner, alias)
        case .led(let link, let inner):
            led(link, inner, alias)
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
        if isListed, comparison.isOrdering, field.isIndexed, field.type.isDecimal {
            // Knowing nothing of what lies beyond one number, Postgres expects half the table there and reads all of it;
            // between two it expects little, and lets the index show. No number is beyond these.
            let isAbove = comparison == .gt || comparison == .gte
            return "(\(condition) AND \(value) \(isAbove ? "<= 'NaN'" : ">= '-Infinity'")::numeric)"
        }
        if comparison == .eq, let prefilter = field.prefilter {
            return "(\(condition) AND \(Identifier.sql(prefilter))(\(alias), ARRAY[\(parameter)]))"
        }
        guard field.isColumn, field.type.isBoundless, let looser = comparison.ofBeginnings else { return condition }
        // Follows from the first, and is what an index can answer.
        let (beginning, wanted) = (FieldType.beginning(of: value), FieldType.beginning(of: parameter))
        return "(\(condition) AND \(beginning)\(collation) \(looser.sql) \(wanted))"
    }

    private func member(_ field: Field, _ slot: Int, isNegated: Bool, _ alias: String) -> String {
        let value = field.expression(on: alias)
        let collation = field.type.comparisonCollation
        let array = field.type.arrayParameter(slot)
        guard !isNegated else { return "\(value)\(collation) <> ALL (\(array))" }
        let condition = "\(value)\(collation) = ANY (\(array))"
        if let prefilter = field.prefilter {
            return "(\(condition) AND \(Identifier.sql(prefilter))(\(alias), \(array)))"
        }
        return condition
    }

    private func missing(_ link: Link, _ alias: String) -> String {
        guard case .toOne(let column) = link.relation.kind else { return "false" }
        return "\(alias).\(Identifier.sql(column)) IS NULL"
    }

    private func led(_ link: Link, _ inner: Condition, _ alias: String) -> String {
        guard let target = schema.target(of: link), case .toOne(let column) = link.relation.kind else { return "false" }
        let other = aliases.next()
        return "\(alias).\(Identifier.sql(column)) = ANY (ARRAY(SELECT \(other).id FROM"
            + " \(Identifier.sql(target.name)) \(other) WHERE \(sql(inner, on: target, other))))"
    }

    private func related(_ link: Link, _ inner: Condition, _ alias: String) -> String {
        guard let target = schema.target(of: link) else { return "false" }
        let other = aliases.next()
        let condition = inner == .all([]) ? "" : " AND " + sql(inner, on: target, other)
        let exists =
            "EXISTS (SELECT 1 FROM \(Identifier.sql(target.name)) \(other)"
            + " WHERE \(link.match(from: alias, to: other))\(condition))"
        return isJoinable ? exists : "coalesce(\(exists), false)"
    }
}

extension Link {
    /// What ties the record `alias` to the related record `other`.
    func match(from alias: String, to other: String) -> String {
        switch relation.kind {
        case .toOne(let column): "\(other).id = \(alias).\(Identifier.sql(column))"
        case .toMany(let column): "\(other).\(Identifier.sql(column)) = \(alias).id"
        }
    }
}
