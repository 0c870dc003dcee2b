package import PostgresDriver

/// Applies a folder of SQL files to a database: each file once, in the order of names, in a transaction.
///
/// Several processes may do this at the same time. An advisory lock makes all but one wait.
///
/// ```swift
/// let applied = try await Migrator(folder: "migrations", client: client).up()
/// ```
package struct Migrator: Sendable {
    private let files: [MigrationFile]
    private let client: PostgresClient

    /// The key of the advisory lock, `learntrk` in ASCII. Other programs on the same database must not use it.
    static let lockKey: Int64 = 0x6c65_6172_6e74_726b

    /// - Parameter folder: the folder of the `NNNN_*.sql` files.
    package init(folder: String, client: PostgresClient) throws(MigrationError) {
        files = try MigrationFile.all(in: folder)
        self.client = client
    }

    /// Applies the pending files and records the checksums of files that were run by hand.
    ///
    /// - Parameter report: is called when a file has been applied or recorded, and when another process holds the lock.
    /// - Returns: the names of the files that were applied.
    /// - Throws: `MigrationError` when an applied file was changed or is missing, or when a file fails. The files before
    ///   it stay applied.
    @discardableResult
    package func up(report: @Sendable (Progress) -> Void = { _ in }) async throws -> [String] {
        try await client.withConnection { connection in
            try await lock(connection, report)
            do {
                let applied = try await apply(on: connection, report)
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

    /// Compares the folder with the database, without changing it.
    package func status() async throws -> [MigrationStatus] {
        guard try await client.query(Self.isThere).text(0, 0) == "true" else {
            return MigrationStatus.compare(files, with: [])
        }
        return MigrationStatus.compare(files, with: Self.records(in: try await client.query(Self.all)))
    }

    // MARK: - The lock

    private static let tryLock = Statement("SELECT pg_try_advisory_lock(\(lockKey))::text")
    private static let lock = Statement("SELECT pg_advisory_lock(\(lockKey))::text")
    private static let unlock = Statement("SELECT pg_advisory_unlock(\(lockKey))::text")

    private func lock(_ connection: PostgresConnection, _ report: (Progress) -> Void) async throws {
        if try await connection.query(Self.tryLock).text(0, 0) == "true" { return }
        report(.waitingForLock)
        _ = try await connection.query(Self.lock)
    }

    /// Releases the lock after an error. The pool closes a connection on which this fails, which releases the lock too.
    private func release(_ connection: PostgresConnection) async {
        do { _ = try await connection.query(Self.unlock) } catch {}
    }

    // MARK: - Applying

    private static let isThere = Statement("SELECT (to_regclass('public.learntrack_migrations') IS NOT NULL)::text")
    private static let all = Statement(
        "SELECT name, checksum, applied_at::text FROM public.learntrack_migrations ORDER BY name")
    private static let record = Statement(
        """
        INSERT INTO public.learntrack_migrations (name, checksum) VALUES ($1, $2)
        ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum
        """)

    private func applied(on connection: PostgresConnection) async throws -> [AppliedMigration] {
        guard try await connection.query(Self.isThere).text(0, 0) == "true" else { return [] }
        return Self.records(in: try await connection.query(Self.all))
    }

    private static func records(in rows: Rows) -> [AppliedMigration] {
        (0..<rows.count).map {
            AppliedMigration(
                name: rows.text($0, 0) ?? "", checksum: rows.text($0, 1), appliedAt: rows.text($0, 2) ?? "")
        }
    }

    private func apply(on connection: PostgresConnection, _ report: (Progress) -> Void) async throws -> [String] {
        let status = MigrationStatus.compare(files, with: try await applied(on: connection))
        try status.checkHistory()
        let states = Dictionary(uniqueKeysWithValues: status.map { ($0.name, $0.state) })
        var applied: [String] = []
        for file in files {
            switch states[file.name] {
            case .pending:
                try await apply(file, on: connection)
                applied.append(file.name)
                report(.applied(file.name))
            case .appliedByHand:
                _ = try await connection.query(Self.record, [.text(file.name), .text(file.checksum)])
                report(.recorded(file.name))
            case .applied, .changed, .missing, nil:
                break
            }
        }
        return applied
    }

    /// BEGIN and COMMIT are sent apart from the file, so that positions in errors count from its first character.
    private func apply(_ file: MigrationFile, on connection: PostgresConnection) async throws {
        do throws(PostgresError) {
            try await connection.simpleQuery("BEGIN")
            try await connection.simpleQuery(file.sql)
            _ = try await connection.query(Self.record, [.text(file.name), .text(file.checksum)])
            try await connection.simpleQuery("COMMIT")
        } catch {
            // If this fails, the pool closes the connection.
            do { try await connection.simpleQuery("ROLLBACK") } catch {}
            throw MigrationError(Self.message(error, in: file))
        }
    }

    private static func message(_ error: PostgresError, in file: MigrationFile) -> String {
        guard let server = error.server else { return "migration \(file.name): \(error)" }
        let place = server.position.map { "\(file.name), line \(file.line(at: $0))" } ?? file.name
        let hint = server.hint.map { " (\($0))" } ?? ""
        return "migration \(place): \(server.message)\(hint)"
    }
}

/// Why the schema could not be brought up to date, in one line that names the file.
package struct MigrationError: Error, CustomStringConvertible, Equatable {
    package let description: String

    init(_ description: String) { self.description = description }
}
