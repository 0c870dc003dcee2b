import Foundation
import Glibc
import PostgresDriver

extension SupabaseSource {
    /// Reads a database of a Supabase project, or a dump of one: plain SQL, or an archive that pg_restore understands.
    ///
    /// - Parameter place: a URL (`postgres://…`), or the path of a file or folder.
    package static func read(_ place: String) async throws -> SupabaseSource {
        if place.hasPrefix("postgres://") || place.hasPrefix("postgresql://") {
            return try await read(database: place)
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: place, isDirectory: &isFolder) else {
            throw SupabaseImportError("there is no file \(place); a database is given as postgres://…")
        }
        if isFolder.boolValue || isArchive(place) { return try restore(place) }
        guard let data = FileManager.default.contents(atPath: place) else {
            throw SupabaseImportError("cannot read \(place)")
        }
        return try DumpReader.read([UInt8](data))
    }

    private static func isArchive(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { file.closeFile() }
        // The custom format's mark, and where a tar archive has its own.
        let head = [UInt8](file.readData(ofLength: 512))
        return head.starts(with: Array("PGDMP".utf8))
            || (head.count == 512 && head[257..<262].elementsEqual(Array("ustar".utf8)))
    }

    /// Has pg_restore write an archive's rows as SQL, which it does without a database.
    private static func restore(_ path: String) throws -> SupabaseSource {
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("learntrack-\(UUID().uuidString)")
        defer { unlink(output.path) }
        guard
            FileManager.default.createFile(
                atPath: output.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw SupabaseImportError("cannot write to \(output.deletingLastPathComponent().path)") }
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["pg_restore", "--data-only", "--no-owner", "--file", output.path, path]
        process.standardInput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let cause =
                process.terminationStatus == 127
                ? "it takes pg_restore, which is not installed (apt install postgresql-client)" : said
            throw SupabaseImportError("cannot read the archive \(path): \(cause)")
        }
        guard let data = FileManager.default.contents(atPath: output.path) else {
            throw SupabaseImportError("pg_restore wrote nothing")
        }
        return try DumpReader.read([UInt8](data))
    }

    private static func read(database url: String) async throws -> SupabaseSource {
        var configuration = PostgresClient.Configuration(connectionString: url)
        configuration.applicationName = "learntrack import"
        configuration.poolSize = 1
        let client = PostgresClient(configuration)
        let outcome: Result<SupabaseSource, any Error>
        do {
            outcome = .success(
                try await client.withConnection { connection in
                    // One moment for all tables; and a login whose rights would hide rows fails instead.
                    try await connection.simpleQuery(
                        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL row_security = off;")
                    var source = SupabaseSource()
                    for name in wanted.sorted() {
                        if let table = try await table(name, on: connection) { try source.add(table) }
                    }
                    try await connection.simpleQuery("COMMIT")
                    return source
                })
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
        let list = columns.map { "\"" + $0.replacingOccurrences(of: "\"", with: "\"\"") + "\"::text" }
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
