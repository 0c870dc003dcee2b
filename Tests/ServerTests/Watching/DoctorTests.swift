import DomainKit
import Foundation
import JSON
import TestMail
import TestPostgres
import TestSupport
import Testing

@Suite struct DoctorTests {
    private func findings(
        _ arguments: [String] = [], _ environment: [String: String]
    ) async throws -> (status: Int32, ok: JSONValue?, byName: [String: JSONValue]) {
        let run = try await LearnTrackProcess.run(["doctor", "--json"] + arguments, environment: environment)
        let answer = try JSONReader.read(run.output.trimmingCharacters(in: .newlines)).value
        var byName: [String: JSONValue] = [:]
        if case .array(let all)? = answer["findings"] {
            for finding in all { byName[finding["name"]?.text ?? ""] = finding }
        }
        return (run.status, answer["ok"], byName)
    }

    /// The address of a database that is migrated as an operator's is: by a login that is no superuser and owns it.
    private static func ownedDatabase(_ login: String) async throws -> (TestDatabase, environment: [String: String]) {
        let database = try await TestDatabase.create(migrated: false)
        _ = try await database.psql(
            """
            DO $$ BEGIN CREATE ROLE \(login) LOGIN CREATEROLE;
            EXCEPTION WHEN duplicate_object THEN NULL; END $$;
            ALTER DATABASE \(database.name) OWNER TO \(login);
            ALTER SCHEMA public OWNER TO \(login);
            """)
        let roles = try await database.psql(
            "SELECT string_agg(rolname, ', ') FROM pg_roles WHERE rolname LIKE 'learntrack\\_%'")
        if !roles.isEmpty { _ = try await database.psql("GRANT \(roles) TO \(login) WITH ADMIN OPTION") }
        let environment = [
            "DATABASE_URL": database.connectionString + " user=\(login)", "JWT_SECRET": TestServer.secret,
        ]
        let migrated = try await LearnTrackProcess.run(["migrate", "up"], environment: environment)
        #expect(migrated.status == 0, "\(migrated.errors)")
        return (database, environment)
    }

    @Test func `a migrated database is well, and each thing that it loses is named with what brings it back`()
        async throws
    {
        let (database, environment) = try await Self.ownedDatabase("lt_doctor")
        let (status, ok, found) = try await findings(["--port", "0"], environment)
        #expect(status == 0, "\(found)")
        #expect(ok == true)
        for name in [
            "postgres", "extensions", "migrations", "roles", "schema", "connections", "clock", "secret", "outbox",
        ] {
            #expect(found[name]?["state"] == "ok", "\(name): \(found)")
        }
        let trigger = try await database.psql(
            "SELECT tgname FROM pg_trigger WHERE tgrelid = 'users'::regclass AND NOT tgisinternal ORDER BY 1 LIMIT 1")
        let losses = [
            "ALTER TABLE sessions DISABLE ROW LEVEL SECURITY": "row-level security of public.sessions",
            "REVOKE SELECT ON clients FROM learntrack_user": "SELECT on public.clients for learntrack_user",
            "ALTER TABLE formateurs OWNER TO postgres": "the login as owner of public.formateurs",
            "DROP POLICY password_resets_auth ON password_resets":
                "policy password_resets_auth of public.password_resets",
            "DROP INDEX password_resets_user_id_idx": "index password_resets_user_id_idx of public.password_resets",
            "REVOKE EXECUTE ON FUNCTION kernel.invite(bigint) FROM learntrack_admin":
                "EXECUTE on function kernel.invite(account bigint) for learntrack_admin",
            "ALTER TABLE users DISABLE TRIGGER \(trigger)": "enabled trigger \(trigger) of public.users",
            "DROP SEQUENCE clients_id_seq CASCADE": "sequence public.clients_id_seq",
            "ALTER TABLE ecoles ALTER created_at DROP DEFAULT": "default of public.ecoles.created_at",
            "ALTER TABLE clients ALTER raison_sociale DROP NOT NULL": "NOT NULL of public.clients.raison_sociale",
            """
            ALTER TABLE sessions DROP CONSTRAINT sessions_client_id_fkey, ADD CONSTRAINT sessions_client_id_fkey
                FOREIGN KEY (company_id, client_id) REFERENCES clients (company_id, id) NOT VALID
            """: "validated constraint sessions_client_id_fkey of public.sessions",
        ]
        _ = try await database.psql(losses.keys.joined(separator: ";"))
        let fault = try await findings([], environment).byName["schema"]
        #expect(fault?["state"] == "fault")
        for (loss, named) in losses {
            #expect(fault?["detail"]?.text?.contains(named) == true, "\(loss): \(String(describing: fault))")
        }
        try await Self.carryOut(fault, on: database, as: "lt_doctor", environment)
        let mended = try await findings([], environment).byName["schema"]
        #expect(mended?["state"] == "ok", "\(String(describing: mended))")
        #expect(
            try await database.psql("SELECT tableowner FROM pg_tables WHERE tablename = 'formateurs'") == "lt_doctor")
        _ = try await database.psql("DROP FUNCTION kernel.invite_again(bigint); DROP FUNCTION kernel.schema_missing()")
        #expect(
            try await findings([], environment).byName["schema"]?["remedy"] == "run 'learntrack migrate up --functions'"
        )
        let again = try await LearnTrackProcess.run(["migrate", "up", "--functions"], environment: environment)
        #expect(again.status == 0, "\(again.errors)")
        let whole = try await findings([], environment)
        #expect(whole.byName["schema"]?["state"] == "ok", "\(whole)")
        _ = try await database.psql("DROP TABLE relances CASCADE")
        let lost = try await findings([], environment).byName["schema"]
        #expect(lost?["detail"]?.text?.contains("table public.relances") == true, "\(String(describing: lost))")
        #expect(lost?["remedy"]?.text?.contains("learntrack restore") == true)
    }

    /// Does what a remedy says, as it says it.
    private static func carryOut(
        _ finding: JSONValue?, on database: TestDatabase, as login: String, _ environment: [String: String]
    ) async throws {
        let roles = [
            "as a superuser: ": "", "as the owner of the tables: ": "SET SESSION AUTHORIZATION \(login); ",
        ]
        var steps: [String] = []
        for line in try #require(finding?["remedy"]?.text).split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("or, ") { break }
            if steps.isEmpty || line.hasPrefix("run '") || roles.keys.contains(where: line.hasPrefix) {
                steps.append(String(line))
            } else {
                steps[steps.count - 1] += "\n" + line
            }
        }
        for step in steps {
            if let (prefix, session) = roles.first(where: { step.hasPrefix($0.key) }) {
                _ = try await database.psql(session + step.dropFirst(prefix.count))
            } else {
                let command = try #require(step.firstMatch(of: /^run 'learntrack ([^']+)'/), "\(step)").1
                guard command != "doctor" else { return }
                let run = try await LearnTrackProcess.run(
                    command.split(separator: " ").map(String.init), environment: environment)
                #expect(run.status == 0, "\(step): \(run.errors)")
            }
        }
    }

    @Test func `migrations that are applied after a loss do not make it forgotten`() async throws {
        let (database, environment) = try await Self.ownedDatabase("lt_doctor_losses")
        _ = try await database.psql(
            """
            ALTER TABLE sessions DISABLE ROW LEVEL SECURITY;
            REVOKE SELECT ON clients FROM learntrack_user;
            DROP FUNCTION kernel.invite_again(bigint);
            CREATE OR REPLACE FUNCTION kernel.outbox_trace(of_id bigint) RETURNS text LANGUAGE sql STABLE
                SECURITY DEFINER AS 'SELECT NULL::text'
            """)
        let first = try await findings([], environment).byName["schema"]
        #expect(first?["remedy"]?.text?.contains("run 'learntrack migrate up --functions'") == true)
        let again = try await LearnTrackProcess.run(["migrate", "up", "--functions"], environment: environment)
        #expect(again.status == 0, "\(again.errors)")
        let second = try await findings([], environment).byName["schema"]
        #expect(
            second?["detail"]
                == "missing: SELECT on public.clients for learntrack_user; row-level security of public.sessions")
        try await Self.carryOut(second, on: database, as: "lt_doctor_losses", environment)
        let last = try await findings([], environment).byName["schema"]
        #expect(last?["state"] == "ok", "\(String(describing: last))")
    }

    @Test func `rights, policies, triggers and functions that no migration gave are named, and go by the remedy`()
        async throws
    {
        let (database, environment) = try await Self.ownedDatabase("lt_doctor_more")
        let additions = [
            "GRANT SELECT ON credentials TO learntrack_user": "SELECT on public.credentials for learntrack_user",
            "GRANT UPDATE (role) ON users TO PUBLIC": "UPDATE (role) on public.users for PUBLIC",
            // The role keeps its right to three of the columns.
            "GRANT UPDATE ON kernel.passkeys TO learntrack_auth": "UPDATE on kernel.passkeys for learntrack_auth",
            "CREATE POLICY \"for all\" ON sessions USING (true)":
                "policy \"for all\" of public.sessions for ALL to PUBLIC, all rows",
            """
            CREATE FUNCTION public.mine() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
            CREATE TRIGGER mine AFTER INSERT ON clients FOR EACH ROW EXECUTE FUNCTION public.mine()
            """: "trigger mine of public.clients",
        ]
        // The files of functions set them back.
        let later = [
            "ALTER FUNCTION kernel.role() SECURITY DEFINER": "rights of the owner in function kernel.role()",
            "GRANT EXECUTE ON FUNCTION kernel.erase_account(bigint) TO PUBLIC":
                "EXECUTE on function kernel.erase_account(erased bigint) for PUBLIC",
        ]
        for addition in additions.keys { _ = try await database.psql(addition) }
        let again = try await LearnTrackProcess.run(["migrate", "up", "--functions"], environment: environment)
        #expect(again.status == 0, "\(again.errors)")
        for addition in later.keys { _ = try await database.psql(addition) }
        let fault = try await findings([], environment).byName["schema"]
        #expect(fault?["state"] == "fault")
        for (addition, named) in additions.merging(later, uniquingKeysWith: { $1 }) {
            #expect(fault?["detail"]?.text?.contains(named) == true, "\(addition): \(String(describing: fault))")
        }
        try await Self.carryOut(fault, on: database, as: "lt_doctor_more", environment)
        let mended = try await findings([], environment).byName["schema"]
        #expect(mended?["state"] == "ok", "\(String(describing: mended))")
        // A run that was cut off has noted nothing of its files: what is there may be theirs.
        _ = try await database.psql(
            """
            GRANT SELECT ON clients TO PUBLIC;
            DELETE FROM kernel.schema_facts WHERE fact = 'file kernel/0201_passkey_backups.sql'
            """)
        let unknown = try await findings([], environment).byName["schema"]
        #expect(unknown?["state"] == "unknown", "\(String(describing: unknown))")
        let noted = try await LearnTrackProcess.run(["migrate", "up"], environment: environment)
        #expect(noted.status == 0, "\(noted.errors)")
        let known = try await findings([], environment).byName["schema"]
        #expect(known?["state"] == "ok", "\(String(describing: known))")
    }

    @Test(arguments: [
        "DROP EXTENSION pg_trgm CASCADE", "DROP FUNCTION kernel.without_accents(text) CASCADE",
        "DROP FUNCTION kernel.note_file(text, text, text); DROP FUNCTION kernel.invite(bigint)",
        "DROP EXTENSION unaccent CASCADE", "DROP EXTENSION btree_gin CASCADE",
    ])
    func `what is lost of the numbered files comes back by the remedies, with its rights`(loss: String) async throws {
        let login = "lt_doctor_\(loss.hashValue.magnitude % 1_000_000)"
        let (database, environment) = try await Self.ownedDatabase(login)
        _ = try await database.psql(loss)
        for _ in 1...2 {
            let fault = try await findings([], environment).byName["schema"]
            guard fault?["state"] == "fault" else { break }
            try await Self.carryOut(fault, on: database, as: login, environment)
        }
        let found = try await findings(["--port", "0"], environment)
        #expect(found.byName["schema"]?["state"] == "ok", "\(found)")
        #expect(found.ok == true, "\(found)")
    }

    @Test func `what Postgres does not allow is named before the server meets it`() async throws {
        let (database, environment) = try await Self.ownedDatabase("lt_doctor_limits")
        _ = try await database.psql(
            """
            ALTER ROLE lt_doctor_limits CONNECTION LIMIT 9;
            ALTER DATABASE \(database.name) SET default_transaction_read_only = on;
            SET default_transaction_read_only = off;
            DROP EXTENSION unaccent CASCADE
            """)
        let found = try await findings(["--time-zone", "Mars/Olympus", "--port", "0"], environment).byName
        #expect(found["connections"]?["detail"]?.text?.contains("has 9 for this login") == true, "\(found)")
        #expect(found["writing"]?["state"] == "fault")
        #expect(found["time zone"]?["state"] == "fault")
        #expect(found["extensions"]?["remedy"]?.text?.contains("CREATE EXTENSION unaccent;") == true, "\(found)")
        #expect(found["login"] == nil)
        let superuser = ["DATABASE_URL": database.connectionString, "JWT_SECRET": TestServer.secret]
        #expect(
            try await findings([], superuser).byName["login"]?["detail"]?.text?.hasSuffix("is a superuser") == true)
    }

    @Test func `settings that nothing reads, and listeners that the server cannot have, are named`() async throws {
        let certificate = try TestCertificate()
        let found = try await findings(
            ["--host", "192.0.2.7", "--tls-certificate", certificate.certificate, "--tls-key", certificate.key],
            ["DATABASE_URL": "postgres://127.0.0.1:9/learntrack", "LEARNTRACK_TIMEZONE": "Indian/Reunion"]
        ).byName
        #expect(
            found["environment"]?["detail"]
                == "no setting reads LEARNTRACK_TIMEZONE (LEARNTRACK_TIME_ZONE may be meant)")
        #expect(found["listening"]?["detail"]?.text?.contains("192.0.2.7 is no address of this machine") == true)
        let twice = try await findings(
            ["--port", "8099", "--metrics-address", "127.0.0.1:8099"],
            ["DATABASE_URL": "postgres://127.0.0.1:9/learntrack"])
        #expect(twice.byName["listening"]?["detail"]?.text?.contains("given twice") == true)
        let everywhere = try await findings(
            ["--host", "0.0.0.0", "--port", "8099", "--metrics-address", "127.0.0.1:8099"],
            ["DATABASE_URL": "postgres://127.0.0.1:9/learntrack"])
        #expect(everywhere.byName["listening"]?["detail"]?.text?.contains("given twice") == true)
        // All that 'serve' documents are known.
        let help = try await LearnTrackProcess.run(["serve", "--help"])
        let names = Set(help.output.matches(of: /LEARNTRACK_[A-Z_]+/).map { String($0.output) })
        #expect(names.count > 30)
        let all = try await findings(
            [],
            Dictionary(uniqueKeysWithValues: names.map { ($0, "") })
                .merging(["DATABASE_URL": "postgres://127.0.0.1:9/learntrack"]) { $1 })
        #expect(all.byName["environment"] == nil, "\(all)")
    }

    @Test func `a port that another program has is a fault, and the server's own is none and counts as one server`()
        async throws
    {
        let server = try await TestServer.start()
        let environment = ["DATABASE_URL": server.database.connectionString, "JWT_SECRET": TestServer.secret]
        let own = try await findings(["--port", "\(server.port)"], environment).byName
        #expect(own["listening"]?["state"] == "ok", "\(own)")
        #expect(own["connections"]?["detail"]?.text?.hasPrefix("one server opens up to ") == true, "\(own)")
        let listening = try await server.database.psql(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'learntrack% listener' "
                + "AND datname = current_database()")
        #expect(listening == "2")
        let further = try await findings(["--port", "0"], environment).byName
        #expect(further["connections"]?["detail"]?.text?.hasPrefix("2 servers each open up to ") == true, "\(further)")
        #expect(try await server.stop() == 0)
        let sink = try await SMTPSink()
        let other = try await findings(["--port", "\(sink.port)"], environment).byName
        #expect(other["listening"]?["state"] == "fault", "\(other)")
        #expect(other["listening"]?["detail"]?.text?.contains("another program uses port \(sink.port)") == true)
    }

    @Test(arguments: [
        (SMTPSink.Fault.refusesLogin, "correct user and password"), (.requiresLogin, "correct user and password"),
        (.refusesSender, "--mail-from"), (.greetsWith554, "ask the operator"),
        (.speaksHTTP, "a mail server must answer"),
    ])
    func `a mail server that takes no mails is a fault, and one that does gets none`(
        fault: SMTPSink.Fault, remedy: String
    ) async throws {
        let sink = try await SMTPSink(failing: fault)
        let environment = [
            "DATABASE_URL": "postgres://127.0.0.1:9/learntrack",
            "SMTP_URL": "smtp://user:secret@127.0.0.1:\(sink.port)",
        ]
        let found = try await findings([], environment).byName["smtp"]
        #expect(found?["remedy"]?.text?.contains(remedy) == true, "\(String(describing: found))")
        #expect(found?["detail"]?.text?.contains("secret") == false)
        try sink.mend()
        #expect(try await findings([], environment).byName["smtp"]?["state"] == "ok")
        #expect(try sink.mails().isEmpty)
    }

    @Test func `each fault has its remedy, and the status is 1`() async throws {
        let database = try await TestDatabase.create(migrated: false)
        let (status, ok, found) = try await findings(
            ["--public-url", "https://formation.example"],
            ["DATABASE_URL": database.connectionString, "SMTP_URL": "smtp://127.0.0.1:9"])
        #expect(status == 1)
        #expect(ok == false)
        #expect(found["migrations"]?["remedy"] == "run 'learntrack migrate up'", "\(found)")
        #expect(found["smtp"]?["detail"]?.text?.contains("Connection refused") == true, "\(found)")
        #expect(found["proxy"]?["remedy"]?.text?.contains("--trusted-proxies") == true)
        #expect(found["secret"]?["remedy"]?.text?.contains("openssl rand") == true)
        #expect(found["postgres"]?["state"] == "ok")
    }

    /// What the doctor finds besides the database, which does not answer.
    private func settingsFindings(_ arguments: [String]) async throws -> [String: JSONValue] {
        try await findings(
            arguments, ["DATABASE_URL": "postgres://127.0.0.1:9/learntrack", "JWT_SECRET": TestServer.secret]
        ).byName
    }

    @Test func `a host that other machines reach without TLS is a fault, and one behind a proxy is none`() async throws
    {
        let open = try await settingsFindings(["--host", "0.0.0.0"])
        #expect(open["https"]?["state"] == "fault", "\(open)")
        #expect(open["https"]?["detail"]?.text?.contains("--behind-proxy") == true)
        let proxied = try await settingsFindings(["--host", "0.0.0.0", "--behind-proxy"])
        #expect(proxied["https"]?["state"] == "ok")
        #expect(proxied["proxy"]?["remedy"]?.text?.contains("--trusted-proxies") == true)
        let trusting = try await settingsFindings(
            ["--host", "0.0.0.0", "--behind-proxy", "--trusted-proxies", "10.0.0.1"])
        #expect(trusting["proxy"]?["state"] == "ok")
        #expect(trusting["passkeys"]?["remedy"]?.text?.contains("--public-url") == true)
        let named = try await settingsFindings(["--behind-proxy", "--public-url", "https://formation.example"])
        #expect(named["passkeys"]?["state"] == "ok", "\(named)")
        let loopback = try await settingsFindings([])
        #expect(loopback["https"]?["state"] == "ok")
        #expect(loopback["proxy"] == nil)
        #expect(loopback["passkeys"] == nil)
    }

    @Test func `a certificate is examined: its files, its end, and whether it is for the public name`() async throws {
        let certificate = try TestCertificate()
        let files = ["--tls-certificate", certificate.certificate, "--tls-key", certificate.key]
        let right = try await settingsFindings(files + ["--public-url", "https://learntrack.test"])
        #expect(right["certificate"]?["state"] == "ok", "\(right)")
        #expect(right["certificate"]?["detail"]?.text?.contains("valid until 20") == true)
        #expect(right["host name"]?["state"] == "ok")
        #expect(right["proxy"] == nil, "it does TLS itself")
        let wrong = try await settingsFindings(files + ["--public-url", "https://formation.example"])
        #expect(wrong["host name"]?["state"] == "fault")
        #expect(
            wrong["host name"]?["detail"]
                == "the certificate is for localhost, learntrack.test, and clients use formation.example")
        let unnamed = try await settingsFindings(files + ["--host", "0.0.0.0"])
        #expect(unnamed["host name"]?["state"] == "unknown")
        try certificate.replaceKey(by: TestCertificate())
        let mismatched = try await settingsFindings(files)
        #expect(mismatched["https"]?["state"] == "fault")
        #expect(mismatched["https"]?["detail"]?.text?.contains("does not belong to") == true, "\(mismatched)")
    }

    @Test func `a database that does not answer is named with host and port and without its password`() async throws {
        let run = try await LearnTrackProcess.run(
            ["doctor"],
            environment: [
                "DATABASE_URL": "postgres://claire:geheim-4711@127.0.0.1:9/learntrack", "JWT_SECRET": TestServer.secret,
            ])
        #expect(run.status == 1)
        #expect(run.output.contains("fault"), "\(run.output)\(run.errors)")
        #expect(run.output.contains("port 9"))
        #expect(run.output.contains("→ start Postgres"))
        #expect(!(run.output + run.errors).contains("geheim-4711"))
    }
}
