package import DomainKit
package import PostgresDriver
import QueryCompiler

/// What the compiled statements rely on in the database: the tables with their columns, `id` from a sequence that is named
/// after its table, the functions of views with their parameters and columns, foreign keys that keep the records of one
/// subject apart from those of another, and the checks of the files that columns name. And what an author of a domain forgets
/// easily: labels, the triggers of journal, feed and versions, rights, owners of commands, names of rules.
package struct SchemaConventions: Sendable {
    let domains: [Domain]

    package init(_ domains: [Domain]) { self.domains = domains }

    /// Everything that is not as the domains declare it.
    ///
    /// - Parameter owner: a client of the login that owns the schema.
    package func errors(_ owner: PostgresClient) async throws -> [ConventionError] {
        var found: [ConventionError] = []
        for domain in domains { found += try await errors(of: domain, owner) }
        return found + (try await errors(ofCompanies: owner))
    }

    /// Everything that is not as one of the domains declares it.
    package func errors(of domain: Domain, _ owner: PostgresClient) async throws -> [ConventionError] {
        var found: [ConventionError] = []
        let unlabelled = domain.unlabelled
        if !unlabelled.isEmpty { found.append(.unlabelled(unlabelled, domain: domain.name)) }
        for entity in domain.entities {
            if let title = entity.title, entity.column(named: title) == nil, entity.derivedField(named: title) == nil {
                found.append(.unknownTitle(title, entity: entity.name))
            }
            if entity.isView {
                found += try await errors(ofView: entity, in: domain.schema, owner)
            } else {
                found += try await errors(ofTable: entity, in: domain, owner)
            }
        }
        for command in domain.commands { found += try await errors(of: command, owner) }
        for job in domain.jobs { found += try await errors(ofWorker: "\(job.function)()", of: job.name, owner) }
        for notice in domain.notices {
            for function in notice.functions {
                found += try await errors(ofWorker: "\(function)(bigint)", of: notice.name, owner)
            }
            for function in [notice.sent, notice.failed].compactMap(\.self) {
                found += try await errors(ofWorker: "\(function)(bigint, jsonb)", of: notice.name, owner)
            }
        }
        return found + (try await errors(ofRulesOf: domain, owner))
    }

    private func errors(
        ofTable entity: Entity, in domain: Domain, _ owner: PostgresClient
    ) async throws -> [ConventionError] {
        let table = "\(domain.schema).\(entity.name)"
        let rows = try await owner.query(
            Self.table, [.text(domain.schema), .text(entity.name), .text("\(entity.name)_id_seq")])
        guard rows.count == 1, let columns = rows.text(0, 0) else { return [.noTable(table)] }
        var found: [ConventionError] = []
        var present: [String: StoredColumn] = [:]
        for line in columns.split(separator: "\n") {
            let column = StoredColumn(line)
            present[column.name] = column
        }
        var needed = entity.columns
        if !entity.access.roles(for: .update).isEmpty, entity.column(named: "version") == nil {
            needed += Column.bookkeeping.filter { $0.name == "version" }
        }
        for column in needed {
            if let stored = present[column.name] {
                found += stored.errors(of: column, in: table)
            } else {
                found.append(.noColumn(column.name, table: table))
            }
        }
        if entity.rows == .ofCompanies {
            let rows = try await owner.query(Self.withoutCompany, [.text(domain.schema), .text(entity.name)])
            let named = (rows.text(0, 0) ?? "").split(separator: "\n").map(String.init)
            if present["company_id"] == nil || !named.isEmpty {
                found.append(.noCompany(named, hasColumn: present["company_id"] != nil, table: table))
            }
        }
        found += try await errors(ofUniqueColumnsOf: entity, in: domain.schema, owner)
        if entity.isSingle {
            let rows = try await owner.query(Self.singleIndex, [.text(domain.schema), .text(entity.name)])
            if rows.text(0, 0) != "true" { found.append(.notSingle(table: table)) }
        }
        if rows.text(0, 1) != "true" { found.append(.noSequence("\(entity.name)_id_seq", table: table)) }
        let keeping: [(ConventionError.Keeping, isNeeded: Bool)] = [
            (.changes, !entity.access.roles(for: .update).isEmpty), (.journal, entity.isInJournal),
            (.feed, entity.isInFeed),
        ]
        let kept = (rows.text(0, 2) ?? "").split(separator: "\n")
        for (keeping, isNeeded) in keeping where isNeeded && !kept.contains(Substring(keeping.rawValue)) {
            found.append(.notKept(keeping, table: table))
        }
        if let function = entity.successor?.function {
            let rows = try await owner.query(Self.successorFunction, [.text("\(function)(bigint)")])
            if rows.text(0, 0) != "true" {
                found.append(.noSuccessorFunction("\(function)(bigint)", table: table))
            }
        }
        let unindexed = try await owner.query(Self.unindexedKeys, [.text(domain.schema), .text(entity.name)])
        for row in 0..<unindexed.count {
            found.append(.noIndex(foreignKey: unindexed.text(row, 0) ?? "", table: table))
        }
        found += try await errors(ofDeletionsWith: entity, in: domain.schema, owner)
        found += try await errors(ofDerivedFieldsOf: entity, in: domain.schema, owner)
        found += try await errors(ofReferencesOf: entity, in: domain.schema, owner)
        found += try await errors(ofComparisonsOf: entity, in: domain.schema, owner)
        found += try await errors(ofFilesOf: entity, in: domain.schema, owner)
        return found + (try await errors(ofRightsTo: entity, columns: Set(present.keys), in: domain, owner))
    }

    /// The tables, of any domain, that do not keep companies apart in an installation that serves several.
    private func errors(ofCompanies owner: PostgresClient) async throws -> [ConventionError] {
        guard try await owner.query(Self.guardsCompanies).text(0, 0) == "true" else { return [] }
        let rows = try await owner.query(Self.unguarded)
        return (0..<rows.count).map { row in
            .notApart(isOpen: rows.text(row, 1) == "true", table: rows.text(row, 0) ?? "")
        }
    }

    /// Tests examine tables without the kernel's.
    private static let guardsCompanies = Statement(
        "SELECT (to_regprocedure('kernel.company_unguarded()') IS NOT NULL)::text")
    private static let unguarded = Statement("SELECT home, is_open::text FROM kernel.company_unguarded()")

    private func errors(
        ofDeletionsWith entity: Entity, in schema: String, _ owner: PostgresClient
    ) async throws -> [ConventionError] {
        let rows = try await owner.query(Self.deletions, [.text(schema), .text(entity.name)])
        var deletes: [String: Bool] = [:]
        for row in 0..<rows.count { deletes[rows.text(row, 0) ?? ""] = rows.text(row, 1) == "true" }
        return entity.relations.compactMap { relation in
            guard case .toOne(let column) = relation.kind, let isDeleted = deletes[column], isDeleted != relation.isPart
            else { return nil }
            return .otherDeletion(column, isPart: relation.isPart, table: "\(schema).\(entity.name)")
        }
    }

    /// The first column of each foreign key after that of the company, and whether the key deletes the record with the one that it
    /// refers to.
    private static let deletions = Statement(
        """
        SELECT a.attname::text, (k.confdeltype = 'c')::text
        FROM pg_catalog.pg_constraint k
        JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
        JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = (
            SELECT n.number FROM unnest(k.conkey) WITH ORDINALITY AS n (number, place)
            JOIN pg_catalog.pg_attribute o ON o.attrelid = k.conrelid AND o.attnum = n.number
            WHERE o.attname <> 'company_id' ORDER BY n.place LIMIT 1)
        WHERE k.contype = 'f' AND c.relnamespace = to_regnamespace(quote_ident($1)) AND c.relname = $2
        """)

    /// The names of the keys and indexes that do not begin with the company, one on each line. In a GIN index the order of columns does
    /// not matter to Postgres; the company is the first one there, too, so that one rule is for all. A foreign key to a table whose rows belong to no company needs none, nor does an index with a comment that begins with
    /// `all companies: `.
    private static let withoutCompany = Statement(
        """
        SELECT string_agg(name, E'\\n' ORDER BY name) FROM (
            SELECT n.relname AS name
            FROM pg_catalog.pg_index i
            JOIN pg_catalog.pg_class n ON n.oid = i.indexrelid
            JOIN pg_catalog.pg_am m ON m.oid = n.relam
            JOIN pg_catalog.pg_class c ON c.oid = i.indrelid
            LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attname = 'company_id'
            WHERE c.relnamespace = to_regnamespace(quote_ident($1)) AND c.relname = $2
                AND (m.amname IN ('btree', 'gin') OR i.indisexclusion) AND i.indkey[0] IS DISTINCT FROM a.attnum
                AND coalesce(obj_description(n.oid, 'pg_class'), '') NOT LIKE 'all companies: %'
            UNION ALL
            SELECT k.conname
            FROM pg_catalog.pg_constraint k
            JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
            JOIN pg_catalog.pg_attribute there ON there.attrelid = k.confrelid AND there.attname = 'company_id'
            LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attname = 'company_id'
            WHERE k.contype = 'f' AND c.relnamespace = to_regnamespace(quote_ident($1)) AND c.relname = $2
                AND k.conkey[1] IS DISTINCT FROM a.attnum
        ) AS named
        """)

    private func errors(
        ofUniqueColumnsOf entity: Entity, in schema: String, _ owner: PostgresClient
    ) async throws -> [ConventionError] {
        let declared = entity.columns.filter(\.isUnique)
        guard !declared.isEmpty else { return [] }
        let rows = try await owner.query(Self.uniqueIndexes, [.text(schema), .text(entity.name)])
        let indexes = (0..<rows.count).map {
            Set((rows.text($0, 0) ?? "").split(separator: "\n").map(String.init)).subtracting(["company_id"])
        }
        let owners = Set(domains.roles.flatMap { entity.access.ownColumns(of: $0) })
        return declared.filter { column in
            !indexes.contains { $0.contains(column.name) && $0.subtracting(owners).subtracting([column.name]).isEmpty }
        }.map { .notUnique($0.name, table: "\(schema).\(entity.name)") }
    }

    /// Whether a unique index is over the company, or over a constant.
    private static let singleIndex = Statement(
        """
        SELECT EXISTS (
            SELECT FROM pg_catalog.pg_index i
            JOIN pg_catalog.pg_class c ON c.oid = i.indrelid
            LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attname = 'company_id'
            WHERE i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indnatts = 1
                AND (i.indkey[0] = a.attnum OR pg_get_expr(i.indexprs, i.indrelid) = 'true')
                AND c.relnamespace = to_regnamespace(quote_ident($1)) AND c.relname = $2
        )::text
        """)

    /// The columns of each unique index without a condition, one on each line.
    private static let uniqueIndexes = Statement(
        """
        SELECT string_agg(a.attname, E'\\n')
        FROM pg_catalog.pg_index i
        JOIN pg_catalog.pg_class c ON c.oid = i.indrelid
        CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
        WHERE i.indisunique AND i.indisvalid AND i.indpred IS NULL AND k.place <= i.indnkeyatts
            AND c.relnamespace = to_regnamespace(quote_ident($1)) AND c.relname = $2
        GROUP BY i.indexrelid ORDER BY i.indexrelid
        """)

    /// The foreign keys without an index that begins with one of their columns, after that of the company unless the key is of this
    /// alone. Relations and deletions would read the whole table.
    private static let unindexedKeys = Statement(
        """
        SELECT k.conname::text
        FROM pg_catalog.pg_constraint k
        JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
        WHERE k.contype = 'f' AND c.relnamespace = to_regnamespace(quote_ident($1)) AND c.relname = $2
            AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_index i
                LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attname = 'company_id'
                WHERE i.indrelid = k.conrelid AND i.indisvalid
                    AND CASE WHEN i.indkey[0] = a.attnum AND k.conkey <> ARRAY[a.attnum] THEN i.indkey[1]
                        ELSE i.indkey[0] END = ANY (k.conkey))
        ORDER BY k.conname
        """)

    /// The foreign keys by which a record that belongs to a subject could refer to a record of another subject.
    ///
    /// Foreign keys do not see row-level security. One over the id alone would accept the record of another subject, and so
    /// tell that it exists; one that includes the subject's column does not.
    private func errors(
        ofReferencesOf entity: Entity, in schema: String, _ owner: PostgresClient
    ) async throws -> [ConventionError] {
        var found: [ConventionError] = []
        let roles = domains.roles.filter { !entity.access.ownColumns(of: $0).isEmpty }
        let keys = try await owner.query(Self.foreignKeys, [.text(schema), .text(entity.name)])
        for row in 0..<keys.count {
            let pairs = Set((keys.text(row, 3) ?? "").split(separator: "\n").map(String.init))
            // Several domains may share a schema.
            let target = domains.lazy.filter { $0.schema == keys.text(row, 1) }
                .compactMap { $0.entity(named: keys.text(row, 2) ?? "") }.first
            guard let target else { continue }
            let key = ForeignKey(
                name: keys.text(row, 0) ?? "",
                columns: Set(pairs.compactMap { $0.split(separator: " ").first.map(String.init) }))
            found += errors(ofReadersOf: target, referredToBy: entity, in: schema, over: key)
            for role in roles {
                let theirs = target.access.ownColumns(of: role)
                for own in entity.access.ownColumns(of: role).sorted() where !theirs.isEmpty {
                    guard !theirs.contains(where: { pairs.contains("\(own) \($0)") }) else { continue }
                    found.append(
                        .foreignKeyWithoutOwner(key.name, owner: own, table: "\(schema).\(entity.name)"))
                }
            }
        }
        return found
    }

    /// The foreign keys of a table: the name, the schema and the table that it refers to, and its columns with those that they
    /// refer to, one pair on each line.
    private static let foreignKeys = Statement(
        """
        SELECT k.conname::text, n.nspname::text, t.relname::text,
            (SELECT string_agg(here.attname || ' ' || there.attname, E'\\n')
             FROM unnest(k.conkey, k.confkey) AS pair (here, there)
             JOIN pg_catalog.pg_attribute here ON here.attrelid = k.conrelid AND here.attnum = pair.here
             JOIN pg_catalog.pg_attribute there ON there.attrelid = k.confrelid AND there.attnum = pair.there)
        FROM pg_catalog.pg_constraint k
        JOIN pg_catalog.pg_class t ON t.oid = k.confrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
        JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
        WHERE k.contype = 'f' AND c.relnamespace = to_regnamespace(quote_ident($1)) AND c.relname = $2
        ORDER BY k.conname
        """)

    /// The columns, one on each line (``StoredColumn``); whether the sequence belongs to the column `id`;
    /// and which triggers of the kernel the table has (``ConventionError/Keeping``).
    private static let table = Statement(
        """
        SELECT
            (SELECT string_agg(concat_ws(E'\\t',
                CASE WHEN atttypid = 'varchar'::regtype AND atttypmod > 4 THEN (atttypmod - 4)::text ELSE '-' END,
                CASE WHEN NOT attnotnull THEN 'null' WHEN atthasdef OR attidentity <> '' THEN 'default' ELSE 'value' END,
                attname, format_type(CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END, NULL)), E'\\n')
             FROM pg_catalog.pg_attribute JOIN pg_catalog.pg_type t ON t.oid = atttypid
             WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped),
            EXISTS (
                SELECT FROM pg_catalog.pg_depend d
                JOIN pg_catalog.pg_class s ON s.oid = d.objid AND s.relkind = 'S'
                JOIN pg_catalog.pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
                WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.refclassid = 'pg_catalog.pg_class'::regclass
                    AND d.refobjid = c.oid AND d.deptype IN ('a', 'i')
                    AND a.attname = 'id' AND s.relname = $3 AND s.relnamespace = c.relnamespace
            )::text,
            -- Before each row that is updated; after each row that is inserted, updated or deleted.
            (SELECT string_agg(kept.name, E'\\n') FROM (VALUES
                ('changes', ARRAY['kernel.note_change'], 2, 16), ('journal', ARRAY['kernel.journal_note'], 0, 28),
                ('feed', ARRAY['kernel.note_feed', 'kernel.note_feed_with_owners'], 0, 28)
             ) AS kept (name, functions, timing, events)
             WHERE (
                SELECT bit_or(t.tgtype) FROM pg_catalog.pg_trigger t
                WHERE t.tgrelid = c.oid AND t.tgenabled IN ('O', 'A') AND t.tgtype & 1 = 1 AND t.tgtype & 2 = kept.timing
                    AND t.tgfoid = ANY (SELECT to_regproc(f) FROM unnest(kept.functions) AS f)
             ) & kept.events = kept.events)
        FROM pg_catalog.pg_class c
        WHERE c.relnamespace = to_regnamespace(quote_ident($1)) AND c.relname = $2
        """)
}

extension Access {
    /// The columns that say which records are those of `role`; none if it has no right, or one to every record.
    func ownColumns(of role: Role) -> Set<String> {
        Set(
            Operation.allCases.compactMap { operation in
                if case .own(let column)? = reach(of: role, for: operation) { column } else { nil }
            })
    }
}
