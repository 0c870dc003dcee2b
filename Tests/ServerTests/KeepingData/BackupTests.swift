import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// `learntrack backup`, `restore` and `psql`.
@Suite struct BackupTests {
    @Test func `a backup restored on another server has every row, right and owner, and is served`() async throws {
        let folder = try TemporaryFolder()
        let source = try await TestDatabase.create(migrated: true)
        try await Self.fill(source)
        let file = folder.path + "/learntrack.backup"
        try await Self.run(["backup", file], at: source)
        // A new data directory: its Postgres has none of the roles.
        let data = ["--data-dir", folder.path + "/data"]
        let restored = try await LearnTrackProcess.run(["restore", file] + data)
        #expect(restored.status == 0, "\(restored.errors)")
        let copy = try await LearnTrackProcess.run(["psql"] + data + ["--", "-XAtq", "-c", Self.fingerprint])
        #expect(copy.status == 0, "\(copy.errors)")
        let (expected, found) = (try await source.psql(Self.fingerprint), copy.output)
        #expect(Self.differences(expected, found) == [])
        #expect(expected.split(separator: "\n").contains { $0.hasPrefix("public.users 3 ") })

        let server = try LearnTrackProcess(["serve", "--port", "0"] + data)
        let port = try await server.waitUntilReady()
        let signedIn = try await RPCClient(port: port, token: nil).call(
            "auth.login", ["email": "claire@exemple.fr", "password": "un mot de passe gardé"])
        #expect(signedIn["token_type"] == "Bearer")
        // The commands' functions run with the rights of their owner.
        let client = try RPCClient(port: port, token: try #require(signedIn["access_token"]?.text))
        let made = try await client.call(
            "sessions.create",
            [
                "values": [
                    "module": "Après", "date": "2030-01-07", "debut": "09:00", "fin": "17:00", "modalite": "P",
                ]
            ])
        #expect(made["id"] != nil)

        // The server's Postgres listens where only the data directory says; commands find it.
        let again = try await LearnTrackProcess.run(["backup", folder.path + "/second.backup"] + data)
        #expect(again.status == 0, "\(again.errors)")
        let refused = try await LearnTrackProcess.run(["restore", file, "--replace", "--yes"] + data)
        #expect(refused.status != 0)
        #expect(refused.errors.contains("in use"), "\(refused.errors)")
        try server.signal(SIGTERM)
        #expect(try await server.waitForExit() == 0)
    }

    @Test func `a file that is damaged, cut off, of another kind or newer is refused, and the database stays empty`()
        async throws
    {
        let folder = try TemporaryFolder()
        let source = try await TestDatabase.create(migrated: true)
        let target = try await TestDatabase.create(migrated: false)
        let good = folder.path + "/good"
        try await Self.run(["backup", good], at: source)
        let mode = try FileManager.default.attributesOfItem(atPath: good)[.posixPermissions] as? Int
        #expect(mode == 0o600, "others can read the backup")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: good))
        // A backup does not replace another one unless it is told to, and removes what a killed one has left.
        let killed = "\(good).part-4194304"
        try Data("x".utf8).write(to: URL(fileURLWithPath: killed))
        let second = try await LearnTrackProcess.run(
            ["backup", good], environment: ["DATABASE_URL": source.connectionString])
        #expect(second.status != 0 && second.errors.contains("--overwrite"), "\(second.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: good)) == bytes)
        try await Self.run(["backup", good, "--overwrite"], at: source)
        #expect(!FileManager.default.fileExists(atPath: killed))

        func refusal(_ content: Data?, _ name: String) async throws -> String {
            let path = folder.path + "/" + name
            if let content { try content.write(to: URL(fileURLWithPath: path)) }
            let run = try await LearnTrackProcess.run(
                ["restore", path], environment: ["DATABASE_URL": target.connectionString])
            #expect(run.status != 0, "\(name) was restored")
            return run.errors
        }
        for position in [10, bytes.count / 2, bytes.count - 200, bytes.count - 20] {
            var damaged = bytes
            damaged[position] ^= 1
            let errors = try await refusal(damaged, "damaged")
            #expect(errors.contains("damaged"), "at \(position): \(errors)")
        }
        for length in [bytes.count / 2, bytes.count - 1, 100] {
            let errors = try await refusal(bytes.prefix(length), "cut")
            #expect(errors.contains("cut off"), "\(length) bytes: \(errors)")
        }
        #expect(try await refusal(Data("Bonjour\n".utf8), "text").contains("is not a backup"))
        #expect(try await refusal(Data(), "empty").contains("is not a backup"))
        #expect(try await refusal(nil, "missing").contains("No such file"))

        try await source.psql("INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '9000_later.sql')")
        try await Self.run(["backup", folder.path + "/newer"], at: source)
        let newer = try await refusal(nil, "newer")
        #expect(newer.contains("newer") && newer.contains("kernel/9000_later.sql"), "\(newer)")
        try await source.psql("UPDATE kernel.migrations SET domain = 'stocks' WHERE name = '9000_later.sql'")
        try await Self.run(["backup", folder.path + "/other"], at: source)
        #expect(try await refusal(nil, "other").contains("domain stocks"))
        #expect(
            try await target.psql("SELECT to_regnamespace('kernel') IS NULL, to_regclass('users') IS NULL") == "t|t")
        #expect(try await target.psql("SELECT count(*) FROM pg_extension WHERE extname <> 'plpgsql'") == "0")
    }

    @Test func `a database that is not empty is replaced only on request, after its schemas were named`() async throws {
        let folder = try TemporaryFolder()
        let source = try await TestDatabase.create(migrated: true)
        try await Self.fill(source)
        let file = folder.path + "/backup"
        try await Self.run(["backup", file], at: source)
        let before = try await source.psql(Self.fingerprint)
        try await source.psql(
            """
            CREATE SCHEMA autre; CREATE TABLE autre.restes (id bigint); CREATE TABLE public.ajout (id bigint);
            INSERT INTO users (email) VALUES ('plus@exemple.fr')
            """)
        let changed = try await source.psql(Self.fingerprint)
        let environment = ["DATABASE_URL": source.connectionString]
        source.endSharedSession()
        let plain = try await LearnTrackProcess.run(["restore", file], environment: environment)
        #expect(plain.status != 0)
        #expect(plain.errors.contains("not empty (autre, kernel, public)"), "\(plain.errors)")
        let unconfirmed = try await LearnTrackProcess.run(["restore", file, "--replace"], environment: environment)
        #expect(unconfirmed.status != 0)
        #expect(unconfirmed.output.contains("  autre: 1 tables"), "\(unconfirmed.output)")
        #expect(unconfirmed.errors.contains("--yes"), "\(unconfirmed.errors)")
        #expect(try await source.psql(Self.fingerprint) == changed)

        // What a killed restore has left goes with the next one.
        let temporary = FileManager.default.temporaryDirectory.path
        let left = temporary + "/learntrack-restore-4194304-abcdef"
        try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
        source.endSharedSession()
        let replaced = try await LearnTrackProcess.run(
            ["restore", file, "--replace", "--yes"], environment: environment)
        #expect(replaced.status == 0, "\(replaced.errors)")
        #expect(!FileManager.default.fileExists(atPath: left))
        #expect(Self.differences(before, try await source.psql(Self.fingerprint)) == [])
    }

    @Test func `a restoration that fails within undoes what it has removed`() async throws {
        let folder = try TemporaryFolder()
        let source = try await TestDatabase.create(migrated: true)
        try await Self.fill(source)
        // The archive contains a table whose data violate a constraint that was added without a check of what is there.
        try await source.psql(
            """
            CREATE TABLE public.fautif (id bigint); INSERT INTO public.fautif VALUES (1);
            CREATE FUNCTION public.refuse(bigint) RETURNS boolean LANGUAGE plpgsql AS
                $$ BEGIN RETURN current_setting('learntrack.essai') IS NOT NULL; END $$;
            SET learntrack.essai = 'oui';
            ALTER TABLE public.fautif ADD CHECK (public.refuse(id))
            """)
        let file = folder.path + "/backup"
        try await Self.run(["backup", file], at: source)
        let before = try await source.psql(Self.fingerprint)
        source.endSharedSession()
        let run = try await LearnTrackProcess.run(
            ["restore", file, "--replace", "--yes"], environment: ["DATABASE_URL": source.connectionString])
        #expect(run.status != 0)
        #expect(run.errors.contains("nothing was restored") && run.errors.contains("learntrack.essai"), "\(run.errors)")
        #expect(Self.differences(before, try await source.psql(Self.fingerprint)) == [])
    }

    @Test func `--without-files leaves out the bytes of files and nothing else`() async throws {
        let folder = try TemporaryFolder()
        let source = try await TestDatabase.create(migrated: true)
        try await Self.fill(source)
        let target = try await TestDatabase.create(migrated: false)
        let file = folder.path + "/backup"
        try await Self.run(["backup", file, "--without-files"], at: source)
        try await Self.run(["restore", file], at: target)
        let differences = Self.differences(
            try await source.psql(Self.fingerprint), try await target.psql(Self.fingerprint))
        #expect(
            differences.count == 2 && differences.allSatisfy { $0.contains("kernel.file_bytes ") }, "\(differences)")
        #expect(try await target.psql("SELECT count(*) FROM kernel.file_bytes") == "0")
    }

    // MARK: -

    private static func run(_ arguments: [String], at database: TestDatabase) async throws {
        database.endSharedSession()
        let run = try await LearnTrackProcess.run(
            arguments, environment: ["DATABASE_URL": database.connectionString])
        guard run.status == 0 else { throw TestEnvironmentError("\(arguments): \(run.errors)") }
    }

    /// Rows in several tables, among them a file.
    private static func fill(_ database: TestDatabase) async throws {
        try await database.psql(
            """
            INSERT INTO users (username, email, role) VALUES
                ('Claire', 'claire@exemple.fr', 'admin'), ('Noé', 'noe@exemple.fr', 'user'),
                (NULL, 'a''b@exemple.fr', 'user');
            INSERT INTO credentials (user_id, password_hash)
                SELECT id, crypt('un mot de passe gardé', gen_salt('bf', 4)) FROM users WHERE username = 'Claire';
            INSERT INTO formateurs (prenom, nom, specialite) VALUES ('Élodie', 'D’Arc', E'Swift\\n\\t\\\\ "et" plus');
            INSERT INTO clients (raison_sociale) SELECT 'Client ' || n FROM generate_series(1, 50) AS n;
            INSERT INTO sessions (module, date, debut, fin, modalite, tarif_client, formateur_id)
                SELECT 'Module ' || n, date '2026-01-01' + n, '09:00', '17:00', 'D', n + 0.5, f.id
                FROM generate_series(1, 200) AS n, formateurs AS f;
            UPDATE formateurs SET telephone = '06 12 34 56 78';
            INSERT INTO kernel.files (account_id, sha256, media_type, size)
                SELECT id, sha256('x'), 'image/png', 1 FROM users WHERE username = 'Claire';
            INSERT INTO kernel.file_bytes (file_id, bytes) SELECT id, '\\x00ff' FROM kernel.files
            """)
    }

    /// One line for the rows of each table but those of the change feed, which begins anew, the rights and owners of each object, and each sequence.
    ///
    /// The login that owns the schema has another name on another server.
    private static let fingerprint = #"""
        SET search_path = '';
        CREATE FUNCTION pg_temp.login(text) RETURNS text LANGUAGE sql
            RETURN regexp_replace($1, '\m' || current_user || '\M', 'login', 'g');
        CREATE FUNCTION pg_temp.rights(aclitem[]) RETURNS text LANGUAGE sql
            RETURN (SELECT string_agg(pg_temp.login(a::text), ',' ORDER BY pg_temp.login(a::text) COLLATE "C")
                FROM unnest($1) AS a);
        SELECT format('%s.%s %s %s', schemaname, tablename, r.found[1], r.found[2])
        FROM pg_tables CROSS JOIN LATERAL (
            SELECT (xpath('/row/v/text()', query_to_xml(format(
                'SELECT count(*) || '' '' || md5(coalesce(string_agg(t::text, '' '' ORDER BY t::text), '''')) AS v FROM %I.%I AS t',
                schemaname, tablename), true, true, '')))::text[] AS found
        ) AS r WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
            AND tablename NOT IN ('changes', 'changes_removed')
        UNION ALL
        SELECT format('%s %s %s', p.oid::regprocedure, pg_temp.login(p.proowner::regrole::text), pg_temp.rights(
            coalesce(p.proacl, acldefault('f', p.proowner))))
        FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
        WHERE n.nspname IN ('kernel', 'public') AND NOT EXISTS (
            SELECT FROM pg_depend WHERE deptype = 'e' AND classid = 'pg_proc'::regclass AND objid = p.oid)
        UNION ALL
        SELECT format('%s %s %s %s', c.oid::regclass, pg_temp.login(c.relowner::regrole::text), c.relrowsecurity,
            pg_temp.rights(coalesce(
                c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner))))
        FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE n.nspname IN ('kernel', 'public') AND c.relkind IN ('r', 'v', 'S')
        UNION ALL
        SELECT format('%s %s %s', polrelid::regclass, polname, polroles::regrole[]) FROM pg_policy
        UNION ALL
        SELECT format('%s.%s %s', schemaname, sequencename, last_value) FROM pg_sequences
        ORDER BY 1;
        """#

    /// The lines that only one of two fingerprints has.
    private static func differences(_ one: String, _ other: String) -> [String] {
        let (ones, others) = (Set(one.split(separator: "\n")), Set(other.split(separator: "\n")))
        return (ones.subtracting(others).map { "- \($0)" } + others.subtracting(ones).map { "+ \($0)" }).sorted()
    }
}
