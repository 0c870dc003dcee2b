import TestPostgres
import Testing

/// `--domains`: what an installation serves.
@Suite struct DomainsTests {
    @Test func `an unknown domain is an error that lists the known ones`() async throws {
        for command in [
            ["serve", "--port", "0"], ["migrate", "up"], ["seed"], ["openrpc"], ["client", "typescript"],
        ] {
            let run = try await LearnTrackProcess.run(command + ["--domains", "crm,stocks"])
            #expect(run.status != 0)
            #expect(run.errors.contains("there is no domain 'stocks'; there are: crm"), "\(run.errors)")
        }
    }

    @Test func `without domains, the accounts and the journal are served`() async throws {
        let database = try await TestDatabase.create(migrated: false)
        let environment = ["DATABASE_URL": database.connectionString, "LEARNTRACK_DOMAINS": ","]
        let up = try await LearnTrackProcess.run(["migrate", "up"], environment: environment)
        #expect(up.status == 0, "\(up.errors)")
        #expect(!up.output.contains("crm/"))
        let seed = try await LearnTrackProcess.run(["seed"], environment: environment)
        #expect(seed.output.contains("demo data loaded"), "\(seed.errors)")
        let counts = "SELECT (SELECT count(*) FROM users), to_regclass('sessions') IS NULL"
        #expect(try await database.psql(counts) == "2|t")
        let document = try await LearnTrackProcess.run(["openrpc"], environment: environment)
        #expect(document.output.contains("\"users.list\""))
        #expect(!document.output.contains("\"sessions.list\""))
    }

    @Test func `a table that is not as its domain declares it keeps the server from starting`() async throws {
        let database = try await TestDatabase.create()
        try await database.psql("ALTER SEQUENCE sessions_id_seq RENAME TO numbers")
        let environment = ["DATABASE_URL": database.connectionString, "JWT_SECRET": TestServer.secret]
        let run = try await LearnTrackProcess.run(["serve", "--port", "0"], environment: environment)
        #expect(run.status != 0)
        #expect(run.errors.contains("public.sessions"), "\(run.errors)")
    }

    @Test func `demo accounts are not added to a database that holds data`() async throws {
        let database = try await TestDatabase.create()
        try await database.psql("INSERT INTO ecoles (nom) VALUES ('École')")
        let run = try await LearnTrackProcess.run(["seed"], environment: ["DATABASE_URL": database.connectionString])
        #expect(run.output.contains("nothing loaded"), "\(run.output) \(run.errors)")
        #expect(try await database.psql("SELECT count(*) FROM users") == "0")
    }
}
