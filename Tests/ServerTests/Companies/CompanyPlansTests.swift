import CRMDomain
import DomainKit
import Foundation
import JSON
import QueryCompiler
import TestPostgres
import TestSupport
import Testing

/// companies.md, "Promises": what Postgres expects of companies when it plans statements that are the same for all of them.
@Suite struct CompanyPlansTests {
    /// 299 companies with 20 clients, and one with 2,000.
    private static let rows = """
        BEGIN;
        SET LOCAL session_replication_role = replica;
        INSERT INTO kernel.companies (id, name) SELECT c, 'Société ' || c FROM generate_series(2, 300) AS c;
        INSERT INTO clients (company_id, id, raison_sociale)
        SELECT c, c * 10000 + n, 'Client ' || n
        FROM generate_series(1, 300) AS c, generate_series(1, CASE WHEN c = 1 THEN 2000 ELSE 20 END) AS n;
        INSERT INTO sessions (company_id, id, module, date, debut, fin, modalite, client_id, search_text)
        SELECT c, c * 10000 + n, 'Voile', date '2031-01-01' + n, '09:00', '17:00', 'P',
            c * 10000 + 1 + n * 7 % CASE WHEN c = 1 THEN 2000 ELSE 20 END, ''
        FROM generate_series(1, 300) AS c, generate_series(1, CASE WHEN c = 1 THEN 3000 ELSE 50 END) AS n;
        COMMIT;
        ANALYZE;
        """

    @Test func `a page reads the related records that it shows, in a company that is a hundred times the average`()
        async throws
    {
        try await TestDatabase.with { database in
            try await database.psql("SELECT kernel.companies_enable(); SELECT kernel.companies_close()")
            try await database.psql(Self.rows)
            let planner = Planner(domains: [CRM.domain], sortCollation: "francais")
            let page = LargeDatabase.Question(
                name: "first page",
                query: try planner.list(
                    try Entity.named("sessions"), ["first": 50, "select": "{ id module client { raison_sociale } }"]
                ).query)
            for company in [1, 200] {
                let plan = try #require(try await LargeDatabase.plans(of: [page], on: database, in: company).first)
                #expect(plan.mostRowsRead <= 64 && plan.mostRowsRemoved <= 64, "\(company): \(plan.text)")
            }
            // What the average alone makes of it.
            try await database.psql(
                "ALTER TABLE clients ALTER COLUMN company_id RESET (n_distinct); ANALYZE clients")
            let plan = try #require(try await LargeDatabase.plans(of: [page], on: database, in: 1).first)
            #expect(plan.mostRowsRead > 500, "\(plan.text)")
            // Run again, the command mends what was lost.
            let command = try await LearnTrackProcess.run(
                ["companies", "enable"], environment: ["DATABASE_URL": database.connectionString])
            #expect(command.status == 0, "\(command.errors)")
            let mended = try #require(try await LargeDatabase.plans(of: [page], on: database, in: 1).first)
            #expect(mended.mostRowsRead <= 64, "\(mended.text)")
        }
    }

    private static let expected = """
        SELECT string_agg(attrelid::regclass::text, ' ' ORDER BY attrelid::regclass::text COLLATE "C") FROM pg_attribute
        WHERE attname = 'company_id' AND 'n_distinct=-0.0005' = ANY (attoptions)
        """

    @Test func `only tables that others refer to are said to have a size, and none with one company`() async throws {
        try await TestDatabase.with { database in
            let environment = ["DATABASE_URL": database.connectionString]
            func migrate() async throws {
                let run = try await LearnTrackProcess.run(["migrate", "up", "--functions"], environment: environment)
                #expect(run.status == 0, "\(run.errors)")
            }
            try await migrate()
            #expect(try await database.psql(Self.expected) == "")
            try await database.psql(
                """
                ALTER TABLE ecoles ALTER COLUMN company_id SET (n_distinct = 7);
                SELECT kernel.companies_enable();
                SELECT kernel.companies_close();
                """)
            let kept = try await database.psql(Self.expected).split(separator: " ").map(String.init)
            #expect(Set(kept).isSuperset(of: ["clients", "formateurs", "users"]), "\(kept)")
            #expect(Set(kept).isDisjoint(with: ["sessions", "relances", "journal"]), "\(kept)")
            let set = """
                SELECT attoptions FROM pg_attribute WHERE attrelid = 'ecoles'::regclass AND attname = 'company_id'
                """
            #expect(try await database.psql(set) == "{n_distinct=7}", "what somebody has set stays")
            // A table that a migration adds later.
            try await database.psql(
                """
                CREATE TABLE salles (
                    company_id bigint NOT NULL DEFAULT kernel.company(), id bigserial, PRIMARY KEY (company_id, id));
                SELECT kernel.table_keep('salles');
                CREATE TABLE bancs (
                    company_id bigint NOT NULL DEFAULT kernel.company(), id bigserial, salle_id bigint,
                    PRIMARY KEY (company_id, id),
                    FOREIGN KEY (company_id, salle_id) REFERENCES salles (company_id, id));
                SELECT kernel.table_keep('bancs');
                """)
            try await migrate()
            let further = try await database.psql(Self.expected).split(separator: " ")
            #expect(further.contains("salles") && !further.contains("bancs"), "\(further)")
        }
    }

    @Test func `a table that has got its company by a migration is analyzed`() async throws {
        try await TestDatabase.with { database in
            // Too few for autovacuum, as those of a large table are that has got a column.
            try await database.psql(
                """
                INSERT INTO ecoles (nom) SELECT 'École ' || n FROM generate_series(1, 30) AS n;
                DELETE FROM pg_statistic WHERE starelid = 'ecoles'::regclass;
                """)
            let known = "SELECT n_distinct FROM pg_stats WHERE tablename = 'ecoles' AND attname = 'company_id'"
            #expect(try await database.psql(known) == "")
            let run = try await LearnTrackProcess.run(
                ["migrate", "up", "--functions"], environment: ["DATABASE_URL": database.connectionString])
            #expect(run.status == 0, "\(run.errors)")
            #expect(try await database.psql(known) == "1")
        }
    }

    @Test func `a search reaches its index behind the policies, or doctor says what a superuser runs`() async throws {
        try await TestDatabase.with { database in
            let environment = ["DATABASE_URL": database.connectionString, "JWT_SECRET": TestServer.secret]
            func finding() async throws -> JSONValue? {
                let run = try await LearnTrackProcess.run(
                    ["doctor", "--json", "--port", "0"], environment: environment)
                let answer = try JSONValue.parse(Array(run.output.utf8))
                return answer["findings"]?.array.first { $0["name"] == "searches" }
            }
            let leakproof = "SELECT proleakproof FROM pg_proc WHERE oid = 'textlike(text, text)'::regprocedure"
            #expect(try await database.psql(leakproof) == "f")
            #expect(try await finding() == nil, "one company")
            try await database.psql(
                """
                SELECT kernel.companies_enable();
                SELECT kernel.companies_close();
                INSERT INTO kernel.companies (name) VALUES ('Digue');
                """)
            #expect(try await database.psql(leakproof) == "t")
            #expect(try await finding() == nil)
            // As a database is that was restored, or whose login is no superuser's.
            try await database.psql("ALTER FUNCTION pg_catalog.textlike(text, text) NOT LEAKPROOF")
            let slow = try await finding()
            #expect(slow?["state"] == "ok")
            let remedy = try #require(slow?["remedy"]?.text)
            let statement = try #require(remedy.split(separator: ": ").last)
            try await database.psql(String(statement))
            #expect(try await database.psql(leakproof) == "t")
            #expect(try await finding() == nil)
        }
    }

    @Test func `a restored installation knows its companies as the one that was backed up`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/companies.backup"
        let copy = try await TestDatabase.create(migrated: false)
        try await TestDatabase.with { database in
            try await database.psql("SELECT kernel.companies_enable(); SELECT kernel.companies_close()")
            for (command, target) in [("backup", database), ("restore", copy)] {
                let run = try await LearnTrackProcess.run(
                    [command, file], environment: ["DATABASE_URL": target.connectionString])
                #expect(run.status == 0, "\(run.errors)")
            }
            let expected = try await database.psql(Self.expected)
            #expect(expected != "")
            #expect(try await copy.psql(Self.expected) == expected)
        }
        let leakproof = "SELECT proleakproof FROM pg_proc WHERE oid = 'textlike(text, text)'::regprocedure"
        #expect(try await copy.psql(leakproof) == "t")
        try await copy.drop()
    }
}
