import AccountsDomain
import CRMDomain
import ChildProcesses
import DomainKit
import Foundation
import PostgresDriver
import TestPostgres
import TestSupport
import Testing

@testable import ApplicationImport

/// `Tests/Cases/supabase.sql`: a dump in the layout that Supabase has.
struct SupabaseImportTests {
    private static func fixture() throws -> String {
        try ProjectFiles.root() + "/Tests/Cases/supabase.sql"
    }

    /// Runs `body` with a migrated database and an import into it.
    private static func withTarget(_ body: (TestDatabase, ApplicationImport) async throws -> Void) async throws {
        try await TestDatabase.with { database in
            let client = PostgresClient(.init(connectionString: database.connectionString))
            do {
                try await body(database, ApplicationImport(domains: [CRM.domain, Accounts.domain], owner: client))
            } catch {
                await client.shutdown()
                throw error
            }
            await client.shutdown()
        }
    }

    /// Everything that an import writes, as one text.
    private static func contents(_ database: TestDatabase) async throws -> String {
        var text = ""
        for table in ["users", "ecoles", "clients", "formateurs", "sessions"] {
            text +=
                try await database.psql("SELECT to_jsonb(t) - 'updated_at' - 'created_at' FROM \(table) t ORDER BY id")
                + "\n"
            text += try await database.psql("SELECT last_value, is_called FROM \(table)_id_seq") + "\n"
        }
        return text + (try await database.psql("SELECT * FROM credentials ORDER BY 1"))
    }

    private static func dryRun() -> ApplicationImport.Options {
        var options = ApplicationImport.Options()
        options.isDryRun = true
        return options
    }

    @Test
    func `a dump is imported with ids, texts, passwords and sequences, and a second run changes nothing`() async throws
    {
        let source = try await ImportSource.read(Self.fixture())
        try await Self.withTarget { database, target in
            let before = try await Self.contents(database)
            let trial = try await target.run(source, Self.dryRun())
            #expect(trial.problems.isEmpty, "\(trial.problems)")
            #expect(!trial.isDone)
            // This includes sequences, which a ROLLBACK does not reset.
            #expect(try await Self.contents(database) == before)

            let report = try await target.run(source, .init())
            #expect(report.isDone)
            #expect(report.tables.map(\.imported) == [4, 1, 2, 2, 2])
            #expect(try await Self.contents(database) != before)
            #expect(try await database.psql("SELECT rue FROM ecoles WHERE id = 2") == "1 rue\tdu \\Port\nBâtiment B")
            #expect(
                try await database.psql(
                    "SELECT created_at = '2025-04-02 10:00:00.123456+00' FROM clients WHERE id = 12")
                    == "t")
            #expect(
                try await database.psql("SELECT tarif_client, lieu FROM sessions ORDER BY id")
                    == "1200.50|12 rue de la Paix\n|À distance")
            #expect(
                try await database.psql(
                    "SELECT id, role, is_active, supabase_user_id IS NOT NULL FROM users ORDER BY id")
                    == "1|admin|t|t\n4|user|t|t\n5|user|f|t\n9|user|t|t")
            #expect(
                try await database.psql(
                    "SELECT user_id FROM credentials WHERE password_hash = crypt('le mot de passe de Paul', password_hash) ORDER BY 1"
                ) == "4\n5")
            #expect(
                try await database.psql(
                    "SELECT count(*) FROM credentials WHERE user_id = 1 AND password_hash = crypt('le mot de passe d’Anne', password_hash)"
                ) == "1")
            for note in ["avatar_url", "users 5 is banned", "users 9 has no password", "1 of auth.users"] {
                #expect(report.notes.contains { $0.contains(note) }, "\(note): \(report.notes)")
            }
            #expect(try await database.psql("INSERT INTO clients (raison_sociale) VALUES ('x') RETURNING id") == "13")
            #expect(try await database.psql("INSERT INTO users (email) VALUES ('x@y.fr') RETURNING id") == "10")

            // Changes after the import are kept: an update, a deletion, another password.
            try await database.psql(
                """
                UPDATE formateurs SET ville = 'Lyon'; DELETE FROM sessions WHERE id = 21;
                UPDATE credentials SET password_hash = 'autre' WHERE user_id = 1
                """)
            let imported = try await Self.contents(database)
            let again = try await target.run(source, .init())
            #expect(again.problems.isEmpty)
            #expect(again.tables.map(\.imported) == [0, 0, 0, 0, 0])
            #expect(again.tables.map(\.alreadyHere) == [4, 1, 2, 2, 2])
            #expect(try await Self.contents(database) == imported)
        }
    }

    @Test func `a session that names an absorbed client is imported with the client that has absorbed it`() async throws
    {
        let source = try await ImportSource.read(Self.fixture())
        try await Self.withTarget { database, target in
            _ = try await target.run(source, .init())
            let absorbed = try await database.psql("SELECT client_id FROM sessions WHERE client_id IS NOT NULL LIMIT 1")
            let kept = try await database.psql("INSERT INTO clients (raison_sociale) VALUES ('Garde') RETURNING id")
            try await database.psql(
                """
                SELECT clients_fusionner(\(kept), \(absorbed), NULL);
                DELETE FROM supabase_imports WHERE table_name = 'sessions';
                DELETE FROM sessions;
                """)
            let report = try await target.run(source, .init())
            #expect(report.problems.isEmpty, "\(report.problems)")
            #expect(try await database.psql("SELECT count(*) > 0 FROM sessions WHERE client_id = \(kept)") == "t")
            #expect(try await database.psql("SELECT count(*) FROM clients WHERE id = \(absorbed)") == "0")
        }
    }

    @Test func `INSERT dumps and archives are read like the plain dump`() async throws {
        let expected = try await ImportSource.read(Self.fixture())
        try await TestDatabase.with(migrated: false) { origin in
            try await origin.psql(String(contentsOfFile: Self.fixture(), encoding: .utf8))
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lt-dump-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { do { try FileManager.default.removeItem(at: folder) } catch { print("left behind: \(folder)") } }
            for (name, options) in [
                ("copy.sql", []), ("data.sql", ["--data-only"]), ("inserts.sql", ["--inserts"]),
                ("columns.sql", ["--column-inserts", "--data-only", "--rows-per-insert=2", "--quote-all-identifiers"]),
                ("archive", ["-Fc"]), ("tar", ["-Ft"]), ("directory", ["-Fd"]),
            ] as [(String, [String])] {
                let path = folder.appendingPathComponent(name).path
                let ran = try await ChildProcess.run(
                    "pg_dump", options + ["-f", path, "-d", origin.connectionString],
                    environment: ProcessInfo.processInfo.environment)
                #expect(ran.status == 0, "\(ran.errors)")
                let source = try await ImportSource.read(path)
                for table in ImportSource.wanted {
                    let found = try #require(source[table], "\(name)")
                    let wanted = try #require(expected[table])
                    // `confirmed_at` is generated: pg_dump --inserts creates the column but writes no values.
                    for column in wanted.columns where column != "confirmed_at" {
                        let mine = found.index(of: column).map { index in found.rows.map { Self.plain($0[index]) } }
                        let theirs = wanted.index(of: column).map { index in wanted.rows.map { Self.plain($0[index]) } }
                        #expect(mine == theirs, "\(name) \(table).\(column)")
                    }
                }
            }
        }
    }

    /// The value with one spelling of booleans, which COPY, INSERT and a cast to text write differently.
    private static func plain(_ value: String?) -> String? {
        switch value {
        case "true": "t"
        case "false": "f"
        default: value
        }
    }

    @Test func `a running database is read like a dump of it`() async throws {
        let expected = try await ImportSource.read(Self.fixture())
        let cluster = try await TestCluster.shared()
        try await TestDatabase.with(migrated: false) { origin in
            try await origin.psql(String(contentsOfFile: Self.fixture(), encoding: .utf8))
            let read = try await ImportSource.read(Self.url(of: origin, on: cluster))
            for table in ImportSource.wanted {
                let found = try #require(read[table]), wanted = try #require(expected[table])
                for column in wanted.columns {
                    let mine = found.index(of: column).map { index in found.rows.map { Self.plain($0[index]) } }
                    let theirs = wanted.index(of: column).map { index in wanted.rows.map { Self.plain($0[index]) } }
                    #expect(mine == theirs, "\(table).\(column)")
                }
            }
        }
    }

    private static func url(of database: TestDatabase, on cluster: TestCluster) -> String {
        let words = Dictionary(
            database.connectionString.split(separator: " ").compactMap { word -> (String, String)? in
                let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                return parts.count == 2 ? (parts[0], parts[1]) : nil
            }
        ) { first, _ in first }
        // If TEST_DATABASE_URL names the server, the connection string is a URL already.
        guard let host = words["host"], let user = words["user"] else { return database.connectionString }
        return "postgresql:///\(database.name)?host=\(host)&port=\(words["port"] ?? "5432")&user=\(user)"
    }

    @Test func `every invalid row is reported with column, rule and remedy, and nothing is written`() async throws {
        let sql = """
            INSERT INTO public.users (id, email, role) VALUES (1, 'pas une adresse', 'chef'), (2, 'a@b.fr', 'user'), (3, 'A@B.fr', 'user');
            INSERT INTO public.ecoles (id, nom) VALUES (1, ' '), (2, 'Bien');
            INSERT INTO public.clients (id, raison_sociale, siret, telephone) VALUES (1, 'x', '12345678901234', ''), (1, 'y', NULL, NULL), (NULL, 'z', NULL, NULL);
            INSERT INTO public.formateurs (id, prenom, nom, taux_horaire, exterieur) VALUES (1, 'a', 'b', 'NaN', 2), (2, 'a', 'b', -1, NULL);
            INSERT INTO public.sessions (id, module, date, debut, fin, modalite, ecole_id, client_id) VALUES
                (1, 'm', '2026-01-12', '17:00:00', '09:00:00', 'P', 2, NULL), (2, 'm', 'infinity', '09:00:00', '24:00:00', 'X', 1, 99),
                (3, 'm', '2026-01-12', '09:00:00', '17:00:00', 'P', 2, NULL);
            """
        let source = try DumpReader.read(Array(sql.utf8))
        let expected: Set<String> = [
            "users 1 email format", "users 1 role format", "users 3 email unique", "ecoles 1 nom required",
            "clients 1 siret format", "clients 1 telephone format", "clients 1 id unique", "clients ? id type",
            "formateurs 1 taux_horaire type", "formateurs 1 exterieur out_of_range",
            "formateurs 2 taux_horaire out_of_range",
            "formateurs 2 exterieur required", "sessions 1 fin rule", "sessions 2 date format", "sessions 2 fin format",
            "sessions 2 modalite format", "sessions 2 ecole_id reference", "sessions 2 client_id reference",
        ]
        try await Self.withTarget { database, target in
            let before = try await Self.contents(database)
            for options in [Self.dryRun(), .init()] {
                let report = try await target.run(source, options)
                #expect(!report.isDone)
                let found = Set(report.problems.map { "\($0.table) \($0.row) \($0.column ?? "") \($0.rule)" })
                #expect(found == expected, "\(found.symmetricDifference(expected))")
                #expect(report.problems.allSatisfy { $0.remedy.count > 10 })
                #expect(try await Self.contents(database) == before)
            }
            var options = ApplicationImport.Options()
            options.skipsRejected = true
            options.emptyIsNull = true
            let report = try await target.run(source, options)
            #expect(report.isDone)
            #expect(try await database.psql("SELECT id FROM users") == "2")
            #expect(try await database.psql("SELECT id FROM ecoles") == "2")
            #expect(try await database.psql("SELECT id FROM sessions") == "3")
            #expect(!report.problems.contains { $0.column == "telephone" })
        }
    }

    @Test func `a table that the source does not have is an error that names it, unless it is said to be absent`()
        async throws
    {
        let folder = try TemporaryFolder()
        let tables = ["users", "formateurs", "clients", "ecoles"].map { "CREATE TABLE public.\($0) (id bigint);" }
        let dump = try folder.write(tables.joined(separator: "\n"), to: "project.sql").path
        let refusal = await #expect(throws: ApplicationImportError.self) { try await ImportSource.read(dump) }
        #expect(refusal?.description.contains("'sessions'") == true)
        #expect(refusal?.description.contains("--without sessions") == true, "\(String(describing: refusal))")
        #expect(try await ImportSource.read(dump, without: ["sessions"])["public.users"] != nil)
        let unknown = await #expect(throws: ApplicationImportError.self) {
            try await ImportSource.read(dump, without: ["session"])
        }
        #expect(unknown?.description.contains("there is no table 'session'") == true)
        // A database, the same.
        let cluster = try await TestCluster.shared()
        let origin = try await TestDatabase.create(migrated: false)
        _ = try await origin.psql(tables.joined())
        let url = Self.url(of: origin, on: cluster)
        await #expect(throws: ApplicationImportError.self) { try await ImportSource.read(url) }
        #expect(try await ImportSource.read(url, without: ["sessions"])["public.ecoles"] != nil)
    }

    @Test func `an id or an e-mail that the database holds already is reported, and nothing is written`() async throws {
        let source = try await ImportSource.read(Self.fixture())
        try await Self.withTarget { database, target in
            try await database.psql(
                """
                INSERT INTO users (email) VALUES ('autre@ecole.example'), ('PAUL@ecole.example');
                INSERT INTO clients (id, raison_sociale) VALUES (7, 'Une autre maison')
                """)
            let report = try await target.run(source, .init())
            #expect(!report.isDone)
            let found = Set(report.problems.map { "\($0.table) \($0.row) \($0.column ?? "") \($0.rule)" })
            #expect(
                found == [
                    "users 1 id unique", "users 4 email unique", "clients 7 id unique",
                    "sessions 20 client_id reference",
                ], "\(found)")
            #expect(try await database.psql("SELECT raison_sociale FROM clients") == "Une autre maison")
        }
    }
}
