/// A migration that the database records as applied.
struct AppliedMigration: Sendable, Equatable {
    let name: String
    /// nil when the file was run by hand with psql.
    let checksum: String?
    let appliedAt: String
}

/// One migration as `migrate status` shows it.
package struct MigrationStatus: Sendable, Equatable {
    package enum State: String, Sendable {
        /// Applied, and the file is unchanged.
        case applied
        /// Applied by hand with psql, without a checksum: `migrate up` will record it.
        case appliedByHand = "applied by hand"
        case pending
        /// The file was changed after it was applied.
        case changed
        /// Applied, but the file does not exist.
        case missing
    }

    package let name: String
    package let state: State
    /// As Postgres writes a timestamp; nil while pending.
    package let appliedAt: String?

    /// Compares the folder with the database; sorted by name.
    static func compare(_ files: [MigrationFile], with applied: [AppliedMigration]) -> [MigrationStatus] {
        let records = Dictionary(applied.map { ($0.name, $0) }) { first, _ in first }
        let present = files.map { file in
            guard let record = records[file.name] else {
                return MigrationStatus(name: file.name, state: .pending, appliedAt: nil)
            }
            let state: State =
                switch record.checksum {
                case nil: .appliedByHand
                case file.checksum: .applied
                default: .changed
                }
            return MigrationStatus(name: file.name, state: state, appliedAt: record.appliedAt)
        }
        let names = Set(files.map(\.name))
        let missing = applied.filter { !names.contains($0.name) }.map {
            MigrationStatus(name: $0.name, state: .missing, appliedAt: $0.appliedAt)
        }
        return (present + missing).sorted { $0.name < $1.name }
    }
}

extension [MigrationStatus] {
    /// Whether every file is applied and unchanged.
    package var isUpToDate: Bool {
        allSatisfy { $0.state == .applied || $0.state == .appliedByHand }
    }

    /// Throws when an applied file was changed or is missing.
    func checkHistory() throws(MigrationError) {
        if let changed = first(where: { $0.state == .changed }) {
            throw MigrationError(
                "migration \(changed.name) was changed after it was applied: restore the file and put the change into a "
                    + "new migration")
        }
        if let missing = first(where: { $0.state == .missing }) {
            throw MigrationError(
                "migration \(missing.name) was applied to this database, but its file is missing: restore it")
        }
    }
}
