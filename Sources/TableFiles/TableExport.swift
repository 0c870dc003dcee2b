import DomainKit
package import PostgresDriver

/// Writes the records of a table as text, in the order of their ids: those of the company in which the connections act.
package struct TableExport: Sendable {
    package enum Format: String, Sendable, CaseIterable {
        /// A line of names or labels, then a line for each record. Null is nothing, an empty text is `""`.
        case csv
        /// An object in each line, as results of calls have it.
        case jsonl
    }

    private let table: TableFile
    private let owner: PostgresClient

    /// - Parameter owner: connections of the login that owns the schema.
    package init(_ table: TableFile, owner: PostgresClient) {
        self.table = table
        self.owner = owner
    }

    /// Hands the text to `write` in pieces of whole records. Columns that no call reads are left out.
    ///
    /// - Parameter labelled: whether CSV has labels in the place of the names of columns and of the words of choices, and begins
    ///   with a byte order mark, so that a spreadsheet reads their accents. `Label (name)` stands for a name that shares its label.
    ///   Lines of JSON have names in any case.
    package func run(
        as format: Format, labelled: Bool = false, _ write: @Sendable ([UInt8]) throws -> Void
    ) async throws {
        let sql = sql(as: format, labelled: labelled)
        let heads = format == .csv ? Self.heads(of: table.entity, labelled: labelled) : ""
        try await owner.withConnection { connection in
            try await connection.simpleQuery("SET TIME ZONE 'UTC'")
            var start = [UInt8](heads.utf8)
            for try await chunk in connection.copyOut(sql) {
                try write(start.isEmpty ? chunk : start + chunk)
                start = []
            }
            if !start.isEmpty { try write(start) }
        }
    }

    /// The first line of CSV. Postgres would cut a long label.
    static func heads(of entity: Entity, labelled: Bool) -> String {
        let names = entity.readableColumns.map(\.name)
        guard labelled else { return names.map(field).joined(separator: ",") + "\n" }
        let labels = LabelledNames(columnsOf: entity)
        return "\u{FEFF}" + names.map { field(labels.text(of: $0)) }.joined(separator: ",") + "\n"
    }

    /// The text as a field of CSV: in quotation marks, with those in it doubled, where it has a character of CSV's own.
    private static func field(_ text: String) -> String {
        text.utf8.contains { separators.contains($0) } ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
    }

    private static let separators = [UInt8](",\"\r\n".utf8)

    private func sql(as format: Format, labelled: Bool) -> String {
        let columns = table.entity.readableColumns
        let rows = table.sql + (table.entity.rows == .ofCompanies ? " WHERE company_id = kernel.company()" : "")
        switch format {
        case .csv:
            let values = columns.map { Self.text(of: $0, labelled: labelled) }.joined(separator: ", ")
            return "COPY (SELECT \(values) FROM \(rows) ORDER BY id) TO STDOUT WITH (FORMAT csv)"
        case .jsonl:
            let names = columns.map { TableFile.quoted($0.name) }.joined(separator: ", ")
            // JSON has no control characters, so no value is quoted.
            return """
                COPY (
                    SELECT to_json(r) FROM (SELECT \(names) FROM \(rows) ORDER BY id) AS r
                ) TO STDOUT WITH (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')
                """
        }
    }

    /// The value as a call writes it, or the label of a word.
    private static func text(of column: Column, labelled: Bool) -> String {
        let name = TableFile.quoted(column.name)
        return switch column.type {
        case .timestamp: "to_json(\(name)) #>> '{}'"
        case .boolean, .json: "\(name)::text"
        case .choice(let choices) where labelled: label(of: name, choices)
        default: name
        }
    }

    /// - Parameter value: an SQL expression for a word. One that the choices do not have stays as it is.
    private static func label(of value: String, _ choices: Choices) -> String {
        let labels = LabelledNames(choices)
        let cases = choices.words.map { "WHEN \(literal($0)) THEN \(literal(labels.text(of: $0)))" }
        guard !cases.isEmpty else { return value }
        return "CASE \(value)::text \(cases.joined(separator: " ")) ELSE \(value)::text END"
    }

    private static func literal(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
}
