import JSON
import TestPostgres
import TestSupport
import Testing

/// companies.md: "`.suspend`, `.resume`: suspended: 403 `suspended`, nothing lost".
@Suite struct SuspensionTests {
    private static func command(_ arguments: [String], on server: TestServer) async throws -> String {
        let run = try await LearnTrackProcess.run(
            ["companies"] + arguments, environment: ["DATABASE_URL": server.database.connectionString])
        return run.status == 0 ? run.output : run.errors
    }

    /// A server whose company 1 is "Port", and company 2 "Digue"; the administrator of the tests is one of both, and an operator.
    private static func server() async throws -> TestServer {
        let server = try await TestServer.start()
        _ = try await server.database.psql(
            """
            UPDATE kernel.companies SET name = 'Port';
            INSERT INTO kernel.companies (name) VALUES ('Digue');
            BEGIN;
            SET LOCAL learntrack.company = '2';
            INSERT INTO users (email, role) VALUES ('\(TestServer.admin)', 'admin');
            INSERT INTO ecoles (nom) VALUES ('École de la Digue');
            COMMIT;
            UPDATE kernel.accounts SET is_operator = true WHERE email = '\(TestServer.admin)';
            """)
        return server
    }

    private static func login(_ company: JSONValue? = nil, on server: TestServer) async throws -> JSONValue {
        let credentials: [(String, JSONValue)] = [
            ("email", .string(TestServer.admin)), ("password", .string(TestServer.password)),
        ]
        return try await server.client(nil).call(
            "auth.login", .merging(credentials + (company.map { [("company_id", $0)] } ?? [])))
    }

    private static func client(_ session: JSONValue, on server: TestServer) throws -> RPCClient {
        try RPCClient(port: server.port, token: try #require(session["access_token"]?.text))
    }

    private static func isSuspended(_ answer: JSONValue) -> Bool {
        answer.at("/error/code") == 403 && answer.at("/error/data/reason") == "suspended"
    }

    @Test func `no call is answered in a suspended company within a second on every instance, and all are after it`()
        async throws
    {
        let server = try await Self.server()
        let other = try await TestServer.start(database: server.database)
        let session = try await Self.login(2, on: server)
        let digue = try Self.client(session, on: server)
        let there = try Self.client(session, on: other)
        let me = try await digue.call("auth.me")
        let made = try await digue.call(
            "auth.create_access_key", ["account_id": me["id"] ?? .null, "role": "admin", "name": "Script"])
        let key = try RPCClient(port: server.port, token: try #require(made["key"]?.text))
        let port = try Self.client(try await Self.login(1, on: server), on: server)
        for client in [digue, there, key] { _ = try await client.call("ecoles.list") }

        let suspended = try await port.call("companies.suspend", ["id": 2])
        #expect(suspended["suspended"] == true)
        // At once on the instance that did it.
        for client in [digue, key] {
            #expect(try await Self.isSuspended(client.response("ecoles.list")))
            #expect(try await Self.isSuspended(client.response("transaction.run", ["calls": []])))
        }
        try await eventually("the other instance refuses, too", within: .seconds(1)) {
            try await Self.isSuspended(there.response("ecoles.list"))
        }
        _ = try await port.call("ecoles.list")
        let upload = try await server.connection().request(
            "PUT", "/files", headers: [("Authorization", "Bearer \(digue.token ?? "")")],
            body: Array("<svg xmlns=\"http://www.w3.org/2000/svg\"><g/></svg>".utf8))
        #expect(upload.status == 403)
        let events = try await server.connection().request(
            "GET", "/events", headers: [("Authorization", "Bearer \(digue.token ?? "")")])
        #expect(events.status == 403)

        // The person still enters other companies.
        let shown = try await digue.call("auth.me")
        #expect(shown.at("/company/suspended") == true)
        #expect(
            shown["companies"] == [
                ["id": 2, "name": "Digue", "role": "admin", "suspended": true],
                ["id": 1, "name": "Port", "role": "admin"],
            ])
        #expect(try await Self.login(on: server).at("/company/id") == 1)
        #expect(try await Self.login(2, on: server).at("/company/suspended") == true)
        let moved = try await server.client(nil).call(
            "auth.refresh", ["refresh_token": session["refresh_token"] ?? .null, "company_id": 1])
        #expect(moved.at("/company/id") == 1)
        // An operator is one in a suspended company, too.
        #expect(try await digue.call("companies.resume", ["id": 2])["suspended"] == false)
        #expect(try await digue.call("ecoles.list", ["select": "{ nom }"])["items"] == [["nom": "École de la Digue"]])
        #expect(try await key.call("ecoles.list", ["select": "{ nom }"]).at("/items").array.count == 1)
        try await eventually("the other instance answers again", within: .seconds(1)) {
            try await there.response("ecoles.list")["result"] != nil
        }
        #expect(try await port.refusal("companies.suspend", ["id": 99])["code"] == 404)
        #expect(try await other.stop() == 0)
        #expect(try await server.stop() == 0)
    }

    @Test func `a stream of a suspended company ends, and those of others go on`() async throws {
        let server = try await Self.server()
        let digue = try Self.client(try await Self.login(2, on: server), on: server)
        let port = try Self.client(try await Self.login(1, on: server), on: server)
        // Otherwise what the companies were filled with is told of now.
        try await server.database.waitForEarlierTransactions()
        let listener = try await EventListenerClient.listen(server, token: digue.token)
        let neighbour = try await EventListenerClient.listen(server, token: port.token)
        for ready in [listener, neighbour] { #expect(try await ready.event().name == "ready") }
        _ = try await port.call("companies.suspend", ["id": 2])
        #expect(try await listener.next() == nil)
        _ = try await port.call("ecoles.create", ["values": ["nom": "École du Port"]])
        let event = try #require(try await neighbour.next())
        #expect(try event.change.hasPrefix("ecoles "), "\(event)")
        #expect(try await server.stop() == 0)
    }

    @Test func `links and calendars of a suspended company open nothing for now, and their documents after it`()
        async throws
    {
        let server = try await TestServer.start()
        let admin = try await server.client()
        let rows = try await Fixtures(server)
        let session = try await rows.session()
        let link = try await admin.call("sessions.recapitulatif", ["id": JSONValue(session)])
        let calendar = try await admin.call("calendriers.abonner")
        for opened in [link, calendar] { #expect(try await server.open(opened).status == 200) }
        #expect(try await Self.command(["suspend", "1"], on: server).contains("suspended company 1"))
        for opened in [link, calendar] {
            try await eventually("it opens nothing", within: .seconds(1)) {
                try await server.open(opened).status == 403
            }
            let refused = try JSONValue.parse(try await server.open(opened).body)
            #expect(refused.at("/error/data/reason") == "suspended")
            let page = try await server.open(opened, headers: [("Accept", "text/html")])
            #expect(page.status == 403)
            #expect(page.text.contains("Ce lien n’ouvre pas de document pour le moment"))
            #expect(!page.text.contains("quinze minutes"))
            // With one company no address names it.
            #expect(page.text.contains(#"<a href="/">"#))
        }
        #expect(try await Self.command(["list"], on: server).contains("  suspended\n"))
        #expect(try await Self.command(["resume", "1"], on: server) == "resumed company 1\n")
        for opened in [link, calendar] {
            try await eventually("it opens again", within: .seconds(1)) { try await server.open(opened).status == 200 }
        }
        #expect(try await server.stop() == 0)
    }

    @Test func `the page of a signature waits, and what was asked is signed after it`() async throws {
        let signing = try await SigningServer()
        _ = try await signing.ask((name: "Anne Martin", email: "anne@exemple.fr"))
        let path = try await signing.link(to: "anne@exemple.fr")
        _ = try await signing.server.database.psql("UPDATE kernel.companies SET suspended_at = now()")
        try await eventually("the page is closed for now", within: .seconds(1)) {
            try await signing.server.connection().request("GET", path).status == 403
        }
        let page = try await signing.server.connection().request("GET", path)
        #expect(page.text.contains("Ce lien ne sert pas pour le moment"))
        #expect(try await signing.server.connection().request("GET", path + "/document").status == 403)
        _ = try await signing.server.database.psql("UPDATE kernel.companies SET suspended_at = NULL")
        try await eventually("the page is there again", within: .seconds(1)) {
            try await signing.server.connection().request("GET", path).status == 200
        }
        #expect(try await signing.server.stop() == 0)
    }

    @Test func `jobs pass a suspended company by, and its messages wait`() async throws {
        let garden = try await OutboxGarden([:])
        let database = garden.database
        try await database.psql(
            """
            INSERT INTO kernel.companies (name) VALUES ('Digue');
            SELECT kernel.companies_enable(); SELECT kernel.companies_close();
            UPDATE kernel.companies SET suspended_at = now() WHERE id = 2;
            INSERT INTO probe.gardeners (company_id, name, is_suspended, suspended_until)
            VALUES (1, 'n', true, now()), (2, 'o', true, now());
            INSERT INTO kernel.outbox (company_id, kind, record_id, key) VALUES (1, 'essai', 1, ''), (2, 'essai', 1, '');
            """)
        func suspended() async throws -> String {
            try await database.psql("SELECT string_agg(company_id::text, ' ') FROM probe.gardeners WHERE is_suspended")
        }
        func taken() async throws -> String {
            // The claims have ended at once.
            try await database.psql(
                """
                SELECT string_agg(t.company_id::text, ' ' ORDER BY t.company_id)
                FROM kernel.outbox_take('{essai}', 10, '0 s') AS t
                """)
        }
        try await eventually("the first company is released") { try await suspended() == "2" }
        #expect(try await taken() == "1")
        try await database.psql("UPDATE kernel.companies SET suspended_at = NULL")
        try await eventually("the second one, too") { try await suspended() == "" }
        #expect(try await taken() == "1 2")
    }

    @Test func `the commands rename, suspend and resume, and name a company that is not there`() async throws {
        let server = try await Self.server()
        #expect(try await Self.command(["rename", "2", "Phare"], on: server) == "company 2 is called Phare\n")
        #expect(
            try await Self.command(["rename", "2", "PORT"], on: server).contains("company 1 has this name already"))
        #expect(try await Self.command(["rename", "2", "phare"], on: server) == "company 2 is called phare\n")
        for arguments in [["rename", "9", "x"], ["suspend", "9"], ["resume", "9"]] {
            #expect(
                try await Self.command(arguments, on: server).contains("there is no company 9"), "\(arguments)")
        }
        #expect(try await server.stop() == 0)
    }
}
