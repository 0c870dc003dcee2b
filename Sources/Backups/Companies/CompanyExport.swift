import Glibc
import Migrations
package import PostgresDriver

/// Writes a company into a file while it is in use: all its rows as they were at one instant.
///
/// The rows pass from the database to the file piece by piece, so that their number does not matter for the memory of this process.
package struct CompanyExport: Sendable {
    private let owner: PostgresClient
    private let program: String

    /// - Parameters:
    ///   - owner: connections of the login that owns the schema, which act in the company.
    ///   - program: the version of this program, for the manifest.
    package init(owner: PostgresClient, program: String) {
        self.owner = owner
        self.program = program
    }

    /// Writes the file under a temporary name beside `path`, and renames it when it is complete and on the disk.
    ///
    /// - Parameters:
    ///   - path: of the file, absolute.
    ///   - overwriting: whether a file there is replaced.
    ///   - hasAccounts: whether it has the hashes of passwords, passkeys, access keys, links, and what calls were answered of late.
    /// - Returns: what it says about itself, and its size in bytes.
    /// - Throws: `BackupError` where there is no such company or no place for the file, `PostgresError`.
    package func write(
        to path: String, overwriting: Bool = false, hasAccounts: Bool
    ) async throws -> (manifest: CompanyManifest, size: Int) {
        let (manifest, size) = try await NewFile.write(to: path, overwriting: overwriting) { part in
            let manifest = try await owner.withConnection { connection in
                try await connection.inTransaction(Self.begin) {
                    try await write(to: part, hasAccounts: hasAccounts, on: connection)
                }
            }
            try CompanyFile.seal(part, manifest)
            return manifest
        }
        return (manifest, size)
    }

    private func write(
        to part: String, hasAccounts: Bool, on connection: PostgresConnection
    ) async throws -> CompanyManifest {
        let migrations = try await SchemaVersion.applied(on: connection)
        guard !migrations.isEmpty else { throw BackupError("this database has no schema of this program") }
        let facts = try await connection.query(Self.facts)
        guard let id = facts.text(0, 0).flatMap({ Int64($0) }), let name = facts.text(0, 1) else {
            throw BackupError("there is no such company: 'learntrack companies list' shows them")
        }
        guard facts.text(0, 3) != "true" else {
            throw BackupError("the removal of company \(id) has begun: a part of its rows is gone")
        }
        let listed = try await connection.query(Self.tables, [.text(String(hasAccounts))])
        let file = try SealedFile.open(part, O_WRONLY | O_APPEND)
        defer { close(file) }
        try SealedFile.write(Array(CompanyFile.head.utf8), to: file, part)
        var position = CompanyFile.head.utf8.count
        var tables: [CompanyManifest.Table] = []
        for row in 0..<listed.count {
            guard let table = listed.text(row, 0), let columns = listed.text(row, 1), let source = listed.text(row, 2)
            else { continue }
            var (rows, length) = (0, 0)
            for try await chunk in connection.copyOut("COPY (\(source)) TO STDOUT") {
                try SealedFile.write(chunk, to: file, part)
                // Each row ends with the only line feed that it has: those in values are written as \n.
                rows += chunk.count { $0 == UInt8(ascii: "\n") }
                length += chunk.count
            }
            tables.append(
                CompanyManifest.Table(
                    name: table, columns: columns.split(separator: "\n").map(String.init), rows: rows,
                    position: position, length: length))
            position += length
        }
        return CompanyManifest(
            takenAt: facts.text(0, 2) ?? "", program: program, company: .init(id: id, name: name),
            hasAccounts: hasAccounts, migrations: migrations, tables: tables)
    }

    // MARK: SQL

    /// Values look the same whatever the settings of the login are, and names of tables have their schemas.
    private static let format = """
        SET LOCAL search_path = pg_catalog; SET LOCAL TIME ZONE 'UTC'; SET LOCAL DateStyle = 'ISO, YMD';
        SET LOCAL IntervalStyle = 'postgres'; SET LOCAL bytea_output = 'hex'; SET LOCAL extra_float_digits = 1;
        SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0
        """
    private static let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; " + format
    private static let facts = Statement(
        """
        SELECT c.id::text, c.name::text, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
            (c.erasing_at IS NOT NULL)::text
        FROM kernel.companies AS c WHERE c.id = kernel.company()
        """)
    private static let tables = Statement(
        """
        SELECT t.name, array_to_string(t.columns, E'\\n'), t.source FROM kernel.company_tables($1::boolean) AS t
        """)
}
