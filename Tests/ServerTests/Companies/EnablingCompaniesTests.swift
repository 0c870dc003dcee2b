import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// companies.md: "`learntrack companies enable` swaps policies while servers serve; then `companies add`."
@Suite struct EnablingCompaniesTests {
    private static func run(
        _ arguments: [String], on database: TestDatabase, input: String = "", _ environment: [String: String] = [:]
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await LearnTrackProcess.run(
            ["companies"] + arguments,
            environment: ["DATABASE_URL": database.connectionString].merging(environment) { _, new in new },
            input: input)
    }

    @Test func `a running server answers every call while several companies are enabled`() async throws {
        let server = try await TestServer.start()
        let admin = try await server.client()
        for number in 1...5 {
            _ = try await admin.call("ecoles.create", ["values": ["nom": .string("École \(number)")]])
        }
        let command = try LearnTrackProcess(
            ["companies", "enable"], environment: ["DATABASE_URL": server.database.connectionString])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 1...4 {
                let client = try await server.client(caller.isMultiple(of: 2) ? TestServer.user : TestServer.admin)
                group.addTask {
                    // Some calls more after its end.
                    var further = 20
                    while further > 0 {
                        if !command.isRunning { further -= 1 }
                        let page = try await client.call("ecoles.list", ["select": "{ nom }", "count": true])
                        #expect(page["total"] == 5)
                        #expect(page["items"]?.array.count == 5)
                        let made = try await client.call(
                            "sessions.create",
                            [
                                "values": [
                                    "module": .string("Voile \(caller)"), "date": "2031-03-04", "debut": "09:00",
                                    "fin": "12:00", "modalite": "D",
                                ], "select": "{ id }",
                            ])
                        let read = try await client.call(
                            "sessions.get", ["id": made["id"] ?? .null, "select": "{ module }"])
                        #expect(read["module"] == .string("Voile \(caller)"))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await command.waitForExit() == 0, "\(command.errors)")
        #expect(command.output.contains("waiting 10 s until running servers name the company in each read"))
        #expect(command.output.contains("enabled: add a company with 'learntrack companies add NAME --admin EMAIL'"))
        #expect(try await server.database.psql("SELECT kernel.company() IS NULL") == "t")
        #expect(try await server.stop() == 0)
    }

    @Test func `enabling can be stopped between its steps, and repeated`() async throws {
        let database = try await TestDatabase.create(migrated: true)
        let early = try await Self.run(
            ["add", "Digue", "--admin", "a@exemple.fr"], on: database, input: "une phrase\n")
        #expect(early.status != 0)
        #expect(early.errors.contains("run 'learntrack companies enable' first"))

        let command = try LearnTrackProcess(
            ["companies", "enable"], environment: ["DATABASE_URL": database.connectionString])
        try await eventually("it waits") { command.output.contains("waiting") }
        try command.signal(SIGKILL)
        try await command.waitForExit()
        let stage = "SELECT enabled_at IS NOT NULL, closed_at IS NULL, kernel.company() FROM kernel.installation"
        #expect(try await database.psql(stage) == "t|t|1")
        let between = try await Self.run(
            ["add", "Digue", "--admin", "a@exemple.fr"], on: database, input: "une phrase\n")
        #expect(between.errors.contains("run 'learntrack companies enable' first"))

        let policies = "SELECT string_agg(oid::text, ' ' ORDER BY oid) FROM pg_policy WHERE polname = 'company'"
        let made = try await database.psql(policies)
        #expect(try await Self.run(["enable"], on: database).status == 0)
        #expect(
            try await database.psql("SELECT closed_at IS NOT NULL, kernel.company() IS NULL FROM kernel.installation")
                == "t|t")
        let again = try await Self.run(["enable"], on: database)
        #expect(again.status == 0)
        #expect(again.output == "several companies are enabled already\n")
        // None was made anew.
        #expect(try await database.psql(policies) == made)
        try await database.drop()
    }

    @Test func `doctor finds nothing wrong afterwards, and applying functions again changes nothing`() async throws {
        let database = try await TestDatabase.create(migrated: false)
        let environment = ["DATABASE_URL": database.connectionString, "JWT_SECRET": TestServer.secret]
        func findings() async throws -> String {
            let run = try await LearnTrackProcess.run(["doctor", "--json", "--port", "0"], environment: environment)
            let answer = try JSONValue.parse(Array(run.output.utf8))
            let faults = answer["findings"]?.array.filter { $0["state"] == "fault" }.map(\.json) ?? []
            return (faults + [try await database.psql("SELECT fact FROM kernel.schema_missing()")])
                .joined(separator: "\n")
        }
        #expect(try await LearnTrackProcess.run(["migrate", "up"], environment: environment).status == 0)
        #expect(try await database.psql("SELECT fact FROM kernel.schema_missing()") == "")
        let before = try await findings()
        _ = try await database.psql("SELECT kernel.companies_enable()")
        #expect(try await findings() == before)
        _ = try await database.psql("SELECT kernel.companies_close()")
        #expect(try await findings() == before)
        let body = "SELECT prosrc FROM pg_proc WHERE oid = 'kernel.company()'::regprocedure"
        let strict = try await database.psql(body)
        #expect(
            try await LearnTrackProcess.run(["migrate", "up", "--functions"], environment: environment).status == 0)
        #expect(try await database.psql(body) == strict)
        #expect(try await findings() == before)
        try await database.drop()
    }

    @Test func `a table of a later migration keeps companies apart, and one that does not is named at the start`()
        async throws
    {
        let server = try await TestServer.start()
        #expect(try await server.stop() == 0)
        let database = server.database
        let environment = ["DATABASE_URL": database.connectionString, "JWT_SECRET": TestServer.secret]
        _ = try await database.psql(
            """
            SELECT kernel.companies_enable();
            SELECT kernel.companies_close();
            CREATE TABLE public.essais (
                company_id bigint NOT NULL DEFAULT kernel.company(), id bigint, PRIMARY KEY (company_id, id));
            SELECT kernel.rights_keep('public.essais', 'learntrack_user', readable => '*');
            """)
        let refused = try await LearnTrackProcess.run(["serve", "--port", "0"], environment: environment)
        #expect(refused.status != 0)
        #expect(refused.errors.contains("no policy of public.essais keeps the rows of companies apart"))
        #expect(refused.errors.contains("run 'learntrack companies enable' again"))
        // What `migrate up` does after it has applied files.
        #expect(
            try await LearnTrackProcess.run(["migrate", "up", "--functions"], environment: environment).status == 0)
        let roles = """
            SELECT string_agg(r.rolname, ', ' ORDER BY r.rolname), min(p.polpermissive::text)
            FROM pg_policy p JOIN pg_roles r ON r.oid = ANY (p.polroles)
            WHERE p.polname = 'company' AND p.polrelid = 'essais'::regclass
            """
        #expect(try await database.psql(roles) == "learntrack_user|false")
        // Another role is added.
        _ = try await database.psql("SELECT kernel.rights_keep('public.essais', 'learntrack_admin', readable => '*')")
        #expect(try await Self.run(["enable"], on: database).status == 0)
        #expect(try await database.psql(roles) == "learntrack_admin, learntrack_user|false")

        _ = try await database.psql("CREATE POLICY essais_all ON essais FOR SELECT USING (true)")
        let open = try await LearnTrackProcess.run(["serve", "--port", "0"], environment: environment)
        #expect(open.errors.contains("a policy of public.essais lets everybody reach rows of every company"))
        let again = try await Self.run(["enable"], on: database)
        #expect(again.errors.contains("policies of public.essais let everybody reach rows of every company"))
    }

    @Test func `companies are added with their first administrator, and listed`() async throws {
        let server = try await TestServer.start()
        let database = server.database
        _ = try await database.psql("SELECT kernel.companies_enable()")
        try await Task.sleep(for: .seconds(2))
        _ = try await database.psql("SELECT kernel.companies_close()")

        // Who has an account becomes a member, with the password that it has.
        let digue = try await Self.run(["add", "Digue", "--admin", TestServer.user.uppercased()], on: database)
        #expect(digue.status == 0, "\(digue.errors)")
        #expect(digue.output.hasPrefix("added Digue (id 2): "))
        #expect(digue.output.contains("who has an account, administers it"))
        let known = try await RPCClient(port: server.port, token: nil).call(
            "auth.login",
            ["email": .string(TestServer.user), "password": .string(TestServer.password), "company_id": 2])
        #expect(known["company"] == ["id": 2, "name": "Digue", "role": "admin"])
        #expect(known["companies"]?.array.count == 2)

        // A new one has the password that is read, or an invitation.
        let phare = try await Self.run(
            ["add", "Phare", "--admin", "phare@exemple.fr"], on: database, input: "une belle phrase pour le phare\n")
        #expect(phare.output.contains("with the password that was given"), "\(phare.errors)")
        let keeper = try await RPCClient(port: server.port, token: nil).call(
            "auth.login", ["email": "phare@exemple.fr", "password": "une belle phrase pour le phare"])
        #expect(keeper["companies"] == [["id": 3, "name": "Phare", "role": "admin"]])
        let quai = try await Self.run(
            ["add", "Quai", "--admin", "quai@exemple.fr"], on: database, ["SMTP_URL": "smtp://127.0.0.1:9"])
        #expect(quai.output.contains("a mail invites quai@exemple.fr to administer it"), "\(quai.errors)")
        let entered = """
            SELECT o.company_id, o.kind, u.email FROM kernel.outbox o
            JOIN users u ON u.company_id = o.company_id AND u.id = o.record_id
            JOIN kernel.invitations i ON i.company_id = o.company_id AND i.user_id = u.id
            """
        #expect(try await database.psql(entered) == "4|users.invitation|quai@exemple.fr")

        let twice = try await Self.run(["add", "digue", "--admin", "autre@exemple.fr"], on: database)
        #expect(twice.errors.contains("company 2 has this name already"))
        let weak = try await Self.run(["add", "Môle", "--admin", "mole@exemple.fr"], on: database, input: "court\n")
        #expect(weak.status != 0)
        // What was refused has left nothing.
        let list = try await Self.run(["list"], on: database)
        let lines = list.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 4)
        #expect(lines.first?.hasPrefix("1  LearnTrack  2 members") == true)
        #expect(lines.last?.hasPrefix("4  Quai        1 member ") == true)
        #expect(lines.allSatisfy { $0.contains("  since 20") })

        // The other commands are told the company.
        let environment = ["DATABASE_URL": database.connectionString]
        let unnamed = try await LearnTrackProcess.run(["export", "ecoles"], environment: environment)
        #expect(unnamed.errors.contains("--company ID"))
        let named = try await LearnTrackProcess.run(
            ["import", "csv", "ecoles", "-", "--company", "3"], environment: environment, input: "nom\nÉcole du Phare\n"
        )
        #expect(named.status == 0, "\(named.errors)")
        for (company, isThere) in [("3", true), ("2", false)] {
            let exported = try await LearnTrackProcess.run(
                ["export", "ecoles", "--company", company], environment: environment)
            #expect(exported.output.contains("École du Phare") == isThere)
        }
        let account = try await LearnTrackProcess.run(
            ["user", "add", "--email", "aide@exemple.fr", "--role", "user"], environment: environment,
            input: "une belle phrase pour aider\n")
        #expect(account.errors.contains("--company ID"))
        #expect(try await server.stop() == 0)
    }

    @Test(arguments: [
        ("learntrack_worker 0.9.0 listener", "version 0.9.0"), ("learntrack_worker listener", "an unknown version"),
    ])
    func `enabling refuses while a server of an older version uses the database, and names it`(
        name: String, version: String
    ) async throws {
        let database = try await TestDatabase.create(migrated: true)
        let older = Task { try await database.psql("SET application_name = '\(name)'; SELECT pg_sleep(60)") }
        let session = "FROM pg_stat_activity WHERE datname = current_database() AND application_name = '\(name)'"
        try await eventually("it is connected") { try await database.psql("SELECT count(*) \(session)") == "1" }
        let pid = try await database.psql("SELECT pid \(session)")
        let refused = try await Self.run(["enable"], on: database)
        #expect(refused.status != 0)
        #expect(
            refused.errors.contains("servers of an older version use the database: pid \(pid) ("), "\(refused.errors)")
        #expect(refused.errors.contains(", \(version))"), "\(refused.errors)")
        let stage = "SELECT enabled_at IS NULL, closed_at IS NULL FROM kernel.installation"
        #expect(try await database.psql(stage) == "t|t")
        _ = try await database.psql("SELECT pg_terminate_backend(pid) \(session)")
        _ = await older.result
        // A newer one, and the connections of other programs, are no obstacle.
        let newer = Task {
            try await database.psql("SET application_name = 'learntrack_worker 99.0.0 listener'; SELECT pg_sleep(60)")
        }
        let enabled = try await Self.run(["enable"], on: database)
        #expect(enabled.status == 0, "\(enabled.errors)")
        _ = try await database.psql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'learntrack_worker 99%'"
        )
        _ = await newer.result
        try await database.drop()
    }

    @Test func `an older server that has started between the steps keeps the second one from being taken`()
        async throws
    {
        let database = try await TestDatabase.create(migrated: true)
        let command = try LearnTrackProcess(
            ["companies", "enable"], environment: ["DATABASE_URL": database.connectionString])
        try await eventually("it waits") { command.output.contains("waiting") }
        let older = Task {
            try await database.psql("SET application_name = 'learntrack_worker 0.9.0 listener'; SELECT pg_sleep(60)")
        }
        #expect(try await command.waitForExit() != 0)
        #expect(command.errors.contains("run 'learntrack companies enable' again"))
        let stage = "SELECT enabled_at IS NOT NULL, closed_at IS NULL FROM kernel.installation"
        #expect(try await database.psql(stage) == "t|t")
        _ = try await database.psql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'learntrack_worker 0.9%'"
        )
        _ = await older.result
        try await database.drop()
    }

    @Test
    func `doctor says that enabling has stopped between its steps, and which company has no active administrator`()
        async throws
    {
        let database = try await TestDatabase.create(migrated: true)
        let environment = ["DATABASE_URL": database.connectionString, "JWT_SECRET": TestServer.secret]
        func finding() async throws -> JSONValue? {
            let run = try await LearnTrackProcess.run(["doctor", "--json", "--port", "0"], environment: environment)
            let answer = try JSONValue.parse(Array(run.output.utf8))
            return answer["findings"]?.array.first { $0["name"] == "companies" }
        }
        #expect(try await finding() == nil)
        _ = try await database.psql("SELECT kernel.companies_enable()")
        #expect(try await finding() == nil, "it may still run")
        _ = try await database.psql("UPDATE kernel.installation SET enabled_at = now() - interval '2 minutes'")
        let stopped = try await finding()
        #expect(stopped?["state"] == "fault")
        #expect(stopped?["detail"]?.text?.contains("stopped between its two steps") == true)
        #expect(stopped?["remedy"] == "run 'learntrack companies enable' again")
        #expect(try await Self.run(["enable"], on: database).status == 0)
        #expect(try await finding() == nil)

        _ = try await database.psql(
            """
            INSERT INTO users (company_id, email, role) VALUES (1, 'anne@exemple.fr', 'admin');
            INSERT INTO kernel.companies (name) VALUES ('Digue'), ('Phare');
            INSERT INTO users (company_id, email, role, is_active) VALUES (2, 'bo@exemple.fr', 'admin', false);
            INSERT INTO users (company_id, email, role) VALUES (3, 'cy@exemple.fr', 'admin');
            """)
        let headless = try await finding()
        #expect(headless?["state"] == "fault")
        #expect(headless?["detail"] == "no active administrator: Digue (id 2)")
        #expect(headless?["remedy"]?.text?.contains("--role admin --company 2") == true)
        let added = try await LearnTrackProcess.run(
            ["user", "add", "--email", "di@exemple.fr", "--role", "admin", "--company", "2"], environment: environment,
            input: "une belle phrase pour la digue\n")
        #expect(added.status == 0, "\(added.errors)")
        #expect(try await finding()?["state"] == "ok")
        try await database.drop()
    }
}
