import AccountsDomain
import Auth
import DomainKit
import JSON
import PostgresDriver
import QueryCompiler
import TestPostgres
import Testing

@testable import RPCServer

/// A role with a subject reaches its own rows by every method. The server decides it, and the policies of the database
/// repeat it: each of the two suffices without the other.
@Suite struct OwnRowsTests {
    /// What limits the role to its own rows.
    enum Guard: String, Sendable, CaseIterable {
        case serverAndDatabase, serverAlone, databaseAlone
    }

    @Test(arguments: Guard.allCases)
    func `a reader sees, changes and deletes own loans only`(limitedBy: Guard) async throws {
        try await LendingService.with(limitedBy) { service in
            let own = try await service.ids("loans.list", [:], subject: 1)
            #expect(own == ["1", "2"])
            #expect(try await service.ids("loans.list", ["count": true], subject: 2) == ["3"])
            #expect(try await service.ids("loans.list", ["where": ["reader": ["id": 2]]], subject: 1) == [])
            #expect(try await service.ids("readers.list", [:], subject: 2) == ["2"])
            #expect(try await service.ids("readers.list", ["where": ["loans": ["some": [:]]]], subject: 2) == ["2"])
            // A view runs with the rights of the role.
            #expect(try await service.ids("loans_from.list", ["first_id": 2], subject: 1) == ["2"])
            #expect(try await service.ids("loans_from.list", ["first_id": 1, "count": true], subject: 2) == ["3"])
            for (method, params) in Self.calls {
                #expect(try await service.outcome(method, params, subject: 2) == "not found", "\(method)")
                #expect(try await service.outcome(method, params, subject: 1) == "done", "\(method)")
            }
            #expect(
                try await service.database.psql("SELECT id, note, reader_id FROM loans ORDER BY id")
                    == "2|b|1\n3|c|2\n4|b|1")
        }
    }

    /// Calls that concern loans of the reader 1.
    private static let calls: [(String, JSONObject)] = [
        ("loans.get", ["id": 1]), ("loans.update", ["id": 1, "values": [:]]),
        ("loans.update", ["id": 1, "values": ["note": "changed"]]), ("loans.duplicate", ["id": 2]),
        ("readers.get", ["id": 1]), ("loans.delete", ["id": 1]),
    ]

    @Test(arguments: Guard.allCases)
    func `a foreign version shows nothing of the record`(limitedBy: Guard) async throws {
        try await LendingService.with(limitedBy) { service in
            let params: JSONObject = ["id": 1, "values": ["note": "changed"], "if_version": 7]
            let foreign = try await service.outcome("loans.update", params, subject: 2)
            #expect(foreign == "not found")
            #expect(try await service.outcome("loans.update", params, subject: 1) == "conflict")
        }
    }

    @Test(arguments: Guard.allCases)
    func `a reader reads the history of own loans, and none of the loans of another or of deleted ones`(
        limitedBy: Guard
    ) async throws {
        try await LendingService.with(limitedBy) { service in
            _ = try await service.outcome("loans.update", ["id": 1, "values": ["note": "changed"]], subject: 1)
            let entries = "SELECT string_agg(id::text, ' ' ORDER BY id) FROM journal WHERE row_id = 1"
            let expected = try await service.database.psql(entries)
            let own = try await service.ids("loans.history", ["id": 1], subject: 1)
            #expect(own.count == 2 && own.joined(separator: " ") == expected)
            #expect(try await service.outcome("loans.history", ["id": 1], subject: 2) == "not found")
            #expect(try await service.outcome("loans.history", ["id": 99], subject: 2) == "not found")
            #expect(try await service.outcome("loans.delete", ["id": 1], subject: 1) == "done")
            #expect(try await service.outcome("loans.history", ["id": 1], subject: 1) == "not found")
        }
    }

    @Test func `the database shows a subject the journal of the rows that it reads`() async throws {
        try await LendingService.with(.serverAndDatabase) { service in
            let seen = """
                SET ROLE learntrack_lending_reader; SET learntrack.subject = '2';
                SELECT 'rows ' || string_agg(row_id::text, ' ' ORDER BY id) FROM journal
                """
            let rows = try await service.database.psql(seen)
            #expect(rows.hasSuffix("rows 3"), "\(rows)")
            let ofCommands = try await service.database.psql(
                "SELECT has_table_privilege('learntrack_lending_test_commands', 'journal', 'SELECT')")
            #expect(ofCommands == "f")
        }
    }

    @Test func `a created loan is the reader's`() async throws {
        try await LendingService.with(.serverAndDatabase) { service in
            let outcome = try await service.outcome("loans.create", ["values": ["note": "new"]], subject: 2)
            #expect(outcome == "done")
            #expect(try await service.database.psql("SELECT reader_id FROM loans WHERE note = 'new'") == "2")
        }
    }

    @Test(arguments: Guard.allCases)
    func `what a command does to the loan of another is undone, and answered as if there were none`(limitedBy: Guard)
        async throws
    {
        try await LendingService.with(limitedBy) { service in
            let notes = "SELECT string_agg(note, ',' ORDER BY id) FROM loans"
            for method in ["loans.annotate", "loans.annotate_all"] {
                let params: JSONObject = ["id": 1, "note": .string(method)]
                #expect(try await service.outcome(method, params, subject: 2) == "not found")
                #expect(try await service.database.psql(notes) == "a,b,c")
                #expect(try await service.outcome(method, params, subject: 1) == "done")
                #expect(try await service.database.psql(notes) == "\(method),b,c")
                try await service.database.psql("UPDATE loans SET note = 'a' WHERE id = 1")
            }
            #expect(try await service.outcome("loans.annotate", ["id": 99, "note": "x"], subject: 1) == "not found")
        }
    }

    @Test func `the subject ends with its transaction`() async throws {
        try await LendingService.with(.serverAndDatabase) { service in
            // The pool has one connection, on which the call before was made.
            let own = try await service.ids("loans.list", [:], subject: 1)
            #expect(own.count == 2)
            #expect(try await service.readerRows("SELECT count(*) FROM loans") == "0")
            #expect(try await service.readerRows("SELECT coalesce(kernel.subject(), 0)") == "0")
        }
    }

    @Test func `functions of the database know the account, the role and the subject of a call`() async throws {
        try await LendingService.with(.serverAndDatabase) { service in
            _ = try await service.outcome("loans.update", ["id": 3, "values": ["note": "whose"]], subject: 2)
            #expect(try await service.database.psql("SELECT acting FROM loans WHERE id = 3") == "11 lending_reader 2")
        }
    }
}

/// A domain with a role that has a subject, without HTTP, on a database of its own.
private struct LendingService: Sendable {
    let database: TestDatabase
    private let reader: PostgresClient
    private let executor: Executor
    private let methods: [String: Method]

    private static let role = Role("lending_reader", subject: "readers", label: "Lecteur")

    static func with(_ limitedBy: OwnRowsTests.Guard, _ body: (LendingService) async throws -> Void) async throws {
        try await TestDatabase.with { database in
            try await database.psql(schema)
            if limitedBy == .serverAlone {
                try await database.psql(
                    "ALTER TABLE loans DISABLE ROW LEVEL SECURITY; ALTER TABLE readers DISABLE ROW LEVEL SECURITY")
            }
            var configuration = PostgresClient.Configuration(connectionString: database.connectionString)
            configuration.role = role.databaseRole
            configuration.poolSize = 1
            configuration.acquireTimeout = .seconds(60)
            let client = PostgresClient(configuration)
            let outcome: Result<Void, any Error>
            do {
                outcome = .success(try await body(LendingService(database, client, limitedBy)))
            } catch {
                outcome = .failure(error)
            }
            await client.shutdown()
            try outcome.get()
        }
    }

    private init(_ database: TestDatabase, _ client: PostgresClient, _ limitedBy: OwnRowsTests.Guard) throws {
        self.database = database
        reader = client
        let domain = Self.domain
        // A planner without a role limits no rows: then only the database does.
        let planner = Planner(domains: [domain], for: limitedBy == .databaseAlone ? nil : Self.role)
        let roles = ServedRole.roles(of: [domain], [Self.role: planner])
        executor = try Executor(
            databases: Databases(roles: [Self.role: client], accounts: client), domains: [domain], roles: roles,
            limits: EnvelopeLimits())
        var all = domain.entities.flatMap { EntityMethods(entity: $0, roles: roles).methods }
        let journal = Planner(domains: [domain, Journal.domain])
        all += domain.entities.compactMap {
            HistoryMethod(entity: $0, journal: Journal.journal, roles: roles, planner: journal).method
        }
        for command in domain.commands { all.append(try command.method(for: roles, in: [domain])) }
        methods = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
    }

    // MARK: Calls

    /// The ids of a page.
    func ids(_ method: String, _ params: JSONObject, subject: Int64) async throws -> [String] {
        let selected = JSONObject(params.members + [.init("select", "{ id }")])
        guard case .page(let page) = try await run(method, selected, subject) else { return ["no page"] }
        // A page with a count has a row of nulls where it is empty.
        return (0..<page.rows.count).compactMap { page.rows.text($0, 0) }.sorted()
    }

    /// `done`, `not found`, `conflict`, or the error.
    func outcome(_ method: String, _ params: JSONObject, subject: Int64) async throws -> String {
        do {
            _ = try await run(method, params, subject)
            return "done"
        } catch let error as ExecutionError {
            switch error {
            case .notFound: return "not found"
            case .versionConflict: return "conflict"
            default: return "\(error)"
            }
        }
    }

    /// The first column of a statement in the role, outside of any call.
    func readerRows(_ sql: String) async throws -> String? {
        try await reader.query(Statement(sql)).text(0, 0)
    }

    private func run(_ name: String, _ params: JSONObject, _ subject: Int64) async throws -> CallResult {
        let method = try #require(methods[name])
        let user = AuthenticatedUser(
            member: Member(company: 1, id: 11), account: 11, signInID: "00000000-0000-4000-8000-000000000001",
            role: "user",
            additionalRoles: [HeldRole(role: Self.role.name, subject: subject)])
        let caller = Caller(user: user)
        let call = Call(
            caller: caller, role: try method.actingRole(of: caller),
            context: CallContext(requestID: "r", deadline: .now + .seconds(60)))
        let plan = try method.plan(.byName(params, duplicates: []), call)
        return try await executor.run(plan, for: call)
    }

    // MARK: Domain

    private static let own: Grants = [role: .own("reader_id")]
    private static let domain = Domain(
        name: "lending", schema: "public", roles: [role],
        entities: [
            Entity(
                name: "readers", noun: Noun("lecteur", plural: "lecteurs", feminine: false),
                columns: [.id, Column("name", .text(maxLength: 100), nullable: false, summary: "")],
                relations: [Relation("loans", to: "loans", .toMany(column: "reader_id"), summary: "")],
                search: nil, defaultOrder: [OrderTerm("name")],
                access: Access(read: [role: .own("id")], create: [], update: [], delete: [])),
            Entity(
                name: "loans", noun: Noun("prêt", plural: "prêts", feminine: false),
                columns: [
                    .id, Column("note", .text(maxLength: 100), summary: ""),
                    Column("reader_id", .bigint, nullable: false, summary: ""),
                    Column("version", .integer, nullable: false, hasDefault: true, access: .readOnly, summary: ""),
                ],
                relations: [Relation("reader", to: "readers", .toOne(column: "reader_id"), summary: "")],
                search: nil, defaultOrder: [OrderTerm("id")],
                access: Access(read: own, create: own, update: own, delete: own), isDuplicable: true),
            Entity(
                name: "loans_from",
                source: .function("loans_from", [Column("first_id", .bigint, nullable: false, summary: "")]),
                noun: Noun("prêt", plural: "prêts", feminine: false),
                columns: [.id, Column("reader_id", .bigint, nullable: false, summary: "")], search: nil,
                defaultOrder: [OrderTerm("id")], access: Access(read: own, create: [], update: [], delete: [])),
        ],
        commands: [
            annotation("loans.annotate", "public.annotate", .record(of: "loans")),
            annotation("loans.annotate_all", "public.annotate_all", .records(of: "loans")),
        ])

    /// A command whose function does not ask whose loan it is, and whose parameter does not say what it names.
    private static func annotation(_ name: String, _ function: String, _ answers: Command.Answers) -> Command {
        Command(
            name: name, summary: "",
            parameters: [
                Column("id", .bigint, nullable: false, summary: ""),
                Column("note", .text(maxLength: 100), nullable: false, summary: ""),
            ], function: function, answers: answers, roles: [role])
    }

    private static let schema = """
        SELECT kernel.role_keep('\(role.databaseRole)');
        CREATE TABLE readers (id bigserial PRIMARY KEY, name text NOT NULL);
        CREATE TABLE loans (
            id bigserial PRIMARY KEY, note text, reader_id bigint NOT NULL REFERENCES readers (id),
            version integer NOT NULL DEFAULT 1, acting text);
        SELECT kernel.company_keep('readers', 'loans');
        CREATE FUNCTION loans_from(first_id bigint) RETURNS TABLE (id bigint, reader_id bigint) LANGUAGE sql STABLE
        BEGIN ATOMIC
            SELECT l.id, l.reader_id FROM loans l WHERE l.id >= loans_from.first_id;
        END;
        CREATE FUNCTION note_acting() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            NEW.acting := concat_ws(' ', kernel.account(), kernel.role(), kernel.subject());
            RETURN NEW;
        END $$;
        SELECT kernel.journal_keep('loans');
        INSERT INTO readers (name) VALUES ('Anne'), ('Paul');
        INSERT INTO loans (note, reader_id) VALUES ('a', 1), ('b', 1), ('c', 2);
        CREATE TRIGGER loans_acting BEFORE UPDATE ON loans FOR EACH ROW EXECUTE FUNCTION note_acting();
        GRANT SELECT ON readers TO \(role.databaseRole);
        GRANT SELECT, INSERT, UPDATE, DELETE ON loans TO \(role.databaseRole);
        GRANT USAGE ON SEQUENCE loans_id_seq TO \(role.databaseRole);
        ALTER TABLE readers ENABLE ROW LEVEL SECURITY;
        ALTER TABLE loans ENABLE ROW LEVEL SECURITY;
        CREATE POLICY readers_own ON readers TO \(role.databaseRole) USING (id = kernel.subject());
        CREATE POLICY loans_own ON loans TO \(role.databaseRole) USING (reader_id = kernel.subject());
        SELECT kernel.commands_role('lending_test');
        GRANT SELECT, UPDATE ON loans TO learntrack_lending_test_commands;
        CREATE POLICY loans_commands ON loans TO learntrack_lending_test_commands USING (true);
        CREATE FUNCTION annotate(loan bigint, given text) RETURNS bigint
            LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
            AS 'UPDATE public.loans SET note = given WHERE id = loan RETURNING id';
        CREATE FUNCTION annotate_all(loan bigint, given text) RETURNS bigint[]
            LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
            AS 'WITH changed AS (UPDATE public.loans SET note = given WHERE id = loan RETURNING id)
                SELECT array_agg(id) FROM changed';
        SELECT kernel.command_keep('lending_test', 'public.annotate(bigint, text)', '\(role.databaseRole)');
        SELECT kernel.command_keep('lending_test', 'public.annotate_all(bigint, text)', '\(role.databaseRole)')
        """
}
