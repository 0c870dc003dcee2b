import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// companies.md: "psql per role with the wrong setting, none", over all tables whose rows belong to companies, and all roles but
/// `learntrack_auth`, which signs people in to any company.
@Suite struct CompanyRowsTests {
    /// What each role may do with each table, in no company, in one that has no rows, and in the two that have: the number of rows, or the
    /// SQLSTATE. All of it is undone.
    private static let outcomes = """
        CREATE TEMPORARY TABLE outcomes (role name, home regclass, company text, statement text, outcome text);
        DO $$
        DECLARE
            place record;
            named text;
            sql text;
            found bigint;
        BEGIN
            FOR place IN
                SELECT r.rolname, c.oid::regclass AS home, s.statement
                FROM pg_class AS c
                JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'company_id'
                CROSS JOIN pg_roles AS r
                CROSS JOIN LATERAL (
                    SELECT 'SELECT FROM %1$s' WHERE has_any_column_privilege(r.oid, c.oid, 'SELECT')
                    UNION ALL SELECT 'SELECT FROM %1$s WHERE company_id IS DISTINCT FROM %2$L'
                        WHERE has_column_privilege(r.oid, c.oid, a.attnum, 'SELECT')
                    UNION ALL SELECT 'DELETE FROM %1$s' WHERE has_table_privilege(r.oid, c.oid, 'DELETE')
                    UNION ALL SELECT 'INSERT INTO %1$s (company_id) VALUES (1), (2)'
                        WHERE has_column_privilege(r.oid, c.oid, a.attnum, 'INSERT')
                    UNION ALL (
                        SELECT 'UPDATE %1$s SET ' || quote_ident(w.attname) || ' = DEFAULT' FROM pg_attribute AS w
                        WHERE w.attrelid = c.oid AND w.attnum > 0 AND NOT w.attisdropped AND w.attgenerated = ''
                            AND has_column_privilege(r.oid, c.oid, w.attnum, 'UPDATE')
                        ORDER BY w.attnum LIMIT 1)
                ) AS s (statement)
                WHERE c.relkind IN ('r', 'p') AND r.rolname LIKE 'learntrack\\_%'
                    AND r.rolname <> 'learntrack_auth' AND NOT r.rolcanlogin
            LOOP
                FOREACH named IN ARRAY '{NULL,"",3,1,2}'::text[] LOOP
                    sql := format(place.statement, place.home, coalesce(nullif(named, ''), '0'));
                    BEGIN
                        PERFORM set_config('learntrack.company', named, true), set_config('role', place.rolname, true);
                        EXECUTE sql;
                        GET DIAGNOSTICS found = ROW_COUNT;
                        RAISE EXCEPTION '% rows', found USING ERRCODE = 'LT000';
                    EXCEPTION WHEN OTHERS THEN
                        INSERT INTO outcomes VALUES (
                            place.rolname, place.home, named, sql,
                            CASE SQLSTATE WHEN 'LT000' THEN SQLERRM ELSE SQLSTATE END);
                    END;
                END LOOP;
            END LOOP;
        END
        $$;

        """

    @Test(arguments: SystemUnderTest.all)
    func `a role at psql sees and writes rows of the company that it names alone, and none without one`(
        system: SystemUnderTest
    ) async throws {
        let database = try await TwoCompanies.running(system).served.server.database
        let crossing = try await database.psql(
            Self.outcomes + """
                SELECT concat_ws(' ', role, coalesce(company, 'null'), statement, outcome) FROM outcomes
                WHERE outcome LIKE '% rows' AND outcome <> '0 rows' AND (
                    company IS NULL OR company IN ('', '3')
                    OR statement LIKE '%IS DISTINCT FROM%' OR statement LIKE 'INSERT%')
                """)
        #expect(crossing == "")
        // Otherwise nothing would be tried.
        let tried = try await database.psql(
            Self.outcomes + """
                SELECT DISTINCT home FROM outcomes WHERE company = '2' AND outcome LIKE '% rows' AND outcome <> '0 rows'
                """)
        let reached = Set(tried.split(separator: "\n").map { $0.split(separator: ".").last.map(String.init) ?? "" })
        for (entity, _, _) in system.tables where entity.rows == .ofCompanies {
            #expect(reached.contains(entity.name), "no role reaches a row of \(entity.name) in its company")
        }
    }
}
