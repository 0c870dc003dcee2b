package import DomainKit
package import PostgresDriver
import QueryCompiler

/// What the compiled statements rely on in the database: the tables with their columns, `id` from a sequence that is named
/// after its table, the functions of views with their parameters and columns, foreign keys that keep the records of one
/// subject apart from those of another, and the checks of the files that columns name.
package struct SchemaConventions: Sendable {
    let domains: [Domain]

    package init(_ domains: [Domain]) { self.domains = domains }

    /// Throws a ``ConventionError`` with the first domain that lacks labels, and with all of them; or with the first table that is
    /// not as its entity declares it.
    ///
    /// - Parameter owner: a client of a role that may read the catalogue, as every role may.
    package func check(_ owner: PostgresClient) async throws {
        for domain in domains {
            let unlabelled = domain.unlabelled
            guard unlabelled.isEmpty else { throw ConventionError.unlabelled(unlabelled, domain: domain.name) }
            for entity in domain.entities {
                guard !entity.isView else {
                    try await checkView(entity, in: domain.schema, owner)
                    continue
                }
                let rows = try await owner.query(
                    Self.table, [.text(domain.schema), .text(entity.name), .text("\(entity.name)_id_seq")])
                let table = "\(domain.schema).\(entity.name)"
                guard rows.count == 1, let columns = rows.text(0, 0) else { throw ConventionError.noTable(table) }
                let present = Set(columns.split(separator: "\n").map(String.init))
                if let missing = entity.columns.first(where: { !present.contains($0.name) }) {
                    throw ConventionError.noColumn(missing.name, table: table)
                }
                guard rows.text(0, 1) == "true" else {
                    throw ConventionError.noSequence("\(entity.name)_id_seq", table: table)
                }
                if let function = entity.successor?.function {
                    let rows = try await owner.query(Self.successorFunction, [.text("\(function)(bigint)")])
                    guard rows.text(0, 0) == "true" else {
                        throw ConventionError.noSuccessorFunction("\(function)(bigint)", table: table)
                    }
                }
                if !entity.access.roles(for: .update).isEmpty, !present.contains("version") {
                    throw ConventionError.noColumn("version", table: table)
                }
                let unindexed = try await owner.query(Self.unindexedKey, [.text(domain.schema), .text(entity.name)])
                if unindexed.count == 1, let key = unindexed.text(0, 0) {
                    throw ConventionError.noIndex(foreignKey: key, table: table)
                }
                try await checkReferences(of: entity, in: domain.schema, owner)
                try await checkComparisons(of: entity, in: domain.schema, owner)
                try await checkFiles(of: entity, in: domain.schema, owner)
            }
            for command in domain.commands {
                let types = command.argumentTypes.map(\.argument).joined(separator: ", ")
                let rows = try await owner.query(Self.commandFunction, [.text("\(command.function)(\(types))")])
                guard rows.text(0, 0) == "true" else {
                    throw ConventionError.noCommandFunction("\(command.function)(\(types))", command: command.name)
                }
            }
            for job in domain.jobs { try await checkWorker("\(job.function)()", of: job.name, owner) }
            for notice in domain.notices {
                for function in notice.functions {
                    try await checkWorker("\(function)(bigint)", of: notice.name, owner)
                }
                for function in [notice.sent, notice.failed].compactMap(\.self) {
                    try await checkWorker("\(function)(bigint, jsonb)", of: notice.name, owner)
                }
            }
        }
    }

    /// Whether there is a function with this signature that runs with the rights of its owner.
    private static let commandFunction = Statement(
        "SELECT coalesce((SELECT prosecdef FROM pg_catalog.pg_proc WHERE oid = to_regprocedure($1)), false)::text")

    private func checkWorker(_ function: String, of name: String, _ owner: PostgresClient) async throws {
        let rows = try await owner.query(Self.workerFunction, [.text(function)])
        guard rows.text(0, 0) == "true" else { throw ConventionError.noWorkerFunction(function, of: name) }
    }

    /// Whether there is a function with this signature that runs with the rights of its owner and that the workers may execute.
    private static let workerFunction = Statement(
        """
        SELECT coalesce((
            SELECT prosecdef AND has_function_privilege('learntrack_worker', oid, 'EXECUTE') FROM pg_catalog.pg_proc
            WHERE oid = to_regprocedure($1)), false)::text
        """)

    /// A foreign key without an index that begins with one of its columns. Relations and deletions would read the whole table.
    private static let unindexedKey = Statement(
        """
        SELECT k.conname::text
        FROM pg_catalog.pg_constraint k
        JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
        WHERE k.contype = 'f' AND c.relnamespace = to_regnamespace(quote_ident($1)) AND c.relname = $2
            AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_index i
                WHERE i.indrelid = k.conrelid AND i.indisvalid AND i.indkey[0] = ANY (k.conkey))
        ORDER BY k.conname LIMIT 1
        """)

    /// Checks that a record that belongs to a subject refers only to records of the same subject.
    ///
    /// Foreign keys do not see row-level security. One over the id alone would accept the record of another subject, and so
    /// tell that it exists; one that includes the subject's column does not.
    private func checkReferences(of entity: Entity, in schema: String, _ owner: PostgresClient) async throws {
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
            try checkReaders(of: target, referredToBy: entity, in: schema, over: key)
            for role in roles {
                let theirs = target.access.ownColumns(of: role)
                for own in entity.access.ownColumns(of: role).sorted() where !theirs.isEmpty {
                    guard theirs.contains(where: { pairs.contains("\(own) \($0)") }) else {
                        throw ConventionError.foreignKeyWithoutOwner(
                            key.name, owner: own, table: "\(schema).\(entity.name)")
                    }
                }
            }
        }
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

    /// Whether there is a function with this signature that returns an id and does not write.
    private static let successorFunction = Statement(
        """
        SELECT coalesce((
            SELECT prorettype = 'bigint'::regtype AND NOT proretset AND provolatile <> 'v' FROM pg_catalog.pg_proc
            WHERE oid = to_regprocedure($1)), false)::text
        """)

    private func checkView(_ view: Entity, in schema: String, _ owner: PostgresClient) async throws {
        let function = "\(schema).\(view.sourceName)"
        let rows = try await owner.query(Self.function, [.text(schema), .text(view.sourceName)])
        guard rows.count == 1, rows.text(0, 3) == "true" else { throw ConventionError.noFunction(function) }
        let lines = (0..<3).map { Set((rows.text(0, $0) ?? "").split(separator: "\n").map(String.init)) }
        for parameter in view.parameters {
            guard lines[0].contains(parameter.name), parameter.isRequired || lines[1].contains(parameter.name) else {
                throw ConventionError.noParameter(parameter.name, function: function)
            }
        }
        let required = Set(view.parameters.filter(\.isRequired).map(\.name))
        if let extra = lines[0].subtracting(lines[1]).subtracting(required).min() {
            throw ConventionError.noParameter(extra, function: function)
        }
        if let missing = view.columns.first(where: { !lines[2].contains($0.name) }) {
            throw ConventionError.noColumn(missing.name, table: function)
        }
    }

    /// The names of the function's parameters, of those with a default, and of its columns, one on each line, and whether
    /// it is a set-returning function that does not write.
    private static let function = Statement(
        """
        SELECT
            (SELECT string_agg(name, E'\\n') FROM unnest(arguments.names, arguments.modes) AS a (name, mode)
             WHERE mode IN ('i', 'b')),
            (SELECT string_agg(name, E'\\n') FROM (
                SELECT name, row_number() OVER (ORDER BY place) AS input
                FROM unnest(arguments.names, arguments.modes) WITH ORDINALITY AS a (name, mode, place)
                WHERE mode IN ('i', 'b')
             ) inputs WHERE input > p.pronargs - p.pronargdefaults),
            concat_ws(E'\\n',
                (SELECT string_agg(name, E'\\n') FROM unnest(arguments.names, arguments.modes) AS a (name, mode)
                 WHERE mode IN ('o', 'b', 't')),
                (SELECT string_agg(c.attname, E'\\n') FROM pg_catalog.pg_type t
                 JOIN pg_catalog.pg_attribute c ON c.attrelid = t.typrelid AND c.attnum > 0 AND NOT c.attisdropped
                 WHERE t.oid = p.prorettype)),
            (p.proretset AND p.provolatile <> 'v')::text
        FROM pg_catalog.pg_proc p
        CROSS JOIN LATERAL (
            SELECT p.proargnames AS names,
                coalesce(p.proargmodes, array_fill('i'::"char", ARRAY[p.pronargs::integer])) AS modes
        ) arguments
        WHERE p.pronamespace = to_regnamespace(quote_ident($1)) AND p.proname = $2
        """)

    /// The names of the columns, one on each line, and whether the sequence belongs to the column `id`.
    private static let table = Statement(
        """
        SELECT
            (SELECT string_agg(attname, E'\\n') FROM pg_catalog.pg_attribute
             WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped),
            EXISTS (
                SELECT FROM pg_catalog.pg_depend d
                JOIN pg_catalog.pg_class s ON s.oid = d.objid AND s.relkind = 'S'
                JOIN pg_catalog.pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
                WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.refclassid = 'pg_catalog.pg_class'::regclass
                    AND d.refobjid = c.oid AND d.deptype IN ('a', 'i')
                    AND a.attname = 'id' AND s.relname = $3 AND s.relnamespace = c.relnamespace
            )::text
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

/// A table or a function that is not as its entity declares it, or a declaration that lacks something.
package enum ConventionError: Error, Equatable, CustomStringConvertible {
    /// These parts of the domain's declaration have no label.
    case unlabelled([String], domain: String)
    case noTable(String)
    case noColumn(String, table: String)
    case noSequence(String, table: String)
    /// No index begins with a column of the foreign key.
    case noIndex(foreignKey: String, table: String)
    /// The foreign key leads from records of a subject to records of a subject, and does not include the column of the
    /// owner.
    case foreignKeyWithoutOwner(String, owner: String, table: String)
    /// A role can write the foreign key, and cannot read every record that it may refer to.
    case foreignKeyToUnread(String, role: String, table: String)
    /// A role that sees its own records only can violate the constraint by the records of others.
    case comparisonWithOthers(constraint: String, role: String, table: String)
    /// No foreign key leads from the column to the files, or one that deletes the record with its file, or empties the column.
    case noFileKey(column: String, table: String)
    /// The migrations have not called `kernel.file_keep` for the column, or with other limits than those of its rule.
    case noFileCheck(column: String, table: String)
    /// There is no such function, or it does not run with the rights of its owner.
    case noCommandFunction(String, command: String)
    /// There is no such function, or the migrations have not called `kernel.worker_keep` for it.
    case noWorkerFunction(String, of: String)
    /// There is no such function, or it does not return a `bigint`, or is volatile.
    case noSuccessorFunction(String, table: String)
    /// There is no such function, or several, or it returns no set, or is volatile.
    case noFunction(String)
    /// The function has no such parameter, or no default for a parameter that calls may leave out or that the view lacks.
    case noParameter(String, function: String)

    /// What to do about a mistake of the declaration; nil for what is missing in the database.
    package var remedy: String? {
        guard case .unlabelled = self else { return nil }
        return "in the domain's declaration, give each column, relation and command a label:, and each word of a choice one, "
            + "as in .choice([\"new\": \"Neuf\"])"
    }

    package var description: String { remedy.map { "\(mistake); \($0)" } ?? mistake }

    /// What is wrong, without the remedy.
    package var mistake: String {
        switch self {
        case .unlabelled(let places, let domain):
            "the domain \(domain) has no label for \(places.joined(separator: ", "))"
        case .noFunction(let function): "there is no single STABLE function \(function) that returns a set"
        case .noParameter(let parameter, let function):
            "the function \(function) has no parameter \(parameter), or no default for it"
        case .noTable(let table): "the table \(table) does not exist"
        case .noColumn(let column, let table): "the table \(table) has no column \(column)"
        case .noIndex(let key, let table):
            "the foreign key \(key) of the table \(table) has no index that begins with one of its columns"
        case .foreignKeyWithoutOwner(let key, let owner, let table):
            "the foreign key \(key) of the table \(table) does not include the column \(owner), "
                + "so that a record could refer to a record of another owner"
        case .foreignKeyToUnread(let key, let role, let table):
            "the role \(role) may write the foreign key \(key) of the table \(table) and cannot read every record that it "
                + "refers to, so that its refusals show which exist; make them readable, or name the key among the entity's "
                + "disclosingConstraints"
        case .comparisonWithOthers(let constraint, let role, let table):
            "the constraint \(constraint) of the table \(table) compares the records of the role \(role) with those of "
                + "others, so that its refusals show their values; let it include the column of the owner, or name it among "
                + "the entity's disclosingConstraints"
        case .noFileKey(let column, let table):
            "the column \(column) of the table \(table) names files and has no foreign key to kernel.files, or one with "
                + "an action ON DELETE"
        case .noFileCheck(let column, let table):
            "the column \(column) of the table \(table) names files and needs a call of kernel.file_keep with the limits of "
                + "its rule"
        case .noCommandFunction(let function, let command):
            "the command \(command) needs the function \(function) as SECURITY DEFINER"
        case .noWorkerFunction(let function, let name):
            "\(name) needs the function \(function), passed to kernel.worker_keep"
        case .noSuccessorFunction(let function, let table):
            "the successors of \(table) need the STABLE function \(function) that returns bigint"
        case .noSequence(let sequence, let table):
            "the table \(table) does not take its id from a sequence of its own that is named \(sequence)"
        }
    }
}
