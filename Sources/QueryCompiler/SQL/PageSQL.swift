import DomainKit

/// The statement of a list method.
final class CompiledPage: Sendable {
    let statement: SQLStatement
    let layout: RowLayout
    let totalColumn: Int?
    let presenceColumn: Int?
    let cursor: CursorLayout

    init(_ shape: PageShape, schema: Schema) {
        let page = PageSQL(shape, schema: schema)
        statement = SQLStatement(page.text, prefersCustomPlan: shape.prefersCustomPlan)
        layout = page.layout
        totalColumn = page.totalColumn
        presenceColumn = page.presenceColumn
        cursor = page.cursor
    }
}

/// Writes the statement of a list method, in the simplest of these forms that an index can serve:
///
/// - records in order, joined to what is selected of them;
/// - where the page is found in several pieces (a search, a cursor whose keys go in several directions): first the
///   ids and keys of the page, then the records to them;
/// - with `count`, either of them beside the number of all matches.
struct PageSQL {
    private(set) var text = ""
    private(set) var layout: RowLayout
    private(set) var totalColumn: Int?
    private(set) var presenceColumn: Int?
    private(set) var cursor: CursorLayout

    init(_ shape: PageShape, schema: Schema) {
        let aliases = Aliases()
        let list = shape.list
        let table = list.selection.table
        let scope = Scope(table, aliases, schema: schema)
        var row = RowSQL(scope, schema: schema)
        layout = row.layout(of: list.selection)
        let keyFirst = KeyFirstPage(shape, schema: schema, aliases: aliases)

        var order: String
        let page: String
        if let keyFirst {
            let alias = aliases.next()
            let keys = list.order.indices.map { "\(alias).k\($0)" }
            cursor = CursorLayout(
                columns: zip(list.order, keys).map { row.column($0.field.type.column($1)) },
                fingerprint: Fingerprint.of(list.order, on: table))
            order = zip(list.order, keys).map { OrderSQL.term($0, $1) }.joined(separator: ", ")
            let join =
                "JOIN \(SQLIdentifier.sql(table.name)) \(scope.alias) ON \(scope.alias).id = \(keys[keys.count - 1])"
            page =
                keyFirst.with + "SELECT \(row.list)\nFROM (\n\(keyFirst.sql)\n) \(alias)\n"
                + ([join] + scope.joins).joined(separator: "\n") + "\nORDER BY \(order)"
        } else {
            cursor = CursorLayout(
                columns: list.order.map { row.column($0.field.type.column(scope.expression($0))) },
                fingerprint: Fingerprint.of(list.order, on: table))
            let keyset = KeysetSQL(
                schema: schema, table: table, aliases: aliases, order: list.order, after: shape.after)
            let branches = keyset.branches
            let rows = ListClauses(schema: schema, aliases: aliases).sql(
                list, in: scope, conditions: keyset.sql(in: scope).map { [$0] } ?? [],
                order: branches.count == 1 ? keyset.order(of: branches[0], in: scope) : nil, limit: shape.rowBound)
            page =
                "SELECT * FROM (\nSELECT \(row.list)\n\(rows)\n) \(aliases.next())\n"
                + "LIMIT \(list.first.map { "$\($0 + 1)::bigint" } ?? "NULL")"
        }
        guard shape.hasCount else {
            text = page
            return
        }
        totalColumn = row.columns.count
        // The last key is the id, which is never null in a row.
        presenceColumn = cursor.columns.last
        let counted = aliases.next()
        let clauses = ListClauses(schema: schema, aliases: aliases)
        let conditions = clauses.conditions(list.filter, list.search, on: table, counted)
        let filter = conditions.isEmpty ? "" : "\nWHERE " + conditions.joined(separator: "\n  AND ")
        let (total, rows) = (aliases.next(), aliases.next())
        order = zip(list.order, cursor.columns).map { OrderSQL.sortable($0, "\(rows).c\($1)") }.joined(separator: ", ")
        text =
            "SELECT \(rows).*, \(total).n\n"
            + "FROM (SELECT count(*) AS n FROM \(SQLIdentifier.sql(table.name)) \(counted)\(filter)) \(total)\n"
            + "LEFT JOIN (\n\(page)\n) \(rows) ON true\nORDER BY \(order)"
    }
}
