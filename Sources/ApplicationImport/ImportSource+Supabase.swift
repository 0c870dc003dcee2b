import ChildProcesses
import FoundationEssentials
import Glibc
import JSON
import PostgresDriver

extension ImportSource {
    /// Reads the database of a Supabase project, or a dump of it: plain SQL, or an archive that pg_restore supports.
    ///
    /// - Parameters:
    ///   - location: a URL (`postgres://…`), or the path of a file or folder.
    ///   - absent: the tables that the project is known not to have.
    /// - Throws: ``ApplicationImportError``, or `PostgresError` for a database.
    package static func read(_ location: String, without absent: Set<String> = []) async throws -> ImportSource {
        let source = try await read(from: location)
        let missing = try source.missingTables(without: absent)
        guard missing.isEmpty else {
            throw ApplicationImportError(
                "the project has no table \(missing.map { "'\($0)'" }.joined(separator: ", ")) in its schema public, or the dump "
                    + "leaves it out: dump it, too, or say that there is none (--without \(missing.joined(separator: ",")))"
            )
        }
        return source
    }

    private static func read(from location: String) async throws -> ImportSource {
        if location.hasPrefix("postgres://") || location.hasPrefix("postgresql://") {
            return try await read(database: location)
        }
        var isFolder = false
        guard FileManager.default.fileExists(atPath: location, isDirectory: &isFolder) else {
            throw ApplicationImportError("there is no file \(location); the URL of a database begins with postgres://")
        }
        if isFolder || isArchive(location) { return try await restore(location) }
        return try DumpReader.read([UInt8](try SourceFile.content(of: location)))
    }

    private static func isArchive(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        // The signatures of pg_dump's custom format and of tar archives.
        let head = [UInt8](unsafeUninitializedCapacity: 512) { bytes, count in
            count = max(0, Glibc.read(file, bytes.baseAddress, bytes.count))
        }
        return head.starts(with: Array("PGDMP".utf8))
            || (head.count == 512 && head[257..<262].elementsEqual(Array("ustar".utf8)))
    }

    /// Converts an archive to SQL with pg_restore, which needs no database for this.
    private static func restore(_ path: String) async throws -> ImportSource {
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("learntrack-\(UUID().uuidString)")
        defer { unlink(output.path) }
        guard
            FileManager.default.createFile(
                atPath: output.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw ApplicationImportError("cannot write to \(output.deletingLastPathComponent().path)") }
        // The program runs in another directory.
        let archive = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        let program = try await ChildProcess.run(
            "/usr/bin/env", ["pg_restore", "--data-only", "--no-owner", "--file", output.path, archive],
            environment: ProcessInfo.processInfo.environment)
        guard program.status == 0 else {
            let cause =
                program.status == 127
                ? "pg_restore is not installed (apt install postgresql-client)" : program.errors
            throw ApplicationImportError("cannot read the archive \(path): \(cause)")
        }
        guard let data = FileManager.default.contents(atPath: output.path) else {
            throw ApplicationImportError("pg_restore wrote nothing")
        }
        return try DumpReader.read([UInt8](data))
    }

    private static func read(database url: String) async throws -> ImportSource {
        var configuration = PostgresClient.Configuration(connectionString: url)
        configuration.applicationName = "learntrack import"
        configuration.poolSize = 1
        let client = PostgresClient(configuration)
        let outcome: Result<ImportSource, any Error>
        do {
            outcome = .success(
                try await client.withConnection { connection in
                    // One snapshot for all tables. With row security off, a query that policies would filter fails.
                    try await connection.inTransaction(
                        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL row_security = off;"
                    ) {
                        var source = ImportSource()
                        for name in wanted.sorted() {
                            if let table = try await table(name, on: connection) { try source.add(table) }
                        }
                        return source
                    }
                })
        } catch let error as PostgresError {
            // Apart from the errors of the database that the records are imported into.
            let reason = error.cause ?? error.server?.message ?? error.description
            outcome = .failure(ApplicationImportError("the database of the project: \(reason)"))
        } catch {
            outcome = .failure(error)
        }
        await client.shutdown()
        return try outcome.get()
    }

    private static func table(_ name: String, on connection: PostgresConnection) async throws -> SourceTable? {
        let parts = name.split(separator: ".").map(String.init)
        let found = try await connection.query(columnNames, [.text(parts[0]), .text(parts[1])])
        let columns = (0..<found.count).compactMap { found.text($0, 0) }
        guard !columns.isEmpty else { return nil }
        let list = columns.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"::text" }
        let rows = try await connection.query(
            Statement("SELECT \(list.joined(separator: ", ")) FROM \(name) source ORDER BY source.id"))
        var table = SourceTable(name: name, columns: columns)
        table.rows = (0..<rows.count).map { row in columns.indices.map { rows.text(row, $0) } }
        return table
    }

    private static let columnNames = Statement(
        """
        SELECT a.attname::text FROM pg_catalog.pg_attribute a
            JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = $1::text AND c.relname = $2::text AND c.relkind IN ('r', 'p', 'v')
            AND a.attnum > 0 AND NOT a.attisdropped
        ORDER BY a.attnum
        """)
}
