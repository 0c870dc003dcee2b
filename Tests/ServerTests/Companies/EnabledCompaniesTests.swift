import JSON
import TestPostgres
import TestSupport
import Testing

/// companies.md: "without it `kernel.company()` is null and policies pass nothing", "psql per role with the wrong setting, none".
@Suite struct EnabledCompaniesTests {
    private static let tables =
        "(SELECT count(*) FROM ecoles) || ' ' || (SELECT count(*) FROM journal WHERE table_name = 'ecoles')"

    /// The last line of what psql says, after those of SET.
    private func last(_ database: TestDatabase, _ sql: String) async throws -> String {
        try await database.psql(sql).split(separator: "\n").last.map(String.init) ?? ""
    }

    /// A company "Digue" beside the first one, with a school each.
    private static let digue = """
        INSERT INTO kernel.companies (name) VALUES ('Digue');
        BEGIN;
        SET LOCAL learntrack.company = '1';
        INSERT INTO ecoles (nom) VALUES ('École du Port');
        SET LOCAL learntrack.company = '2';
        INSERT INTO ecoles (nom) VALUES ('École de la Digue');
        COMMIT;
        """

    @Test(arguments: ["learntrack_user", "learntrack_admin"])
    func `at psql a role sees the rows of the company that it names`(role: String) async throws {
        try await TestDatabase.with { database in
            func seen(_ company: String?) async throws -> String {
                let named = company.map { "SET learntrack.company = '\($0)';" } ?? ""
                return try await last(database, "SET ROLE \(role); \(named) SELECT \(Self.tables)")
            }
            try await database.psql(Self.digue + "SELECT kernel.companies_enable()")
            // Between the steps, who names none is in the first one.
            #expect(try await seen(nil) == "1 1")
            #expect(try await seen("2") == "1 1")
            try await database.psql("SELECT kernel.companies_close()")
            #expect(try await seen(nil) == "0 0")
            #expect(try await seen("") == "0 0")
            #expect(try await seen("3") == "0 0")
            #expect(try await seen("1") == "1 1")
            #expect(try await seen("2") == "1 1")
            let name = try await last(
                database, "SET ROLE \(role); SET learntrack.company = '2'; SELECT nom FROM ecoles")
            #expect(name == "École de la Digue")
        }
    }

    @Test func `at psql nobody writes into another company than the one that is named, or into none`() async throws {
        try await TestDatabase.with { database in
            try await database.psql(Self.digue + "SELECT kernel.companies_enable(); SELECT kernel.companies_close()")
            func refusal(_ sql: String) async -> String {
                do {
                    return try await database.psql(sql)
                } catch {
                    return "\(error)"
                }
            }
            let none = await refusal("SET ROLE learntrack_admin; INSERT INTO ecoles (nom) VALUES ('n')")
            #expect(none.contains("policy \"company\"") || none.contains("null value in column \"company_id\""))
            // Even the owner of the tables names one.
            #expect(
                await refusal("INSERT INTO ecoles (nom) VALUES ('n')").contains("null value in column \"company_id\""))
            try await database.psql(
                """
                SET ROLE learntrack_admin; SET learntrack.company = '2';
                UPDATE ecoles SET nom = 'École neuve'; DELETE FROM ecoles WHERE nom = 'École du Port';
                """)
            let names = try await database.psql(
                "SELECT string_agg(company_id || ' ' || nom, ', ' ORDER BY 1) FROM ecoles")
            #expect(names == "1 École du Port, 2 École neuve")
        }
    }

    /// A company may have rows that its policies do not name: nobody but who signs people in reaches those of all.
    @Test func `each table of companies has the policy for every role but the one that signs in`() async throws {
        try await TestDatabase.with { database in
            try await database.psql("SELECT kernel.companies_enable()")
            let missing = try await database.psql(
                """
                SELECT string_agg(DISTINCT c.oid::regclass || ' ' || r.rolname, ', ')
                FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'company_id'
                JOIN pg_policy p ON p.polrelid = c.oid CROSS JOIN unnest(p.polroles) AS o JOIN pg_roles r ON r.oid = o
                WHERE c.relrowsecurity AND r.rolname <> 'learntrack_auth' AND NOT EXISTS (
                    SELECT FROM pg_policy q
                    WHERE q.polrelid = c.oid AND q.polname = 'company' AND NOT q.polpermissive AND o = ANY (q.polroles))
                """)
            #expect(missing == "")
            let restricted = try await database.psql(
                """
                SELECT count(*) FROM pg_policy WHERE polname = 'company'
                    AND (0 = ANY (polroles) OR to_regrole('learntrack_auth') = ANY (polroles))
                """)
            #expect(restricted == "0")
        }
    }

    @Test func `calls in two companies reach the records of each, in the server that ran and in one that starts`()
        async throws
    {
        let server = try await TestServer.start()
        let database = server.database
        try await database.psql(
            Self.digue + """
                BEGIN;
                SET LOCAL learntrack.company = '2';
                INSERT INTO users (email, username, role) VALUES ('\(TestServer.admin)', 'Anne', 'admin');
                COMMIT;
                SELECT kernel.companies_enable();
                """)
        try await Task.sleep(for: .seconds(2))
        try await database.psql("SELECT kernel.companies_close()")
        let second = try await TestServer.start(database: database)
        for server in [server, second] {
            for (company, name): (JSONValue, JSONValue) in [(1, "École du Port"), (2, "École de la Digue")] {
                let session = try await RPCClient(port: server.port, token: nil).call(
                    "auth.login",
                    [
                        "email": .string(TestServer.admin), "password": .string(TestServer.password),
                        "company_id": company,
                    ])
                let client = try RPCClient(port: server.port, token: try #require(session["access_token"]?.text))
                let schools = try await client.call("ecoles.list", ["select": "{ id nom }"])
                #expect(schools["items"]?.array.map { $0["nom"] } == [name])
                let id = schools.at("/items/0/id")
                let history = try await client.call("ecoles.history", ["id": id, "select": "{ operation }"])
                #expect(history["items"] == [["operation": "create"]])
                let users = try await client.call("users.list", ["select": "{ email }", "count": true])
                let members: JSONValue = company == 1 ? 2 : 1
                #expect(users["total"] == members)
                let me = try await client.call("auth.me")
                #expect(me.at("/company/id") == company)
                let made = try await client.call("ecoles.create", ["values": ["nom": "Passagère"], "select": "{ id }"])
                _ = try await client.call("ecoles.delete", ["id": made["id"] ?? .null])
                for view in ["indicateurs.list", "conflits.list"] {
                    _ = try await client.call(view, ["du": "2031-01-01", "au": "2031-12-31"])
                }
            }
        }
        #expect(try await second.stop() == 0)
        #expect(try await server.stop() == 0)
    }

    @Test func `a job runs for each company, and what fails in one does not keep the other from its own`() async throws
    {
        let garden = try await OutboxGarden([:])
        let database = garden.database
        try await database.psql(
            """
            INSERT INTO kernel.companies (name) VALUES ('Digue');
            SELECT kernel.companies_enable(); SELECT kernel.companies_close();
            """)
        func suspend() async throws {
            try await database.psql(
                """
                INSERT INTO probe.gardeners (company_id, name, is_suspended, suspended_until)
                VALUES (1, 'n', true, now()), (2, 'o', true, now())
                """)
        }
        func suspended() async throws -> String {
            try await database.psql(
                "SELECT string_agg(DISTINCT company_id::text, ' ') FROM probe.gardeners WHERE is_suspended")
        }
        try await suspend()
        try await eventually("both are released") { try await suspended() == "" }
        let entries = """
            SELECT string_agg(DISTINCT company_id || ' ' || (actor ->> 'username'), ', ') FROM journal
            WHERE table_name = 'gardeners' AND operation = 'update'
            """
        #expect(try await database.psql(entries) == "1 job:gardeners.release, 2 job:gardeners.release")

        // The release of company 2 alone violates it.
        try await database.psql(
            "ALTER TABLE probe.gardeners ADD CONSTRAINT never CHECK (company_id <> 2 OR is_suspended) NOT VALID")
        try await suspend()
        try await eventually("the first company has its own") { try await suspended() == "2" }
        try await eventually("the failure is noted with the company") {
            try await database.psql(
                "SELECT failures > 0 AND last_error LIKE 'Digue: %never%(23514)' FROM kernel.jobs") == "t"
        }
        try await garden.garden.server.process.waitForLog("A job has failed in some companies: Digue: ")
        try await database.psql("ALTER TABLE probe.gardeners DROP CONSTRAINT never")
        try await eventually("the second company has its own") { try await suspended() == "" }
        try await eventually("the failures are over") {
            try await database.psql("SELECT failures, last_error IS NULL FROM kernel.jobs") == "0|t"
        }
    }
}
