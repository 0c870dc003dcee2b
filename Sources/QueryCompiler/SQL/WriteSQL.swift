import DomainKit

/// Writes what changes records.
enum WriteSQL {
    /// A setting that lives as long as the transaction: the id of the copied record for the statement after. (The
    /// sequence would not do: when there was nothing to copy it still tells of an earlier record.)
    private static let copiedSetting = "'query_compiler.copied_id'"

    /// `$1` and on: the values of `fields`, in order.
    static func insert(_ fields: [Field], into table: Table) -> String {
        guard !fields.isEmpty else { return "INSERT INTO \(SQLIdentifier.sql(table.name)) DEFAULT VALUES" }
        let values = fields.enumerated().map { $1.type.parameter($0) }.joined(separator: ", ")
        return "INSERT INTO \(SQLIdentifier.sql(table.name)) (\(names(fields)))\nVALUES (\(values))"
    }

    /// `$1`: the id; then the values of `fields`; then the version, when it is checked.
    static func update(_ fields: [Field], of table: Table, checksVersion: Bool) -> String {
        let values = fields.enumerated().map { "\(SQLIdentifier.sql($1.name)) = \($1.type.parameter($0 + 1))" }
        return "UPDATE \(SQLIdentifier.sql(table.name)) SET \(values.joined(separator: ", "))\nWHERE "
            + identity(versionSlot: checksVersion ? fields.count + 1 : nil)
    }

    /// `$1`: the id; `$2`: the version, when it is checked.
    static func delete(from table: Table, checksVersion: Bool) -> String {
        "DELETE FROM \(SQLIdentifier.sql(table.name))\nWHERE " + identity(versionSlot: checksVersion ? 1 : nil)
    }

    /// `$1`: the id of the record to copy; then the values of `fields`, which replace its own.
    static func copy(_ table: Table, replacing fields: [Field]) -> String {
        let copied = table.fields.filter { field in
            field.isColumn && table.entity.column(named: field.name)?.access == .readWrite
        }
        let values = copied.map { field in
            fields.firstIndex(of: field).map { field.type.parameter($0 + 1) } ?? field.expression(on: "t0")
        }
        return "WITH t1 AS (\nINSERT INTO \(SQLIdentifier.sql(table.name)) (\(names(copied)))\n"
            + "SELECT \(values.joined(separator: ", "))\nFROM \(SQLIdentifier.sql(table.name)) t0\n"
            + "WHERE t0.id = $1::bigint\nRETURNING id\n)\n"
            + "SELECT set_config(\(copiedSetting), id::text, true) FROM t1"
    }

    /// The id that this session's last INSERT into `table` drew from its sequence.
    static func inserted(into table: Table) -> String {
        // In a subquery: a volatile function is otherwise called for every row, past any index.
        "(SELECT currval('\(SQLIdentifier.sql("\(table.name)_id_seq"))'))"
    }

    /// The id of the copied record; null when there was none.
    static let copied = "nullif(current_setting(\(copiedSetting), true), '')::bigint"

    /// `$1`: the id. One row, one column.
    static func exists(_ table: Table) -> String {
        "SELECT EXISTS (SELECT 1 FROM \(SQLIdentifier.sql(table.name)) WHERE id = $1::bigint)::text"
    }

    /// `$1`: the id. One row, one column: how many records refer to it.
    static func count(_ references: [(table: Table, column: String)]) -> String {
        let counts = references.map { table, column in
            "(SELECT count(*) FROM \(SQLIdentifier.sql(table.name)) WHERE \(SQLIdentifier.sql(column)) = $1::bigint)"
        }
        return "SELECT " + counts.joined(separator: " + ")
    }

    private static func identity(versionSlot: Int?) -> String {
        "id = $1::bigint" + (versionSlot.map { " AND version = $\($0 + 1)::integer" } ?? "")
    }

    private static func names(_ fields: [Field]) -> String {
        fields.map { SQLIdentifier.sql($0.name) }.joined(separator: ", ")
    }
}
