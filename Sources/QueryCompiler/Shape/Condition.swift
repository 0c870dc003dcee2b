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
    /// The slot holds an array of beginnings of texts, one of which the field begins with: what an index can answer of a
    /// boundless text.
    case indexedPrefix(Field, of: Int)
    case null(Field, Bool)
    /// The record's searchable text matches the pattern in the slot.
    case document(slot: Int)
    /// The to-one relation leads nowhere.
    case missing(Relationship)
    /// There is a related record that fulfils the condition.
    case related(Relationship, Condition)
    /// The same over a relation to one, the related records to be found first: an index on the foreign key then leads to
    /// those that refer to them. Null where that is null, so that it must not stand inside a `not`.
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

    /// Whether it asks for the order of values rather than for their identity.
    var isOrdering: Bool {
        switch self {
        case .lt, .lte, .gt, .gte: true
        case .eq, .ne, .like, .ilike: false
        }
    }

    var isPattern: Bool { self == .like || self == .ilike }

    /// What holds of the beginnings of two texts when this holds of the whole texts; nil when that tells nothing.
    var onPrefixes: Comparison? {
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
        case .related(_, let part), .semiJoin(_, let part): 1 + part.relationCount
        case .compare, .member, .indexedPrefix, .null, .missing, .document: 0
        }
    }
}
