/// A table as a Supabase database or a dump of it has it: every value as Postgres's text, nil for null.
struct SourceTable: Sendable, Equatable {
    /// With its schema: `public.clients`.
    let name: String
    let columns: [String]
    var rows: [[String?]] = []

    func index(of column: String) -> Int? { columns.firstIndex(of: column) }
}

/// What is imported from, read whole: a small organisation's records fit in memory.
package struct SupabaseSource: Sendable {
    private(set) var tables: [String: SourceTable] = [:]

    /// The tables that are looked for.
    static let wanted: Set = [
        "auth.users", "public.users", "public.ecoles", "public.clients", "public.formateurs", "public.sessions",
    ]

    subscript(name: String) -> SourceTable? { tables[name] }

    /// Adds rows to a table; a dump may come with a table's rows in several pieces.
    mutating func add(_ piece: SourceTable) throws(SupabaseImportError) {
        guard var table = tables[piece.name], !table.rows.isEmpty else {
            tables[piece.name] = piece
            return
        }
        guard table.columns == piece.columns else {
            throw SupabaseImportError("the dump gives the rows of \(piece.name) with different columns")
        }
        table.rows += piece.rows
        tables[piece.name] = table
    }
}

/// Why an import cannot be made at all.
package struct SupabaseImportError: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
