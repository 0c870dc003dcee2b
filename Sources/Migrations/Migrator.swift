package import PostgresDriver

/// Applies folders of SQL files to a database, domain after domain: each numbered file once, in the order of names, then the
/// files of `functions` that are new or changed. Each file has a transaction of its own, but the files of `functions` share that of the
/// last numbered file: calls that are served meanwhile find the tables and the functions of one version. What a file says to do before it
/// (``MigrationHeader/before``) is in no transaction.
///
/// Several processes may do this at the same time. An advisory lock makes all but one wait.
///
/// ```swift
/// let kernel = MigrationSource(domain: MigrationSource.kernel, folder: "migrations/kernel")
/// let applied = try await Migrator(sources: [kernel], client: client).up()
/// ```
package struct Migrator: Sendable {
    /// The files of each domain, in the order in which they are applied.
    let domains: [(name: String, files: [MigrationFile])]
    private let client: PostgresClient
    private let version: ReleaseVersion

    /// The key of the advisory lock, `learntrk` in ASCII. Other programs on the same database must not use it.
    static let lockKey: Int64 = 0x6c65_6172_6e74_726b

    /// - Parameter sources: the folders of the kernel and the domains, in any order. What the database has of other
    ///   domains stays as it is.
    /// - Parameter version: of this server. What a later one has applied stays as it is.
    package init(
        sources: [MigrationSource], client: PostgresClient, version: ReleaseVersion = .current
    ) throws(MigrationError) {
        var domains: [(String, [MigrationFile])] = []
        for source in try MigrationSource.ordered(sources) {
            domains.append((source.domain, try MigrationFile.all(of: source)))
        }
        self.domains = domains
        self.client = client
        self.version = version
    }

    /// Applies the pending files and records the checksums of files that were run by hand.
    ///
    /// Then gives the tables and roles that the files have added the policies that keep companies apart, if the installation serves
    /// several, lets Postgres count the companies of tables, and notes what the schema is like, for `doctor`.
    ///
    /// - Parameter reapplyingFunctions: whether files of functions that are applied are applied again.
    /// - Parameter report: is called when a file has been applied or recorded, and when another process holds the lock.
    /// - Returns: the files that were applied, such as `crm/0001_shapes.sql`.
    /// - Throws: `MigrationError` when an applied numbered file was changed or is missing, or when a file fails. The files before
    ///   it stay applied.
    @discardableResult
    package func up(
        reapplyingFunctions: Bool = false, report: @Sendable (Progress) -> Void = { _ in }
    ) async throws -> [String] {
        try await client.withConnection { connection in
            try await lock(connection, report)
            do {
                let applied = try await apply(on: connection, reapplyingFunctions, report)
                _ = try await connection.query(Self.unlock)
                return applied
            } catch {
                await release(connection)
                throw error
            }
        }
    }

    package enum Progress: Sendable, Equatable {
        /// Another process is migrating this database.
        case waitingForLock
        case applied(String)
        /// The checksum of a file that was run by hand has been recorded.
        case recorded(String)
    }

    /// Compares the folders with the database, without changing it.
    package func status() async throws -> [MigrationStatus] {
        guard try await client.query(Self.isThere).text(0, 0) == "true" else { return status(of: []) }
        return status(of: Self.records(in: try await client.query(Self.all)))
    }

    private func status(of applied: [AppliedMigration]) -> [MigrationStatus] {
        domains.flatMap { MigrationStatus.compare($0.files, of: $0.name, with: applied, as: version) }
    }

    // MARK: - The lock

    private static let lockPause: Duration = .milliseconds(100)
    private static let tryLock = Statement("SELECT pg_try_advisory_lock(\(lockKey))::text")
    private static let unlock = Statement("SELECT pg_advisory_unlock(\(lockKey))::text")

    private func lock(_ connection: PostgresConnection, _ report: (Progress) -> Void) async throws {
        var isWaiting = false
        // A statement that waited for the lock would hold a snapshot, and an index that is built concurrently waits for its end.
        while try await connection.query(Self.tryLock).text(0, 0) != "true" {
            if !isWaiting { report(.waitingForLock) }
            isWaiting = true
            try await Task.sleep(for: Self.lockPause)
        }
    }

    /// Releases the lock after an error. The pool closes a connection on which this fails, which releases the lock too.
    private func release(_ connection: PostgresConnection) async {
        do { _ = try await connection.query(Self.unlock) } catch {}
    }

    // MARK: - Applying

    private static let isThere = Statement("SELECT (to_regclass('kernel.migrations') IS NOT NULL)::text")
    private static let all = Statement(
        """
        SELECT domain, name, checksum, applied_at::text, applied_by, safe_from
        FROM kernel.migrations ORDER BY domain, name
        """)
    /// A file has recorded its name when this runs.
    private static let record = Statement(
        """
        INSERT INTO kernel.migrations AS m (domain, name, checksum, applied_by, safe_from) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (domain, name) DO UPDATE SET
            checksum = excluded.checksum,
            applied_by = excluded.applied_by,
            safe_from = excluded.safe_from,
            applied_at = CASE WHEN m.checksum IS NULL THEN m.applied_at ELSE excluded.applied_at END
        """)

    private func applied(on connection: PostgresConnection) async throws -> [AppliedMigration] {
        guard try await connection.query(Self.isThere).text(0, 0) == "true" else { return [] }
        return Self.records(in: try await connection.query(Self.all))
    }

    private static func records(in rows: Rows) -> [AppliedMigration] {
        (0..<rows.count).map {
            AppliedMigration(
                domain: rows.text($0, 0) ?? "", name: rows.text($0, 1) ?? "", checksum: rows.text($0, 2),
                appliedAt: rows.text($0, 3) ?? "", appliedBy: rows.text($0, 4).flatMap { ReleaseVersion($0) },
                safeFrom: rows.text($0, 5).flatMap { ReleaseVersion($0) })
        }
    }

    private func apply(
        on connection: PostgresConnection, _ reapplyingFunctions: Bool, _ report: (Progress) -> Void
    ) async throws -> [String] {
        let status = status(of: try await applied(on: connection))
        try status.checkHistory()
        let states = Dictionary(uniqueKeysWithValues: status.map { ($0.path, $0.state) })
        for file in domains.flatMap(\.files) where states[file.path] == .appliedByHand && !file.isRepeatable {
            try await record(file, on: connection)
            report(.recorded(file.path))
        }
        let pending = domains.map { domain in
            domain.files.filter { file in
                states[file.path] == .pending || file.isRepeatable && states[file.path] == .appliedByHand
                    || reapplyingFunctions && file.isRepeatable && states[file.path] == .applied
            }
        }
        let before = pending.contains { !$0.isEmpty } ? try await schemaFacts(on: connection) : nil
        var applied: [MigrationFile] = []
        var failure: (any Error)?
        do {
            for files in pending {
                try await apply(files, on: connection) { file in
                    applied.append(file)
                    report(.applied(file.path))
                }
            }
        } catch {
            failure = error
        }
        // Also after a failure: the files before it stay applied. The schema is noted last: a run that finds it unnoted does again what
        // one before was cut off from.
        do {
            let isUnfinished = if applied.isEmpty { try await lacksNote(on: connection) } else { true }
            if isUnfinished {
                let steps = [keepCompaniesApart, analyzeCompanies]
                var left: (any Error)?
                for step in steps {
                    do { try await step(connection) } catch { left = left ?? error }
                }
                if let left { throw left }
                try await noteSchema(on: connection, after: applied, before)
            }
        } catch {
            failure = failure ?? error
        }
        if let failure { throw failure }
        return applied.map(\.path)
    }

    /// Applies the pending files of a domain.
    private func apply(
        _ pending: [MigrationFile], on connection: PostgresConnection, _ report: (MigrationFile) -> Void
    ) async throws {
        // Any numbered file that fails ends the run: the next one may rest on it.
        let numbered = pending.filter { !$0.isRepeatable }
        for file in numbered.dropLast() {
            try await prepare(file, on: connection)
            try await transaction(on: connection) { try await apply(file, on: connection) }
            report(file)
        }
        if let last = numbered.last { try await prepare(last, on: connection) }
        var applied: [MigrationFile] = []
        try await transaction(on: connection) {
            if let last = numbered.last {
                try await apply(last, on: connection)
                applied.append(last)
            }
            applied += try await applyFunctions(pending.filter(\.isRepeatable), on: connection)
        }
        applied.forEach(report)
    }

    /// Runs what the file says to do before it.
    private func prepare(_ file: MigrationFile, on connection: PostgresConnection) async throws {
        for statement in file.header.before {
            do throws(PostgresError) {
                try await connection.simpleQuery(statement)
            } catch {
                let reason = error.server?.message ?? "\(error)"
                throw MigrationError("migration \(file.path), before it: \(statement): \(reason)")
            }
        }
    }

    private func apply(_ file: MigrationFile, on connection: PostgresConnection) async throws {
        do throws(PostgresError) {
            try await run(file, on: connection)
        } catch {
            throw MigrationError(Self.message(error, in: file))
        }
    }

    /// Applies files of functions in the order of names, but a file that calls a function of a later one after that.
    ///
    /// - Returns: the files in the order in which they were applied.
    private func applyFunctions(
        _ files: [MigrationFile], on connection: PostgresConnection
    ) async throws -> [MigrationFile] {
        var waiting = files
        var applied: [MigrationFile] = []
        while !waiting.isEmpty {
            var postponed: [MigrationFile] = []
            var firstFailure: MigrationError?
            for file in waiting {
                do throws(PostgresError) {
                    try await connection.simpleQuery("SAVEPOINT file")
                    try await run(file, on: connection)
                    try await connection.simpleQuery("RELEASE SAVEPOINT file")
                    applied.append(file)
                } catch {
                    let failure = MigrationError(Self.message(error, in: file))
                    // undefined_function, undefined_table
                    guard ["42883", "42P01"].contains(error.sqlState) else { throw failure }
                    try await connection.simpleQuery("ROLLBACK TO SAVEPOINT file")
                    firstFailure = firstFailure ?? failure
                    postponed.append(file)
                }
            }
            if let firstFailure, postponed.count == waiting.count { throw firstFailure }
            waiting = postponed
        }
        return applied
    }

    /// BEGIN and COMMIT are sent apart from the files, so that positions in errors count from the first character of a file.
    private func transaction(on connection: PostgresConnection, _ body: () async throws -> Void) async throws {
        do {
            try await connection.simpleQuery("BEGIN")
            try await body()
            try await connection.simpleQuery("COMMIT")
        } catch {
            // If this fails, the pool closes the connection.
            do { try await connection.simpleQuery("ROLLBACK") } catch {}
            throw error
        }
    }

    private func run(_ file: MigrationFile, on connection: PostgresConnection) async throws(PostgresError) {
        try await connection.simpleQuery(file.sql)
        try await record(file, on: connection)
    }

    private func record(_ file: MigrationFile, on connection: PostgresConnection) async throws(PostgresError) {
        _ = try await connection.query(
            Self.record,
            [
                .text(file.domain), .text(file.name), .text(file.checksum), .text("\(version)"),
                file.header.safeFrom.map { .text("\($0)") } ?? .null,
            ])
    }

    private static func remedy(_ sqlState: String) -> String? {
        switch sqlState {
        case "42501":
            "the login that migrates needs CREATE on the database and on the schema public, and CREATEROLE: "
                + "docs/operations.md, Rights of the login"
        case "22P05": "the database must have the encoding UTF8: create one with TEMPLATE template0 ENCODING 'UTF8'"
        default: nil
        }
    }

    private static func message(_ error: PostgresError, in file: MigrationFile) -> String {
        guard let server = error.server else { return "migration \(file.path): \(error)" }
        let place = server.position.map { "\(file.path), line \(file.line(at: $0))" } ?? file.path
        let hint = (server.hint ?? remedy(server.sqlState)).map { " (\($0))" } ?? ""
        return "migration \(place): \(server.message)\(hint)"
    }
}

/// Why the schema could not be brought up to date, in one line that names the file.
package struct MigrationError: Error, CustomStringConvertible, Equatable {
    package let description: String

    init(_ description: String) { self.description = description }
}
