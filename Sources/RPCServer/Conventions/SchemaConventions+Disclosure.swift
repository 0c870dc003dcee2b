import DomainKit
import PostgresDriver
import QueryCompiler

/// Constraints that see more than a role does.
///
/// Postgres checks foreign keys, UNIQUE and EXCLUDE without row-level security. A caller who can cause their refusal learns
/// of records that it cannot read, so an entity names those that may (``Entity/disclosingConstraints``).
extension SchemaConventions {
    struct ForeignKey {
        let name: String
        /// Of the table that has the key.
        let columns: Set<String>
    }

    /// What is wrong unless each role that may write a foreign key reads what it may refer to.
    ///
    /// Where both tables have records of subjects, the key includes the column of the owner: ``errors(ofReferencesOf:in:_:)``.
    func errors(
        ofReadersOf target: Entity, referredToBy entity: Entity, in schema: String, over key: ForeignKey
    ) -> [ConventionError] {
        guard !entity.disclosingConstraints.contains(key.name) else { return [] }
        for role in domains.roles {
            for (kind, operation) in Self.writes {
                guard let reach = entity.access.reach(of: role, for: operation),
                    !entity.writableNames(for: kind, by: reach).isDisjoint(with: key.columns)
                else { continue }
                switch (reach, target.access.reach(of: role, for: .read)) {
                case (_, .every?), (.own, .own?): continue
                case (_, nil), (.every, .own?):
                    return [.foreignKeyToUnread(key.name, role: role.name, table: "\(schema).\(entity.name)")]
                }
            }
        }
        return []
    }

    /// What is wrong unless what must be unique is unique among the records of one subject, for the roles that see no others.
    func errors(
        ofComparisonsOf entity: Entity, in schema: String, _ owner: PostgresClient
    ) async throws -> [ConventionError] {
        let roles = domains.roles.filter { !entity.access.ownColumns(of: $0).isEmpty }
        guard !roles.isEmpty else { return [] }
        var found: [ConventionError] = []
        let rows = try await owner.query(Self.comparisons, [.text(schema), .text(entity.name)])
        for row in 0..<rows.count {
            let constraint = rows.text(row, 0) ?? ""
            // An expression has no name. Generated columns depend on others.
            let compared = Set((rows.text(row, 1) ?? "").split(separator: "\n").map(String.init))
            let isWhole = rows.text(row, 2) == "true" && compared.allSatisfy { entity.column(named: $0) != nil }
            guard !entity.disclosingConstraints.contains(constraint) else { continue }
            for role in roles where entity.access.ownColumns(of: role).isDisjoint(with: compared) {
                let isWritten = Self.writes.contains { kind, operation in
                    guard let reach = entity.access.reach(of: role, for: operation) else { return false }
                    return !isWhole || !entity.writableNames(for: kind, by: reach).isDisjoint(with: compared)
                }
                guard isWritten || domains.flatMap(\.commands).contains(where: { $0.writes(entity, for: role) })
                else { continue }
                found.append(
                    .comparisonWithOthers(
                        constraint: constraint, role: role.name, table: "\(schema).\(entity.name)"))
            }
        }
        return found
    }

    private static let writes: [(WriteKind, Operation)] = [(.create, .create), (.update, .update)]

    /// The unique and excluding indexes of a table but its primary key, the columns of each, one on each line, and whether it
    /// consists of columns only.
    private static let comparisons = Statement(
        """
        SELECT i.relname::text, string_agg(a.attname, E'\\n'), bool_and(a.attname IS NOT NULL)::text
        FROM pg_catalog.pg_index x
        JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
        JOIN pg_catalog.pg_class c ON c.oid = x.indrelid
        CROSS JOIN LATERAL unnest(x.indkey::int2[]) WITH ORDINALITY AS k (number, place)
        LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.number
        WHERE (x.indisunique OR x.indisexclusion) AND NOT x.indisprimary AND k.place <= x.indnkeyatts
            AND a.attname IS DISTINCT FROM 'company_id'
            AND c.relnamespace = to_regnamespace(quote_ident($1)) AND c.relname = $2
        GROUP BY i.relname ORDER BY i.relname
        """)
}

extension Entity {
    /// The columns to which a caller gives values. That of the owner has the caller's subject.
    fileprivate func writableNames(for kind: WriteKind, by reach: Reach) -> Set<String> {
        Set(writableColumns(for: kind).map(\.name).filter { reach != .own($0) })
    }
}

extension Command {
    /// Whether the command may write records of `entity` for this role, as far as its answer shows it.
    fileprivate func writes(_ entity: Entity, for role: Role) -> Bool {
        guard roles[role] != nil else { return false }
        return switch answers {
        case .record(let name), .records(let name, _): name == entity.name
        case .value, .nothing: false
        }
    }
}
