import DomainKit
import PostgresDriver

/// Columns that name files.
///
/// Without the trigger of `kernel.file_keep`, a caller could name the file of another account, and then read it as a reader of
/// the record.
extension SchemaConventions {
    /// What is wrong unless the database keeps the rule of each column that names files.
    func errors(
        ofFilesOf entity: Entity, in schema: String, _ owner: PostgresClient
    ) async throws -> [ConventionError] {
        var found: [ConventionError] = []
        let table = "\(schema).\(entity.name)"
        for column in entity.columns {
            guard let rule = column.file else { continue }
            let rows = try await owner.query(
                Self.fileColumn, [.text(schema), .text(entity.name), .text(column.name)])
            guard rows.count == 1, rows.text(0, 0) == "true" else {
                found.append(.noFileKey(column: column.name, table: table))
                continue
            }
            let limits = (rows.text(0, 1) ?? "").split(separator: "\n").map(String.init)
            if limits.first != String(rule.maxBytes)
                || Set(limits.dropFirst()) != Set(rule.kinds.map(\.mediaType))
            {
                found.append(.noFileCheck(column: column.name, table: table))
            }
        }
        for file in entity.columns.flatMap(\.listedFiles) {
            let rows = try await owner.query(
                Self.listedFiles, [.text(schema), .text(entity.name), .text(file.column), .text(file.member ?? "")])
            let limits = (rows.text(0, 0) ?? "").split(separator: "\n").map(String.init)
            if limits.first != String(file.rule.maxBytes)
                || Set(limits.dropFirst()) != Set(file.rule.kinds.map(\.mediaType)) || rows.text(0, 1) != "true"
            {
                found.append(.noFileCheck(column: file.column, table: table))
            }
        }
        return found
    }

    /// The limits of the trigger that checks the files which a member of the column's objects names, one on each line, and whether
    /// another trigger notes them.
    private static let listedFiles = Statement(
        """
        WITH triggers AS (
            SELECT t.tgfoid, t.tgtype, string_to_array(encode(t.tgargs, 'escape'), '\\000') AS arguments, t.tgnargs
            FROM pg_catalog.pg_trigger t
            JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
            WHERE c.relnamespace = to_regnamespace(quote_ident($1)) AND c.relname = $2 AND t.tgenabled IN ('O', 'A')
        )
        SELECT
            -- Before each row that is inserted or updated.
            (SELECT array_to_string(arguments[3:tgnargs], E'\\n') FROM triggers
             WHERE tgfoid = to_regproc('kernel.check_listed_files') AND tgtype & 23 = 23
                AND arguments[1] = $3 AND arguments[2] = $4 LIMIT 1),
            -- After each row that is inserted, updated or deleted.
            EXISTS (
                SELECT FROM triggers
                WHERE tgfoid = to_regproc('kernel.note_listed_files') AND tgtype & 31 = 29
                    AND arguments[1] = $3 AND arguments[2] = $4
            )::text
        """)

    /// Whether a foreign key leads from the column to the files and keeps them from being deleted, and the limits of the
    /// trigger that checks the column, one on each line. The column of the company comes before it in the key; a key without it
    /// is told with the other keys and indexes.
    private static let fileColumn = Statement(
        """
        SELECT
            EXISTS (
                SELECT FROM pg_catalog.pg_constraint k
                WHERE k.contype = 'f' AND k.conrelid = c.oid AND k.conkey[cardinality(k.conkey)] = a.attnum
                    AND k.confrelid = to_regclass('kernel.files') AND k.confdeltype IN ('a', 'r')
            )::text,
            (SELECT array_to_string((string_to_array(encode(t.tgargs, 'escape'), '\\000'))[2:t.tgnargs], E'\\n')
             FROM pg_catalog.pg_trigger t
             -- Before each row that is inserted or updated.
             WHERE t.tgrelid = c.oid AND t.tgfoid = to_regproc('kernel.check_file') AND t.tgtype & 23 = 23
                AND t.tgenabled IN ('O', 'A') AND (t.tgattr::text = '' OR a.attnum = ANY (t.tgattr))
                AND split_part(encode(t.tgargs, 'escape'), '\\000', 1) = a.attname
             ORDER BY t.tgname LIMIT 1)
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = to_regnamespace(quote_ident($1)) AND c.relname = $2 AND a.attname = $3
        """)
}
