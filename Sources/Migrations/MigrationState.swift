/// What the database remembers of a migration.
struct AppliedMigration: Sendable, Equatable {
    let name: String
    /// Absent when the file was run by hand with psql.
    let checksum: String?
    let appliedAt: String
}

/// One migration as `migrate status` shows it.
package struct MigrationState: Sendable, Equatable {
    package enum Standing: String, Sendable {
        /// Applied, and the file is still the one that was.
        case applied
        /// Applied by hand with psql: `migrate up` will note the file's checksum.
        case byHand = "applied by hand"
        case pending
        /// The file is no longer the one that was applied.
        case changed
        /// Applied, but the file is gone.
        case missing
    }

    package let name: String
    package let standing: Standing
    /// When, as Postgres writes a timestamp; nil while pending.
    package let appliedAt: String?

    /// Folder and database side by side, in the order of names.
    static func compare(_ files: [MigrationFile], with applied: [AppliedMigration]) -> [MigrationState] {
        let records = Dictionary(applied.map { ($0.name, $0) }) { first, _ in first }
        let present = files.map { file in
            guard let record = records[file.name] else {
                return MigrationState(name: file.name, standing: .pending, appliedAt: nil)
            }
            let standing: Standing =
                switch record.checksum {
                case nil: .byHand
                case file.checksum: .applied
                default: .changed
                }
            return MigrationState(name: file.name, standing: standing, appliedAt: record.appliedAt)
        }
        let names = Set(files.map(\.name))
        let missing = applied.filter { !names.contains($0.name) }.map {
            MigrationState(name: $0.name, standing: .missing, appliedAt: $0.appliedAt)
        }
        return (present + missing).sorted { $0.name < $1.name }
    }
}

extension [MigrationState] {
    /// Whether the schema is the one that the files describe, and nothing is left to apply.
    package var isUpToDate: Bool {
        allSatisfy { $0.standing == .applied || $0.standing == .byHand }
    }

    /// Refuses a history that the files no longer tell.
    func checkHistory() throws(MigrationError) {
        if let changed = first(where: { $0.standing == .changed }) {
            throw MigrationError(
                "migration \(changed.name) was changed after it was applied: restore the file and put the change into a "
                    + "new migration")
        }
        if let missing = first(where: { $0.standing == .missing }) {
            throw MigrationError(
                "migration \(missing.name) was applied to this database, but its file is missing: restore it")
        }
    }
}
