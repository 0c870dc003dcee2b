/// A migration that the database records as applied.
struct AppliedMigration: Sendable, Equatable {
    let domain: String
    let name: String
    /// nil when the file was run by hand with psql.
    let checksum: String?
    let appliedAt: String

    var path: String { "\(domain)/\(name)" }
}

/// One migration as `migrate status` shows it.
package struct MigrationStatus: Sendable, Equatable {
    package enum State: String, Sendable {
        /// Applied, and the file is unchanged.
        case applied
        /// Applied by hand with psql, without a checksum: `migrate up` will record it.
        case appliedByHand = "applied by hand"
        /// Not applied, or a file of functions that was changed after it was applied.
        case pending
        /// The numbered file was changed after it was applied.
        case changed
        /// Applied, but the numbered file does not exist.
        case missing
    }

    /// The domain and the name of the file, as in `crm/0001_shapes.sql`.
    package let path: String
    package let state: State
    /// As Postgres writes a timestamp; nil while pending.
    package let appliedAt: String?

    /// Compares the files of a domain with the database, in the order in which they are applied. A file of functions that
    /// was removed is left out: a numbered file has dropped what it defined.
    static func compare(_ files: [MigrationFile], of domain: String, with applied: [AppliedMigration])
        -> [MigrationStatus]
    {
        let records = Dictionary(applied.map { ($0.path, $0) }) { first, _ in first }
        let present = files.map { file in
            guard let record = records[file.path] else {
                return MigrationStatus(path: file.path, state: .pending, appliedAt: nil)
            }
            switch record.checksum {
            case file.checksum: return MigrationStatus(path: file.path, state: .applied, appliedAt: record.appliedAt)
            case _ where file.isRepeatable: return MigrationStatus(path: file.path, state: .pending, appliedAt: nil)
            case nil: return MigrationStatus(path: file.path, state: .appliedByHand, appliedAt: record.appliedAt)
            default: return MigrationStatus(path: file.path, state: .changed, appliedAt: record.appliedAt)
            }
        }
        let paths = Set(files.map(\.path))
        let missing = applied.filter {
            $0.domain == domain && !paths.contains($0.path) && !MigrationFile.isRepeatable($0.name)
        }.map {
            MigrationStatus(path: $0.path, state: .missing, appliedAt: $0.appliedAt)
        }
        // Digits sort before the name of the folder of functions.
        return (present + missing).sorted { $0.path < $1.path }
    }
}

extension [MigrationStatus] {
    /// Whether every file is applied and unchanged.
    package var isUpToDate: Bool {
        allSatisfy { $0.state == .applied || $0.state == .appliedByHand }
    }

    /// Throws when an applied numbered file was changed or is missing.
    func checkHistory() throws(MigrationError) {
        if let changed = first(where: { $0.state == .changed }) {
            throw MigrationError(
                "migration \(changed.path) was changed after it was applied: restore the file and put the change into a "
                    + "new migration")
        }
        if let missing = first(where: { $0.state == .missing }) {
            throw MigrationError(
                "migration \(missing.path) was applied to this database, but its file is missing: restore it")
        }
    }
}
