/// What an aggregate method's call asks for.
struct AggregateShape: Hashable, Sendable {
    let table: Table
    let filter: Condition?
    /// A slot for each word.
    let search: [Int]
    let groups: [GroupKey]
    let outputs: [AggregateOutput]
    let order: [AggregateOrder]
    /// The slot of the greatest number of rows.
    let first: Int
}

/// One key of the grouping: a field, or the period that a date lies in.
struct GroupKey: Hashable, Sendable {
    enum Period: String, Hashable, Sendable, CaseIterable {
        case day, week, month, year
    }

    /// As the call writes it, which is its key in the answer.
    let spelling: String
    let path: [Relationship]
    let field: Field
    let period: Period?
}

/// A number over all records of a group.
enum AggregateValue: Hashable, Sendable {
    enum Function: String, Hashable, Sendable, CaseIterable {
        case sum, avg, min, max
    }

    case count
    case function(Function, Field)
}

/// A member of the answer's items, keys as asked for.
enum AggregateOutput: Hashable, Sendable {
    case count(key: String)
    case function(key: String, AggregateValue.Function, [AggregateField])

    var key: String {
        switch self {
        case .count(let key), .function(let key, _, _): key
        }
    }
}

struct AggregateField: Hashable, Sendable {
    let key: String
    let field: Field
}

struct AggregateOrder: Hashable, Sendable {
    enum Term: Hashable, Sendable {
        /// The position of a group's key.
        case group(Int)
        case value(AggregateValue)
    }

    let term: Term
    let isDescending: Bool
}
