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

    /// How the schema of a file differs from that of a database, with what to do about it; nil if both have the same numbered
    /// migrations. Domains that the database has beside those of the file do not count.
    package static func difference(of file: [AppliedMigration], to database: [AppliedMigration]) -> String? {
        func numbered(_ applied: [AppliedMigration]) -> [String: AppliedMigration] {
            let all = applied.filter { !MigrationFile.isRepeatable($0.name) }
            return Dictionary(all.map { ($0.path, $0) }) { first, _ in first }
        }
        let (theirs, ours) = (numbered(file), numbered(database))
        let domains = Set(ours.values.map(\.domain))
        for migration in theirs.values.sorted(by: { $0.path < $1.path }) {
            guard domains.contains(migration.domain) else {
                return
                    "it has the domain \(migration.domain), which this installation does not have: add the domain here"
            }
            guard let own = ours[migration.path] else {
                return
                    "it has the migration \(migration.path), which this installation does not have: run 'learntrack migrate up' of "
                    + "that version here"
            }
            if let one = migration.checksum, let other = own.checksum, one != other {
                return "its migration \(migration.path) is not the same as that of this installation"
            }
        }
        let present = Set(theirs.values.map(\.domain))
        let missing = ours.values.filter { present.contains($0.domain) && theirs[$0.path] == nil }.map(\.path)
        return missing.min().map {
            "it does not have the migration \($0) of this installation: run 'learntrack migrate up' of this version where it comes "
                + "from, and export the company again"
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
