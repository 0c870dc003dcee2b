import DomainKit
import PostgresDriver
import QueryCompiler

/// The functions that the declarations name: of views, commands, derived fields, successors, jobs and notices; and the names by which
/// they refuse calls.
extension SchemaConventions {
    // MARK: Views

    func errors(ofView view: Entity, in schema: String, _ owner: PostgresClient) async throws -> [ConventionError] {
        let function = "\(schema).\(view.sourceName)"
        let rows = try await owner.query(Self.function, [.text(schema), .text(view.sourceName)])
        guard rows.count == 1, rows.text(0, 3) == "true" else { return [.noFunction(function)] }
        let lines = (0..<3).map { Set((rows.text(0, $0) ?? "").split(separator: "\n").map(String.init)) }
        var found: [ConventionError] = view.parameters.filter { parameter in
            !lines[0].contains(parameter.name) || !parameter.isRequired && !lines[1].contains(parameter.name)
        }.map { .noParameter($0.name, function: function) }
        let required = Set(view.parameters.filter(\.isRequired).map(\.name))
        found += lines[0].subtracting(lines[1]).subtracting(required).sorted()
            .filter { extra in !view.parameters.contains { $0.name == extra } }
            .map { .noParameter($0, function: function) }
        found += view.columns.filter { !lines[2].contains($0.name) }.map { .noColumn($0.name, table: function) }
        return found
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

    // MARK: Commands

    func errors(of command: Command, _ owner: PostgresClient) async throws -> [ConventionError] {
        let types = command.argumentTypes.map(\.argument).joined(separator: ", ")
        let function = "\(command.function)(\(types))"
        let callers = command.roles.roles.map(\.databaseRole).sorted().joined(separator: "\n")
        let rows = try await owner.query(Self.commandFunction, [.text(function), .text(callers)])
        guard rows.count == 1, rows.text(0, 0) == "true" else {
            return [.noCommandFunction(function, command: command.name)]
        }
        guard rows.text(0, 1) == "true" else { return [.notCommandsOwn(function, command: command.name)] }
        return []
    }

    /// Whether the function with this signature runs with the rights of its owner; and whether this is a role of commands, PUBLIC
    /// may not execute it and these roles, one on each line, may.
    private static let commandFunction = Statement(
        """
        SELECT prosecdef::text, (
            -- The kernel's own commands belong to the owner of its tables.
            (pronamespace = to_regnamespace('kernel') OR pg_get_userbyid(proowner) LIKE 'learntrack\\_%\\_commands')
            AND NOT EXISTS (
                SELECT FROM aclexplode(coalesce(proacl, acldefault('f', proowner))) AS held
                WHERE held.grantee <> proowner
                    AND (held.grantee = 0 OR pg_get_userbyid(held.grantee) <> ALL (string_to_array($2, E'\\n'))))
            AND NOT EXISTS (
                SELECT FROM string_to_table($2, E'\\n') AS caller
                WHERE NOT coalesce(has_function_privilege(to_regrole(quote_ident(caller)), p.oid, 'EXECUTE'), false))
        )::text
        FROM pg_catalog.pg_proc p WHERE p.oid = to_regprocedure($1)
        """)

    // MARK: Workers

    func errors(ofWorker function: String, of name: String, _ owner: PostgresClient) async throws -> [ConventionError] {
        let rows = try await owner.query(Self.workerFunction, [.text(function)])
        return rows.text(0, 0) == "true" ? [] : [.noWorkerFunction(function, of: name)]
    }

    /// Whether there is a function with this signature that runs with the rights of its owner and that the workers may execute.
    private static let workerFunction = Statement(
        """
        SELECT coalesce((
            SELECT prosecdef AND has_function_privilege('learntrack_worker', oid, 'EXECUTE') FROM pg_catalog.pg_proc
            WHERE oid = to_regprocedure($1)), false)::text
        """)

    // MARK: Fields and successors

    func errors(
        ofDerivedFieldsOf entity: Entity, in schema: String, _ owner: PostgresClient
    ) async throws -> [ConventionError] {
        // How many arguments each takes: the row, and of a prefilter the values.
        let functions =
            entity.derived.flatMap { field in
                [field.function.map { "1 \($0)" }, field.prefilter.map { "2 \($0)" }].compactMap(\.self)
            }
            + (entity.search.map { ["1 \($0.function)"] } ?? [])
        guard !functions.isEmpty else { return [] }
        let rows = try await owner.query(
            Self.missingFunctions, [.text(schema), .text(entity.name), .text(functions.joined(separator: "\n"))])
        return (0..<rows.count).map {
            .noRowFunction(rows.text($0, 0) ?? "", table: "\(schema).\(entity.name)")
        }
    }

    /// Those of these functions, one on each line after the number of arguments, that are not in the table's schema, or do not take a
    /// row of it first.
    private static let missingFunctions = Statement(
        """
        SELECT needed.name
        FROM string_to_table($3, E'\\n') WITH ORDINALITY AS line (text, place)
        CROSS JOIN LATERAL (SELECT split_part(text, ' ', 1)::integer, substr(text, strpos(text, ' ') + 1)) AS needed (count, name)
        WHERE NOT EXISTS (
            SELECT FROM pg_catalog.pg_proc p
            JOIN pg_catalog.pg_class c ON c.relnamespace = to_regnamespace(quote_ident($1)) AND c.relname = $2
            WHERE p.proname = needed.name AND p.pronamespace = c.relnamespace AND p.proargtypes[0] = c.reltype
                AND needed.count BETWEEN p.pronargs - p.pronargdefaults AND p.pronargs AND p.provolatile <> 'v')
        ORDER BY line.place
        """)

    /// Whether there is a function with this signature that returns an id and does not write.
    static let successorFunction = Statement(
        """
        SELECT coalesce((
            SELECT prorettype = 'bigint'::regtype AND NOT proretset AND provolatile <> 'v' FROM pg_catalog.pg_proc
            WHERE oid = to_regprocedure($1)), false)::text
        """)

    // MARK: Rules

    func errors(ofRulesOf domain: Domain, _ owner: PostgresClient) async throws -> [ConventionError] {
        let owners =
            domain.entities.map { ($0.name, $0.isView ? $0.rules.filter(\.needsDatabase) : $0.rules) }
            + domain.commands.map { ($0.name, $0.rules.filter(\.needsDatabase)) }
        let names = Set(owners.flatMap { $0.1.map(\.constraint) })
        guard !names.isEmpty else { return [] }
        let rows = try await owner.query(
            Self.unknownRules, [.text(names.sorted().joined(separator: "\n"))])
        let unknown = Set((0..<rows.count).compactMap { rows.text($0, 0) })
        return owners.flatMap { name, rules in
            rules.map(\.constraint).filter(unknown.contains).map { .unknownRule($0, of: name) }
        }
    }

    /// Those of these names, one on each line, that no constraint, index or trigger has or gives, and that no function says. A function
    /// can compose a name, so that one that is not found is not wrong for certain.
    private static let unknownRules = Statement(
        """
        -- All functions as one text: their bodies are decompressed once, not once for each name.
        WITH functions (said) AS MATERIALIZED (
            SELECT string_agg(concat(p.prosrc, pg_get_function_sqlbody(p.oid)), E'\\n') FROM pg_catalog.pg_proc p
            WHERE p.pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace))
        SELECT name FROM string_to_table($1, E'\\n') AS name
        WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conname = name)
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.relname = name AND c.relkind = 'i')
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE strpos(encode(t.tgargs, 'escape'), name) > 0)
            AND strpos(coalesce((SELECT said FROM functions), ''), quote_literal(name)) = 0
        """)
}

extension Rule {
    /// Whether only the database can see that the rule is violated.
    fileprivate var needsDatabase: Bool { holds == nil || effect != .invalid }
}
