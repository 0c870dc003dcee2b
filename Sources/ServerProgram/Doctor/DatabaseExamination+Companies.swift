import PostgresDriver

/// What `doctor` says about the companies of the installation.
extension DatabaseExamination {
    /// Nil with one company, about which there is nothing to say, and without the schema: another finding says why.
    func companies() async throws -> Finding? {
        do throws(PostgresError) {
            if let since = try await owner.query(Self.unfinished).text(0, 0) {
                return .fault(
                    "companies",
                    "'learntrack companies enable' stopped between its two steps, at \(since): companies are kept apart, and none can "
                        + "be added",
                    remedy: "run 'learntrack companies enable' again")
            }
            if let stopped = try await erasing() { return stopped }
            if let stopped = try await moving() { return stopped }
            let rows = try await owner.query(Self.withoutAdministrator)
            guard rows.count == 0 else {
                let several = try await owner.query(Self.closed).count > 0
                let ids = (0..<rows.count).compactMap { rows.text($0, 0) }
                let names = (0..<rows.count).map { "\(rows.text($0, 1) ?? "") (id \(ids[$0]))" }
                return .fault(
                    "companies", "no active administrator: \(names.joined(separator: ", "))",
                    remedy:
                        "'learntrack user add --email … --role admin\(several ? " --company \(ids[0])" : "")' adds one; or activate "
                        + "one at psql: UPDATE users SET role = 'admin', is_active = true WHERE company_id = \(ids[0]) AND email = …"
                )
            }
            let count = try await owner.query(Self.count).text(0, 0) ?? "1"
            return count == "1" ? nil : .ok("companies", "\(count) companies, each with an active administrator")
        } catch {
            guard ["42P01", "42703", "3F000"].contains(error.sqlState) else { throw error }
            return nil
        }
    }

    /// Nil where searches reach their indexes: with one company, and where LIKE is leakproof. No fault otherwise: searches find the same,
    /// and not every installation has a superuser.
    func searches() async throws -> Finding? {
        do throws(PostgresError) {
            guard try await owner.query(Self.slowSearches).count > 0 else { return nil }
            return .ok(
                "searches", "each reads all texts of its company, which is slow from 10,000 records on",
                advice: "as a superuser of Postgres, in this database: \(Self.leakproofLike)")
        } catch {
            guard ["42P01", "42703", "3F000"].contains(error.sqlState) else { throw error }
            return nil
        }
    }

    /// `companies enable` runs it where its login is a superuser's.
    private static let leakproofLike = "ALTER FUNCTION pg_catalog.textlike(text, text) LEAKPROOF;"
    private static let slowSearches = Statement(
        """
        SELECT 1 FROM pg_proc p WHERE p.oid = 'pg_catalog.textlike(text, text)'::regprocedure AND NOT p.proleakproof
            AND (SELECT count(*) FROM kernel.companies) > 1
        """)

    /// A removal that was stopped, or still runs.
    private func erasing() async throws(PostgresError) -> Finding? {
        let rows = try await owner.query(Self.removals)
        guard rows.count > 0, let id = rows.text(0, 0), let name = rows.text(0, 1), let since = rows.text(0, 2) else {
            return nil
        }
        return .fault(
            "companies", "\(name) (id \(id)) is being erased, since \(since)",
            remedy: "unless the command still runs, complete it: 'learntrack companies erase \(id) --confirm NAME'")
    }

    private static let removals = Statement(
        """
        SELECT c.id::text, c.name::text, to_char(c.erasing_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"')
        FROM kernel.companies c WHERE c.erasing_at IS NOT NULL ORDER BY c.erasing_at, c.id LIMIT 1
        """)

    /// A move to or from another installation that has not ended.
    private func moving() async throws(PostgresError) -> Finding? {
        let rows = try await owner.query(Self.moves)
        guard rows.count > 0, let id = rows.text(0, 0), let name = rows.text(0, 1), let since = rows.text(0, 3) else {
            return nil
        }
        if rows.text(0, 2) == "arriving" {
            return .fault(
                "companies",
                "\(name) (id \(id)) is arriving from another installation, since \(since): nobody writes in it yet",
                remedy:
                    "run 'learntrack companies move' again where it comes from, which completes the move; or add --abandon"
            )
        }
        return .fault(
            "companies", "\(name) (id \(id)) is moving to \(rows.text(0, 4) ?? ""), since \(since)",
            remedy:
                "unless the command still runs, run 'learntrack companies move \(id)' again, which completes the move; or add "
                + "--abandon, which undoes it")
    }

    private static let moves = Statement(
        """
        SELECT c.id::text, c.name::text, c.move, to_char(c.move_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"'), c.move_to
        FROM kernel.companies c WHERE c.move IN ('leaving', 'arriving') ORDER BY c.move_at, c.id LIMIT 1
        """)
    /// An `enable` that still runs takes some seconds between its steps.
    private static let unfinished = Statement(
        """
        SELECT to_char(enabled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"') FROM kernel.installation
        WHERE closed_at IS NULL AND enabled_at < now() - interval '1 minute'
        """)
    private static let closed = Statement("SELECT 1 FROM kernel.installation WHERE closed_at IS NOT NULL")
    private static let count = Statement("SELECT count(*)::text FROM kernel.companies")
    /// A new installation has no member at all.
    private static let withoutAdministrator = Statement(
        """
        SELECT c.id::text, c.name::text FROM kernel.companies c
        WHERE c.move IS NULL
            AND NOT EXISTS (SELECT FROM users u WHERE u.company_id = c.id AND u.role = 'admin' AND u.is_active)
            AND ((SELECT count(*) FROM kernel.companies) > 1 OR EXISTS (SELECT FROM users u WHERE u.company_id = c.id))
        ORDER BY c.id
        """)
}
