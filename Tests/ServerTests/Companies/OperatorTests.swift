import JSON
import TestMail
import TestPostgres
import TestSupport
import Testing

/// companies.md: "O: operator (`learntrack user operator EMAIL`): names and sizes of companies, no record", "`companies.create`
/// {name, admin_email}, `.suspend`, `.resume`, `.usage` {du, au}", "`companies.update` {name} A".
@Suite struct OperatorTests {
    private static let methods: [(String, JSONValue)] = [
        ("companies.list", [:]), ("companies.create", ["name": "Phare", "admin_email": "phare@exemple.fr"]),
        ("companies.suspend", ["id": 1]), ("companies.resume", ["id": 1]),
        ("companies.usage", ["du": "2026-01-01", "au": "2026-12-31"]),
    ]

    /// A database that keeps companies apart, before a server knows it.
    private static func enabledDatabase() async throws -> TestDatabase {
        let database = try await TestDatabase.create(migrated: true)
        try await database.psql("SELECT kernel.companies_enable(); SELECT kernel.companies_close()")
        return database
    }

    /// The command of an operator of the machine.
    private static func mark(_ email: String, on server: TestServer, _ further: String...) async throws -> String {
        let run = try await LearnTrackProcess.run(
            ["user", "operator", email] + further, environment: ["DATABASE_URL": server.database.connectionString])
        return run.status == 0 ? run.output : run.errors
    }

    @Test func `only an account that the command has made an operator is one, and keys never`() async throws {
        let server = try await TestServer.start()
        let admin = try await server.client()
        let me = try await admin.call("auth.me")
        #expect(me["operator"] == nil)
        for (method, params) in Self.methods {
            #expect(try await admin.refusal(method, params)["code"] == 403, "\(method)")
            #expect(try await admin.refusal(method, ["inconnu": 1])["code"] == 403, "\(method)")
            #expect(try await server.client(nil).refusal(method, params)["code"] == 401, "\(method)")
        }
        #expect(try await Self.mark("nobody@exemple.fr", on: server).contains("no account with this e-mail"))
        #expect(
            try await Self.mark(TestServer.admin.uppercased(), on: server)
                == "\(TestServer.admin.uppercased()) is an operator\n")
        #expect(try await admin.call("auth.me")["operator"] == true)
        let session = try await server.client(nil).call(
            "auth.login", ["email": .string(TestServer.admin), "password": .string(TestServer.password)])
        #expect(session["operator"] == true)
        let list = try await admin.call("companies.list")
        #expect(list.at("/items").array.count == 1)
        #expect(list.at("/items/0/id") == 1)
        #expect(list.at("/items/0/members") == 2)
        #expect(list.at("/items/0/suspended") == false)

        let made = try await admin.call(
            "auth.create_access_key", ["account_id": me["id"] ?? .null, "role": "admin", "name": "Script"])
        let key = try RPCClient(port: server.port, token: try #require(made["key"]?.text))
        #expect(try await key.refusal("companies.list")["code"] == 403)
        #expect(try await key.call("auth.me")["operator"] == nil)

        _ = try await Self.mark(TestServer.admin, on: server, "--remove")
        #expect(try await admin.refusal("companies.list")["code"] == 403)
        #expect(try await admin.call("auth.me")["operator"] == nil)
        #expect(try await server.stop() == 0)
    }

    @Test func `Postgres itself lets nobody but an operator call the functions, and gives operators no table`()
        async throws
    {
        try await TestDatabase.with { database in
            try await database.psql("INSERT INTO users (email, role) VALUES ('a@exemple.fr', 'admin')")
            for call in [
                "kernel.operator_companies(1)", "kernel.operator_create(1, 'x', 'x@exemple.fr')",
                "kernel.operator_suspend(1, 1, true)", "kernel.operator_usage(1, '2026-01-01', '2026-12-31')",
            ] {
                await #expect(throws: (any Error).self, "\(call)") {
                    try await database.psql("SET ROLE learntrack_auth; SELECT * FROM \(call)")
                }
                await #expect(throws: (any Error).self, "\(call)") {
                    try await database.psql(
                        "UPDATE kernel.accounts SET is_operator = true; SET ROLE learntrack_admin; SELECT * FROM \(call)"
                    )
                }
                try await database.psql("UPDATE kernel.accounts SET is_operator = false")
            }
            let reached = try await database.psql(
                "SELECT has_table_privilege('learntrack_auth', 'sessions', 'SELECT'), has_table_privilege('learntrack_auth', 'kernel.companies', 'UPDATE')"
            )
            #expect(reached == "f|f")
        }
    }

    @Test func `an operator makes a company, whose first administrator a mail invites, with or without an account`()
        async throws
    {
        let sink = try await SMTPSink()
        let server = try await TestServer.start(
            ["--public-url", "https://crm.exemple.fr"], environment: ["SMTP_URL": "smtp://127.0.0.1:\(sink.port)"],
            database: try await Self.enabledDatabase())
        _ = try await Self.mark(TestServer.admin, on: server)
        let admin = try await server.client()
        let trial = try await admin.call(
            "companies.create", ["name": "Digue", "admin_email": .string(TestServer.user), "dry_run": true])
        #expect(trial["name"] == "Digue")
        #expect(try await admin.call("companies.list").at("/items").array.count == 1)
        let params: JSONValue = [
            "name": "Digue", "admin_email": .string(TestServer.user), "idempotency_key": "la-digue",
        ]
        let made = try await admin.call("companies.create", params)
        #expect(made["name"] == "Digue")
        #expect(made["members"] == 1)
        #expect(try await admin.call("companies.create", params) == made)
        _ = try await admin.call("companies.create", ["name": "Phare", "admin_email": "phare@exemple.fr"])
        let mails = try await sink.mails(atLeast: 2)
        #expect(Set(mails.flatMap(\.recipients)) == [TestServer.user, "phare@exemple.fr"])
        for mail in mails {
            let text = try await SMTPSink.read(mail)["text/plain"] ?? ""
            #expect(text.contains("https://crm.exemple.fr/#invitation="))
        }
        // Nobody is a member before the person has joined, and the operator never.
        #expect(
            try await server.database.psql("SELECT count(*) FROM users WHERE company_id > 1 AND is_member") == "0")
        #expect(try await admin.call("auth.me")["companies"]?.array.count == 1)

        let taken = try await admin.refusal(
            "companies.create", ["name": "DIGUE", "admin_email": "autre@exemple.fr"])
        #expect(taken["code"] == 409)
        #expect(taken.at("/data/errors/0/path") == "/name")
        let blank = try await admin.refusal("companies.create", ["name": " ", "admin_email": "personne"])
        #expect(Set(blank.at("/data/errors").array.compactMap { $0["path"]?.text }) == ["/name", "/admin_email"])
        #expect(try await server.stop() == 0)
    }

    @Test func `with one company the remedy is named, and without mail nothing is made`() async throws {
        let sink = try await SMTPSink()
        let server = try await TestServer.start([], environment: ["SMTP_URL": "smtp://127.0.0.1:\(sink.port)"])
        _ = try await Self.mark(TestServer.admin, on: server)
        let params: JSONValue = ["name": "Digue", "admin_email": "digue@exemple.fr"]
        let refused = try await server.client().refusal("companies.create", params)
        #expect(refused["code"] == 409)
        #expect(refused.at("/data/reason") == "not_enabled")
        #expect(refused["message"]?.text?.contains("learntrack companies enable") == true)
        #expect(try await server.stop() == 0)
        let silent = try await TestServer.start(database: server.database)
        #expect(try await silent.client().refusal("companies.create", params)["code"] == 503)
        #expect(try await silent.stop() == 0)
    }

    @Test func `an administrator renames the own company, and no other one`() async throws {
        let server = try await TestServer.start()
        _ = try await server.database.psql("INSERT INTO kernel.companies (name) VALUES ('Digue')")
        let admin = try await server.client()
        let renamed = try await admin.call("companies.update", ["name": "Port", "idempotency_key": "port"])
        #expect(renamed == ["id": 1, "name": "Port"])
        #expect(try await admin.call("companies.update", ["name": "Port", "idempotency_key": "port"]) == renamed)
        #expect(try await admin.call("auth.me").at("/company/name") == "Port")
        // A refusal would tell that there is another company of this name.
        #expect(try await admin.call("companies.update", ["name": "digue"])["name"] == "digue")
        #expect(try await admin.refusal("companies.update", ["name": " "])["code"] == -32602)
        for name in ["Port\nBcc: x@exemple.fr", "Port\u{1B}[31m", "Port\u{202E}", " Port", "Port\u{3000}"] {
            let refusal = try await admin.refusal("companies.update", ["name": .string(name)])
            #expect(refusal.at("/data/errors/0/path") == "/name", "\(refusal.json)")
        }
        #expect(
            try await admin.refusal("companies.update", ["name": .string(String(repeating: "n", count: 101))])["code"]
                == -32602)
        #expect(try await server.client(TestServer.user).refusal("companies.update", ["name": "x"])["code"] == 403)
        #expect(
            try await server.database.psql("SELECT string_agg(name, ' ' ORDER BY id) FROM kernel.companies")
                == "digue Digue")
        #expect(try await server.stop() == 0)
    }

    @Test func `the usage counts what each company has used in the days of the period`() async throws {
        let server = try await TestServer.start()
        _ = try await server.database.psql(
            """
            INSERT INTO kernel.companies (name) VALUES ('Digue');
            UPDATE kernel.accounts SET is_operator = true WHERE email = '\(TestServer.admin)';
            UPDATE users SET joined_at = '2025-01-01';
            BEGIN;
            SET LOCAL learntrack.company = '2';
            INSERT INTO ecoles (nom) VALUES ('École de la Digue');
            INSERT INTO users (email, joined_at) VALUES ('digue@exemple.fr', '2026-05-20');
            INSERT INTO kernel.files (account_id, sha256, media_type, size)
                SELECT id, sha256('x'), 'image/png', 1234 FROM users WHERE company_id = 2;
            INSERT INTO kernel.outbox (kind, record_id, key, sent_at, attempts) VALUES
                ('x', 1, '', '2026-05-01 00:00+02', 1), ('x', 2, '', '2026-05-31 23:59+02', 1),
                ('x', 3, '', '2026-04-30 23:59+02', 1), ('x', 4, '', '2026-06-01 00:00+02', 1);
            INSERT INTO kernel.usage (day, documents, messages) VALUES ('2026-05-31', 3, 10), ('2026-06-01', 9, 9);
            COMMIT;
            """)
        let admin = try await server.client()
        let usage = try await admin.call("companies.usage", ["du": "2026-05-01", "au": "2026-05-31"])
        #expect(usage.at("/items").array.map { $0["name"] } == ["Digue", "LearnTrack"])
        #expect(
            usage.at("/items/0") == [
                "bytes": 1234, "documents": 3, "id": 2, "members": 1, "messages": 12, "name": "Digue", "records": 1,
                "sign_ins": 0, "signatures": 0,
            ])
        #expect(usage.at("/items/1/members") == 2)
        #expect(usage.at("/items/1/records") == 0)
        let before = try await admin.call("companies.usage", ["du": "2026-04-30", "au": "2026-04-30"])
        #expect(before.at("/items/0/messages") == 1)
        #expect(before.at("/items/0/members") == 0)
        let turned = try await admin.refusal("companies.usage", ["du": "2026-05-02", "au": "2026-05-01"])
        #expect(turned.at("/data/errors/0/path") == "/au")

        // What has left the outbox stays counted.
        _ = try await server.database.psql("SELECT kernel.outbox_prune('0 s', 1000)")
        let pruned = try await admin.call("companies.usage", ["du": "2026-05-01", "au": "2026-05-31"])
        #expect(pruned.at("/items/0/messages") == 12)

        // A document of a link counts, once for each time that it is opened as a whole.
        let rows = try await Fixtures(server)
        let session = try await rows.session()
        let link = try await rows.client.call("sessions.recapitulatif", ["id": JSONValue(session)])
        #expect(try await server.open(link).status == 200)
        #expect(try await server.open(link, "HEAD").status == 200)
        try await eventually {
            let now = try await admin.call("companies.usage", ["du": "2026-01-01", "au": "2999-12-31"])
            return now.at("/items").array.first { $0["id"] == 1 }?["documents"] == 1
        }
        // What was opened a moment before the server stops is counted, too.
        for _ in 1...3 { #expect(try await server.open(link).status == 200) }
        #expect(try await server.stop() == 0)
        #expect(try await server.database.psql("SELECT sum(documents) FROM kernel.usage WHERE company_id = 1") == "4")
    }
}
