import DomainKit

/// Hands out the aliases of one statement.
final class Aliases {
    private var count = 0

    func next() -> String {
        defer { count += 1 }
        return "t\(count)"
    }
}

/// One FROM clause: a table and, over to-one relations, the tables joined to it, one alias per path.
final class Scope {
    let table: Table
    let alias: String
    let aliases: Aliases
    private let schema: Schema
    private var joined: [[Relationship]: (alias: String, table: Table)] = [:]
    private var computed: [[Relationship]: [Field: String]] = [:]
    private(set) var joins: [String] = []

    init(_ table: Table, _ aliases: Aliases, schema: Schema) {
        self.table = table
        self.aliases = aliases
        self.schema = schema
        alias = aliases.next()
    }

    /// `books t0` and its joins, a line each.
    var from: String {
        ([SQLIdentifier.sql(table.name) + " " + alias] + joins).joined(separator: "\n")
    }

    /// The alias of the record that `path` leads to.
    func alias(of path: [Relationship]) -> String {
        guard let relationship = path.last else { return alias }
        if let known = joined[path] { return known.alias }
        let parent = alias(of: Array(path.dropLast()))
        guard case .toOne(let column) = relationship.relation.kind, let target = schema.target(of: relationship) else {
            return alias
        }
        let alias = aliases.next()
        joined[path] = (alias, target)
        joins.append(
            "LEFT JOIN \(SQLIdentifier.sql(target.name)) \(alias) ON \(alias).id = \(parent).\(SQLIdentifier.sql(column))"
        )
        return alias
    }

    /// A field of the record that `path` leads to; null where there is none.
    func value(of field: Field, over path: [Relationship]) -> String {
        guard !field.isColumn, let relationship = path.last else { return field.expression(on: alias(of: path)) }
        return computed(field, over: relationship, from: Array(path.dropLast()))
    }

    /// A field computed from a related record. In a lateral subquery, whose results Postgres keeps by the foreign key:
    /// computed for each related record once, and not for each of the many that refer to it.
    private func computed(_ field: Field, over relationship: Relationship, from path: [Relationship]) -> String {
        let whole = path + [relationship]
        if let known = computed[whole]?[field] { return known }
        let parent = alias(of: path)
        guard case .toOne(let column) = relationship.relation.kind, let target = schema.target(of: relationship) else {
            return "NULL"
        }
        let (alias, record) = (aliases.next(), aliases.next())
        joins.append(
            "LEFT JOIN LATERAL (SELECT \(field.expression(on: record)) AS d FROM \(SQLIdentifier.sql(target.name)) \(record)"
                + " WHERE \(record).id = \(parent).\(SQLIdentifier.sql(column)) OFFSET 0) \(alias) ON true")
        computed[whole, default: [:]][field] = "\(alias).d"
        return "\(alias).d"
    }

    /// The value of an order's key: of a text of any length its beginning, which is what indexes hold.
    func expression(_ key: OrderKey) -> String {
        let value = value(of: key.field, over: key.path)
        return key.field.isColumn && key.field.type.isUnbounded ? FieldType.indexedPrefix(of: value) : value
    }

    /// The foreign key that is null where the key is, where there is one.
    func nullness(of key: OrderKey) -> String? {
        key.nullness.map { "\(alias).\(SQLIdentifier.sql($0))" }
    }
}

extension Field {
    /// `t0.date`, `age(t0)`
    func expression(on alias: String) -> String {
        if let function { "\(SQLIdentifier.sql(function))(\(alias))" } else { "\(alias).\(SQLIdentifier.sql(name))" }
    }
}
