import DomainKit
import JSON
import TestPostgres
import Testing

/// kernel.md, "The design's test": "generated over all served domains: … the database's grants per column and function".
/// `TableRightsTests` has those of the kernel's tables.
@Suite struct DatabaseRightsTests {
    /// The lines of a query's result.
    private static func lines(_ sql: String, of served: ServedSystem) async throws -> [[String]] {
        try await served.server.database.psql(sql).split(separator: "\n").map {
            $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        }
    }

    private static func schemas(of system: SystemUnderTest) -> String {
        Set(system.chosen.map(\.schema)).sorted().map { "'\($0)'" }.joined(separator: ", ")
    }

    private static func databaseRoles(of system: SystemUnderTest) -> String {
        (system.roles.map(\.databaseRole) + ["learntrack_auth"]).map { "'\($0)'" }.joined(separator: ", ")
    }

    // MARK: Columns

    /// Whether `role` may do `operation` with this column. Columns that the entity does not declare, such as a stored
    /// searchable text, are read with the rest and never written.
    private static func isAllowed(_ operation: String, _ column: String, of entity: Entity, to role: Role?) -> Bool {
        guard let role else { return false }
        func isWritable(_ kind: WriteKind, _ right: Operation) -> Bool {
            guard let reach = entity.access.reach(of: role, for: right) else { return false }
            // The server fills the owner of a new record.
            if kind == .create, reach == .own(column) { return true }
            return entity.writableColumns(for: kind).contains { $0.name == column }
        }
        switch operation {
        case "SELECT":
            return entity.access.allows(.read, to: role) && entity.column(named: column)?.isReadable != false
        case "INSERT": return isWritable(.create, .create)
        case "UPDATE": return isWritable(.update, .update)
        default: return entity.access.allows(.delete, to: role)
        }
    }

    @Test(arguments: SystemUnderTest.all)
    func `each role has exactly the privileges on each column that its domain declares`(
        system: SystemUnderTest
    ) async throws {
        let served = try await ServedSystem.running(system)
        let found = try await Self.lines(
            """
            SELECT r.rolname, nspname, relname, attname, word,
                CASE word WHEN 'DELETE' THEN has_table_privilege(r.oid, c.oid, word)
                    ELSE has_column_privilege(r.oid, c.oid, attnum, word) END
            FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
            JOIN pg_attribute ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped
            CROSS JOIN pg_roles r CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS word
            WHERE nspname IN (\(Self.schemas(of: system))) AND relkind IN ('r', 'p')
                AND r.rolname IN (\(Self.databaseRoles(of: system)))
            """, of: served)
        var seen: Set<String> = []
        for line in found {
            let role = system.roles.first { $0.databaseRole == line[0] }
            // The kernel's own tables are those of TableRightsTests.
            guard let table = system.tables.first(where: { $0.schema == line[1] && $0.entity.name == line[2] })
            else { continue }
            seen.insert(line[2])
            let expected = Self.isAllowed(line[4], line[3], of: table.entity, to: role)
            #expect((line[5] == "t") == expected, "\(line[0]) \(line[4]) \(line[1]).\(line[2]).\(line[3])")
        }
        #expect(seen == Set(system.tables.map(\.entity.name)))
    }

    @Test(arguments: SystemUnderTest.all)
    func `no role may truncate, reference, create, or write a table that is no entity`(
        system: SystemUnderTest
    ) async throws {
        let served = try await ServedSystem.running(system)
        let entities = system.domains.flatMap(\.entities).map { "'\($0.name)'" }.joined(separator: ", ")
        let found = try await Self.lines(
            """
            SELECT r.rolname, relname, word
            FROM pg_roles r CROSS JOIN pg_class c JOIN pg_namespace n ON n.oid = relnamespace
            CROSS JOIN unnest(ARRAY['TRUNCATE', 'REFERENCES', 'TRIGGER', 'INSERT', 'UPDATE', 'DELETE']) AS word
            WHERE r.rolname IN (\(Self.databaseRoles(of: system))) AND relkind IN ('r', 'p', 'v', 'm', 'f')
                AND nspname IN (\(Self.schemas(of: system))) AND has_table_privilege(r.oid, c.oid, word)
                AND (word IN ('TRUNCATE', 'REFERENCES', 'TRIGGER')
                    OR nspname <> 'public' AND relname NOT IN (\(entities)))
            UNION ALL
            SELECT r.rolname, nspname, 'CREATE' FROM pg_roles r CROSS JOIN pg_namespace n
            WHERE r.rolname IN (\(Self.databaseRoles(of: system))) AND nspname IN (\(Self.schemas(of: system)))
                AND has_schema_privilege(r.oid, n.oid, 'CREATE')
            """, of: served)
        #expect(found.isEmpty, "\(found)")
    }

    @Test(arguments: SystemUnderTest.all)
    func `the domains grant PUBLIC no table, column, sequence, schema, or function with the rights of its owner`(
        system: SystemUnderTest
    ) async throws {
        let served = try await ServedSystem.running(system)
        // Every database has the schema `public`, which everyone may use.
        let found = try await Self.lines(
            """
            WITH granted (name, schema, privileges) AS (
                SELECT relname::text, relnamespace, relacl FROM pg_class
                UNION ALL SELECT c.relname || '.' || attname, relnamespace, attacl
                FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
                UNION ALL SELECT nspname, oid, nspacl FROM pg_namespace WHERE nspname <> 'public'
                -- Without grants a function is everyone's.
                UNION ALL SELECT proname, pronamespace, coalesce(proacl, acldefault('f', proowner))
                FROM pg_proc WHERE prosecdef
            )
            SELECT DISTINCT name FROM granted JOIN pg_namespace n ON n.oid = schema, aclexplode(privileges)
            WHERE nspname IN (\(Self.schemas(of: system))) AND grantee = 0
            """, of: served)
        #expect(found.isEmpty, "\(found)")
    }

    // MARK: Functions

    @Test(arguments: SystemUnderTest.all)
    func
        `the function of each command is executable by the roles of the command alone, and of each view by its readers`(
            system: SystemUnderTest
        ) async throws
    {
        let served = try await ServedSystem.running(system)
        let found = try await Self.lines(
            """
            SELECT nspname || '.' || proname, prosecdef, o.rolname, r.rolname,
                has_function_privilege(r.oid, p.oid, 'EXECUTE')
            FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace JOIN pg_roles o ON o.oid = proowner
            CROSS JOIN pg_roles r
            WHERE nspname IN (\(Self.schemas(of: system))) AND r.rolname IN (\(Self.databaseRoles(of: system)))
            """, of: served)
        let roles = system.roles.map { ($0 as Role?, $0.databaseRole) } + [(nil, "learntrack_auth")]
        var isChecked: Set<String> = []
        for domain in system.chosen {
            for command in domain.commands {
                for (role, databaseRole) in roles {
                    let lines = found.filter { $0[0] == command.function && $0[3] == databaseRole }
                    #expect(lines.count == 1, "one function \(command.function)")
                    let isCaller = role.map { command.roles[$0] != nil } ?? false
                    for line in lines {
                        #expect((line[4] == "t") == isCaller, "\(databaseRole) \(command.function)")
                        #expect(line[2] == "learntrack_\(domain.name)_commands", "the owner of \(command.function)")
                    }
                }
                isChecked.insert(command.function)
            }
            for view in domain.entities where view.isView {
                for role in view.access.roles(for: .read) {
                    let lines = found.filter {
                        $0[0] == "\(domain.schema).\(view.sourceName)" && $0[3] == role.databaseRole
                    }
                    #expect(lines.map { $0[4] } == ["t"], "\(role.databaseRole) \(view.sourceName)")
                }
            }
        }
        // How far the invitation of an account is, is read from tables that no role of a domain may read.
        isChecked.insert("public.invitation")
        // What has the rights of its owner and is no command is a trigger, or is called by commands.
        for line in found where line[1] == "t" && !isChecked.contains(line[0]) {
            #expect(line[4] == "f", "\(line[3]) may execute \(line[0])")
        }
    }

    @Test(arguments: SystemUnderTest.all)
    func `no role of a domain logs in, bypasses row-level security, or is a member of another`(
        system: SystemUnderTest
    ) async throws {
        let served = try await ServedSystem.running(system)
        let owners = system.chosen.map { ", 'learntrack_\($0.name)_commands'" }.joined()
        let found = try await Self.lines(
            """
            SELECT r.rolname, o.rolname FROM pg_roles r
            LEFT JOIN pg_roles o ON o.rolname <> r.rolname AND pg_has_role(r.oid, o.oid, 'MEMBER')
            WHERE r.rolname IN (\(Self.databaseRoles(of: system))\(owners))
                AND (o.oid IS NOT NULL OR r.rolsuper OR r.rolbypassrls OR r.rolcanlogin OR r.rolcreaterole)
            """, of: served)
        #expect(found.isEmpty, "\(found)")
    }

    // MARK: Rows

    /// The SQLSTATE that a statement ends in, or the number of its rows.
    private static let outcome = """
        CREATE FUNCTION pg_temp.outcome(sql text) RETURNS text LANGUAGE plpgsql AS $$
        DECLARE found bigint;
        BEGIN
            EXECUTE sql;
            GET DIAGNOSTICS found = ROW_COUNT;
            RETURN found;
        EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
        END $$;
        """

    @Test(arguments: SystemUnderTest.all)
    func `every table has row-level security, with a policy for every privilege of a role`(
        system: SystemUnderTest
    ) async throws {
        let served = try await ServedSystem.running(system)
        let found = try await Self.lines(
            """
            SELECT nspname || '.' || relname, relrowsecurity,
                (SELECT string_agg(cmd || ' ' || role, ',') FROM pg_policies, unnest(roles) AS role
                 WHERE schemaname = nspname AND tablename = relname AND permissive = 'PERMISSIVE')
            FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
            WHERE nspname IN (\(Self.schemas(of: system))) AND relkind IN ('r', 'p')
            """, of: served)
        #expect(found.filter { $0[1] != "t" }.map { $0[0] } == [], "without row-level security")
        let words: [Operation: String] = [.read: "SELECT", .create: "INSERT", .update: "UPDATE", .delete: "DELETE"]
        for (entity, schema, domain) in system.tables {
            let line = try #require(found.first { $0[0] == "\(schema).\(entity.name)" })
            let policies = Set(line[2].split(separator: ",").map(String.init))
            for (operation, word) in words {
                for role in domain.roles where entity.access.allows(operation, to: role) {
                    let covering: Set = ["\(word) \(role.databaseRole)", "ALL \(role.databaseRole)"]
                    #expect(!policies.isDisjoint(with: covering), "\(role.name) \(word) \(entity.name)")
                }
            }
        }
    }

    @Test(arguments: SystemUnderTest.all)
    func `Postgres shows, changes, deletes and accepts in a role with a subject only rows of the subject`(
        system: SystemUnderTest
    ) async throws {
        let served = try await ServedSystem.running(system)
        for (entity, schema, domain) in system.tables {
            for role in domain.roles {
                guard let subject = served.subjects[role],
                    case .own(let column)? = entity.access.reach(of: role, for: .read)
                else { continue }
                let table = "\(schema).\(entity.name)"
                let own = try await served.ids(of: entity, in: schema, for: role).count
                let all = try await served.ids(of: entity, in: schema).count
                #expect(own > 0 && all > own, "\(table) has rows of two subjects")
                var statements = [
                    ("SELECT FROM \(table)", "\(own)"),
                    ("SELECT FROM \(table) WHERE \(column) = \(subject.foreign)", "0"),
                ]
                if entity.access.reach(of: role, for: .update) == .own(column),
                    let written = entity.writableColumns(for: .update).first?.name
                {
                    let foreign = "WHERE \(column) <> \(subject.own)"
                    statements.append(("UPDATE \(table) SET \(written) = \(written) \(foreign)", "0"))
                }
                if entity.access.reach(of: role, for: .delete) == .own(column) {
                    statements.append(("DELETE FROM \(table) WHERE \(column) <> \(subject.own)", "0"))
                }
                if entity.access.reach(of: role, for: .create) == .own(column) {
                    // Policies are checked before constraints.
                    statements.append(("INSERT INTO \(table) (\(column)) VALUES (\(subject.foreign))", "42501"))
                }
                let calls = statements.map { "SELECT pg_temp.outcome($q$\($0.0)$q$);" }.joined(separator: "\n")
                let outcomes = try await Self.lines(
                    """
                    BEGIN;
                    SET LOCAL ROLE \(role.databaseRole);
                    SET LOCAL learntrack.subject = '\(subject.own)';
                    \(Self.outcome)
                    \(calls)
                    ROLLBACK;
                    """, of: served)
                #expect(outcomes.map { $0[0] } == statements.map(\.1), "\(role.name): \(statements.map(\.0))")
            }
        }
    }
}
