import DomainKit

/// What is known beforehand of how many records a condition matches, which decides how a list is read and planned:
///
/// | a condition is | when | then |
/// |---|---|---|
/// | bounded | an index leads to few records, or to a stretch of the order, whatever the values | one plan for all values |
/// | uneven | its values decide whether it matches few or nearly all | planned anew for each call |
/// | guessed | Postgres has no statistics that it may consult for it | the order's first records are looked at before all matches are gathered |
extension Condition {
    /// Whether some index leads to few records, or to a stretch of the order, whatever the values are: then one plan
    /// is as good for all of them. How much anything else matches, its values decide.
    func hasStablePlan(in order: [OrderKey]) -> Bool {
        !isSkewed && isBounded(in: order)
    }

    /// This condition in two, either of them nil where there is nothing of it: what Postgres can tell beforehand how
    /// much it matches, and what it cannot. Under row-level security it looks at statistics for leakproof operators
    /// alone, which patterns and comparisons of `numeric` are not.
    func splitByEstimability(in order: [OrderKey]) -> (known: Condition?, unestimable: Condition?) {
        let parts: [Condition]
        if case .all(let all) = self { parts = all } else { parts = [self] }
        let unestimable = parts.filter { $0.isUnestimable && !$0.isBounded(in: order) }
        guard !unestimable.isEmpty else { return (self, nil) }
        let known = parts.filter { !$0.isUnestimable || $0.isBounded(in: order) }
        return (known.isEmpty ? nil : .all(known), .all(unestimable))
    }

    /// This condition for gathering the few records that fulfil it.
    var usingSemiJoins: Condition {
        switch self {
        case .all(let parts): .all(parts.map(\.usingSemiJoins))
        case .related(let relationship, let part) where !relationship.isToMany: .semiJoin(relationship, part)
        default: self
        }
    }

    /// Whether a part of it asks for numbers beyond one, of which Postgres is made to expect few.
    var hasOpenRange: Bool {
        switch self {
        case .all(let parts), .any(let parts): parts.contains(where: \.hasOpenRange)
        case .not(let part), .related(_, let part), .semiJoin(_, let part): part.hasOpenRange
        case .compare(let field, let comparison, _): comparison.isOrdering && field.isIndexed && field.type.isDecimal
        case .member, .indexedPrefix, .null, .missing, .document: false
        }
    }

    private var isUnestimable: Bool {
        switch self {
        case .all(let parts), .any(let parts): parts.contains(where: \.isUnestimable)
        case .not(let part), .related(_, let part), .semiJoin(_, let part): part.isUnestimable
        case .compare(let field, let comparison, _):
            field.isIndexed
                && (comparison.isPattern || comparison.isOrdering && (field.type.isDecimal || field.type.isCollated))
        case .document: true
        case .member, .indexedPrefix, .null, .missing: false
        }
    }

    private var isSkewed: Bool {
        switch self {
        case .all(let parts), .any(let parts): parts.contains(where: \.isSkewed)
        case .not(let part): part.isSkewed
        case .related, .semiJoin: true
        case .compare(_, let comparison, _): comparison.isPattern
        case .document: true
        case .member, .indexedPrefix, .null, .missing: false
        }
    }

    private func isBounded(in order: [OrderKey]) -> Bool {
        switch self {
        case .all(let parts): parts.isEmpty || parts.contains { $0.isBounded(in: order) }
        case .any(let parts): parts.allSatisfy { $0.isBounded(in: order) }
        case .compare(let field, let comparison, _):
            // Identifiers are spread evenly; the first key of the order bounds what is read of it, unless it sorts
            // otherwise than it compares.
            comparison == .eq && field.type == .bigint && field.isColumn
                || comparison != .ne && !comparison.isPattern && !(comparison.isOrdering && field.type.isCollated)
                    && order.first.map { $0.path.isEmpty && $0.field == field } ?? false
        case .not, .member, .indexedPrefix, .null, .missing, .related, .semiJoin, .document: false
        }
    }
}
