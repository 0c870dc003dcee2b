import DomainKit
package import PostgresDriver

/// Writes the records of a table as text, in the order of their ids.
package struct TableExport: Sendable {
    package enum Format: String, Sendable, CaseIterable {
        /// A line of names, then a line for each record. Null is nothing, an empty text is `""`.
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
    package func run(as format: Format, _ write: @Sendable ([UInt8]) throws -> Void) async throws {
        let sql = sql(as: format)
        try await owner.withConnection { connection in
            try await connection.simpleQuery("SET TIME ZONE 'UTC'")
            for try await chunk in connection.copyOut(sql) { try write(chunk) }
        }
    }

    private func sql(as format: Format) -> String {
        let columns = table.entity.readableColumns
        switch format {
        case .csv:
            let values = columns.map { "\(Self.text(of: $0)) AS \(TableFile.quoted($0.name))" }.joined(separator: ", ")
            return "COPY (SELECT \(values) FROM \(table.sql) ORDER BY id) TO STDOUT WITH (FORMAT csv, HEADER)"
        case .jsonl:
            let names = columns.map { TableFile.quoted($0.name) }.joined(separator: ", ")
            // JSON has no control characters, so no value is quoted.
            return """
                COPY (
                    SELECT to_json(r) FROM (SELECT \(names) FROM \(table.sql) ORDER BY id) AS r
                ) TO STDOUT WITH (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')
                """
        }
    }

    /// The value as a call writes it.
    private static func text(of column: Column) -> String {
        let name = TableFile.quoted(column.name)
        return switch column.type {
        case .timestamp: "to_json(\(name)) #>> '{}'"
        case .boolean, .json: "\(name)::text"
        default: name
        }
    }
}
