/// A table of a source. Each value is in Postgres's text format, nil for NULL.
struct SourceTable: Sendable, Equatable {
    /// The name with its schema: `public.clients`.
    let name: String
    let columns: [String]
    var rows: [[String?]] = []

    func index(of column: String) -> Int? { columns.firstIndex(of: column) }
}

/// The tables of another application, read into memory as a whole: of a Supabase project, or of the web CRM.
package struct ImportSource: Sendable {
    private(set) var tables: [String: SourceTable] = [:]
    /// What stands before the names of its tables.
    let prefix: String

    init(prefix: String = "public.") { self.prefix = prefix }

    /// The tables that are read.
    static let wanted: Set = [
        "auth.users", "public.users", "public.ecoles", "public.clients", "public.formateurs", "public.sessions",
    ]

    subscript(name: String) -> SourceTable? { tables[name] }

    /// The names of ``ImportReview/order`` that the source has no table for, in their order.
    ///
    /// A table of another name would be left out silently, and with it what refers to it.
    ///
    /// - Parameter absent: the names of those that the source is known not to have.
    func missingTables(without absent: Set<String>) throws(ApplicationImportError) -> [String] {
        if let unknown = absent.sorted().first(where: { !ImportReview.order.contains($0) }) {
            throw ApplicationImportError(
                "there is no table '\(unknown)' to leave out; there are: \(ImportReview.order.joined(separator: ", "))")
        }
        return ImportReview.order.filter { self["public." + $0] == nil && !absent.contains($0) }
    }

    /// Adds rows to a table. A dump may contain the rows of a table in several pieces.
    mutating func add(_ piece: SourceTable) throws(ApplicationImportError) {
        guard var table = tables[piece.name], !table.rows.isEmpty else {
            tables[piece.name] = piece
            return
        }
        guard table.columns == piece.columns else {
            throw ApplicationImportError("the dump gives the rows of \(piece.name) with different columns")
        }
        table.rows += piece.rows
        tables[piece.name] = table
    }
}
