import AccountsDomain
import CRMDomain
import CountingDomain
import DomainKit
import Foundation
import JSON
import ProbeDomain
import TestPostgres
import TestSupport
import Testing

/// `learntrack erase`, `user erase` and `export person`.
@Suite struct PersonalDataTests {
    @Test func `an erased trainer is nowhere in the database, and the figures and sessions stay`() async throws {
        let server = try await TestServer.start()
        let client = try await server.client()
        let values: JSONValue = [
            "prenom": "Zénobie", "nom": "Quatremare", "email": "zenobie.quatremare@exemple.fr",
            "telephone": "06 12 34 56 78", "rue": "3 impasse Quatremare", "taux_horaire": .number("61.50"),
        ]
        let id = try #require(try await client.call("formateurs.create", ["values": values])["id"]?.int)
        let twin = try await client.call("formateurs.create", ["values": values])
        _ = try await client.call(
            "formateurs.update", ["id": .number("\(id)"), "values": ["ville": "Villequatremare"]])
        _ = try await client.call(
            "sessions.create",
            [
                "values": [
                    "module": "Essai", "date": "2026-01-12", "debut": "09:00", "fin": "17:00", "modalite": "P",
                    "tarif_sous_traitant": .number("450.00"), "formateur_id": .number("\(id)"),
                ]
            ])
        // The record that is absorbed leaves its values in the journal.
        _ = try await client.call(
            "formateurs.fusionner", ["garde": .number("\(id)"), "absorbe": try #require(twin["id"])])
        #expect(try await Self.places(of: "quatremare", in: server.database) != "")

        let held = try await Self.run(["export", "person", "formateurs", "\(id)"], at: server.database)
        let person = try JSONReader.read(held.output).value
        #expect(person.at("/record/nom") == "Quatremare")
        #expect(person.at("/sessions/0/module") == "Essai")
        #expect(person.at("/journal/0/after/email") == "zenobie.quatremare@exemple.fr")
        let byEmail = try await Self.run(["export", "person", "Zenobie.Quatremare@exemple.fr"], at: server.database)
        #expect(try JSONReader.read(byEmail.output).value.at("/records/0") == person)

        // Without a terminal and without --yes nobody has said yes.
        for command in [["erase", "formateurs", "\(id)"], ["user", "erase", TestServer.user]] {
            let asked = try await Self.run(command, at: server.database)
            #expect(asked.status != 0 && asked.errors.contains("--yes"), "\(asked.errors)")
        }
        #expect(try await Self.places(of: "quatremare", in: server.database) != "")
        let erased = try await Self.run(["erase", "formateurs", "\(id)", "--yes"], at: server.database)
        #expect(erased.status == 0, "\(erased.errors)")
        #expect(try await Self.places(of: "quatremare", in: server.database) == "")
        #expect(try await Self.places(of: "12 34 56 78", in: server.database) == "")
        let after = try await client.call(
            "formateurs.get",
            [
                "id": .number("\(id)"),
                "select": "{ nom_complet email taux_horaire nombre_sessions sessions { module tarif_sous_traitant } }",
            ])
        #expect(after["nom_complet"] == "Formateur effacé")
        #expect(after["email"] == .null)
        #expect(after["taux_horaire"] == .number("61.5"))
        #expect(after["nombre_sessions"] == .number("1"))
        #expect(after.at("/sessions/0/tarif_sous_traitant") == .number("450.0"))
        // The journal still says that the values have changed, and takes no other change.
        let history = try await server.database.psql(
            "SELECT after->>'nom' FROM journal WHERE table_name = 'formateurs' AND row_id = \(id) ORDER BY id LIMIT 1")
        #expect(history == "***")
        await #expect(throws: TestEnvironmentError.self) {
            try await server.database.psql("UPDATE journal SET after = NULL")
        }
    }

    @Test func `an erased account is nowhere in the database, and its number still stands in the journal`()
        async throws
    {
        let server = try await TestServer.start()
        let admin = try await server.client()
        let id = try #require(
            try await admin.call(
                "users.create",
                [
                    "values": [
                        "email": "xanthippe@exemple.fr", "username": "Xanthippe",
                        "password": "un mot de passe pour Xanthe",
                    ]
                ])["id"]?.int)
        let nobody = try await server.client(nil)
        let signIn: JSONValue = ["email": "xanthippe@exemple.fr", "password": "un mot de passe pour Xanthe"]
        let token = try #require(try await nobody.call("auth.login", signIn)["access_token"]?.text)
        let client = try RPCClient(port: server.port, token: token)
        _ = try await client.call(
            "sessions.create",
            [
                "values": [
                    "module": "Sienne", "date": "2026-01-12", "debut": "09:00", "fin": "17:00", "modalite": "P",
                ]
            ])
        _ = try await server.database.psql(
            """
            INSERT INTO kernel.passkeys (account_id, name, credential_id, public_key, sign_count, transports)
            VALUES (\(id), 'Téléphone de Xanthippe', '\\x01', decode(repeat('00', 64), 'hex'), 0, '')
            """)
        let held = try await Self.run(["export", "person", "xanthippe@exemple.fr"], at: server.database)
        let account = try #require(try JSONReader.read(held.output).value["account"])
        #expect(account.at("/user/username") == "Xanthippe")
        #expect(account.at("/actions/0/table_name") == "sessions")
        #expect(account.at("/sign_ins/0") != nil)
        #expect(account.at("/passkeys/0/name") == "Téléphone de Xanthippe")
        #expect(!held.output.contains("hash"))

        let erased = try await Self.run(["user", "erase", "XANTHIPPE@exemple.fr", "--yes"], at: server.database)
        #expect(erased.status == 0, "\(erased.errors)")
        #expect(try await Self.places(of: "xanthippe", in: server.database) == "")
        let left = try await server.database.psql(
            """
            SELECT (SELECT count(*) FROM credentials WHERE user_id = \(id)), (SELECT count(*) FROM sign_ins WHERE user_id = \(id)),
                (SELECT is_active FROM users WHERE id = \(id)),
                (SELECT count(*) FROM journal WHERE table_name = 'sessions' AND actor->>'id' = '\(id)')
            """)
        #expect(left == "0|0|f|1")
        let again = try await nobody.response("auth.login", signIn)
        #expect(again.at("/error/data/code") == "invalid_credentials")
        let missing = try await Self.run(["user", "erase", "xanthippe@exemple.fr", "--yes"], at: server.database)
        #expect(missing.status != 0 && missing.errors.contains("no account"))
        let unknown = try await Self.run(["export", "person", "xanthippe@exemple.fr"], at: server.database)
        #expect(unknown.status != 0 && unknown.errors.contains("nothing is held"))
    }

    @Test func `a passkey that is being added while its account is erased does not stay`() async throws {
        let database = try await TestDatabase.create(migrated: true)
        try await database.psql("INSERT INTO users (email, role) VALUES ('xanthippe@exemple.fr', 'user')")
        // Commits once the erasure waits for it.
        let addition = Task {
            try await database.psql(
                """
                SET application_name = 'addition'; BEGIN;
                SELECT a.outcome FROM users, kernel.add_passkey(
                    users.id, 'Téléphone de Xanthippe', '\\x01', decode(repeat('00', 64), 'hex'), 0, '',
                    decode(repeat('00', 16), 'hex'), now() + interval '5 minutes') AS a;
                DO $$ BEGIN
                    FOR attempt IN 1..1200 LOOP
                        PERFORM pg_sleep(0.05), pg_stat_clear_snapshot();
                        EXIT WHEN EXISTS (
                            SELECT FROM pg_stat_activity
                            WHERE datname = current_database() AND wait_event_type = 'Lock');
                    END LOOP;
                END $$;
                COMMIT
                """)
        }
        try await eventually("the passkey is there, and not committed") {
            try await database.psql(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'addition' AND wait_event = 'PgSleep'")
                == "1"
        }
        let erased = try await Self.run(["user", "erase", "xanthippe@exemple.fr", "--yes"], at: database)
        #expect(erased.status == 0, "\(erased.errors)")
        let added = try await addition.value
        #expect(added == "created")
        #expect(try await Self.places(of: "xanthippe", in: database) == "")
    }

    @Test func `the last active administrator is not erased`() async throws {
        let database = try await TestDatabase.create(migrated: true)
        for name in ["ada", "bea"] {
            try await database.psql("INSERT INTO users (email, role) VALUES ('\(name)@exemple.fr', 'admin')")
        }
        let first = try await Self.run(["user", "erase", "ada@exemple.fr", "--yes"], at: database)
        #expect(first.status == 0, "\(first.errors)")
        let last = try await Self.run(["user", "erase", "bea@exemple.fr", "--yes"], at: database)
        #expect(last.status != 0 && last.errors.contains("last active administrator"), "\(last.errors)")
        #expect(try await database.psql("SELECT email FROM users WHERE is_active") == "bea@exemple.fr")
    }

    @Test func `a table that is not about persons, and a record that never was, are refused`() async throws {
        let database = try await TestDatabase.create(migrated: true)
        let session = try await Self.run(["erase", "sessions", "1", "--yes"], at: database)
        #expect(session.status != 0)
        #expect(session.errors.contains("'sessions' is not about persons; these are: "), "\(session.errors)")
        let nobody = try await Self.run(["erase", "formateurs", "1", "--yes"], at: database)
        #expect(nobody.status != 0)
        #expect(nobody.errors.contains("there is no record 1 in formateurs"), "\(nobody.errors)")
    }

    @Test(arguments: [
        (["formateurs"], "'formateurs' is no e-mail: give one, or a table and the id of a record"),
        (["formateurs", "douze"], "'douze' is no id"), (["formateurs", "12", "13"], "an e-mail is expected"),
    ])
    func `an export of a person without an e-mail or an id is an error of usage`(
        arguments: [String], error: String
    ) async throws {
        let run = try await LearnTrackProcess.run(["export", "person"] + arguments)
        #expect(run.status == 64)
        #expect(run.errors.contains(error) && run.errors.contains("learntrack export person"), "\(run.errors)")
    }

    @Test func `what takes the place of a personal value is one that its column accepts`() throws {
        for domain in [CRM.domain, Counting.domain, Accounts.domain, Probe.domain] {
            for entity in domain.entities {
                for (name, value) in entity.personal {
                    let column = try #require(entity.column(named: name), "\(entity.name).\(name)")
                    #expect(throws: Never.self, "\(entity.name).\(name)") { try column.check(value) }
                }
            }
        }
    }

    private static func run(
        _ arguments: [String], at database: TestDatabase
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await LearnTrackProcess.run(arguments, environment: ["DATABASE_URL": database.connectionString])
    }

    /// The tables with a row that contains a text, in upper or lower case.
    private static func places(of text: String, in database: TestDatabase) async throws -> String {
        try await database.psql(
            """
            SELECT string_agg(schemaname || '.' || tablename, ' ') FROM pg_tables
            WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND (xpath('/row/v/text()', query_to_xml(format(
                'SELECT count(*) AS v FROM %I.%I AS t WHERE t::text ILIKE ''%%\(text)%%''', schemaname, tablename),
                true, true, '')))[1]::text <> '0'
            """)
    }
}
