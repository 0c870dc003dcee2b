import Migrations
package import PostgresDriver

/// Makes a company of a file, in one transaction: it is there as a whole, or nothing has changed.
package struct CompanyImport: Sendable {
    package struct Report: Sendable, Equatable {
        /// The id of the company here.
        package let company: Int64
        /// The active members, those of them who are invited because they have an account here, and those who have no password.
        package let members: Int
        package let invited: Int
        package let withoutPassword: Int
        /// The tables whose ids are others here, with commas between them; nil: all ids have stayed.
        package let raised: String?
        /// How many keys, links and passkeys hold no more, in words; nil: all hold.
        package let ended: String?
    }

    private let owner: PostgresClient

    /// - Parameter owner: connections of the login that owns the schema.
    package init(owner: PostgresClient) {
        self.owner = owner
    }

    /// Imports the company of a file that was verified.
    ///
    /// The rows are copied into temporary tables and checked there. What is long lasts before the transaction that makes the company,
    /// since that one holds up the change feed of the other companies.
    ///
    /// - Parameters:
    ///   - name: of the company; nil: the one that it had.
    ///   - id: a number that no company has; nil: the next one.
    ///   - invites: whether a mail invites the members who cannot sign in.
    /// - Throws: `BackupError` for a schema of another version or a part that is not as the manifest says, `PostgresError` with a hint
    ///   for a name or an id that another company has, and for rows that refer to others that the file does not have.
    package func run(
        _ file: CompanyFile, name: String? = nil, id: Int64? = nil, invites: Bool = false
    ) async throws -> Report {
        try await owner.withConnection { connection in
            try await connection.simpleQuery(Self.settings)
            let applied = try await SchemaVersion.applied(on: connection)
            guard !applied.isEmpty else { throw BackupError("this database has no schema of this program") }
            if let difference = SchemaVersion.difference(of: file.manifest.migrations, to: applied) {
                throw BackupError("\(file.path) is of another version of the schema: \(difference)")
            }
            for table in file.manifest.tables { try await stage(table, of: file, on: connection) }
            let step = Step(
                Self.making,
                [
                    .text(name ?? file.manifest.company.name), id.map { .text(String($0)) } ?? .null,
                    .text(String(invites)),
                ])
            let made = try await connection.transaction([step])[0].withRow()
            func number(_ column: Int) -> Int { made.text(0, column).flatMap { Int($0) } ?? 0 }
            return Report(
                company: Int64(number(0)), members: number(1), invited: number(2), withoutPassword: number(3),
                raised: made.text(0, 4), ended: made.text(0, 5))
        }
    }

    /// Copies the rows of a table into a temporary one.
    private func stage(
        _ table: CompanyManifest.Table, of file: CompanyFile, on connection: PostgresConnection
    ) async throws {
        let staged = try await connection.query(
            Self.staging, [.text(table.name), .text(table.columns.joined(separator: "\n"))])
        guard table.rows > 0, let copy = staged.text(0, 0) else { return }
        let rows: Int
        do {
            rows = try await connection.copyIn(copy, from: try file.rows(of: table))
        } catch let error as PostgresError {
            guard let server = error.server else { throw error }
            throw BackupError(
                "\(file.path): \(table.name): \(server.message)"
                    + (server.context.map { " (\($0))" } ?? "") + ": export the company again")
        }
        guard rows == table.rows else {
            throw BackupError(
                "\(file.path): \(table.name) has \(rows) rows, not \(table.rows): export the company again")
        }
    }

    // MARK: SQL

    private static let settings = """
        SET search_path = pg_catalog; SET TIME ZONE 'UTC'; SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'postgres';
        SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0
        """
    private static let staging = Statement(
        "SELECT kernel.company_stage($1::text, string_to_array($2::text, E'\\n'))")
    private static let making = Statement(
        """
        SELECT i.company::text, i.members::text, i.invited::text, i.without_password::text, i.raised, i.ended
        FROM kernel.companies_import($1::text, $2::bigint, $3::boolean) AS i
        """)
}
