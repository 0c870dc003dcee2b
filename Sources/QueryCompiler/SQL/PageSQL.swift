import DomainKit
import JSON

/// The compiled statement of a list method.
final class CompiledPage: Sendable {
    let statement: SQLStatement
    let layout: RowLayout
    let totalColumn: Int?
    let presenceColumn: Int?
    let cursor: CursorLayout

    init(_ shape: PageShape, parameters: Int, schema: Schema) {
        let page = PageSQL(shape, schema: schema)
        statement = SQLStatement(page.text, parameters: parameters, prefersCustomPlan: shape.prefersCustomPlan)
        layout = page.layout
        totalColumn = page.totalColumn
        presenceColumn = page.presenceColumn
        cursor = page.cursor
    }
}

/// Writes the statement of a list method, in the simplest of these forms that an index can serve:
///
/// - the records in order, joined to what is selected of them;
/// - where several queries find the page (for a search, or after a cursor with keys in several directions): first the
///   ids and order keys of the page's records, then the records (``KeyFirstPage``);
/// - for a search for what is near, the records by their nearness;
/// - with `count`, any of these beside the number of all matches.
struct PageSQL {
    private(set) var text: String
    let layout: RowLayout
    private(set) var totalColumn: Int?
    private(set) var presenceColumn: Int?
    let cursor: CursorLayout

    init(_ shape: PageShape, schema: Schema) {
        let aliases = Aliases(arguments: shape.arguments)
        let selection = shape.list.selection
        let scope = Scope(selection.table, aliases, schema: schema)
        var row = RowSQL(scope, schema: schema)
        layout = row.layout(of: selection)
        if shape.isByNearness {
            (text, cursor) = Self.nearest(scope, &row, shape, schema)
        } else if let keyFirst = KeyFirstPage(shape, schema: schema, aliases: aliases) {
            (text, cursor) = Self.joined(keyFirst, to: scope, &row, shape)
        } else {
            (text, cursor) = Self.direct(scope, &row, shape, schema)
        }
        guard shape.hasCount else { return }
        totalColumn = row.columns.count
        // The order's last key is the id, which is never null in a row.
        presenceColumn = cursor.columns.last
        text = Self.counted(text, cursor, scope, shape, schema)
    }

    /// The records in order.
    private static func direct(
        _ scope: Scope, _ row: inout RowSQL, _ shape: PageShape, _ schema: Schema
    ) -> (text: String, cursor: CursorLayout) {
        let list = shape.list
        let cursor = CursorLayout(
            columns: list.order.map { row.column($0.field.type.column(scope.expression($0))) },
            fingerprint: Fingerprint.of(list.order, on: scope.table))
        let keyset = KeysetSQL(
            schema: schema, table: scope.table, aliases: scope.aliases, order: list.order, after: shape.after)
        let branches = keyset.branches
        let rows = ListSQL(schema: schema, aliases: scope.aliases).sql(
            list, in: scope, conditions: keyset.sql(in: scope).map { [$0] } ?? [],
            order: branches.count == 1 ? keyset.order(of: branches[0], in: scope) : nil, limit: shape.literalLimit)
        let text =
            "SELECT * FROM (\nSELECT \(row.list)\n\(rows)\n) \(scope.aliases.next())\n"
            + "LIMIT \(list.first.map { "$\($0 + 1)::bigint" } ?? "NULL")"
        return (text, cursor)
    }

    /// The records that resemble the words of the search, the nearest first.
    private static func nearest(
        _ scope: Scope, _ row: inout RowSQL, _ shape: PageShape, _ schema: Schema
    ) -> (text: String, cursor: CursorLayout) {
        let list = shape.list
        let nearness = SearchSQL.nearness(list.search, on: scope.table, scope.alias) ?? "0"
        // No cursor is made of these columns; `counted` sorts by them.
        let cursor = CursorLayout(
            columns: [row.column("-(\(nearness))"), row.column("\(scope.alias).id")], fingerprint: 0)
        let rows = ListSQL(schema: schema, aliases: scope.aliases).sql(
            list, in: scope, order: "\(nearness) DESC, \(scope.alias).id", limit: shape.literalLimit)
        let text =
            "SELECT * FROM (\nSELECT \(row.list)\n\(rows)\n) \(scope.aliases.next())\n"
            + "LIMIT \(list.first.map { "$\($0 + 1)::bigint" } ?? "NULL")"
        return (text, cursor)
    }

    /// The records for the keys of a page.
    private static func joined(
        _ keys: KeyFirstPage, to scope: Scope, _ row: inout RowSQL, _ shape: PageShape
    ) -> (text: String, cursor: CursorLayout) {
        let order = shape.list.order
        let alias = scope.aliases.next()
        let columns = order.indices.map { "\(alias).k\($0)" }
        let cursor = CursorLayout(
            columns: zip(order, columns).map { row.column($0.field.type.column($1)) },
            fingerprint: Fingerprint.of(order, on: scope.table))
        let join =
            "JOIN \(scope.aliases.source(scope.table)) \(scope.alias)"
            + " ON \(scope.alias).id = \(columns[columns.count - 1])" + scope.table.reachClause(on: scope.alias)
        let orderBy = zip(order, columns).map { OrderSQL.term($0, $1) }.joined(separator: ", ")
        let text =
            keys.with + "SELECT \(row.list)\nFROM (\n\(keys.sql)\n) \(alias)\n"
            + ([join] + scope.joins).joined(separator: "\n") + "\nORDER BY \(orderBy)"
        return (text, cursor)
    }

    /// A page beside the number of all matches. An empty page becomes one row of nulls with that number.
    private static func counted(
        _ page: String, _ cursor: CursorLayout, _ scope: Scope, _ shape: PageShape, _ schema: Schema
    ) -> String {
        let list = shape.list
        let aliases = scope.aliases
        let counted = aliases.next()
        let conditions = ListSQL(schema: schema, aliases: aliases).conditions(
            list.filter, list.search, on: scope.table, counted)
        let filter = conditions.isEmpty ? "" : "\nWHERE " + conditions.joined(separator: "\n  AND ")
        let (total, rows) = (aliases.next(), aliases.next())
        let order =
            shape.isByNearness
            ? cursor.columns.map { "\(rows).c\($0)" }
            : zip(list.order, cursor.columns).map { OrderSQL.term($0, resultColumn: "\(rows).c\($1)") }
        return "SELECT \(rows).*, \(total).n\n"
            + "FROM (SELECT count(*) AS n FROM \(aliases.source(scope.table)) \(counted)\(filter)) \(total)\n"
            + "LEFT JOIN (\n\(page)\n) \(rows) ON true\nORDER BY \(order.joined(separator: ", "))"
    }
}
