import DomainKit
import PostgresDriver

/// Rights that the declaration gives, and the database does not: such a call would be refused with 403.
extension SchemaConventions {
    /// - Parameter present: the columns of the table.
    func errors(
        ofRightsTo entity: Entity, columns present: Set<String>, in domain: Domain, _ owner: PostgresClient
    ) async throws -> [ConventionError] {
        var needed: [(role: String, privilege: String, column: String)] = []
        for role in domain.roles {
            func need(_ privilege: String, of columns: [Column]) {
                needed += columns.filter { present.contains($0.name) }.map { (role.databaseRole, privilege, $0.name) }
            }
            if entity.access.allows(.read, to: role) {
                need("SELECT", of: entity.readableColumns)
                // Each statement compares it.
                if entity.rows == .ofCompanies, present.contains("company_id") {
                    needed.append((role.databaseRole, "SELECT", "company_id"))
                }
            }
            if entity.access.allows(.create, to: role) { need("INSERT", of: entity.writableColumns(for: .create)) }
            if entity.access.allows(.update, to: role) { need("UPDATE", of: entity.writableColumns(for: .update)) }
            if entity.access.allows(.delete, to: role) { needed.append((role.databaseRole, "DELETE", "")) }
        }
        guard !needed.isEmpty else { return [] }
        let lists = [needed.map(\.role), needed.map(\.privilege), needed.map(\.column)]
        let rows = try await owner.query(
            Self.missingRights,
            [.text(domain.schema), .text(entity.name)] + lists.map { .text($0.joined(separator: "\n")) })
        let table = "\(domain.schema).\(entity.name)"
        return (0..<rows.count).map { row in
            let role = rows.text(row, 0) ?? ""
            let privilege = rows.text(row, 1) ?? ""
            guard let columns = rows.text(row, 2) else { return .noPolicy(privilege, role: role, table: table) }
            return .noGrant(privilege, columns: columns, role: role, on: rows.text(row, 3) ?? table)
        }
    }

    /// Of the needed rights, each a line in three lists, those that the role does not have: the role, the privilege, the columns, and
    /// what they are rights to, null for the table. The columns are null where the table's policies let the role reach no row.
    private static let missingRights = Statement(
        """
        WITH needed AS (
            SELECT n.role, n.privilege, nullif(n.col, '') AS col, n.place, c.oid AS kept, c.relrowsecurity AS is_secured,
                to_regrole(quote_ident(n.role))::oid AS id
            FROM unnest(string_to_array($3, E'\\n'), string_to_array($4, E'\\n'), string_to_array($5, E'\\n'))
                WITH ORDINALITY AS n (role, privilege, col, place)
            JOIN pg_catalog.pg_class c ON c.relnamespace = to_regnamespace(quote_ident($1)) AND c.relname = $2
        ), missing AS (
            SELECT role, 'USAGE' AS privilege, '' AS columns, 'SCHEMA ' || quote_ident($1) AS object, min(place) AS place
            FROM needed WHERE NOT coalesce(has_schema_privilege(id, $1, 'USAGE'), false) GROUP BY role
            UNION ALL
            SELECT role, privilege, coalesce(string_agg(quote_ident(col), ', ' ORDER BY place), ''), NULL, min(place) FROM needed
            WHERE NOT coalesce(
                CASE WHEN col IS NULL THEN has_table_privilege(id, kept, privilege)
                ELSE has_column_privilege(id, kept, col, privilege) END, false)
            GROUP BY role, privilege
            UNION ALL
            SELECT n.role, 'USAGE', '', 'SEQUENCE ' || s.name, min(n.place)
            FROM needed n
            JOIN pg_catalog.pg_attribute a ON a.attrelid = n.kept AND a.attname = 'id' AND a.attidentity = ''
            CROSS JOIN pg_get_serial_sequence(format('%I.%I', $1, $2), 'id') AS s (name)
            WHERE n.privilege = 'INSERT' AND s.name IS NOT NULL
                AND NOT coalesce(has_sequence_privilege(n.id, s.name, 'USAGE'), false)
            GROUP BY n.role, s.name
            UNION ALL
            -- A policy is for who has the rights of its role.
            SELECT DISTINCT ON (n.role, n.privilege) n.role, n.privilege, NULL, NULL, n.place FROM needed n
            LEFT JOIN pg_catalog.pg_roles r ON r.oid = n.id
            WHERE n.is_secured AND NOT coalesce(r.rolbypassrls, false) AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_policy p
                WHERE p.polrelid = n.kept AND p.polpermissive
                    AND p.polcmd = ANY (ARRAY['*', CASE n.privilege WHEN 'SELECT' THEN 'r' WHEN 'INSERT' THEN 'a'
                        WHEN 'UPDATE' THEN 'w' ELSE 'd' END]::"char"[])
                    AND EXISTS (SELECT FROM unnest(p.polroles) AS o WHERE o = 0 OR pg_has_role(n.id, o, 'USAGE')))
        )
        SELECT role, privilege, columns, object FROM missing ORDER BY place, columns NULLS LAST, object NULLS FIRST
        """)
}
