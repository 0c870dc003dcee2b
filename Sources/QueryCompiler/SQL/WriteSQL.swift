import DomainKit

/// A statement that changes records or checks references to them.
enum WriteShape: Hashable, Sendable {
    case insert(Table, [Field])
    case update(Table, [Field], checksVersion: Bool)
    case delete(Table, checksVersion: Bool)
    case copy(Table, [Field])
    case exists(Table)
    case references(Table)

    func sql(_ schema: Schema) -> String {
        switch self {
        case .insert(let table, let fields): WriteSQL.insert(fields, into: table)
        case .update(let table, let fields, let checks): WriteSQL.update(fields, of: table, checksVersion: checks)
        case .delete(let table, let checks): WriteSQL.delete(from: table, checksVersion: checks)
        case .copy(let table, let fields): WriteSQL.copy(table, replacing: fields)
        case .exists(let table): WriteSQL.exists(table)
        case .references(let table): WriteSQL.count(schema.references(to: table))
        }
    }
}

/// Writes INSERT, UPDATE and DELETE, and the queries that go with them.
enum WriteSQL {
    /// A setting with the scope of the transaction. It passes the id of the copied record to the next statement.
    /// `currval` would be wrong there: when no record was copied it returns the id of an earlier insert.
    private static let copiedSetting = "'query_compiler.copied_id'"

    /// Parameters: the values of `fields`, in order.
    static func insert(_ fields: [Field], into table: Table) -> String {
        guard table.filledColumn == nil else { return insertOwn(fields, into: table) }
        guard !fields.isEmpty else { return "INSERT INTO \(table.sql) DEFAULT VALUES" }
        let values = fields.enumerated().map { $1.type.parameter($0) }.joined(separator: ", ")
        return "INSERT INTO \(table.sql) (\(names(fields)))\nVALUES (\(values))"
    }

    /// The same for a role that creates records of its subject only.
    private static func insertOwn(_ fields: [Field], into table: Table) -> String {
        let values = fields.enumerated().map { $1.type.parameter($0) } + [Table.subject]
        return "INSERT INTO \(table.sql) (\(names(fields, and: table.filledColumn)))\n"
            + "VALUES (\(values.joined(separator: ", ")))"
    }

    /// Parameters: the id, the values of `fields`, and the version when it is checked.
    static func update(_ fields: [Field], of table: Table, checksVersion: Bool) -> String {
        let values = fields.enumerated().map { "\(SQLIdentifier.sql($1.name)) = \($1.type.parameter($0 + 1))" }
        return "UPDATE \(table.sql) SET \(values.joined(separator: ", "))\nWHERE "
            + matchesRecord(versionSlot: checksVersion ? fields.count + 1 : nil) + table.ownClause(for: .update)
    }

    /// Parameters: the id, and the version when it is checked.
    static func delete(from table: Table, checksVersion: Bool) -> String {
        "DELETE FROM \(table.sql)\nWHERE " + matchesRecord(versionSlot: checksVersion ? 1 : nil)
            + table.ownClause(for: .delete)
    }

    /// Parameters: the id of the record to copy, and the values of `fields`, which replace the record's own.
    static func copy(_ table: Table, replacing fields: [Field]) -> String {
        let copied = table.fields.filter { field in
            field.isColumn && table.entity.column(named: field.name)?.access != .readOnly
                && field.name != table.filledColumn
        }
        var values = copied.map { field in
            fields.firstIndex(of: field).map { field.type.parameter($0 + 1) } ?? field.expression(on: "t0")
        }
        if table.filledColumn != nil { values.append(Table.subject) }
        return
            "WITH t1 AS (\nINSERT INTO \(table.sql) (\(names(copied, and: table.filledColumn)))\n"
            + "SELECT \(values.joined(separator: ", "))\nFROM \(table.sql) t0\n"
            + "WHERE t0.id = $1::bigint\(table.ownClause(on: "t0"))\nRETURNING id\n)\n"
            + "SELECT set_config(\(copiedSetting), id::text, true) FROM t1"
    }

    /// The id of this session's last INSERT into `table`, from the sequence of its id column.
    static func inserted(into table: Table) -> String {
        // In a subquery, because Postgres calls a volatile function for every row and cannot use an index for it.
        "(SELECT currval('\(table.idSequence)'))"
    }

    /// The id of the copied record; null when no record was copied.
    static let copied = "nullif(current_setting(\(copiedSetting), true), '')::bigint"

    /// Parameter: the id. Result: one row with one column, `true` or `false`.
    static func exists(_ table: Table) -> String {
        "SELECT EXISTS (SELECT 1 FROM \(table.sql) WHERE id = $1::bigint"
            + "\(table.ownClause(for: .read)))::text"
    }

    /// Parameter: the id. Result: one row with one column, the number of records that refer to it.
    static func count(_ references: [(table: Table, column: String)]) -> String {
        let counts = references.map { table, column in
            "(SELECT count(*) FROM \(table.sql) WHERE \(SQLIdentifier.sql(column)) = $1::bigint"
                + "\(table.ownClause(for: .read)))"
        }
        return "SELECT " + counts.joined(separator: " + ")
    }

    private static func matchesRecord(versionSlot: Int?) -> String {
        "id = $1::bigint" + (versionSlot.map { " AND version = $\($0 + 1)::integer" } ?? "")
    }

    private static func names(_ fields: [Field], and filled: String? = nil) -> String {
        (fields.map(\.name) + [filled].compactMap(\.self)).map { SQLIdentifier.sql($0) }.joined(separator: ", ")
    }
}
