import DomainKit

/// The table aliases of one statement, and the arguments of the view that it reads.
final class Aliases {
    private let arguments: [ViewArgument]
    private var count = 0

    init(arguments: [ViewArgument] = []) {
        self.arguments = arguments
    }

    /// What FROM has for a table: `books`, or `sales("from" => $1::date)` for a view. No relation leads to a view, so the
    /// statement's arguments are those of the only view in it.
    func source(_ table: Table) -> String {
        guard table.entity.isView else { return table.sql }
        let given = arguments.map {
            "\(SQLIdentifier.sql($0.parameter.name)) => \($0.parameter.type.parameter($0.slot))"
        }
        return "\(table.sql)(\(given.joined(separator: ", ")))"
    }

    func next() -> String {
        defer { count += 1 }
        return "t\(count)"
    }
}

/// One FROM clause: a table and the tables joined to it through to-one relationships, with one alias for each path.
final class Scope {
    let table: Table
    let alias: String
    let aliases: Aliases
    private let schema: Schema
    private var joined: [[Relationship]: (alias: String, table: Table)] = [:]
    private var derived: [[Relationship]: [Field: String]] = [:]
    private(set) var joins: [String] = []

    init(_ table: Table, _ aliases: Aliases, schema: Schema) {
        self.table = table
        self.aliases = aliases
        self.schema = schema
        alias = aliases.next()
    }

    /// `books t0` and its joins, each on its own line.
    var from: String {
        ([aliases.source(table) + " " + alias] + joins).joined(separator: "\n")
    }

    /// The alias of the record at `path`. Adds the joins that it requires.
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
            "LEFT JOIN \(target.sql) \(alias) ON \(alias).id = \(parent).\(SQLIdentifier.sql(column))"
                + target.reachClause(on: alias))
        return alias
    }

    /// A field of the record at `path`; null where there is no such record.
    func value(of field: Field, over path: [Relationship]) -> String {
        guard !field.isColumn, let relationship = path.last else { return field.expression(on: alias(of: path)) }
        return derivedValue(of: field, over: relationship, from: Array(path.dropLast()))
    }

    /// A derived field of a related record, in a lateral subquery. Postgres memoizes its results by the foreign key, so
    /// the field is computed once for each related record rather than for each record that refers to it.
    private func derivedValue(of field: Field, over relationship: Relationship, from path: [Relationship]) -> String {
        let whole = path + [relationship]
        if let known = derived[whole]?[field] { return known }
        let parent = alias(of: path)
        guard case .toOne(let column) = relationship.relation.kind, let target = schema.target(of: relationship) else {
            return "NULL"
        }
        let (alias, record) = (aliases.next(), aliases.next())
        joins.append(
            "LEFT JOIN LATERAL (SELECT \(field.expression(on: record)) AS d FROM"
                + " \(target.sql) \(record)"
                + " WHERE \(record).id = \(parent).\(SQLIdentifier.sql(column))\(target.reachClause(on: record))"
                + " OFFSET 0) \(alias) ON true")
        derived[whole, default: [:]][field] = "\(alias).d"
        return "\(alias).d"
    }

    /// The value of an order's key. For an unbounded text it is the prefix that indexes store.
    func expression(_ key: OrderKey) -> String {
        let value = value(of: key.field, over: key.path)
        return key.field.isColumn && key.field.type.isUnbounded ? FieldType.indexedPrefix(of: value) : value
    }

    /// The foreign key that is null exactly where the key is null; nil when there is none.
    func nullness(of key: OrderKey) -> String? {
        key.nullnessColumn.map { "\(alias).\(SQLIdentifier.sql($0))" }
    }
}
