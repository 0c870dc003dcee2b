import AccountsDomain
import CRMDomain
import DomainKit
import Foundation
import Glibc
import PostgresDriver
import TestPostgres
import TestSupport
import Testing

@testable import ApplicationImport

/// The file of the web CRM (React, Express, SQLite).
struct SQLiteImportTests {
    private static let domains = [CRM.domain, Accounts.domain]

    /// Makes a SQLite file by the library that the import loads.
    private static func file(_ sql: String, in folder: TemporaryFolder, _ name: String = "crm.sqlite") throws -> String
    {
        let library = try #require(dlopen("libsqlite3.so.0", RTLD_NOW), "libsqlite3-0 is not installed")
        typealias Open = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>) -> Int32
        typealias Close = @convention(c) (OpaquePointer?) -> Int32
        typealias Execute =
            @convention(c) (
                OpaquePointer?, UnsafePointer<CChar>, OpaquePointer?, OpaquePointer?, OpaquePointer?
            ) -> Int32
        let open = unsafeBitCast(try #require(dlsym(library, "sqlite3_open")), to: Open.self)
        let close = unsafeBitCast(try #require(dlsym(library, "sqlite3_close")), to: Close.self)
        let execute = unsafeBitCast(try #require(dlsym(library, "sqlite3_exec")), to: Execute.self)
        let path = folder.path + "/" + name
        var handle: OpaquePointer?
        let opened = open(path, &handle)
        let code = execute(handle, sql, nil, nil, nil)
        guard opened == 0, code == 0, close(handle) == 0 else { throw TestEnvironmentError("sqlite3_exec: \(code)") }
        return path
    }

    private static func run(
        _ path: String, _ mapping: SQLiteMapping = SQLiteMapping(), without absent: Set<String> = [],
        into database: TestDatabase,
        _ options: ApplicationImport.Options = .init()
    ) async throws -> ApplicationImport.Report {
        let client = PostgresClient(.init(connectionString: database.connectionString))
        let outcome: Result<ApplicationImport.Report, any Error>
        do {
            let source = try ImportSource.read(sqlite: path, mapping, without: absent, domains: domains)
            outcome = .success(try await ApplicationImport(domains: domains, owner: client).run(source, options))
        } catch {
            outcome = .failure(error)
        }
        await client.shutdown()
        return try outcome.get()
    }

    private static let hash = "$2b$04$abcdefghijklmnopqrstuuHHbjSbWCz3X0JMJbN5n6qO0YRmVvF8a"

    private static let crm = """
        CREATE TABLE users (id INTEGER PRIMARY KEY, username TEXT, email TEXT, password TEXT, role TEXT, is_active INTEGER,
            created_at DATETIME DEFAULT CURRENT_TIMESTAMP);
        INSERT INTO users VALUES (3, 'Léa', 'Lea@exemple.fr', '\(hash)', 'admin', 1, '2024-03-01 08:00:00'),
            (4, 'Tom', 'tom@exemple.fr', 'en clair', 'user', 0, 1709280000000);
        CREATE TABLE ecoles (id INTEGER PRIMARY KEY, nom TEXT, ville TEXT);
        INSERT INTO ecoles VALUES (1, 'École 42', 'Paris');
        CREATE TABLE clients (id INTEGER PRIMARY KEY, raison_sociale TEXT, email TEXT, fax TEXT);
        INSERT INTO clients VALUES (9, 'L’Oréal', 'contact@exemple.fr', '01');
        CREATE TABLE formateurs (id INTEGER PRIMARY KEY, prenom TEXT, nom TEXT, taux_horaire REAL, exterieur INTEGER);
        INSERT INTO formateurs VALUES (5, 'Élodie', 'D''Arc', 45.5, 1);
        CREATE TABLE sessions (id INTEGER PRIMARY KEY, module TEXT, date TEXT, debut TEXT, fin TEXT, modalite TEXT,
            tarif_client REAL, ecole_id INTEGER, client_id INTEGER, formateur_id INTEGER);
        INSERT INTO sessions VALUES (70, 'Swift', '2026-01-12', '09:00', '17:30', 'P', 1200, 1, 9, 5),
            (71, 'Vapor', '2026-01-13T00:00:00.000Z', '09:00:00', '12:00', 'D', NULL, NULL, NULL, NULL);
        """

    @Test func `the web CRM's file is imported with ids, passwords and times, and a second run changes nothing`()
        async throws
    {
        let folder = try TemporaryFolder()
        let path = try Self.file(Self.crm, in: folder)
        try await TestDatabase.with { database in
            let report = try await Self.run(path, into: database)
            #expect(report.problems == [])
            #expect(report.isDone)
            #expect(report.notes.contains("clients.fax has no counterpart here and is not imported"))
            #expect(report.notes.contains { $0.hasPrefix("users 4 has no password") })
            let users = try await database.psql(
                """
                SELECT id, username, email, role, is_active, extract(epoch FROM created_at)::bigint,
                    (SELECT password_hash FROM credentials WHERE user_id = users.id) FROM users ORDER BY id
                """)
            #expect(
                users == """
                    3|Léa|Lea@exemple.fr|admin|t|1709280000|\(Self.hash)
                    4|Tom|tom@exemple.fr|user|f|1709280000|
                    """)
            let sessions = try await database.psql(
                """
                SELECT s.id, module, date, debut, fin, modalite, lieu, tarif_client, f.nom, f.taux_horaire, c.raison_sociale
                FROM sessions s LEFT JOIN formateurs f ON f.id = formateur_id LEFT JOIN clients c ON c.id = client_id
                ORDER BY 1
                """)
            #expect(
                sessions == """
                    70|Swift|2026-01-12|09:00:00|17:30:00|P||1200.00|D'Arc|45.50|L’Oréal
                    71|Vapor|2026-01-13|09:00:00|12:00:00|D|À distance||||
                    """)
            #expect(
                try await database.psql(
                    "INSERT INTO sessions (module, date, debut, fin, modalite) VALUES "
                        + "('x', '2026-01-12', '09:00', '10:00', 'D') RETURNING id") == "72")
            let again = try await Self.run(path, into: database)
            #expect(again.tables.allSatisfy { $0.imported == 0 && $0.rejected == 0 })
            #expect(try await database.psql("SELECT count(*) FROM sessions") == "3")
        }
    }

    @Test func `a row that breaks a rule or refers to none is listed, and nothing is imported`() async throws {
        let folder = try TemporaryFolder()
        let path = try Self.file(
            Self.crm + """
                INSERT INTO sessions VALUES (72, '', '12/01/2026', '17:00', '09:00', 'P', 0.1 + 0.2, 1, 77, 5),
                    (9223372036854775807, 'Swift', '2026-01-12', '09:00', '17:30', 'P', 1200, 1, 9, 5);
                """, in: folder)
        try await TestDatabase.with { database in
            let report = try await Self.run(path, into: database)
            let places = Set(report.problems.map { "\($0.table) \($0.row) \($0.column ?? "") \($0.rule)" })
            #expect(
                places == [
                    "sessions 72 module required", "sessions 72 date format", "sessions 72 fin rule",
                    "sessions 72 tarif_client too_many_digits", "sessions 72 client_id reference",
                    "sessions 9223372036854775807 id type",
                ], "\(report.problems)")
            #expect(!report.isDone)
            #expect(try await database.psql("SELECT count(*) FROM users") == "0")
        }
    }

    @Test func `a mapping names tables, columns and values that are others than here`() async throws {
        let folder = try TemporaryFolder()
        let path = try Self.file(
            """
            CREATE TABLE formations (id INTEGER, titre TEXT, jour TEXT, debut TEXT, fin TEXT, mode TEXT);
            INSERT INTO formations VALUES (1, 'Swift', '2026-01-12', '09:00', '17:00', 'presentiel');
            """, in: folder)
        let mapping = try SQLiteMapping(
            contentsOf: folder.write(
                """
                {"sessions": {"table": "formations", "columns": {"module": "titre", "date": "jour", "modalite": "mode"},
                    "values": {"modalite": {"presentiel": "P", "distanciel": "D"}}}}
                """, to: "mapping.json"
            ).path, domains: Self.domains)
        try await TestDatabase.with { database in
            let report = try await Self.run(
                path, mapping, without: ["users", "formateurs", "clients", "ecoles"], into: database)
            #expect(report.isDone, "\(report.problems)")
            #expect(try await database.psql("SELECT module, date, modalite FROM sessions") == "Swift|2026-01-12|P")
        }
    }

    @Test(arguments: [
        ("[]", ": an object is expected"), ("{\n\"users\": }", ", line 2: this is no JSON"),
        (#"{"sesions": {}}"#, ", /sesions: there is no table 'sesions'; do you mean 'sessions'?"),
        (#"{"factures": {}}"#, ", /factures: there is no table 'factures'; there are: users, ecoles, "),
        (#"{"sessions": {"colums": {}}}"#, ", /sessions/colums: there is no key 'colums'; do you mean 'columns'?"),
        (#"{"sessions": {"table": 5}}"#, ", /sessions/table: a text is expected"),
        (
            #"{"sessions": {"columns": {"modul": "titre"}}}"#,
            ", /sessions/columns/modul: there is no column of sessions 'modul'; do you mean 'module'?"
        ),
        (
            #"{"sessions": {"values": {"mode": {"a": "P"}}}}"#,
            ", /sessions/values/mode: there is no column of sessions 'mode'; there are: id, "
        ),
        (
            #"{"sessions": {"columns": {"module": "titre", "lieu": "titre"}}}"#,
            ", /sessions/columns/lieu: 'titre' is the column of 'module' already"
        ),
        (#"{"users": {}, "users": {}}"#, ", /users: this name is there twice"),
    ])
    func `a mapping that names what is not here is refused with the place and the nearest name`(
        mapping: String, error: String
    ) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(mapping, to: "mapping.json").path
        let refusal = #expect(throws: ApplicationImportError.self) {
            try SQLiteMapping(contentsOf: path, domains: Self.domains)
        }
        #expect(refusal?.description.hasPrefix(path + error) == true, "\(refusal?.description ?? "")")
    }

    @Test(arguments: [
        (
            #"{"sessions": {"table": "formation"}}"#,
            "has no table 'formation', which the mapping is about; there are: formations"
        ),
        (#"{"clients": {"columns": {"email": "mail"}}}"#, "has no table 'clients', which the mapping is about"),
        (
            #"{"sessions": {"table": "formations", "columns": {"module": "titres"}}}"#,
            "has no column 'titres', which the mapping names; there are: id, titre, mode, module"
        ),
        (
            #"{"sessions": {"table": "formations", "values": {"modalite": {"presentiel": "P"}}}}"#,
            "the mapping replaces values of 'modalite'"
        ),
    ])
    func `a mapping that names what the file does not have is refused with what it has`(
        mapping: String, error: String
    ) throws {
        let folder = try TemporaryFolder()
        let file = try Self.file("CREATE TABLE formations (id INTEGER, titre TEXT, mode TEXT, module TEXT)", in: folder)
        let names = try SQLiteMapping(
            contentsOf: folder.write(mapping, to: "mapping.json").path, domains: Self.domains)
        let refusal = #expect(throws: ApplicationImportError.self) {
            try ImportSource.read(sqlite: file, names, domains: Self.domains)
        }
        #expect(refusal?.description.contains(error) == true, "\(refusal?.description ?? "")")
    }

    @Test func `a table that is not found is an error that names it and what there is, and nothing is imported`()
        async throws
    {
        let folder = try TemporaryFolder()
        let path = try Self.file(
            """
            CREATE TABLE clients (id INTEGER PRIMARY KEY, raison_sociale TEXT); INSERT INTO clients VALUES (1, 'Tempo');
            CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT); CREATE TABLE ecoles (id INTEGER PRIMARY KEY, nom TEXT);
            CREATE TABLE formateurs (id INTEGER PRIMARY KEY, prenom TEXT, nom TEXT);
            CREATE TABLE formations (id INTEGER PRIMARY KEY, module TEXT);
            """, in: folder)
        try await TestDatabase.with { database in
            let refusal = await #expect(throws: ApplicationImportError.self) {
                try await Self.run(path, into: database)
            }
            let text = refusal?.description ?? ""
            for word in ["'sessions'", "--mapping", "--without sessions", "formations"] {
                #expect(text.contains(word), "\(text)")
            }
            #expect(try await database.psql("SELECT count(*) FROM clients") == "0")
            let report = try await Self.run(path, without: ["sessions"], into: database)
            #expect(report.isDone)
            #expect(try await database.psql("SELECT count(*) FROM clients") == "1")
            _ = await #expect(throws: ApplicationImportError.self) {
                try await Self.run(path, without: ["session"], into: database)
            }
        }
    }

    @Test func `a column of the file does not take the place of one that the mapping names`() throws {
        let folder = try TemporaryFolder()
        let file = try Self.file(
            """
            CREATE TABLE sessions (id INTEGER, module INTEGER, titre TEXT);
            INSERT INTO sessions VALUES (1, 17, 'Swift');
            """, in: folder)
        let mapping = try SQLiteMapping(
            contentsOf: folder.write(#"{"sessions": {"columns": {"module": "titre"}}}"#, to: "mapping.json").path,
            domains: Self.domains)
        let table = try #require(
            try ImportSource.read(
                sqlite: file, mapping, without: ["users", "formateurs", "clients", "ecoles"], domains: Self.domains)[
                    "public.sessions"])
        #expect(table.index(of: "module").map { table.rows[0][$0] } == "Swift")
    }

    @Test func `a file that is no SQLite file, or has none of the tables, is an error that says so`() async throws {
        let folder = try TemporaryFolder()
        let text = try folder.write(String(repeating: "Bonjour. ", count: 200), to: "text").path
        #expect(throws: ApplicationImportError.self) {
            try ImportSource.read(sqlite: text, SQLiteMapping(), domains: Self.domains)
        }
        #expect(throws: ApplicationImportError.self) {
            try ImportSource.read(sqlite: folder.path + "/none", SQLiteMapping(), domains: Self.domains)
        }
        let other = try Self.file("CREATE TABLE factures (id INTEGER)", in: folder)
        try await TestDatabase.with { database in
            _ = await #expect(throws: ApplicationImportError.self) { try await Self.run(other, into: database) }
        }
    }
}
