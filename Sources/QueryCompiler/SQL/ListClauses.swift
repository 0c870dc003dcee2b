import DomainKit

/// Writes FROM, WHERE, ORDER BY and LIMIT of one list.
struct ListClauses {
    let schema: Schema
    let aliases: Aliases
    /// Whether some of the records are wanted, in an order, and not a number over all of them.
    var isOrderedList = true

    /// - Parameters:
    ///   - scope: of the list's table. Everything selected from it must be written already, so that its joins are
    ///     complete once the order is.
    ///   - conditions: further ones.
    ///   - order: instead of the list's own.
    ///   - limit: instead of the list's own.
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

    /// What the records must fulfil, to be joined by AND.
    func conditions(_ filter: Condition?, _ words: [Int], on table: Table, _ alias: String) -> [String] {
        var conditions: [String] = []
        if let filter, filter != .all([]) {
            conditions.append(
                ConditionSQL.sql(
                    filter, on: table, alias, schema: schema, aliases: aliases, isOrderedList: isOrderedList))
        }
        if let words = SearchSQL(schema: schema, aliases: aliases).sql(words, on: table, alias) {
            conditions.append(words)
        }
        return conditions
    }
}
