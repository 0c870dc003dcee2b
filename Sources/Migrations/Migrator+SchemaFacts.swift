package import PostgresDriver

/// What `migrate up` does about the schema as a whole: it keeps companies apart, and notes what `doctor` is to find.
extension Migrator {
    /// The names of the functions that files of functions define, which are applied again with ``up(reapplyingFunctions:report:)``.
    package var repeatableFunctions: Set<String> {
        Set(
            domains.flatMap(\.files).filter(\.isRepeatable).flatMap { file in
                file.sql.matches(of: /CREATE OR REPLACE (?:FUNCTION|PROCEDURE) ([\w.]+)\s*\(/).map { String($0.1) }
            })
    }

    /// The present facts as a JSON array; nil if they cannot be known, because the kernel's files are not applied.
    func schemaFacts(on connection: PostgresConnection) async throws -> String? {
        guard try await connection.query(Self.hasFacts).text(0, 0) == "true" else { return nil }
        return try await connection.query(Self.facts).text(0, 0)
    }

    /// Notes what the migrations have left, if the kernel's have been applied and it has changed, or was never noted.
    ///
    /// - Parameter before: the facts before the files were applied.
    func noteSchema(
        on connection: PostgresConnection, after applied: [MigrationFile], _ before: String?
    ) async throws {
        guard try await connection.query(Self.notesSchema).text(0, 0) == "true" else { return }
        let numbered = applied.filter { !$0.isRepeatable }.map(\.sql).joined(separator: "\n")
        _ = try await connection.query(Self.note, [before.map { .text($0) } ?? .null, .text(numbered)])
    }

    /// Whether the schema is not noted: a file has been applied by hand, or by a run that was cut off before it noted anything.
    func lacksNote(on connection: PostgresConnection) async throws -> Bool {
        guard try await connection.query(Self.notesSchema).text(0, 0) == "true" else { return false }
        return try await connection.query(Self.isSchemaNoted).text(0, 0) != "true"
    }

    /// Keeps companies apart in what the files have added, where the installation serves several, and gives them the gates of a
    /// company that moves.
    func keepCompaniesApart(on connection: PostgresConnection) async throws {
        guard try await connection.query(Self.hasPolicies).text(0, 0) == "true" else { return }
        _ = try await connection.query(Self.policies)
        guard try await connection.query(Self.hasGates).text(0, 0) == "true" else { return }
        _ = try await connection.query(Self.gates)
    }

    /// Lets Postgres know the companies of tables that have got theirs by the files, and those that the files have added, and searches
    /// reach their indexes where an installation of before serves several.
    func analyzeCompanies(on connection: PostgresConnection) async throws {
        guard try await connection.query(Self.hasStatistics).text(0, 0) == "true" else { return }
        _ = try await connection.query(Self.statistics)
    }

    private static let hasStatistics = Statement(
        "SELECT (to_regprocedure('kernel.company_statistics()') IS NOT NULL)::text")
    private static let statistics = Statement(
        "SELECT kernel.company_searches(), kernel.company_statistics()")
    private static let hasPolicies = Statement(
        "SELECT (to_regprocedure('kernel.company_policies()') IS NOT NULL)::text")
    private static let policies = Statement("SELECT kernel.company_policies()")
    private static let hasGates = Statement(
        "SELECT (to_regprocedure('kernel.company_gates()') IS NOT NULL)::text")
    private static let gates = Statement("SELECT kernel.company_gates()")
    private static let hasFacts = Statement(
        "SELECT (to_regprocedure('kernel.schema_facts_now()') IS NOT NULL)::text")
    private static let facts = Statement(
        "SELECT coalesce(jsonb_agg(fact), '[]')::text FROM kernel.schema_facts_now()")
    private static let notesSchema = Statement(
        "SELECT (to_regprocedure('kernel.schema_note(jsonb, text)') IS NOT NULL)::text")
    /// Whether all files that were applied are noted: a text of one row, `true` or `false`.
    package static let isSchemaNoted = Statement(
        """
        SELECT (NOT EXISTS (
            SELECT FROM kernel.migrations AS m
            WHERE NOT EXISTS (
                SELECT FROM kernel.schema_facts AS f WHERE f.fact = format('file %s/%s', m.domain, m.name))))::text
        """)
    private static let note = Statement("SELECT kernel.schema_note($1::jsonb, $2::text)")
}
