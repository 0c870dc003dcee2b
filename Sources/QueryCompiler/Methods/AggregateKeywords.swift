package import DomainKit

/// The words of aggregates, for who describes what they take.
package enum AggregateKeywords {
    /// What of a date records may be grouped by: `month` in `month(date)`.
    package static let periods = GroupKey.Period.allCases.map(\.rawValue)

    /// What may be asked of fields: `sum` in `{ sum { cost } }`.
    package static let functions = AggregateValue.Function.allCases.map(\.rawValue)

    /// Those of ``functions`` that make sense of a field of this type.
    package static func functions(of type: FieldType) -> [String] {
        AggregateValue.Function.allCases.filter { $0.applies(to: type) }.map(\.rawValue)
    }
}

extension AggregateValue.Function {
    func applies(to type: FieldType) -> Bool {
        let isMoment = type == .date || type == .time || type == .timestamp
        return type.isNumeric || isMoment && (self == .min || self == .max)
    }
}
