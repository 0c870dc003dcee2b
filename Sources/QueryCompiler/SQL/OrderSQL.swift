import DomainKit

/// Writes orders. Nulls come last in both directions; where there can be none nothing is said of them, or a
/// descending order could not be read from an ascending index.
enum OrderSQL {
    static func sql(_ order: [OrderKey], _ expression: (OrderKey) -> String) -> String {
        order.map { key in term(key, expression(key)) }.joined(separator: ", ")
    }

    static func term(_ key: OrderKey, _ expression: String) -> String {
        let direction = key.isDescending ? (key.isNullable ? " DESC NULLS LAST" : " DESC") : ""
        return expression + key.field.type.sortCollation + direction
    }
}

extension OrderSQL {
    /// A term on a result column, which holds a timestamp as JSON.
    static func sortable(_ key: OrderKey, _ column: String) -> String {
        term(key, key.field.type == .timestamp ? "(\(column) #>> '{}')::timestamptz" : column)
    }
}
