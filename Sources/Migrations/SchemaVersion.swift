package import PostgresDriver

/// The version of a schema, as a list of applied migrations, against the files of this program.
package struct SchemaVersion: Sendable {
    private let files: [MigrationFile]
    private let domains: Set<String>

    /// - Parameter sources: the folders of the kernel and of every domain that the program knows.
    package init(sources: [MigrationSource]) throws(MigrationError) {
        var files: [MigrationFile] = []
        for source in sources { files += try MigrationFile.all(of: source) }
        self.files = files
        domains = Set(sources.map(\.domain))
    }

    /// Why this program cannot serve a schema with these migrations; nil if it can, after its own later ones are applied.
    package func obstacle(to applied: [AppliedMigration]) -> String? {
        let known = Dictionary(files.map { ($0.path, $0) }) { first, _ in first }
        for migration in applied.sorted(by: { $0.path < $1.path }) where !MigrationFile.isRepeatable(migration.name) {
            guard domains.contains(migration.domain) else {
                return "it has the domain \(migration.domain), which this program does not have"
            }
            guard let file = known[migration.path] else {
                return "its schema is newer: this program does not have the migration \(migration.path)"
            }
            if let checksum = migration.checksum, checksum != file.checksum {
                return "its migration \(migration.path) is not the same as that of this program"
            }
        }
        return nil
    }

    /// Whether migrations of this program are still to be applied to the schema. Domains that it has nothing of do not count.
    package func isBehind(_ applied: [AppliedMigration]) -> Bool {
        let known = Dictionary(applied.map { ($0.path, $0) }) { first, _ in first }
        let present = Set(applied.map(\.domain))
        return files.contains { file in
            guard present.contains(file.domain) else { return false }
            guard let record = known[file.path] else { return true }
            return file.isRepeatable && record.checksum != file.checksum
        }
    }

    /// Reads what a database has applied, in the transaction of `connection`.
    package static func applied(on connection: PostgresConnection) async throws -> [AppliedMigration] {
        guard try await connection.query(isThere).text(0, 0) == "true" else { return [] }
        let rows = try await connection.query(all)
        return (0..<rows.count).map {
            AppliedMigration(
                domain: rows.text($0, 0) ?? "", name: rows.text($0, 1) ?? "", checksum: rows.text($0, 2),
                appliedAt: rows.text($0, 3) ?? "")
        }
    }

    private static let isThere = Statement("SELECT (to_regclass('kernel.migrations') IS NOT NULL)::text")
    private static let all = Statement(
        "SELECT domain, name, checksum, applied_at::text FROM kernel.migrations ORDER BY domain, name")
}
