import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// companies.md: "`companies erase 3 --confirm NAME`: everything with its number, waiting messages, keys, links, accounts without another
/// company; prints counts."
@Suite struct CompanyErasureTests {
    private static let left = "SELECT count(*) FROM kernel.company_counts(2)"
    private static let sleeping = """
        SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()
        """

    @Test(arguments: [nil, "lt_company_erase"] as [String?])
    func `an erased company is nowhere, and the others are as they were`(login: String?) async throws {
        let installation = try await CompanyInstallation("a", login: login)
        let database = installation.database
        try await database.psql("INSERT INTO kernel.outbox (company_id, kind, record_id) VALUES (2, 'essai', 1)")
        // Tables of another program, which has its own idea of a company.
        try await database.psql(
            """
            CREATE SCHEMA bi; CREATE TABLE bi.clients (company_id bigint); INSERT INTO bi.clients VALUES (2);
            CREATE TABLE bi.factures (company_id uuid)
            """)
        let others = try await installation.rows(of: 1)
        let run = try await installation.run(["erase", "2", "--confirm", "Digue"])
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines.contains("30  public.sessions") && lines.contains("1  kernel.signatories"), "\(run.output)")
        #expect(lines.contains("1  kernel.outbox") && lines.contains("1  public.access_keys"))
        #expect(lines.last == "erased Digue (id 2): 3 members, 2 accounts")
        #expect(try await database.psql(Self.left) == "0")
        #expect(try await database.psql("SELECT count(*) FROM kernel.changes WHERE company_id = 2") == "0")
        #expect(try await database.psql("SELECT string_agg(name, ' ') FROM kernel.companies") == "Port")
        #expect(
            try await database.psql("SELECT string_agg(email, ' ' ORDER BY email) FROM kernel.accounts")
                == "a1-anne@exemple.fr a1-bruno@exemple.fr commune@exemple.fr")
        #expect(try await installation.rows(of: 1) == others)
        let last = try await installation.run(["erase", "1", "--confirm", "Port"])
        #expect(last.errors.contains("company 1 is the only one: an installation has at least one"), "\(last.errors)")
        #expect(try await database.psql("SELECT count(*) FROM bi.clients") == "1")
        // The journal is append-only again.
        await #expect(throws: (any Error).self) { try await database.psql("DELETE FROM journal") }
        try await database.drop()
    }

    @Test func `another name or number is refused, and nothing is erased`() async throws {
        let installation = try await CompanyInstallation("a")
        let before = try await installation.everything()
        for (arguments, reason) in [
            (
                ["2", "--confirm", "digue"],
                "company 2 is called Digue, not digue: give the name of the company as it is"
            ),
            (["2", "--confirm", "Port"], "company 2 is called Digue, not Port"),
            (["9", "--confirm", "Digue"], "there is no company 9: learntrack companies list shows them"),
            (["2"], "--confirm"),
        ] {
            let run = try await installation.run(["erase"] + arguments)
            #expect(run.status != 0 && run.errors.contains(reason), "\(run.errors)")
        }
        #expect(try await installation.everything() == before)
        try await installation.database.drop()
    }

    @Test func `while it is erased no message of it leaves, and no job runs for it`() async throws {
        let installation = try await CompanyInstallation("a")
        let taken = try await installation.database.psql(
            """
            BEGIN; SELECT kernel.company_end(2, 'Digue');
            INSERT INTO kernel.outbox (company_id, kind, record_id) VALUES (1, 'essai', 1), (2, 'essai', 1);
            SELECT t.company_id FROM kernel.outbox_take('{essai}', 10, '1 minute') AS t;
            SELECT j.id FROM kernel.job_companies() AS j;
            ROLLBACK
            """)
        #expect(taken.split(separator: "\n").filter { !$0.isEmpty } == ["1", "1"])
        try await installation.database.drop()
    }

    @Test func `the number of an erased company is not given again while rows of it are left`() async throws {
        let folder = try TemporaryFolder()
        let installation = try await CompanyInstallation("a")
        let file = folder.path + "/digue"
        for arguments in [["export", "2", "--to", file], ["erase", "2", "--confirm", "Digue"]] {
            let run = try await installation.run(arguments)
            #expect(run.status == 0, "\(run.errors)")
        }
        // As a transaction leaves them that lasts longer than the command waits.
        try await installation.database.psql("INSERT INTO kernel.usage (company_id, day) VALUES (2, '2031-01-01')")
        let refused = try await installation.run(["import", file, "--id", "2"])
        #expect(refused.status != 0 && refused.errors.contains("has left rows"), "\(refused.errors)")
        #expect(try await installation.database.psql("SELECT string_agg(name, ' ') FROM kernel.companies") == "Port")
        try await installation.database.drop()
    }

    @Test func `its members are out within a second, and go on in their other company`() async throws {
        let installation = try await CompanyInstallation("a")
        let server = try await TestServer.start(database: installation.database)
        func client(_ email: String, _ name: String, _ company: JSONValue) async throws -> RPCClient {
            let session = try await server.client(nil).call(
                "auth.login",
                [
                    "email": .string(email), "password": .string("le mot de passe de \(name)"),
                    "company_id": company,
                ])
            return try RPCClient(port: server.port, token: try #require(session["access_token"]?.text))
        }
        let anne = try await client("a2-anne@exemple.fr", "Anne", 2)
        let here = try await client("commune@exemple.fr", "Commune", 2)
        let elsewhere = try await client("commune@exemple.fr", "Commune", 1)
        for caller in [anne, here, elsewhere] {
            #expect(try await caller.call("ecoles.list", ["select": "{ nom }"])["items"]?.array.count == 5)
        }
        let command = try LearnTrackProcess(
            ["companies", "erase", "2", "--confirm", "Digue"], environment: installation.environment)
        let ended = "SELECT count(*) FROM users WHERE company_id = 2 AND is_active"
        try await eventually("the first step") { try await installation.database.psql(ended) == "0" }
        let start = ContinuousClock.now
        for caller in [anne, here] {
            try await eventually("it is out") { try await caller.response("ecoles.list").at("/error/code") == 401 }
        }
        // A second, and one for a slow machine.
        #expect(ContinuousClock.now - start < .seconds(2))
        #expect(try await elsewhere.call("ecoles.list", ["select": "{ nom }"])["items"]?.array.count == 5)
        #expect(try await command.waitForExit() == 0, "\(command.errors)")
        let again = try await client("commune@exemple.fr", "Commune", 1)
        #expect(try await again.call("auth.me")["companies"]?.array.count == 1)
        #expect(try await server.stop() == 0)
    }

    @Test func `a person who is erased or gets another address meanwhile holds up neither`() async throws {
        let installation = try await CompanyInstallation("a")
        let database = installation.database
        // Both lock the account first, and then its members.
        let holder = Task {
            try await database.psql(
                """
                BEGIN;
                UPDATE kernel.accounts SET created_at = created_at WHERE email = 'commune@exemple.fr';
                SELECT pg_sleep(1);
                UPDATE kernel.accounts SET email = 'autre@exemple.fr' WHERE email = 'commune@exemple.fr';
                COMMIT
                """)
        }
        try await eventually("it holds its locks") { try await database.psql(Self.sleeping) == "t" }
        let run = try await installation.run(["erase", "2", "--confirm", "Digue"])
        #expect(run.status == 0, "\(run.errors)")
        _ = try await holder.value
        #expect(
            try await database.psql("SELECT company_id FROM users WHERE email = 'autre@exemple.fr'") == "1")
        #expect(try await database.psql(Self.left) == "0")
        try await database.drop()
    }

    @Test
    func `a company of which the removal was stopped is not served, exported or moved again, and is said to be going`()
        async throws
    {
        let installation = try await CompanyInstallation("a")
        let database = installation.database
        try await database.psql(
            "SELECT kernel.company_end(2, 'Digue'); SELECT name FROM kernel.company_empty(2, 7)")
        let list = try await installation.run(["list"])
        #expect(list.output.contains("being erased"), "\(list.output)")
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("digue-\(database.name).ltcompany")
            .path
        for (arguments, reason) in [
            (["resume", "2"], "'learntrack companies erase 2 --confirm NAME' completes it"),
            (["suspend", "2"], "'learntrack companies erase 2 --confirm NAME' completes it"),
            (["export", "2", "--to", file], "the removal of company 2 has begun"),
        ] {
            let run = try await installation.run(arguments)
            #expect(run.status != 0 && run.errors.contains(reason), "\(arguments) \(run.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: file))
        let move = await #expect(throws: TestEnvironmentError.self) {
            try await database.psql("SELECT kernel.move_leave(2, 'https://ailleurs.exemple.fr')")
        }
        #expect(move?.description.contains("the removal of company 2 has begun") == true)
        await #expect(throws: (any Error).self, "not at psql either") {
            try await database.psql("UPDATE kernel.companies SET suspended_at = NULL WHERE id = 2")
        }
        let doctor = try await LearnTrackProcess.run(["doctor"], environment: installation.environment)
        #expect(doctor.output.contains("Digue (id 2) is being erased"), "\(doctor.output)")
        let completed = try await installation.run(["erase", "2", "--confirm", "Digue"])
        #expect(completed.status == 0, "\(completed.errors)")
        #expect(try await database.psql(Self.left) == "0")
        try await database.drop()
    }

    @Test func `a run that was stopped is completed by the next one, and waits for no row of others`() async throws {
        let installation = try await CompanyInstallation("a")
        let database = installation.database
        try await database.psql(
            "SELECT kernel.company_end(2, 'Digue'); SELECT name FROM kernel.company_empty(2, 7)")
        // Rows of the other company are locked, and its tables are in use.
        let holder = Task {
            try await database.psql(
                """
                BEGIN; UPDATE ecoles SET nom = nom || '!' WHERE company_id = 1; SELECT FROM users WHERE company_id = 1 FOR UPDATE;
                SELECT pg_sleep(8); COMMIT
                """)
        }
        try await eventually("it holds its locks") {
            try await database.psql(Self.sleeping) == "t"
        }
        let command = try LearnTrackProcess(
            ["companies", "erase", "2", "--confirm", "Digue"], environment: installation.environment)
        try await eventually("the company is gone") {
            try await database.psql("SELECT count(*) FROM kernel.companies WHERE id = 2") == "0"
        }
        #expect(try await database.psql(Self.sleeping) == "t")
        _ = try await holder.value
        #expect(try await command.waitForExit() == 0, "\(command.errors)")
        #expect(try await database.psql(Self.left) == "0")
        try await database.drop()
    }
}
