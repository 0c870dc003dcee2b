/// A migration that the database records as applied.
package struct AppliedMigration: Sendable, Equatable, Codable {
    let domain: String
    let name: String
    /// nil when the file was run by hand with psql; the digest in the file when that is one of functions.
    let checksum: String?
    let appliedAt: String
    /// The version of the server that has applied it; nil when the file was run by hand with psql.
    var appliedBy: ReleaseVersion?
    /// The oldest version that may serve beside it, as its file said; nil when it did not say.
    var safeFrom: ReleaseVersion?

    var path: String { "\(domain)/\(name)" }
}

/// One migration as `migrate status` shows it.
package struct MigrationStatus: Sendable, Equatable {
    package enum State: String, Sendable {
        /// Applied, and the file is unchanged.
        case applied
        /// Applied by hand with psql, without the checksum of the whole file: `migrate up` will record it. It applies a file of
        /// functions once more.
        case appliedByHand = "applied by hand"
        /// Not applied, or a file of functions that was changed after it was applied, also by hand.
        case pending
        /// The numbered file was changed after it was applied.
        case changed
        /// Applied, but the numbered file does not exist.
        case missing
        /// Applied by a later version of the server, or by a later build of this one, beside which this version may serve.
        case later
        /// Applied by a later version of the server, beside which this version may not serve.
        case breaking
    }

    /// The domain and the name of the file, as in `crm/0001_shapes.sql`.
    package let path: String
    package let state: State
    /// As Postgres writes a timestamp; nil while pending.
    package let appliedAt: String?
    /// What its file says about locks; nil when it does not say, or when there is no file.
    package var locks: String?
    /// The oldest version that may serve beside it; nil unless a later version has applied it.
    package var safeFrom: ReleaseVersion?

    /// Compares the files of a domain with the database, in the order in which they are applied. A file of functions that
    /// was removed is left out: a numbered file has dropped what it defined.
    ///
    /// - Parameter version: of this server. What a later one has applied is neither missing nor to be applied again.
    static func compare(
        _ files: [MigrationFile], of domain: String, with applied: [AppliedMigration], as version: ReleaseVersion
    ) -> [MigrationStatus] {
        let records = Dictionary(applied.map { ($0.path, $0) }) { first, _ in first }
        let present = files.map { file in
            guard let record = records[file.path] else {
                return MigrationStatus(path: file.path, state: .pending, appliedAt: nil, locks: file.header.locks)
            }
            return switch record.checksum {
            case file.checksum: MigrationStatus(record, .applied)
            // What psql has run says its digest if it has one.
            case let digest? where digest == file.digest: MigrationStatus(record, .appliedByHand)
            case _ where record.isLater(than: version): MigrationStatus(of: record, beside: version)
            case nil where file.digest == nil: MigrationStatus(record, .appliedByHand)
            case _ where file.isRepeatable:
                MigrationStatus(path: file.path, state: .pending, appliedAt: nil, locks: file.header.locks)
            default: MigrationStatus(record, .changed)
            }
        }
        let paths = Set(files.map(\.path))
        let absent = applied.filter { $0.domain == domain && !paths.contains($0.path) }
        let last = files.last { !$0.isRepeatable }?.name ?? ""
        let others = absent.compactMap { record in
            if record.isLater(than: version) || record.follows(last, in: version) {
                return MigrationStatus(of: record, beside: version)
            }
            return MigrationFile.isRepeatable(record.name) ? nil : MigrationStatus(record, .missing)
        }
        // Digits sort before the name of the folder of functions.
        return (present + others).sorted { $0.path < $1.path }
    }

    /// The status of a migration that a later version than `version` has applied.
    private init(of record: AppliedMigration, beside version: ReleaseVersion) {
        let isSafe = record.safeFrom.map { $0 <= version } ?? MigrationFile.isRepeatable(record.name)
        self.init(record, isSafe ? .later : .breaking)
        safeFrom = record.safeFrom ?? record.appliedBy
    }

    private init(_ record: AppliedMigration, _ state: State) {
        self.init(path: record.path, state: state, appliedAt: record.appliedAt)
    }

    package init(path: String, state: State, appliedAt: String?, locks: String? = nil) {
        self.path = path
        self.state = state
        self.appliedAt = appliedAt
        self.locks = locks
    }
}

extension AppliedMigration {
    fileprivate func isLater(than version: ReleaseVersion) -> Bool { appliedBy.map { $0 > version } ?? false }

    /// Whether a later build of the same version has added it behind the file `last`, and says that it is safe. A lost file
    /// of this build comes before `last`.
    fileprivate func follows(_ last: String, in version: ReleaseVersion) -> Bool {
        guard appliedBy == version, let safeFrom, !MigrationFile.isRepeatable(name) else { return false }
        return name > last && safeFrom <= version
    }
}

extension [MigrationStatus] {
    /// Whether this version may serve: every file is applied and unchanged, and so is what later versions have applied.
    package var isUpToDate: Bool {
        allSatisfy { [.applied, .appliedByHand, .later].contains($0.state) }
    }

    /// Why this version may not serve beside what a later one has applied; nil if it may.
    package var breakingReason: String? {
        guard let breaking = first(where: { $0.state == .breaking }) else { return nil }
        let needed = breaking.safeFrom.map { "\($0) or later" } ?? "that version"
        return "migration \(breaking.path) was applied by a later version of LearnTrack, and needs \(needed) to serve"
    }

    /// The migrations of later versions beside which this version serves.
    package var later: [String] { filter { $0.state == .later }.map(\.path) }

    /// Throws when an applied numbered file was changed or is missing, or when a later version has applied one that this
    /// version may not serve beside.
    func checkHistory() throws(MigrationError) {
        if let breakingReason { throw MigrationError(breakingReason) }
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
