import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// A running ``SystemUnderTest`` with the rows of its fixtures, and a caller in each of its roles.
final class ServedSystem: Sendable {
    let system: SystemUnderTest
    let server: TestServer
    /// The record that the caller of a role stands for, and another one.
    let subjects: [Role: (own: Int, foreign: Int)]
    /// The access keys of the callers in roles that accounts have beside their base role. A key acts in its role alone.
    private let keys: [Role: String]

    private static let running = RunningSystems()

    /// The server that suites share that leave its rows as they are.
    static func running(_ system: SystemUnderTest) async throws -> ServedSystem { try await running.system(system) }

    /// Starts a server for the caller alone.
    static func start(_ system: SystemUnderTest, _ arguments: [String] = []) async throws -> ServedSystem {
        let server = try await TestServer.start(arguments, program: system.program)
        // Jobs would change rows that the tests compare: they are due in a day.
        let jobs = system.chosen.flatMap(\.jobs).count
        try await eventually("the jobs are entered") {
            let postponed = "UPDATE kernel.jobs SET next_at = now() + interval '1 day' RETURNING 1"
            return try await server.database.psql("WITH p AS (\(postponed)) SELECT count(*) >= \(jobs) FROM p") == "t"
        }
        try await server.database.psql(insertion(of: system))
        return try await ServedSystem(system, server)
    }

    private init(_ system: SystemUnderTest, _ server: TestServer) async throws {
        self.system = system
        self.server = server
        let admin = try await server.client()
        // Generated calls that revoke keys and roles find small ids, which are not those of the callers.
        try await server.database.psql(
            """
            SELECT setval('access_keys_id_seq', 900000), setval('account_roles_id_seq', 900000)
            """)
        var subjects: [Role: (own: Int, foreign: Int)] = [:]
        var keys: [Role: String] = [:]
        for domain in system.chosen {
            for role in domain.roles where !Role.base.contains(role) && keys[role] == nil {
                if let subject = role.subject {
                    let rows = try await server.database.psql(
                        "SELECT id FROM \(domain.schema).\(subject) ORDER BY id LIMIT 2")
                    let ids = rows.split(separator: "\n").compactMap { Int($0) }
                    guard ids.count == 2 else { throw TestEnvironmentError("\(subject) has not two rows") }
                    subjects[role] = (ids[0], ids[1])
                }
                let inserted = try await server.database.psql(
                    "INSERT INTO users (email, role) VALUES ('\(role.name)@test.example', 'user') RETURNING id")
                let account = JSONValue.number(inserted)
                let subject = subjects[role].map { JSONValue($0.own) } ?? .null
                _ = try await admin.call(
                    "account_roles.create",
                    ["values": ["account_id": account, "role": .string(role.name), "subject": subject]])
                let key = try await admin.call(
                    "auth.create_access_key", ["account_id": account, "role": .string(role.name), "name": "Essai"])
                keys[role] = try #require(key["key"]?.text)
            }
        }
        self.subjects = subjects
        self.keys = keys
    }

    // MARK: Callers

    /// A client over a connection of its own; nil: without a sign-in.
    func client(_ role: Role?) async throws -> RPCClient {
        guard let role else { return try await server.client(nil) }
        if role == .admin { return try await server.client(TestServer.admin) }
        if role == .user { return try await server.client(TestServer.user) }
        guard let key = keys[role] else { throw TestEnvironmentError("no key for \(role.name)") }
        return try RPCClient(port: server.port, token: key)
    }

    /// Whether the caller in this role has an access key, and not a token.
    func hasKey(_ role: Role) -> Bool { keys[role] != nil }

    // MARK: Rows

    /// The ids of a table that a caller in this role reaches, in their order; without a role, all.
    func ids(of entity: Entity, in schema: String, for role: Role? = nil) async throws -> [Int] {
        var condition = "true"
        if let role, case .own(let column)? = entity.access.reach(of: role, for: .read) {
            condition = "\(column) = \(subjects[role]?.own ?? 0)"
        }
        let rows = try await server.database.psql(
            "SELECT id FROM \(schema).\(entity.name) WHERE \(condition) ORDER BY id")
        return rows.split(separator: "\n").compactMap { Int($0) }
    }

    /// Rows that calls in this role may refer to: the first three of each table that it reads, and accounts other than the
    /// callers. Where records belong to subjects, they are those of the first subject, so that they may refer to each other.
    func known(to role: Role) async throws -> [String: [Int]] {
        var known = ["users": [901, 902, 903]]
        for (entity, schema, domain) in system.tables where entity.access.allows(.read, to: role) {
            let limited = domain.roles.first { role in
                if case .own? = entity.access.reach(of: role, for: .read) { true } else { false }
            }
            known[entity.name] = Array(try await ids(of: entity, in: schema, for: limited).prefix(3))
        }
        return known
    }

    /// Replaces the rows of the domains by those of the fixtures. Ids that later rows get are unique over all tables.
    func reset() async throws {
        let tables = system.tables.map { "\($0.schema).\($0.entity.name)" }
        // Without triggers, which would refuse it; the rows themselves are inserted with them. The outbox and the jobs may be
        // writing: the locks are given up long before Postgres looks for deadlocks. TRUNCATE makes new files for each table and
        // index, which takes far longer than to delete some rows.
        try await server.database.psql(
            """
            BEGIN;
            SET LOCAL session_replication_role = replica;
            SET LOCAL lock_timeout = '100ms';
            DO $$
            DECLARE
                emptied regclass;
            BEGIN
                FOR attempt IN 1..50 LOOP
                    BEGIN
                        FOR emptied IN
                            WITH RECURSIVE found (id) AS (
                                SELECT name::regclass::oid FROM unnest('{\(tables.joined(separator: ","))}'::text[]) AS name
                                UNION SELECT conrelid FROM pg_constraint JOIN found ON confrelid = found.id WHERE contype = 'f'
                            )
                            SELECT id FROM found ORDER BY id
                        LOOP
                            EXECUTE format('DELETE FROM %s', emptied);
                        END LOOP;
                        RETURN;
                    EXCEPTION WHEN lock_not_available THEN
                        PERFORM pg_sleep(0.05);
                    END;
                END LOOP;
                RAISE EXCEPTION 'the tables stay locked';
            END
            $$;
            SET LOCAL session_replication_role = origin;
            \(Self.insertion(of: system))
            COMMIT;
            """)
    }

    /// The id of one row of each table in the company that ``addCompany()`` makes.
    static let idElsewhere = 90_000_001

    /// Gives a second company a copy of each row, under the same id but for one row of each table.
    func addCompany() async throws {
        let tables = system.tables.filter { $0.entity.rows == .ofCompanies }.map { "\($0.schema).\($0.entity.name)" }
        try await server.database.psql(
            """
            BEGIN;
            SET LOCAL session_replication_role = replica;
            DO $$
            DECLARE
                copied regclass;
                columns text;
            BEGIN
                FOREACH copied IN ARRAY '{\(tables.joined(separator: ","))}'::regclass[] LOOP
                    SELECT string_agg(quote_ident(attname), ', ') INTO columns FROM pg_attribute
                    WHERE attrelid = copied AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attname <> 'company_id';
                    EXECUTE format(
                        'INSERT INTO %1$s (company_id, %2$s) SELECT 2, %2$s FROM %1$s WHERE company_id = 1', copied, columns);
                    EXECUTE format(
                        'UPDATE %1$s SET id = \(Self.idElsewhere) WHERE company_id = 2 AND id = ('
                        'SELECT max(id) FROM %1$s WHERE company_id = 2)', copied);
                END LOOP;
            END
            $$;
            COMMIT;
            """)
    }

    private static func insertion(of system: SystemUnderTest) -> String {
        let sequences = system.tables.enumerated().map { index, table in
            "SELECT setval('\(table.schema).\(table.entity.name)_id_seq', \(100_000 * (index + 1)));"
        }
        let accounts = """
            INSERT INTO users (id, email) SELECT id, 'compte' || id || '@exemple.fr' FROM generate_series(901, 903) AS id
            ON CONFLICT DO NOTHING;
            """
        return ([accounts] + system.fixtures.map(\.rows) + sequences).joined(separator: "\n")
    }
}

/// The shared servers, one for each system.
private actor RunningSystems {
    private var tasks: [String: Task<ServedSystem, any Error>] = [:]

    func system(_ system: SystemUnderTest) async throws -> ServedSystem {
        let task = tasks[system.testDescription] ?? Task { try await ServedSystem.start(system) }
        tasks[system.testDescription] = task
        return try await task.value
    }
}
