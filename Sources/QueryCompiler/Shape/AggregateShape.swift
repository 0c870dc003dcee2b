package import DomainKit
import JSON

/// A call of an aggregate method.
struct AggregateShape: Hashable, Sendable {
    let table: Table
    let filter: Condition?
    let search: [SearchWord]
    let groups: [GroupKey]
    let outputs: [AggregateOutput]
    let order: [AggregateOrder]
    /// The slot of the maximum number of rows.
    let first: Int
    /// Of a view: the arguments of its function.
    let arguments: [ViewArgument]
}

/// One key of the grouping: a field, or the period in which a date lies.
struct GroupKey: Hashable, Sendable {
    enum Period: String, Hashable, Sendable, CaseIterable {
        case day, week, month, year
    }

    /// The key as the call writes it, which is also its key in the answer.
    let spelling: String
    let path: [Relationship]
    let field: Field
    let period: Period?
}

/// A number over all records of a group.
enum AggregateValue: Hashable, Sendable {
    enum Function: String, Hashable, Sendable, CaseIterable {
        case sum, avg, min, max

        func applies(to type: FieldType) -> Bool {
            let isMoment = type == .date || type == .time || type == .timestamp
            return type.isNumeric || isMoment && (self == .min || self == .max)
        }
    }

    case count
    case function(Function, Field)
}

/// A member of each item in the answer, with the key that the call asks for.
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
        /// The index of a key of the grouping.
        case group(Int)
        case value(AggregateValue)
    }

    let term: Term
    let isDescending: Bool
}

/// The keywords of aggregate methods, for the description of the methods' params.
package enum AggregateKeywords {
    /// The periods by which dates can be grouped: `month` in `month(date)`.
    package static let periods = GroupKey.Period.allCases.map(\.rawValue)

    /// The functions on fields: `sum` in `{ sum { price } }`.
    package static let functions = AggregateValue.Function.allCases.map(\.rawValue)

    /// Those of ``functions`` that apply to a field of this type.
    package static func functions(of type: FieldType) -> [String] {
        AggregateValue.Function.allCases.filter { $0.applies(to: type) }.map(\.rawValue)
    }
}
