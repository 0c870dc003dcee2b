import DomainKit
import JSON

/// A filter on records: the resolved form of `where`. It holds no values: a slot is the index of a value among the
/// statement's parameters.
indirect enum Condition: Hashable, Sendable {
    /// True when empty.
    case all([Condition])
    /// False when empty.
    case any([Condition])
    case not(Condition)
    case compare(Field, Comparison, slot: Int)
    /// The slot holds an array.
    case member(Field, of: Int, isNegated: Bool)
    case null(Field, Bool)
    /// The record's searchable text matches the pattern in the slot.
    case searchText(slot: Int)
    /// The foreign key of the to-one relationship is null.
    case noRelated(Relationship)
    /// A related record exists that fulfils the condition.
    case related(Relationship, Condition)
    /// The same for a to-one relationship, with the related records found first. An index on the foreign key then finds
    /// the records that refer to them. The result is null where the foreign key is null, so it must not be inside a
    /// `not`.
    case semiJoin(Relationship, Condition)
}

enum Comparison: String, Hashable, Sendable, CaseIterable {
    case eq, ne, lt, lte, gt, gte, like, ilike

    var sql: String {
        switch self {
        case .eq: "="
        case .ne: "<>"
        case .lt: "<"
        case .lte: "<="
        case .gt: ">"
        case .gte: ">="
        case .like: "LIKE"
        case .ilike: "ILIKE"
        }
    }

    /// Whether it compares the order of values rather than their identity.
    var isOrdering: Bool {
        switch self {
        case .lt, .lte, .gt, .gte: true
        case .eq, .ne, .like, .ilike: false
        }
    }

    var isPattern: Bool { self == .like || self == .ilike }

}

extension Condition {
    /// The number of relationships in the condition.
    var relationCount: Int {
        switch self {
        case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.relationCount }
        case .not(let part): part.relationCount
        case .related(_, let part), .semiJoin(_, let part): 1 + part.relationCount
        case .compare, .member, .null, .noRelated, .searchText: 0
        }
    }
}

// MARK: - Selectivity

/// How many records a condition matches, as far as it is known without its values. This decides how a list is read and
/// planned:
///
/// | condition | meaning | consequence |
/// |---|---|---|
/// | bounded | for all values, an index leads to few records or to one range of the order | one generic plan |
/// | skewed | it matches few or nearly all records, depending on its values | a custom plan for each call |
/// | unestimable | Postgres may not use statistics for it | the first records of the order are probed before all matches are collected |
extension Condition {
    /// Whether one generic plan is as good as a custom plan for each call.
    ///
    /// - Parameter order: the order in which the records are read; empty when all matches are read.
    func hasStablePlan(in order: [OrderKey]) -> Bool {
        !isSkewed && isBounded(in: order)
    }

    /// Divides the condition into a part for which Postgres can estimate the number of matches and a part for which it
    /// cannot; nil for an empty part. Under row-level security Postgres uses statistics for leakproof operators only,
    /// which excludes patterns and comparisons of `numeric`.
    func splitByEstimability(in order: [OrderKey]) -> (estimable: Condition?, unestimable: Condition?) {
        let parts: [Condition]
        if case .all(let all) = self { parts = all } else { parts = [self] }
        let unestimable = parts.filter { $0.isUnestimable && !$0.isBounded(in: order) }
        guard !unestimable.isEmpty else { return (self, nil) }
        let estimable = parts.filter { !$0.isUnestimable || $0.isBounded(in: order) }
        return (estimable.isEmpty ? nil : .all(estimable), .all(unestimable))
    }

    /// The same condition with semi-joins, for a statement that collects few matches.
    var usingSemiJoins: Condition {
        switch self {
        case .all(let parts): .all(parts.map(\.usingSemiJoins))
        // Indexes on the foreign keys answer the parts, and Postgres unites what they find.
        case .any(let parts): .any(parts.map(\.usingSemiJoins))
        case .related(let relationship, let part) where !relationship.isToMany: .semiJoin(relationship, part)
        default: self
        }
    }

    private var isUnestimable: Bool {
        switch self {
        case .all(let parts): parts.contains(where: \.isUnestimable)
        // Postgres takes every alternative over a relation for half of the table.
        case .any(let parts): parts.contains { $0.isUnestimable || $0.relationCount > 0 }
        case .not(let part), .related(_, let part), .semiJoin(_, let part): part.isUnestimable
        case .compare(let field, let comparison, _):
            field.hasNoStatistics || comparison.isPattern || comparison.isOrdering && field.type.isCollated
                || comparison == .eq && field.isInSearchText
        case .member(let field, _, _): field.hasNoStatistics
        case .null(let field, _): !field.isColumn && field.hasNoStatistics
        case .searchText: true
        case .noRelated: false
        }
    }

    private var isSkewed: Bool {
        switch self {
        case .all(let parts), .any(let parts): parts.contains(where: \.isSkewed)
        case .not(let part): part.isSkewed
        case .related, .semiJoin: true
        case .compare(_, let comparison, _): comparison.isPattern
        case .searchText: true
        case .member, .null, .noRelated: false
        }
    }

    private func isBounded(in order: [OrderKey]) -> Bool {
        switch self {
        case .all(let parts): parts.isEmpty || parts.contains { $0.isBounded(in: order) }
        // Without the values and the limit, Postgres takes the index of the order for cheaper than those of the alternatives: all keys
        // begin with the company, which is the same in all rows, so that it takes every index to be in the order of the table.
        case .any(let parts): parts.count == 1 && parts[0].isBounded(in: order)
        case .compare(let field, let comparison, _):
            field.isIdentifierEquality(comparison) || order.first?.isRange(field, comparison) ?? false
        case .not, .member, .null, .noRelated, .related, .semiJoin, .searchText: false
        }
    }
}

extension Field {
    /// Whether Postgres cannot use statistics: for results of functions there are none, and comparisons of `numeric` are
    /// not leakproof. A prefilter compares columns that have statistics.
    fileprivate var hasNoStatistics: Bool { isColumn ? type.isDecimal : prefilter == nil }

    /// Whether the comparison is an equality of ids, which are distributed evenly.
    fileprivate func isIdentifierEquality(_ comparison: Comparison) -> Bool {
        comparison == .eq && type == .bigint && isColumn
    }
}

extension OrderKey {
    /// Whether the comparison selects one range of this key. Text sorts by another collation than it compares by, so an
    /// ordering comparison of text does not.
    fileprivate func isRange(_ field: Field, _ comparison: Comparison) -> Bool {
        path.isEmpty && self.field == field && comparison != .ne && !comparison.isPattern
            && !(comparison.isOrdering && field.type.isCollated)
    }
}

extension FieldType {
    var isDecimal: Bool {
        if case .decimal = self { true } else { false }
    }

    /// Whether values sort by another collation than they compare by.
    var isCollated: Bool {
        if case .text = self { true } else { false }
    }
}
