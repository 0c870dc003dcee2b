import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// `learntrack export` and `import csv`.
@Suite struct TableFileTests {
    @Test func `an export imported into another database gives the same records, texts of every kind included`()
        async throws
    {
        let source = try await TestDatabase.create(migrated: true)
        try await source.psql(
            """
            INSERT INTO formateurs (prenom, nom, specialite, taux_horaire, exterieur, rue) VALUES
                ('Élodie', 'Le "Goff"', E'Swift, Kotlin;\\nGo\\tet\\\\ plus', 45.50, 1, NULL),
                ('Noé', E'D’Arc\\r\\n', NULL, NULL, 0, '1, rue de la Paix'), ('\\.', '\\N', '', 0, 0, ' ')
            """)
        let csv = try await Self.run(["export", "formateurs"], at: source).output
        #expect(csv.hasPrefix("id,prenom,nom,email,"))
        let target = try await TestDatabase.create(migrated: true)
        let imported = try await Self.run(
            ["import", "csv", "formateurs", "-", "--ignore", "id,created_at,updated_at,version"], at: target, input: csv
        )
        #expect(imported.status == 0, "\(imported.output) \(imported.errors)")
        #expect(imported.output == "3 rows: 3 imported, 0 refused\n")
        let rows = "SELECT to_jsonb(f) - 'created_at' - 'updated_at' FROM formateurs f ORDER BY id"
        let (before, after) = (try await source.psql(rows), try await target.psql(rows))
        #expect(before == after)
        #expect(
            try await target.psql(
                "SELECT count(*), min(actor->>'username') FROM journal WHERE table_name = 'formateurs'") == "3|import")
    }

    @Test func `an export with labels is imported as one with names, and its words of choices are labels`()
        async throws
    {
        let source = try await TestDatabase.create(migrated: true)
        try await source.psql(
            """
            INSERT INTO sessions (module, date, debut, fin, modalite, lieu, tarif_client) VALUES
                ('Swift', '2026-01-12', '09:00', '17:00', 'P', 'Lyon', 1200.50),
                ('Présentiel', '2026-01-13', '09:00', '17:00', 'D', NULL, NULL)
            """)
        let csv = try await Self.run(["export", "sessions", "--labels"], at: source).output
        #expect(csv.hasPrefix("\u{FEFF}Identifiant,Module,Date,Début,Fin,Modalité,Lieu,Tarif client,"))
        #expect(csv.contains(",Swift,2026-01-12,09:00:00,17:00:00,Présentiel,Lyon,1200.50,"))
        #expect(csv.contains(",Présentiel,2026-01-13,09:00:00,17:00:00,Distanciel,"))
        let target = try await TestDatabase.create(migrated: true)
        let imported = try await Self.run(
            ["import", "csv", "sessions", "-", "--ignore", "id,created_at,updated_at,version"], at: target, input: csv)
        #expect(imported.output == "2 rows: 2 imported, 0 refused\n", "\(imported.errors)")
        let rows = "SELECT to_jsonb(s) - 'created_at' - 'updated_at' FROM sessions s ORDER BY id"
        let (before, after) = (try await source.psql(rows), try await target.psql(rows))
        #expect(before == after)
        // A table without rows has the line of heads all the same.
        let empty = try await Self.run(["export", "relances", "--labels"], at: source).output
        #expect(empty.split(separator: "\n").count == 1 && empty.contains("Prospect,Date,Canal,"), "\(empty)")
    }

    @Test func `labels of lines of JSON are refused`() async throws {
        let database = try await TestDatabase.create(migrated: true)
        let run = try await Self.run(["export", "sessions", "--format", "jsonl", "--labels"], at: database)
        #expect(run.status != 0 && run.output == "")
        #expect(run.errors.contains("--labels is for --format csv: lines of JSON have the names of calls"))
    }

    @Test func `lines of JSON have the values of a call's result, without secrets`() async throws {
        let server = try await TestServer.start()
        let client = try await server.client()
        _ = try await client.call(
            "formateurs.create", ["values": ["prenom": "Ana", "nom": "\"Ö\"\n\\", "taux_horaire": .number("45.50")]])
        let listed = try await client.call("formateurs.list")
        let lines = try await Self.run(["export", "formateurs", "--format", "jsonl"], at: server.database).output
        let exported = try lines.split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
        #expect(listed["items"] == .array(exported))
        // A column that calls write and do not read.
        try await server.database.psql(
            "UPDATE organisme SET discord_webhook = 'https://discord.com/api/webhooks/1/secret'")
        for format in ["csv", "jsonl"] {
            let secret = try await Self.run(["export", "organisme", "--format", format], at: server.database)
            #expect(secret.status == 0, "\(secret.errors)")
            #expect(!secret.output.contains("webhook"))
        }
    }

    @Test func `problems have line and column, of the check and of the database, and nothing is imported`() async throws
    {
        let database = try await TestDatabase.create(migrated: true)
        try await database.psql("INSERT INTO formateurs (id, prenom, nom) VALUES (7, 'Ana', 'Roy')")
        let csv = """
            \u{FEFF}module;date;debut;fin;modalite;formateur_id;lieu
            Un;2026-01-12;09:00;17:00;P;7;"Deux
            lignes"

            Deux;2026-13-01;09:00;17:00;P;;
            Trois;2026-01-12;17:00;09:00;P;;
            Quatre;2026-01-12;09:00;17:00;P;99;
            Cinq;2026-01-12;09:00
            ;2026-01-12;09:00;17:00;X;;
            Sept;2026-01-14;09:00:00;17:00;D;7;
            """
        let refused = try await Self.run(["import", "csv", "sessions", "-"], at: database, input: csv)
        #expect(refused.status == 1)
        let places = refused.output.split(separator: "\n").filter { $0.hasPrefix("refused: ") }
            .map { $0.split(separator: ": ").dropFirst().prefix(2).joined(separator: ": ") }
        #expect(
            places == [
                "line 5, date: format", "line 6, fin: rule", "line 8: columns", "line 9, module: required",
                "line 9, modalite: format", "line 7, formateur_id: not_found",
            ], "\(refused.output)")
        #expect(refused.output.hasSuffix("7 rows: 2 could be imported, 5 refused\nnothing was imported\n"))
        #expect(try await database.psql("SELECT count(*) FROM sessions") == "0")
        let trial = try await Self.run(
            ["import", "csv", "sessions", "-", "--skip-refused", "--dry-run"], at: database, input: csv)
        #expect(trial.output.hasSuffix("7 rows: 2 could be imported, 5 refused\n"))
        #expect(try await database.psql("SELECT count(*) FROM sessions") == "0")
        let skipped = try await Self.run(
            ["import", "csv", "sessions", "-", "--skip-refused"], at: database, input: csv)
        #expect(skipped.status == 0, "\(skipped.errors)")
        #expect(
            try await database.psql("SELECT module, lieu FROM sessions ORDER BY id")
                == "Un|Deux\nlignes\nSept|À distance")
    }

    @Test func `numbers as people write them in French are refused with what to write, in words of a file`()
        async throws
    {
        let database = try await TestDatabase.create(migrated: true)
        let csv = """
            prenom;nom;taux_horaire;exterieur
            A;B;45,50;0
            C;D;1 200,5 €;oui
            E;F;1,200;0
            G;H;beaucoup;1
            I;J;45.50;1
            """
        let run = try await Self.run(["import", "csv", "formateurs", "-"], at: database, input: csv)
        #expect(run.status == 1)
        for line in [
            "line 2, taux_horaire: type: Écrivez 45.50\u{202F}: un point avant les décimales",
            "line 3, taux_horaire: type: Écrivez 1200.5\u{202F}: ",
            "line 3, exterieur: type: Donnez un nombre entier compris entre 0 et 1.",
            "line 4, taux_horaire: type: Donnez un nombre avec un point avant les décimales",
            "line 5, taux_horaire: type: Donnez un nombre avec un point avant les décimales",
            "5 rows: 1 could be imported, 4 refused",
        ] {
            #expect(run.output.contains(line), "\(run.output)")
        }
        #expect(!run.output.contains("JSON") && !run.output.contains("guillemets"))
    }

    @Test func `a file that cannot be read is named with the reason, and one in another encoding with the remedy`()
        async throws
    {
        let database = try await TestDatabase.create(migrated: true)
        let folder = try TemporaryFolder()
        let latin = folder.url("latin.csv")
        try Data([UInt8]("prenom;nom\n".utf8) + [0xC9] + [UInt8]("lodie;Roy\n".utf8)).write(to: latin)
        let utf16 = folder.url("utf16.csv")
        try #require("prenom;nom\n".data(using: .utf16)).write(to: utf16)
        for (path, error) in [
            (folder.path, "cannot read \(folder.path): Is a directory"),
            (folder.path + "/none", "cannot open \(folder.path)/none: No such file"),
            (latin.path, "line 2, prenom: encoding: this is not UTF-8: save the file as"),
            (utf16.path, "line 1, the names of the columns: this is not UTF-8: save the file as"),
        ] {
            let run = try await Self.run(["import", "csv", "formateurs", path], at: database)
            #expect(run.status != 0)
            #expect((run.output + run.errors).contains(error), "\(run.output)\(run.errors)")
        }
    }

    @Test func `a file that is no CSV, or has columns that create does not take, is refused as a whole`() async throws {
        let database = try await TestDatabase.create(migrated: true)
        let cases: [(csv: String, table: String, error: String)] = [
            ("raison_sociale\n\"Un\nDeux\n", "clients", "line 2: the quotation mark is not closed"),
            ("raison_sociale\n\"Un\"e\n", "clients", "line 2: after a closing quotation mark"),
            ("raison_sociale,nom\nUn,Deux\n", "clients", "there is no column 'nom'; do you mean 'nom_contact'?"),
            (
                "id,raison_sociale\n1,Un\n", "clients",
                "the database sets the column 'id': leave it out with --ignore id"
            ),
            ("raison_sociale,raison_sociale\n", "clients", "the column 'raison_sociale' is there twice"),
            ("", "clients", "the file is empty"),
            ("raison_sociale\n", "factures", "there is no table 'factures'; there are: sessions, "),
            ("raison_sociale\n", "client", "there is no table 'client'; do you mean 'clients'? There are: sessions, "),
            ("raison_social\nUn\n", "clients", "there is no column 'raison_social'; do you mean 'raison_sociale'?"),
            ("id\n", "journal", "no call creates records of 'journal'"),
            (
                "raison_sociale,Raison sociale\n", "clients",
                "'raison_sociale' and 'Raison sociale' are the same column, 'raison_sociale'"
            ),
            ("Raison sociales\n", "clients", "there is no column 'Raison sociales'; do you mean 'Raison sociale'?"),
        ]
        for (csv, table, error) in cases {
            let run = try await Self.run(["import", "csv", table, "-"], at: database, input: csv)
            #expect(run.status != 0)
            #expect(run.errors.contains(error), "\(csv): \(run.errors)")
        }
        #expect(try await database.psql("SELECT count(*) FROM clients") == "0")
    }

    @Test func `many rows pass in groups, and a few bad ones among them are found by the database`() async throws {
        let database = try await TestDatabase.create(migrated: true)
        let lines = (1...5000).map { number in
            number == 17 || number == 4321 ? "C\(number),999" : "C\(number),"
        }
        let csv =
            "module,client_id,date,debut,fin,modalite\n"
            + lines.map { $0 + ",2026-01-12,09:00,17:00,D" }.joined(separator: "\n") + "\n"
        let run = try await Self.run(["import", "csv", "sessions", "-", "--skip-refused"], at: database, input: csv)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("refused: line 18, client_id: not_found"), "\(run.output)")
        #expect(run.output.contains("refused: line 4322, client_id: not_found"))
        #expect(run.output.contains("5000 rows: 4998 imported, 2 refused"))
        #expect(
            try await database.psql("SELECT count(*), count(*) FILTER (WHERE module IN ('C17', 'C4321')) FROM sessions")
                == "4998|0")
    }

    private static func run(
        _ arguments: [String], at database: TestDatabase, input: String = ""
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await LearnTrackProcess.run(
            arguments, environment: ["DATABASE_URL": database.connectionString], input: input)
    }
}
