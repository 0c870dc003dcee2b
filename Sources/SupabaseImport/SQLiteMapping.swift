import FoundationEssentials

/// Where a SQLite file has the tables and columns, if their names are not those here.
///
/// ```json
/// {
///     "sessions": {
///         "table": "formations",
///         "columns": {"module": "titre", "formateur_id": "trainer"},
///         "values": {"modalite": {"presentiel": "P", "distanciel": "D"}}
///     },
///     "users": {"columns": {"password_hash": "mot_de_passe"}}
/// }
/// ```
package struct SQLiteMapping: Sendable, Equatable, Decodable {
    struct Table: Sendable, Equatable, Decodable {
        /// The table's name in the file.
        let table: String?
        /// The names in the file, by the name here.
        let columns: [String: String]?
        /// By the name of a column here: what takes the place of a value of the file.
        let values: [String: [String: String]]?
    }

    private let tables: [String: Table]

    /// The same names as here.
    package init() { tables = [:] }

    package init(from decoder: any Decoder) throws {
        tables = try decoder.singleValueContainer().decode([String: Table].self)
    }

    /// Reads a mapping file.
    package init(contentsOf path: String) throws(SupabaseImportError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw SupabaseImportError("cannot read \(path)")
        }
        do {
            self = try JSONDecoder().decode(SQLiteMapping.self, from: data)
        } catch {
            throw SupabaseImportError(
                "\(path) is no mapping: {\"sessions\": {\"table\": …, \"columns\": {…}, \"values\": {…}}}")
        }
        if let unknown = tables.keys.sorted().first(where: { !ImportReview.order.contains($0) }) {
            throw SupabaseImportError("\(path): there is no table '\(unknown)' here")
        }
    }

    subscript(name: String) -> Table? { tables[name] }
}
