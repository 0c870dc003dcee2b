import DomainKit

/// The statement that reads one record. Its last parameters, after those of the selection, are the caller's.
final class CompiledRecord: Sendable {
    /// How the record is told.
    enum Key: Hashable, Sendable {
        /// The last parameter is its id.
        case id
        /// The last two parameters are its id and its version.
        case version
        /// The one that this transaction has just inserted into the table.
        case inserted
        /// The one that this transaction has just copied, if it has.
        case copied
    }

    let statement: SQLStatement
    let layout: RowLayout

    /// - Parameter slot: of the id, for the keys `id` and `version`.
    init(_ selection: SelectionShape, key: Key, slot: Int, schema: Schema) {
        let scope = Scope(selection.table, Aliases(), schema: schema)
        var row = RowSQL(scope, schema: schema)
        layout = row.layout(of: selection)
        if row.columns.isEmpty { _ = row.column("\(scope.alias).id") }
        let id =
            switch key {
            case .id: "$\(slot + 1)::bigint"
            case .version: "$\(slot + 1)::bigint AND \(scope.alias).version = $\(slot + 2)::integer"
            case .inserted: WriteSQL.inserted(into: selection.table)
            case .copied: WriteSQL.copied
            }
        statement = SQLStatement("SELECT \(row.list)\nFROM \(scope.from)\nWHERE \(scope.alias).id = \(id)")
    }
}
