import DomainKit

/// What a record must fulfil. Values are not in it: a slot is a position among the statement's parameters.
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
    case document(slot: Int)
    /// The to-one relation leads nowhere.
    case missing(Link)
    /// There is a related record that fulfils the condition.
    case related(Link, Condition)
    /// The same over a relation to one, the related records to be found first: an index on the foreign key then leads to
    /// those that refer to them. Null where that is null, so that it must not stand inside a `not`.
    case led(Link, Condition)
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

    /// Whether it asks for the order of values rather than for their identity.
    var isOrdering: Bool {
        switch self {
        case .lt, .lte, .gt, .gte: true
        case .eq, .ne, .like, .ilike: false
        }
    }

    var isPattern: Bool { self == .like || self == .ilike }

    /// What holds of the beginnings of two texts when this holds of the whole texts; nil when that tells nothing.
    var ofBeginnings: Comparison? {
        switch self {
        case .eq: .eq
        case .lt, .lte: .lte
        case .gt, .gte: .gte
        case .ne, .like, .ilike: nil
        }
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

extension Condition {
    /// How many relations it goes through.
    var relationCount: Int {
        switch self {
        case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.relationCount }
        case .not(let part): part.relationCount
        case .related(_, let part), .led(_, let part): 1 + part.relationCount
        case .compare, .member, .null, .missing, .document: 0
        }
    }

    /// Whether some index leads to few records, or to a stretch of the order, whatever the values are: then one plan
    /// is as good for all of them. How much anything else matches, its values decide.
    func isSettled(in order: [OrderKey]) -> Bool {
        !isUneven && isBounded(in: order)
    }

    /// This condition in two, either of them nil where there is nothing of it: what Postgres can tell beforehand how
    /// much it matches, and what it cannot. Under row-level security it looks at statistics for leakproof operators
    /// alone, which patterns and comparisons of `numeric` are not.
    func measured(in order: [OrderKey]) -> (known: Condition?, guessed: Condition?) {
        let parts: [Condition]
        if case .all(let all) = self { parts = all } else { parts = [self] }
        let guessed = parts.filter { $0.isGuessed && !$0.isBounded(in: order) }
        guard !guessed.isEmpty else { return (self, nil) }
        let known = parts.filter { !$0.isGuessed || $0.isBounded(in: order) }
        return (known.isEmpty ? nil : .all(known), .all(guessed))
    }

    /// This condition for gathering the few records that fulfil it.
    var gathering: Condition {
        switch self {
        case .all(let parts): .all(parts.map(\.gathering))
        case .related(let link, let part) where !link.isToMany: .led(link, part)
        default: self
        }
    }

    private var isGuessed: Bool {
        switch self {
        case .all(let parts), .any(let parts): parts.contains(where: \.isGuessed)
        case .not(let part), .related(_, let part), .led(_, let part): part.isGuessed
        case .compare(let field, let comparison, _):
            field.isIndexed && (comparison.isPattern || comparison.isOrdering && field.type.isDecimal)
        case .document: true
        case .member, .null, .missing: false
        }
    }

    private var isUneven: Bool {
        switch self {
        case .all(let parts), .any(let parts): parts.contains(where: \.isUneven)
        case .not(let part): part.isUneven
        case .related, .led: true
        case .compare(_, let comparison, _): comparison.isPattern
        case .document: true
        case .member, .null, .missing: false
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
        case .not, .member, .null, .missing, .related, .led, .document: false
        }
    }
}
