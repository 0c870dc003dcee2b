import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// companies.md: "`learntrack companies export 3 --to f`: rows, journal, files of one snapshot, manifest, checksum"; "`import`: ids stay,
/// being unique per company only".
@Suite struct CompanyExportTests {
    @Test(arguments: [nil, "lt_company_export"] as [String?])
    func `a company brought into an installation whose ids are the same has all its rows there`(login: String?)
        async throws
    {
        let folder = try TemporaryFolder()
        let (here, there) = (
            try await CompanyInstallation("a", login: login), try await CompanyInstallation("b", login: login)
        )
        let file = folder.path + "/digue"
        let exported = try await here.run(["export", "2", "--to", file, "--with-accounts"])
        #expect(exported.status == 0, "\(exported.errors)")
        #expect(exported.output.contains("Digue at 20") && exported.output.contains(", with accounts"))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600, "others can read the file")
        let others = try await there.rows(of: 1) + there.rows(of: 2)

        let imported = try await there.run(["import", file, "--name", "Digue d’ailleurs", "--id", "7"])
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(imported.output.hasPrefix("imported Digue d’ailleurs (id 7): "), "\(imported.output)")
        #expect(imported.output.contains("active members: 3, of whom 1 are invited and 0 have no password"))
        #expect(imported.output.contains("others now: kernel.files, public.access_keys, public.users"))
        let (mine, theirs) = (try await there.rows(of: 7), try await here.rows(of: 2))
        #expect(mine == theirs)
        #expect(mine.contains { $0.hasPrefix("public.sessions 30 ") })
        let unchanged = try await there.rows(of: 1) + there.rows(of: 2)
        #expect(unchanged == others)

        // What refers to a member or a file has the number that these have here.
        let references = """
            SELECT string_agg(name, ' ' ORDER BY name) FROM (
                SELECT 'prospect ' || u.username AS name FROM prospects p
                    JOIN users u ON u.company_id = p.company_id AND u.id = p.responsable_id WHERE p.company_id = %
                UNION ALL SELECT 'logo ' || encode(b.bytes, 'hex') FROM organisme o
                    JOIN kernel.file_bytes b ON b.company_id = o.company_id AND b.file_id = o.logo WHERE o.company_id = %
                UNION ALL SELECT 'signature ' || u.username FROM kernel.signatures s
                    JOIN users u ON u.company_id = s.company_id AND u.id = s.account_id WHERE s.company_id = %
                UNION ALL SELECT 'actor ' || u.username FROM journal j
                    JOIN users u ON u.company_id = j.company_id AND u.id = (j.actor ->> 'id')::bigint
                    WHERE j.company_id = % AND j.table_name = 'clients'
                UNION ALL SELECT 'entry ' || u.username FROM journal j
                    JOIN users u ON u.company_id = j.company_id AND u.id = j.row_id AND u.id = (j.after ->> 'id')::bigint
                    WHERE j.company_id = % AND j.table_name = 'users' AND j.operation = 'create'
                UNION ALL SELECT 'entry of a prospect ' || u.username FROM journal j
                    JOIN users u ON u.company_id = j.company_id AND u.id = (j.after ->> 'responsable_id')::bigint
                    WHERE j.company_id = % AND j.table_name = 'prospects'
            ) AS r
            """
        let expected = try await here.database.psql(references.replacing("%", with: "2"))
        #expect(expected.contains("logo 00ff") && expected.contains("actor Anne"))
        #expect(try await there.database.psql(references.replacing("%", with: "7")) == expected)
        // No entry, message or record was added by the way.
        #expect(try await there.database.psql("SELECT count(*) FROM kernel.outbox WHERE company_id = 7") == "0")
        #expect(
            try await there.database.psql(
                "SELECT string_agg(DISTINCT operation, ' ') FROM kernel.changes WHERE company_id = 7") == "truncate")
        #expect(
            try await there.database.psql(
                "SELECT count(*) FROM pg_trigger WHERE tgenabled <> 'O' AND NOT tgisinternal") == "0")
        // A new row has an id that no imported one has.
        #expect(
            try await there.database.psql(
                """
                BEGIN; SET LOCAL learntrack.company = '7'; INSERT INTO ecoles (nom) VALUES ('Nouvelle');
                SELECT id > (SELECT max(id) FROM ecoles e WHERE e.company_id = 7 AND e.nom <> 'Nouvelle')
                FROM ecoles WHERE nom = 'Nouvelle'; ROLLBACK
                """
            ).split(separator: "\n").contains("t"))
        try await here.database.drop()
        try await there.database.drop()
    }

    @Test func `people come by address: who is known is invited, who is not has the password of the file`() async throws
    {
        let folder = try TemporaryFolder()
        let (here, there) = (try await CompanyInstallation("a"), try await CompanyInstallation("b"))
        let server = try await TestServer.start(database: there.database)
        func signsIn(_ email: String, _ name: String, _ company: JSONValue) async throws -> JSONValue {
            try await server.client(nil).response(
                "auth.login",
                [
                    "email": .string(email), "password": .string("le mot de passe de \(name)"),
                    "company_id": company,
                ])
        }
        let files: [(String, [String])] = [("plain", []), ("accounts", ["--with-accounts"])]
        for (file, flags) in files {
            let run = try await here.run(["export", "2", "--to", folder.path + "/" + file] + flags)
            #expect(run.status == 0, "\(run.errors)")
        }
        // Without accounts, nothing of the file is a secret of theirs.
        let plain = try folder.text("plain")
        let hash = try await here.database.psql(
            "SELECT c.password_hash FROM credentials c JOIN users u ON u.account_id = c.user_id "
                + "WHERE u.email = 'a2-anne@exemple.fr'")
        let key = try await here.database.psql("SELECT encode(key_hash, 'hex') FROM access_keys WHERE company_id = 2")
        #expect(!plain.contains(hash) && !plain.contains(key))
        let whole = try folder.text("accounts")
        #expect(whole.contains(hash) && whole.contains(key))

        let run = try await there.run(["import", folder.path + "/accounts", "--name", "Phare"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(try await signsIn("a2-anne@exemple.fr", "Anne", 3).at("/result/company/name") == "Phare")
        // "Commune" is a person of this installation, with the password of this installation, and no member yet.
        #expect(try await signsIn("commune@exemple.fr", "Commune", 2).at("/result/company/name") == "Digue")
        #expect(try await signsIn("commune@exemple.fr", "Commune", 3)["error"] != nil)
        #expect(
            try await there.database.psql(
                "SELECT string_agg(username, ' ') FROM users WHERE company_id = 3 AND joined_at IS NULL") == "Commune")

        // Once more: all are known now, keys hold for the first one, and mails invite them.
        let again = try await there.run(["import", folder.path + "/accounts", "--name", "Môle", "--invite"])
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.output.contains("active members: 3, of whom 3 are invited and 0 have no password"))
        #expect(again.output.contains("no longer valid, to be given anew: 1 access keys"))
        #expect(
            try await there.database.psql(
                "SELECT count(*), min(kind) FROM kernel.outbox WHERE company_id = 4") == "3|users.invitation")
        let third = try await there.run(["import", folder.path + "/plain", "--name", "Jetée"])
        #expect(third.output.contains("enter by an invitation"), "\(third.output)")
        #expect(third.output.contains("--role admin --company 5'"), "\(third.output)")
        // Few numbers would be left for further companies.
        let last = try await there.run(
            ["import", folder.path + "/plain", "--name", "Quai", "--id", "9223372036854775807"])
        #expect(last.status != 0 && last.errors.contains("leaves too few for further companies"), "\(last.errors)")
        #expect(try await server.stop() == 0)
        try await here.database.drop()
    }

    @Test func `a file that does not fit is refused with its place and remedy, and nothing is written`() async throws {
        let folder = try TemporaryFolder()
        let (here, there) = (try await CompanyInstallation("a"), try await CompanyInstallation("b"))
        let good = folder.path + "/good"
        #expect(try await here.run(["export", "2", "--to", good]).status == 0)
        let second = try await here.run(["export", "2", "--to", good])
        #expect(second.status != 0 && second.errors.contains("--overwrite"), "\(second.errors)")
        #expect(try await here.run(["export", "2", "--to", good, "--overwrite"]).status == 0)
        let unknown = try await here.run(["export", "9", "--to", folder.path + "/none"])
        #expect(unknown.errors.contains("there is no such company: 'learntrack companies list' shows them"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["good"])

        let before = try await there.everything()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: good))
        func refusal(_ content: Data, _ arguments: [String] = ["--name", "Neuve"]) async throws -> String {
            try content.write(to: folder.url("other"))
            let run = try await there.run(["import", folder.path + "/other"] + arguments)
            #expect(run.status != 0, "it was imported")
            #expect(try await there.everything() == before)
            return run.errors
        }
        for position in [100, bytes.count / 2, bytes.count - 200, bytes.count - 20] {
            var damaged = bytes
            damaged[position] ^= 1
            #expect(try await refusal(damaged).contains("damaged"))
        }
        for length in [bytes.count / 2, bytes.count - 1, 100] {
            #expect(try await refusal(bytes.prefix(length)).contains("cut off"))
        }
        #expect(try await refusal(Data("Bonjour\n".utf8)).contains("is not a file that 'companies export' has written"))
        #expect(
            try await refusal(bytes, []).contains(
                "company 2 is called Digue already: give the imported one another name"))
        #expect(try await refusal(bytes, ["--name", "Neuve", "--id", "1"]).contains("there is a company 1 already"))
        let single = try await TestDatabase.create(migrated: true)
        let early = try await LearnTrackProcess.run(
            ["companies", "import", good], environment: ["DATABASE_URL": single.connectionString])
        #expect(early.errors.contains("several companies are not enabled: run learntrack companies enable"))

        // A failure in the last step undoes all before it.
        try await there.database.psql(
            "ALTER TABLE prospects ADD CONSTRAINT essai CHECK (raison_sociale <> 'Prospect') NOT VALID")
        #expect(try await refusal(bytes).contains("essai"))
        try await there.database.psql("ALTER TABLE prospects DROP CONSTRAINT essai")
        #expect(
            try await there.database.psql(
                "SELECT count(*) FROM pg_trigger WHERE tgenabled <> 'O' AND NOT tgisinternal") == "0")

        try await there.database.psql(
            "INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '9000_later.sql')")
        #expect(
            try await refusal(bytes).contains(
                "it does not have the migration kernel/9000_later.sql of this installation"))
        try await there.database.psql("DELETE FROM kernel.migrations WHERE name = '9000_later.sql'")
        try await here.database.psql("INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '9000_later.sql')")
        #expect(try await here.run(["export", "2", "--to", good, "--overwrite"]).status == 0)
        let newer = try await there.run(["import", good, "--name", "Neuve"])
        #expect(
            newer.errors.contains("it has the migration kernel/9000_later.sql, which this installation does not have"))
        #expect(try await there.everything() == before)
        for database in [here.database, there.database, single] { try await database.drop() }
    }
}
