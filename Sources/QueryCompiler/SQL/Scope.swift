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
    private var joined: [[Link]: (alias: String, table: Table)] = [:]
    private(set) var joins: [String] = []

    init(_ table: Table, _ aliases: Aliases, schema: Schema) {
        self.table = table
        self.aliases = aliases
        self.schema = schema
        alias = aliases.next()
    }

    /// `books t0` and its joins, a line each.
    var from: String {
        ([Identifier.sql(table.name) + " " + alias] + joins).joined(separator: "\n")
    }

    /// The alias of the record that `path` leads to.
    func alias(of path: [Link]) -> String {
        guard let link = path.last else { return alias }
        if let known = joined[path] { return known.alias }
        let parent = alias(of: Array(path.dropLast()))
        guard case .toOne(let column) = link.relation.kind, let target = schema.target(of: link) else { return alias }
        let alias = aliases.next()
        joined[path] = (alias, target)
        joins.append(
            "LEFT JOIN \(Identifier.sql(target.name)) \(alias) ON \(alias).id = \(parent).\(Identifier.sql(column))")
        return alias
    }

    /// A field of the record that `path` leads to.
    func value(of field: Field, over path: [Link]) -> String {
        let alias = alias(of: path)
        let value = field.expression(on: alias)
        // A function of no record may well give a value, such as the number of its relations: 0.
        return field.isColumn || path.isEmpty ? value : "CASE WHEN \(alias).id IS NOT NULL THEN \(value) END"
    }

    /// The value of an order's key: of a text of any length its beginning, which is what indexes hold.
    func expression(_ key: OrderKey) -> String {
        let value = value(of: key.field, over: key.path)
        return key.field.isColumn && key.field.type.isBoundless ? FieldType.beginning(of: value) : value
    }
}

extension Field {
    /// `t0.date`, `age(t0)`
    func expression(on alias: String) -> String {
        if let function { "\(Identifier.sql(function))(\(alias))" } else { "\(alias).\(Identifier.sql(name))" }
    }
}
