import DomainKit

/// Writes FROM, WHERE, ORDER BY and LIMIT of one list.
struct ListSQL {
    let schema: Schema
    let aliases: Aliases

    /// - Parameters:
    ///   - scope: of the list's table. Everything that is selected from it must have been written before, so that its
    ///     joins are complete after the order is written.
    ///   - conditions: further conditions.
    ///   - order: replaces the list's own order.
    ///   - limit: replaces the list's own limit.
    func sql(
        _ list: ListShape, in scope: Scope, conditions: [String] = [], order: String? = nil, limit: Int? = nil
    ) -> String {
        let order = order ?? OrderSQL.sql(list.order, scope.expression)
        var clauses = ["FROM \(scope.from)"]
        let conditions = conditions + self.conditions(list.filter, list.search, on: scope.table, scope.alias)
        if !conditions.isEmpty { clauses.append("WHERE " + conditions.joined(separator: "\n  AND ")) }
        clauses.append("ORDER BY \(order)")
        if let limit {
            clauses.append("LIMIT \(limit)")
        } else if let first = list.first {
            clauses.append("LIMIT $\(first + 1)::bigint")
        }
        return clauses.joined(separator: "\n")
    }

    /// The conditions on the records, to be joined by AND: that the role may read them, and those of the call.
    func conditions(_ filter: Condition?, _ words: [SearchWord], on table: Table, _ alias: String) -> [String] {
        (table.reachCondition(on: alias).map { [$0] } ?? []) + matches(filter, words, on: table, alias)
    }

    /// The conditions of the call.
    func matches(_ filter: Condition?, _ words: [SearchWord], on table: Table, _ alias: String) -> [String] {
        var conditions: [String] = []
        if let filter, filter != .all([]) {
            conditions.append(FilterSQL.sql(filter, on: table, alias, schema: schema, aliases: aliases))
        }
        if let words = SearchSQL.sql(words, on: table, alias) {
            conditions.append(words)
        }
        return conditions
    }
}

/// Writes ORDER BY lists. Nulls sort last in both directions. A key that is never null has no NULLS clause: with one,
/// Postgres could not read a descending order from an ascending index.
enum OrderSQL {
    static func sql(_ order: [OrderKey], _ expression: (OrderKey) -> String) -> String {
        order.map { key in term(key, expression(key)) }.joined(separator: ", ")
    }

    static func term(_ key: OrderKey, _ expression: String) -> String {
        let direction = key.isDescending ? (key.isNullable ? " DESC NULLS LAST" : " DESC") : ""
        return expression + key.field.sortCollation + direction
    }

    /// The term for a result column, which holds a timestamp as JSON.
    static func term(_ key: OrderKey, resultColumn column: String) -> String {
        term(key, key.field.type == .timestamp ? "(\(column) #>> '{}')::timestamptz" : column)
    }
}
