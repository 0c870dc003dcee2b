package import PostgresDriver

/// Brings a database's schema up to date with a folder of SQL files, each applied once, in order, all or nothing.
///
/// Any number of them may run at once on one database: an advisory lock lets one work while the others wait.
package struct Migrator: Sendable {
    private let files: [MigrationFile]
    private let client: PostgresClient

    /// Any number would do that nothing else on the same server uses: this is `learntrk` in ASCII.
    static let lockKey: Int64 = 0x6c65_6172_6e74_726b

    /// - Parameter folder: where the `NNNN_*.sql` files are.
    package init(folder: String, client: PostgresClient) throws(MigrationError) {
        files = try MigrationFile.all(in: folder)
        self.client = client
    }

    /// Applies what is pending, and notes the checksums of files that were run by hand.
    ///
    /// - Parameter report: told each file's name once it is applied, and when another process has to be waited for.
    /// - Returns: the names of the files that were applied.
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
        case waitingForAnother
        case applied(String)
        case adopted(String)
    }

    /// Folder and database compared; changes nothing.
    package func status() async throws -> [MigrationState] {
        guard try await client.query(Self.isThere).text(0, 0) == "true" else {
            return MigrationState.compare(files, with: [])
        }
        return MigrationState.compare(files, with: Self.records(in: try await client.query(Self.all)))
    }

    // MARK: - The lock

    private static let tryLock = Statement("SELECT pg_try_advisory_lock(\(lockKey))::text")
    private static let lock = Statement("SELECT pg_advisory_lock(\(lockKey))::text")
    private static let unlock = Statement("SELECT pg_advisory_unlock(\(lockKey))::text")

    private func lock(_ connection: PostgresConnection, _ report: (Progress) -> Void) async throws {
        if try await connection.query(Self.tryLock).text(0, 0) == "true" { return }
        report(.waitingForAnother)
        _ = try await connection.query(Self.lock)
    }

    /// After a failure. A connection that cannot even do this is closed, and the lock goes with it.
    private func release(_ connection: PostgresConnection) async {
        do {
            _ = try await connection.query(Self.unlock)
        } catch {
            return
        }
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
        let states = MigrationState.compare(files, with: try await applied(on: connection))
        try states.checkHistory()
        let standings = Dictionary(uniqueKeysWithValues: states.map { ($0.name, $0.standing) })
        var applied: [String] = []
        for file in files {
            switch standings[file.name] {
            case .pending:
                try await apply(file, on: connection)
                applied.append(file.name)
                report(.applied(file.name))
            case .byHand:
                _ = try await connection.query(Self.record, [.text(file.name), .text(file.checksum)])
                report(.adopted(file.name))
            case .applied, .changed, .missing, nil:
                break
            }
        }
        return applied
    }

    /// The file by itself between BEGIN and COMMIT, so that positions in errors count from its first character.
    private func apply(_ file: MigrationFile, on connection: PostgresConnection) async throws {
        do throws(PostgresError) {
            try await connection.simpleQuery("BEGIN")
            try await connection.simpleQuery(file.sql)
            _ = try await connection.query(Self.record, [.text(file.name), .text(file.checksum)])
            try await connection.simpleQuery("COMMIT")
        } catch {
            // Whatever comes of this: what is left open, the pool closes.
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
