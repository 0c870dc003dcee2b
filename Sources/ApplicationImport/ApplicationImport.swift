package import DomainKit
import FoundationEssentials
import JSON
package import PostgresDriver

/// Imports the records of another application, with their ids and passwords.
///
/// An import is one transaction. It writes no row while one is rejected, unless rejected rows are to be skipped. Rows that
/// an earlier run imported are not changed, and not restored if they were deleted, so a second run has no effect.
///
/// ```swift
/// let source = try await ImportSource.read("dump.sql")
/// let report = try await ApplicationImport(domains: domains, owner: client).run(source, .init())
/// ```
package struct ApplicationImport: Sendable {
    package struct Options: Sendable {
        /// Only report what an import would write.
        package var isDryRun = false
        /// Import the valid rows even if others are rejected.
        package var skipsRejected = false
        /// Import an empty text as NULL where the column allows it.
        package var emptyIsNull = false

        package init() {}
    }

    package struct Report: Sendable {
        package struct Table: Sendable, Equatable {
            package let name: String
            package let imported: Int
            package let alreadyHere: Int
            /// The number of rows, each of which may have several problems.
            package let rejected: Int
        }

        package let tables: [Table]
        package let problems: [ImportProblem]
        /// English sentences about what is not imported, or differently from the source.
        package let notes: [String]
        /// Whether the transaction was committed.
        package let isDone: Bool
    }

    private let entities: [String: Entity]
    private let owner: PostgresClient

    /// - Parameters:
    ///   - domains: the domains with the entities to import.
    ///   - owner: connections of the database role that owns the schema.
    package init(domains: [Domain], owner: PostgresClient) {
        let all = domains.flatMap(\.entities)
        entities = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
        self.owner = owner
    }

    /// - Throws: ``ApplicationImportError`` if the source has none of the tables, or `PostgresError`.
    package func run(_ source: ImportSource, _ options: Options) async throws -> Report {
        try await owner.withConnection { connection in
            try await connection.inTransaction(committing: \.isDone) {
                // Keeps out other imports, and rows with ids that this import is about to write.
                try await connection.simpleQuery(
                    "LOCK TABLE public.users, public.ecoles, public.clients, public.formateurs, public.sessions,"
                        + " public.credentials, public.supabase_imports IN SHARE ROW EXCLUSIVE MODE")
                return try await run(source, options, on: connection)
            }
        }
    }

    private func run(
        _ source: ImportSource, _ options: Options, on connection: PostgresConnection
    ) async throws -> Report {
        let review = try ImportReview(
            source, entities: entities, existing: try await existingRecords(on: connection),
            emptyIsNull: options.emptyIsNull)
        let isAllowed = review.problems.isEmpty || options.skipsRejected
        // A dry run writes the rows as well and rolls back, so that the database validates them too.
        if isAllowed {
            for table in ImportReview.order {
                try await insert(review.rows[table] ?? [], review.columns[table] ?? [], into: table, on: connection)
            }
            try await insertPasswords(review.rows["users"] ?? [], on: connection)
        }
        let isDone = isAllowed && !options.isDryRun
        // Sequences continue after the imported ids. A ROLLBACK would not reset them.
        if isDone {
            for table in ImportReview.order { _ = try await connection.query(Statement(Self.sequence(of: table))) }
        }
        let tables = ImportReview.order.map { name in
            let rejected = Set(review.problems.lazy.filter { $0.table == name }.map(\.row)).count
            return Report.Table(
                name: name, imported: isAllowed ? review.rows[name]?.count ?? 0 : 0,
                alreadyHere: review.alreadyHere[name] ?? 0, rejected: rejected)
        }
        return Report(
            tables: tables, problems: review.problems, notes: review.notes, isDone: isDone)
    }

    // MARK: Existing records

    private func existingRecords(on connection: PostgresConnection) async throws -> ImportReview.ExistingRecords {
        var existing = ImportReview.ExistingRecords()
        for table in ImportReview.order {
            let rows = try await connection.query(Statement("SELECT id::text FROM public.\(table)"))
            existing.ids[table] = Set((0..<rows.count).compactMap { rows.text($0, 0).flatMap { Int64($0) } })
        }
        let imported = try await connection.query(Self.imported)
        for row in 0..<imported.count {
            guard let table = imported.text(row, 0), let id = imported.text(row, 1).flatMap({ Int64($0) }) else {
                continue
            }
            existing.imported[table, default: []].insert(id)
        }
        for entity in entities.values {
            guard let successor = entity.successor, let gone = existing.imported[entity.name] else { continue }
            let ids = gone.subtracting(existing.ids[entity.name] ?? []).map(String.init).joined(separator: ",")
            let rows = try await connection.query(
                Statement("SELECT id::text, \(successor.function)(id)::text FROM unnest($1::bigint[]) AS id"),
                [.text("{\(ids)}")])
            for row in 0..<rows.count {
                guard let id = rows.text(row, 0).flatMap({ Int64($0) }), let other = rows.text(row, 1) else { continue }
                existing.successors[entity.name, default: [:]][id] = Int64(other)
            }
        }
        let users = try await connection.query(Self.users)
        for row in 0..<users.count {
            guard let id = users.text(row, 0).flatMap({ Int64($0) }) else { continue }
            if let email = users.text(row, 1) { existing.emails[email.lowercased()] = id }
            if let account = users.text(row, 2) { existing.supabaseIDs[account] = id }
        }
        return existing
    }

    // MARK: Writing

    /// The number of rows in one statement.
    private static let batch = 500

    private func insert(
        _ rows: [ImportReview.Row], _ columns: [String], into table: String, on connection: PostgresConnection
    ) async throws {
        let names = ["id"] + columns
        let types = try await connection.query(Self.types, [.text("public." + table)])
        var typeOf: [String: String] = [:]
        for row in 0..<types.count { typeOf[types.text(row, 0) ?? ""] = types.text(row, 1) }
        let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
        let shape = names.map { "\"\($0)\" \(typeOf[$0] ?? "text")" }.joined(separator: ", ")
        let statement = Statement(
            """
            WITH given AS (SELECT * FROM jsonb_to_recordset($1::jsonb) AS given (\(shape))), inserted AS (
                INSERT INTO public.\(table) (\(list)) SELECT \(list) FROM given RETURNING id
            )
            INSERT INTO public.supabase_imports (table_name, row_id) SELECT '\(table)', id FROM inserted
            """)
        for start in stride(from: 0, to: rows.count, by: Self.batch) {
            let records = rows[start..<min(start + Self.batch, rows.count)].map { row in
                var record: [String: String?] = ["id": String(row.id)]
                for column in columns { record[column] = .some(row.values[column] ?? nil) }
                return record
            }
            let json = try JSONEncoder().encode(records)
            _ = try await connection.query(statement, [.text(String(decoding: json, as: UTF8.self))])
        }
    }

    private func insertPasswords(_ users: [ImportReview.Row], on connection: PostgresConnection) async throws {
        let records = users.compactMap { row in
            row.passwordHash.map { ["user_id": String(row.id), "password_hash": $0] }
        }
        let json = try JSONEncoder().encode(records)
        _ = try await connection.query(Self.passwords, [.text(String(decoding: json, as: UTF8.self))])
    }

    private static func sequence(of table: String) -> String {
        """
        SELECT setval('public.\(table)_id_seq', top) FROM (
            SELECT max(id) AS top FROM public.\(table)
        ) ids, public.\(table)_id_seq s
        WHERE top >= CASE WHEN s.is_called THEN s.last_value + 1 ELSE s.last_value END
        """
    }

    private static let imported = Statement("SELECT table_name, row_id::text FROM public.supabase_imports")
    private static let users = Statement(
        """
        SELECT id::text, email::text, supabase_user_id::text FROM public.users WHERE company_id = kernel.company()
        """)
    private static let types = Statement(
        """
        SELECT attname::text, format_type(atttypid, NULL) FROM pg_catalog.pg_attribute
        WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped
        """)
    private static let passwords = Statement(
        """
        INSERT INTO public.credentials (user_id, password_hash)
        SELECT u.account_id, given.password_hash
        FROM jsonb_to_recordset($1::jsonb) AS given (user_id bigint, password_hash text)
        JOIN public.users AS u ON u.company_id = kernel.company() AND u.id = given.user_id
        """)
}
