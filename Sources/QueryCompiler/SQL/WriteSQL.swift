import DomainKit

/// A statement that changes records or checks references to them.
struct WriteShape: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case insert(Table, [Field])
        case update(Table, [Field], checksVersion: Bool)
        case delete(Table, checksVersion: Bool)
        case copy(Table, [Field])
        /// Changes no record: an update without values.
        case match(Table, checksVersion: Bool)
        /// Refuses the transaction if the record, which the operation reaches, has another version.
        case version(Table, Operation)
        case exists(Table)
        case references(Table)
        /// What the function of a ``DomainKit/Successor`` returns for a gone record.
        case successor(String)
        /// Calls a function with arguments of these types, and keeps what it returns.
        case command(String, [String])
        /// Refuses the transaction if the role may not read one of the records of these tables that a command names.
        case named([NamedTable])
        /// Refuses the transaction unless the role may read the record, or every record, that a command has answered.
        case answered(Table, isList: Bool)
    }

    let kind: Kind
    /// The slots of parameters that are the position of an earlier call of the transaction. The id that this call has
    /// answered is the value.
    var references: Set<Int> = []

    func sql(_ schema: Schema) -> String {
        let write = WriteSQL(references: references)
        return switch kind {
        case .insert(let table, let fields): write.insert(fields, into: table)
        case .update(let table, let fields, let checks): write.update(fields, of: table, checksVersion: checks)
        case .delete(let table, let checks): write.delete(from: table, checksVersion: checks)
        case .copy(let table, let fields): write.copy(table, replacing: fields)
        case .match(let table, let checks): write.match(table, checksVersion: checks)
        case .version(let table, let operation): write.version(of: table, for: operation)
        case .exists(let table): WriteSQL.exists(table)
        case .references(let table): WriteSQL.count(schema.references(to: table))
        case .successor(let function): WriteSQL.successor(function)
        case .command(let function, let types): write.command(function, types)
        case .named(let tables): WriteSQL.named(tables)
        case .answered(let table, let isList): WriteSQL.readable(table, isList: isList)
        }
    }
}

/// A table whose records a command names.
struct NamedTable: Hashable, Sendable {
    let table: Table
    /// The column that must be the caller's subject in each of them; nil for every record that the role may read.
    let ownColumn: String?
}

/// Writes INSERT, UPDATE and DELETE, and the queries that go with them.
///
/// Each statement that writes keeps the id of its record in a setting of the transaction, for the statements after it: the read
/// of the record, further calls of the transaction, and the answer that an idempotency key keeps.
struct WriteSQL {
    var references: Set<Int> = []

    /// The setting in which the kernel expects what a call answers: of a write, the id of its record. It is empty if the write
    /// has matched no record.
    private static let answeredSetting = "'learntrack.answered'"

    /// Parameters: the values of `fields`, in order.
    func insert(_ fields: [Field], into table: Table) -> String {
        var values = fields.enumerated().map { parameter($1.type, $0) }
        // A role that creates records of its subject only.
        if table.filledColumn != nil { values.append(Table.subject) }
        return keepingID(
            values.isEmpty
                ? "INSERT INTO \(table.sql) DEFAULT VALUES"
                : "INSERT INTO \(table.sql) (\(names(fields, and: table.filledColumn)))\n"
                    + "VALUES (\(values.joined(separator: ", ")))")
    }

    /// Parameters: the id, the values of `fields`, and the version when it is checked.
    func update(_ fields: [Field], of table: Table, checksVersion: Bool) -> String {
        let values = fields.enumerated().map { "\(SQLIdentifier.sql($1.name)) = \(parameter($1.type, $0 + 1))" }
        return keepingID(
            "UPDATE \(table.sql) SET \(values.joined(separator: ", "))\nWHERE "
                + matchesRecord(versionSlot: checksVersion ? fields.count + 1 : nil) + table.reachClause(for: .update))
    }

    /// Parameters: the id, and the version when it is checked.
    func delete(from table: Table, checksVersion: Bool) -> String {
        keepingID(
            "DELETE FROM \(table.sql)\nWHERE " + matchesRecord(versionSlot: checksVersion ? 1 : nil)
                + table.reachClause(for: .delete))
    }

    /// Parameters: the id, and the version when it is checked.
    func match(_ table: Table, checksVersion: Bool) -> String {
        "SELECT set_config(\(Self.answeredSetting), id::text, true)\nFROM \(table.sql)\nWHERE "
            + matchesRecord(versionSlot: checksVersion ? 1 : nil) + table.reachClause(for: .update)
    }

    /// Parameters: the id and the version.
    func version(of table: Table, for operation: Operation) -> String {
        "SELECT kernel.check_version(id, version, $2::integer)\nFROM \(table.sql)\nWHERE "
            + matchesRecord(versionSlot: nil) + table.reachClause(for: operation)
    }

    /// Parameters: the id of the record to copy, and the values of `fields`, which replace the record's own.
    func copy(_ table: Table, replacing fields: [Field]) -> String {
        let readable = table.fields.filter { field in
            guard field.isColumn, field.name != table.filledColumn, let column = table.entity.column(named: field.name)
            else { return false }
            return column.access != .readOnly && column.isDuplicated
        }
        // A column that no call reads, or that is not duplicated, is not copied, only set.
        let copied = readable + fields.filter { !readable.contains($0) }
        var values = copied.map { field in
            fields.firstIndex(of: field).map { parameter(field.type, $0 + 1) } ?? field.expression(on: "t0")
        }
        if table.filledColumn != nil { values.append(Table.subject) }
        let insert =
            "INSERT INTO \(table.sql) (\(names(copied, and: table.filledColumn)))\n"
            + "SELECT \(values.joined(separator: ", "))\nFROM \(table.sql) t0\n"
            + "WHERE t0.id = \(parameter(.bigint, 0))\(table.reachClause(on: "t0"))"
        return keepingID(insert)
    }

    /// Parameters: the arguments.
    func command(_ function: String, _ types: [String]) -> String {
        let arguments = types.enumerated().map { slot, type in
            references.contains(slot) ? parameter(.bigint, slot) : "$\(slot + 1)::\(type)"
        }
        return
            "SELECT set_config(\(Self.answeredSetting), \(Self.name(of: function))(\(arguments.joined(separator: ", ")))::text, true)"
    }

    /// Parameter: the id of the gone record. Result: one row with one column, the id of another one or null.
    static func successor(_ function: String) -> String { "SELECT \(name(of: function))($1::bigint)" }

    /// The name of a function with its schema, as SQL text.
    private static func name(of function: String) -> String {
        function.split(separator: ".").map { SQLIdentifier.sql(String($0)) }.joined(separator: ".")
    }

    /// Refuses the transaction for the first record that the role may not read. Result: no rows.
    ///
    /// Parameter: the records, a JSON array of objects with `id`, or `call` for what an earlier call has answered, `path`, and
    /// `place`, that in `tables`.
    static func named(_ tables: [NamedTable]) -> String {
        // CASE keeps the order of the array. A scalar subquery reads each record by its id; for EXISTS, Postgres may read the
        // whole table into a hash table.
        let conditions = tables.enumerated().map { index, named in
            " WHEN \(index) THEN (SELECT t0.id FROM \(named.table.sql) t0 WHERE t0.id = n.id"
                + "\(named.table.reachClause(on: "t0", and: named.ownColumn))) IS NULL"
        }
        return "SELECT kernel.no_record(n.id, n.path)\nFROM (\n"
            + "SELECT coalesce(r.id, kernel.answered(r.call)) AS id, r.place, r.path\n"
            + "FROM jsonb_to_recordset($1::jsonb) AS r(id bigint, call integer, place integer, path text)\n) n\n"
            + "WHERE CASE n.place\(conditions.joined()) END"
    }

    /// Whether the role may read what a command has answered.
    static func readable(_ table: Table, isList: Bool) -> String {
        let rows = "FROM \(table.sql) t0 WHERE t0.id = "
        let condition =
            isList
            ? "\(answeredList) IS NOT NULL AND (SELECT count(*) \(rows)ANY (\(answeredList))\(table.reachClause(on: "t0")))"
                + " = (SELECT count(DISTINCT id) FROM unnest(\(answeredList)) AS id)"
            : "EXISTS (SELECT \(rows)\(answered)\(table.reachClause(on: "t0")))"
        return "SELECT kernel.require_match(\(condition))"
    }

    // MARK: Ids

    private func keepingID(_ write: String) -> String {
        "WITH t1 AS (\n\(write)\nRETURNING id\n)\nSELECT set_config(\(Self.answeredSetting), id::text, true) FROM t1"
    }

    private func parameter(_ type: FieldType, _ slot: Int) -> String {
        references.contains(slot) ? "kernel.answered($\(slot + 1)::integer)" : type.parameter(slot)
    }

    private func matchesRecord(versionSlot: Int?) -> String {
        "id = \(parameter(.bigint, 0))" + (versionSlot.map { " AND version = $\($0 + 1)::integer" } ?? "")
    }

    private func names(_ fields: [Field], and filled: String? = nil) -> String {
        (fields.map(\.name) + [filled].compactMap(\.self)).map { SQLIdentifier.sql($0) }.joined(separator: ", ")
    }

    /// The id of the record that the statement before has written; null when it matched none.
    static let answered = "nullif(current_setting(\(answeredSetting), true), '')::bigint"

    /// The ids of the records that a command has answered; null when it answered none.
    static let answeredList = "nullif(current_setting(\(answeredSetting), true), '')::bigint[]"

    /// Parameter: the id. Result: one row with one column, `true` or `false`.
    static func exists(_ table: Table) -> String {
        "SELECT EXISTS (SELECT 1 FROM \(table.sql) WHERE id = $1::bigint"
            + "\(table.reachClause(for: .read)))::text"
    }

    /// Parameter: the id. Result: one row with one column, the number of records that refer to it.
    static func count(_ references: [(table: Table, column: String)]) -> String {
        let counts = references.map { table, column in
            "(SELECT count(*) FROM \(table.sql) WHERE \(SQLIdentifier.sql(column)) = $1::bigint"
                + "\(table.reachClause(for: .read)))"
        }
        return "SELECT " + counts.joined(separator: " + ")
    }
}
