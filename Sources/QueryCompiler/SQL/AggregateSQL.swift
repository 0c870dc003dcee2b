import DomainKit
import JSON

/// The compiled statement of an aggregate method.
final class CompiledAggregate: Sendable {
    let statement: SQLStatement
    let layout: RowLayout

    init(_ shape: AggregateShape, parameters: Int, schema: Schema) {
        var writer = AggregateSQL(shape, schema: schema)
        layout = writer.layout()
        let isStable = shape.arguments.isEmpty && shape.filter.map { $0.hasStablePlan(in: []) } ?? true
        statement = SQLStatement(writer.text(), parameters: parameters, prefersCustomPlan: !isStable)
    }
}

/// Writes the statement of an aggregate method: one row for each group, with the group's keys and numbers as columns.
private struct AggregateSQL {
    private let shape: AggregateShape
    private let schema: Schema
    private let scope: Scope
    private var row: RowSQL

    init(_ shape: AggregateShape, schema: Schema) {
        self.shape = shape
        self.schema = schema
        scope = Scope(shape.table, Aliases(arguments: shape.arguments), schema: schema)
        row = RowSQL(scope, schema: schema)
    }

    mutating func layout() -> RowLayout {
        var parts: [RowLayout.Part] = []
        var text = "{"
        func key(_ name: String) { text += (text.hasSuffix("{") ? "" : ",") + "\"\(name)\":" }
        func add(_ part: RowLayout.Part) {
            parts.append(.bytes(Array(text.utf8)))
            parts.append(part)
            text = ""
        }
        for group in shape.groups {
            key(group.spelling)
            add(group.field.type.part(row.column(group.field.type.column(expression(group)))))
        }
        for output in shape.outputs {
            key(output.key)
            switch output {
            case .count:
                add(.bare(row.column(expression(.count))))
            case .function(_, let function, let fields):
                text += "{"
                for field in fields {
                    key(field.key)
                    let value = expression(.function(function, field.field))
                    add(field.field.type.part(row.column(field.field.type.column(value))))
                }
                text += "}"
            }
        }
        parts.append(.bytes(Array((text + "}").utf8)))
        return RowLayout(parts: parts)
    }

    /// Call it after ``layout()``, which collects the result columns.
    func text() -> String {
        let groups = shape.groups.map(expression).joined(separator: ", ")
        let order = shape.order.map(term).joined(separator: ", ")
        let list = ListSQL(schema: schema, aliases: scope.aliases)
        let conditions = list.conditions(shape.filter, shape.search, on: shape.table, scope.alias)
        var clauses = ["SELECT \(row.list)", "FROM \(scope.from)"]
        if !conditions.isEmpty { clauses.append("WHERE " + conditions.joined(separator: "\n  AND ")) }
        if !groups.isEmpty { clauses.append("GROUP BY \(groups)") }
        if !order.isEmpty { clauses.append("ORDER BY \(order)") }
        return (clauses + ["LIMIT $\(shape.first + 1)::bigint"]).joined(separator: "\n")
    }

    private func term(_ order: AggregateOrder) -> String {
        let value: String
        switch order.term {
        case .group(let index):
            value = expression(shape.groups[index]) + shape.groups[index].field.sortCollation
        case .value(let aggregate): value = expression(aggregate)
        }
        return value + (order.isDescending ? " DESC NULLS LAST" : "")
    }

    private func expression(_ group: GroupKey) -> String {
        let value = scope.value(of: group.field, over: group.path)
        // Without the cast to a timestamp without time zone, the session's time zone would shift the periods.
        return group.period.map { "date_trunc('\($0.rawValue)', \(value)::timestamp)::date" } ?? value
    }

    private func expression(_ aggregate: AggregateValue) -> String {
        switch aggregate {
        case .count: "count(*)"
        case .function(let function, let field):
            switch function {
            case .sum: "coalesce(sum(\(field.expression(on: scope.alias))), 0)"
            case .avg: "round(avg(\(field.expression(on: scope.alias))), 2)"
            case .min, .max: "\(function.rawValue)(\(field.expression(on: scope.alias)))"
            }
        }
    }
}
