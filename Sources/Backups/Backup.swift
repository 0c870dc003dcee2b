import ChildProcesses
import Migrations
package import PostgresDriver

/// Makes a backup of a database while it is in use: everything as it was at one instant.
package struct Backup: Sendable {
    private let tools: PostgresTools
    private let owner: PostgresClient
    private let program: String
    /// The tables, with their schemas, that hold the bytes of files.
    private let fileTables: [String]

    /// - Parameters:
    ///   - tools: the client programs for the database.
    ///   - owner: connections of the login that owns the schema.
    ///   - program: the version of this program, for the manifest.
    ///   - fileTables: the tables, with their schemas, that a backup without files leaves empty.
    package init(tools: PostgresTools, owner: PostgresClient, program: String, fileTables: [String]) {
        self.tools = tools
        self.owner = owner
        self.program = program
        self.fileTables = fileTables
    }

    /// Writes a backup under a temporary name beside `path`, and renames it when it is complete and on the disk.
    ///
    /// - Parameters:
    ///   - path: of the file, absolute.
    ///   - overwriting: whether a file there is replaced.
    ///   - hasFiles: whether it has the bytes of files.
    /// - Returns: what it says about itself, and its size in bytes.
    package func write(
        to path: String, overwriting: Bool = false, hasFiles: Bool
    ) async throws -> (manifest: BackupManifest, size: Int) {
        // pg_dump would create a file that others can read.
        let (manifest, size) = try await NewFile.write(to: path, overwriting: overwriting) { part in
            let manifest = try await owner.withConnection { connection in
                try await connection.inTransaction(
                    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0"
                ) {
                    let manifest = try await describe(hasFiles: hasFiles, on: connection)
                    let snapshot = try await connection.query(Self.snapshot).text(0, 0) ?? ""
                    try await dump(to: part, hasFiles: hasFiles, snapshot: snapshot)
                    return manifest
                }
            }
            try BackupFile.seal(part, manifest)
            return manifest
        }
        return (manifest, size)
    }

    private func dump(to path: String, hasFiles: Bool, snapshot: String) async throws {
        let without = hasFiles ? [] : fileTables.map { "--exclude-table-data=\($0)" }
        let run = try await tools.run(
            "pg_dump",
            [
                "--format=custom", "--file=\(path)", "--snapshot=\(snapshot)", "--no-password",
                "--dbname=\(tools.address)",
            ]
                + without)
        guard run.status == 0 else { throw BackupError(ToolOutput.reason("pg_dump", run.errors)) }
    }

    private func describe(hasFiles: Bool, on connection: PostgresConnection) async throws -> BackupManifest {
        let migrations = try await SchemaVersion.applied(on: connection)
        guard !migrations.isEmpty else { throw BackupError("this database has no schema of this program") }
        let facts = try await connection.query(Self.facts)
        let roles = try await connection.query(Self.roles)
        let owned = try await connection.query(Self.owned)
        return BackupManifest(
            takenAt: facts.text(0, 0) ?? "", program: program, postgres: facts.text(0, 1).flatMap { Int($0) } ?? 0,
            hasFiles: hasFiles, migrations: migrations,
            roles: (0..<roles.count).compactMap { roles.text($0, 0) },
            owned: (0..<owned.count).map {
                BackupManifest.Owned(
                    type: owned.text($0, 0) ?? "", identity: owned.text($0, 1) ?? "", schema: owned.text($0, 2) ?? "",
                    owner: owned.text($0, 3) ?? "")
            })
    }

    private static let snapshot = Statement("SELECT pg_export_snapshot()")
    private static let facts = Statement(
        """
        SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
            (current_setting('server_version_num')::int / 10000)::text
        """)
    /// The roles that own something here or hold a right, beside the login and those of the installation itself.
    private static let roles = Statement(
        """
        SELECT DISTINCT r.rolname::text FROM pg_catalog.pg_shdepend AS d
            JOIN pg_catalog.pg_database AS b ON b.oid = d.dbid AND b.datname = current_database()
            JOIN pg_catalog.pg_roles AS r ON d.refclassid = 'pg_authid'::regclass AND r.oid = d.refobjid
        WHERE r.rolname LIKE 'learntrack\\_%' AND r.rolname <> current_user ORDER BY 1
        """)
    private static let owned = Statement(
        """
        SELECT o.type, o.identity, quote_ident(o.schema), r.rolname::text FROM pg_catalog.pg_shdepend AS d
            JOIN pg_catalog.pg_database AS b ON b.oid = d.dbid AND b.datname = current_database()
            JOIN pg_catalog.pg_roles AS r ON d.refclassid = 'pg_authid'::regclass AND r.oid = d.refobjid
            CROSS JOIN LATERAL pg_catalog.pg_identify_object(d.classid, d.objid, 0) AS o
        WHERE d.deptype = 'o' AND r.rolname LIKE 'learntrack\\_%' AND r.rolname <> current_user
            AND o.schema IS NOT NULL
        ORDER BY 1, 2
        """)
}

/// What the client programs of Postgres say on standard error.
enum ToolOutput {
    /// The first error, in one line.
    static func reason(_ program: String, _ text: String) -> String {
        let lines = text.split(whereSeparator: \.isNewline)
        let line = lines.first { $0.contains("ERROR:") || $0.contains("error:") } ?? lines.first ?? "it gives no reason"
        return line.hasPrefix(program) ? String(line) : "\(program): \(line)"
    }
}
