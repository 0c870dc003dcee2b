import DomainKit
import PostgresDriver

/// Rights that the declaration gives, and the database does not: such a call would be refused with 403.
extension SchemaConventions {
    func errors(
        ofRightsTo entity: Entity, in domain: Domain, _ owner: PostgresClient
    ) async throws -> [ConventionError] {
        var needed: [(role: String, privilege: String, column: String)] = []
        for role in domain.roles {
            func need(_ privilege: String, of columns: [Column]) {
                needed += columns.map { (role.databaseRole, privilege, $0.name) }
            }
            if entity.access.allows(.read, to: role) { need("SELECT", of: entity.readableColumns) }
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
            return .noGrant(privilege, columns: columns, role: role, table: table)
        }
    }

    /// Of the needed rights, each a line in three lists, those that the role does not have: the role, the privilege, and the columns,
    /// null where the table's policies let the role reach no row.
    private static let missingRights = Statement(
        """
        WITH needed AS (
            SELECT n.role, n.privilege, nullif(n.col, '') AS col, n.place, c.oid AS kept, c.relrowsecurity AS is_secured,
                to_regrole(quote_ident(n.role))::oid AS id
            FROM unnest(string_to_array($3, E'\\n'), string_to_array($4, E'\\n'), string_to_array($5, E'\\n'))
                WITH ORDINALITY AS n (role, privilege, col, place)
            JOIN pg_catalog.pg_class c ON c.relnamespace = to_regnamespace(quote_ident($1)) AND c.relname = $2
        ), missing AS (
            SELECT role, privilege, coalesce(string_agg(col, ', ' ORDER BY place), '') AS columns, min(place) AS place FROM needed
            WHERE NOT coalesce(
                CASE WHEN col IS NULL THEN has_table_privilege(id, kept, privilege)
                ELSE has_column_privilege(id, kept, col, privilege) END, false)
            GROUP BY role, privilege
            UNION ALL
            SELECT DISTINCT ON (role, privilege) role, privilege, NULL, place FROM needed
            WHERE is_secured AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_policy p
                WHERE p.polrelid = kept AND p.polpermissive
                    AND p.polcmd = ANY (ARRAY['*', CASE privilege WHEN 'SELECT' THEN 'r' WHEN 'INSERT' THEN 'a'
                        WHEN 'UPDATE' THEN 'w' ELSE 'd' END]::"char"[])
                    AND (p.polroles @> ARRAY[0::oid] OR p.polroles @> ARRAY[id]))
        )
        SELECT role, privilege, columns FROM missing ORDER BY place, columns NULLS LAST
        """)
}
