import JSON
import TestMail
import TestPostgres
import TestSupport
import Testing

/// companies.md: "`users.create` {email, role, username}: with several companies: a member `invited`, a mail (7 days, once) … Same answer,
/// time and errors whether the address has an account or not. … `auth.accept_invitation` {token, password?}: signed in, or with the
/// account's password, or a new account's; used, late, withdrawn: 404".
@Suite struct CompanyInvitationTests {
    private static let password = TestServer.password
    private static let page = "https://crm.exemple.fr/#invitation="

    /// A server of two companies: "Port", where the accounts of all tests are, and "Digue", whose administrator is Basile.
    private struct Companies {
        let server: TestServer
        let sink: SMTPSink
        let digue: RPCClient

        init(_ arguments: [String] = []) async throws {
            sink = try await SMTPSink()
            server = try await TestServer.start(
                ["--public-url", "https://crm.exemple.fr"] + arguments,
                environment: ["SMTP_URL": "smtp://127.0.0.1:\(sink.port)"])
            try await server.database.psql(
                """
                UPDATE kernel.companies SET name = 'Port';
                INSERT INTO kernel.companies (name) VALUES ('Digue');
                BEGIN;
                SET LOCAL learntrack.company = '2';
                INSERT INTO users (email, username, role) VALUES ('\(TestServer.user)', 'Basile', 'admin');
                COMMIT;
                SELECT kernel.companies_enable();
                """)
            let session = try await server.client(nil).call(
                "auth.login",
                [
                    "email": .string(TestServer.user), "password": .string(CompanyInvitationTests.password),
                    "company_id": 2,
                ])
            digue = try RPCClient(port: server.port, token: try #require(session["access_token"]?.text))
            // Servers learn within a second that there are several.
            try await eventually("the server knows of several companies") {
                try await digue.response(
                    "users.create",
                    ["values": ["email": "essai@exemple.fr", "password": .string(CompanyInvitationTests.password)]]
                )
                .at("/error/data/errors/0/path") == "/values/password"
            }
        }

        /// Invites an address to "Digue".
        func invite(_ email: String) async throws -> (created: JSONValue, mail: SMTPSink.Mail) {
            let before = try sink.mails().count
            let created = try await digue.call(
                "users.create",
                [
                    "values": ["email": .string(email), "username": "Invitée", "role": "user"],
                    "select": "{ id is_active invitation }",
                ])
            return (created, try #require(try await sink.mails(atLeast: before + 1).last))
        }

        func login(_ email: String, _ password: String, _ company: JSONValue = 2) async throws -> JSONValue {
            try await server.client(nil).response(
                "auth.login",
                ["email": .string(email), "password": .string(password), "company_id": company])
        }
    }

    private static func token(in mail: SMTPSink.Mail) async throws -> String {
        let text = try #require(try await SMTPSink.read(mail)["text/plain"])
        let link = try #require(text.firstRange(of: page))
        return String(text[link.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
    }

    @Test func `the page of a link that opens nothing any more leads to the application in its company`() async throws {
        let companies = try await Companies()
        let server = companies.server
        let session = try await companies.digue.call(
            "sessions.create", ["values": .merging(Fixtures.session()), "select": "{ id }"])
        let link = try await companies.digue.call("sessions.recapitulatif", ["id": session["id"] ?? .null])
        let url = try #require(link["url"]?.text)
        #expect(url.hasPrefix("https://crm.exemple.fr/documents/"))
        let path = String(url.dropFirst("https://crm.exemple.fr".count))
        #expect(try await server.open(url: path).status == 200)
        _ = try await server.database.psql("UPDATE sign_ins SET ended_at = now() WHERE ended_at IS NULL")
        let closed = try await server.open(url: path, headers: [("Accept", "text/html")])
        #expect(closed.status == 403)
        #expect(closed.text.contains(#"<a href="/s/2/">"#))
        let madeUp = try await server.open(url: "/documents/x.y", headers: [("Accept", "text/html")])
        #expect(madeUp.text.contains(#"<a href="/">"#))
        #expect(try await server.stop() == 0)
    }

    @Test func `a link for a first password leads to the company that has sent it`() async throws {
        let front = try FrontTests.folder()
        // The server has read the files when it is ready.
        defer { withExtendedLifetime(front) {} }
        let companies = try await Companies(["--front", front.path])
        try await companies.server.database.psql(
            """
            BEGIN;
            SET LOCAL learntrack.company = '2';
            INSERT INTO users (email, username) VALUES ('olga@exemple.fr', 'Olga');
            COMMIT;
            """)
        let id = try await companies.server.database.psql("SELECT max(id) FROM users WHERE company_id = 2")
        _ = try await companies.digue.call("users.invite_again", ["id": JSONValue(try #require(Int(id)))])
        let mail = try #require(try await companies.sink.mails(atLeast: 1).last)
        let seen = try await SMTPSink.read(mail)
        #expect(seen["text/plain"]?.contains("https://crm.exemple.fr/s/2/#reset=") == true)
        #expect(try await companies.server.stop() == 0)
    }

    @Test func `without mail nobody is made a member who could not join`() async throws {
        let companies = try await Companies()
        #expect(try await companies.server.stop() == 0)
        let silent = try await TestServer.start(database: companies.server.database)
        let session = try await silent.client(nil).call(
            "auth.login",
            ["email": .string(TestServer.user), "password": .string(Self.password), "company_id": 2])
        let digue = try RPCClient(port: silent.port, token: try #require(session["access_token"]?.text))
        for email in [TestServer.admin, "nora@exemple.fr"] {
            let refused = try await digue.refusal("users.create", ["values": ["email": .string(email)]])
            #expect(refused["code"] == 503)
            #expect(refused["message"]?.text?.contains("SMTP_URL") == true, "\(refused.json)")
        }
        #expect(try await silent.database.psql("SELECT count(*) FROM users WHERE company_id = 2") == "1")
        #expect(try await silent.stop() == 0)
    }

    @Test func `an address is invited alike with and without an account, and the person alone joins`() async throws {
        let companies = try await Companies()
        let nobody = try await companies.server.client(nil)
        let known = try await companies.invite(TestServer.admin)
        let unknown = try await companies.invite("nora@exemple.fr")
        for created in [known.created, unknown.created] {
            #expect(created["invitation"] == "waiting")
            #expect(created["is_active"] == true)
        }
        guard case .object(let one) = known.created, case .object(let other) = unknown.created else {
            throw TestEnvironmentError(known.created.json)
        }
        #expect(one.members.map(\.name) == other.members.map(\.name))
        for (mail, email) in [(known.mail, TestServer.admin), (unknown.mail, "nora@exemple.fr")] {
            #expect(mail.recipients == [email])
            let seen = try await SMTPSink.read(mail)
            #expect(seen["subject"] == "Rejoignez Digue sur LearnTrack")
            #expect(seen["text/plain"]?.contains("Basile (\(TestServer.user)) vous invite à rejoindre Digue") == true)
            #expect(seen["text/html"]?.contains("Rejoindre Digue") == true)
        }
        // Not a member yet.
        #expect(
            try await companies.login(TestServer.admin, Self.password).at("/error/data/errors/0/path")
                == "/company_id")

        let (first, second) = (try await Self.token(in: known.mail), try await Self.token(in: unknown.mail))
        #expect(
            try await nobody.call("auth.invitation", ["token": .string(first)])
                == [
                    "company": ["id": 2, "name": "Digue"], "email": .string(TestServer.admin), "has_password": true,
                ])
        #expect(try await nobody.call("auth.invitation", ["token": .string(second)])["has_password"] == false)

        let wrong = try await nobody.refusal(
            "auth.accept_invitation", ["token": .string(first), "password": "faux mot de passe"])
        #expect(wrong.at("/data/errors/0/path") == "/password")
        let joined = try await nobody.call(
            "auth.accept_invitation", ["token": .string(first), "password": .string(Self.password)])
        #expect(joined["company"] == ["id": 2, "name": "Digue", "role": "user"])
        #expect(joined["companies"]?.array.count == 2)
        #expect(
            try await companies.login(TestServer.admin, Self.password).at("/result/user/username") == "Invitée")

        let short = try await nobody.refusal(
            "auth.accept_invitation", ["token": .string(second), "password": "court"])
        #expect(short.at("/data/errors/0/path") == "/password")
        // The page for a new password makes no member.
        #expect(
            try await nobody.refusal(
                "auth.reset_password", ["token": .string(second), "new_password": .string(Self.password)]
            )
            .at("/data/errors/0/path") == "/token")
        _ = try await nobody.call(
            "auth.accept_invitation", ["token": .string(second), "password": "le premier mot de passe"])
        #expect(
            try await companies.login("nora@exemple.fr", "le premier mot de passe").at("/result/company/id") == 2)
        for token in [first, second] {
            let used = try await nobody.refusal(
                "auth.accept_invitation", ["token": .string(token), "password": .string(Self.password)])
            #expect(used["code"] == 404)
        }
        let member = try await companies.digue.call(
            "users.get", ["id": known.created["id"] ?? .null, "select": "{ is_active invitation }"])
        #expect(member == ["invitation": .null, "is_active": true])
        #expect(try await companies.server.stop() == 0)
    }

    @Test func `who is signed in joins without a password, and with the link of another account not at all`()
        async throws
    {
        let companies = try await Companies()
        let invited = try await companies.invite(TestServer.admin)
        let token = try await Self.token(in: invited.mail)
        let stranger = try await companies.digue.refusal("auth.accept_invitation", ["token": .string(token)])
        #expect(stranger["code"] == 404)
        let anne = try await companies.server.client()
        let joined = try await anne.call("auth.accept_invitation", ["token": .string(token)])
        #expect(joined.at("/company/id") == 2)
        // Her token stays in the company in which it acts.
        #expect(try await anne.call("auth.me")["company"]?["id"] == 1)
        #expect(try await companies.server.stop() == 0)
    }

    @Test func `an invitation that is withdrawn, too old or was sent to another address joins nobody`() async throws {
        let companies = try await Companies()
        let nobody = try await companies.server.client(nil)
        let changes = [
            "UPDATE users SET is_active = false WHERE company_id = 2 AND email = '\(TestServer.admin)'",
            "UPDATE kernel.invitation_tokens SET created_at = created_at - interval '169 hours'",
            "UPDATE kernel.accounts SET email = 'autre@exemple.fr' WHERE email = '\(TestServer.admin)'",
        ]
        let token = try await Self.token(in: companies.invite(TestServer.admin).mail)
        for change in changes {
            let refused = try await companies.server.database.psql(
                """
                BEGIN; \(change);
                SELECT kernel.join_company(a.id, t.token_hash, '7 days', NULL) IS NULL
                FROM kernel.invitation_tokens AS t JOIN users AS u ON u.company_id = t.company_id AND u.id = t.user_id
                JOIN kernel.accounts AS a ON a.id = u.account_id;
                ROLLBACK
                """)
            #expect(refused == "t", "\(change)")
        }
        _ = try await companies.server.database.psql(changes[0])
        let params: JSONValue = ["token": .string(token), "password": .string(Self.password)]
        let withdrawn = try await nobody.refusal("auth.accept_invitation", params)
        #expect(withdrawn["code"] == 404)
        let never = try await nobody.refusal(
            "auth.accept_invitation",
            ["token": .string(String(repeating: "A", count: token.utf8.count)), "password": .string(Self.password)])
        #expect(withdrawn["message"] == never["message"])
        #expect(try await companies.server.stop() == 0)
    }

    @Test func `who is invited and has forgotten the password gets a link for a new one`() async throws {
        let companies = try await Companies()
        _ = try await companies.invite(TestServer.admin)
        // The invitation is the only membership that is left.
        try await companies.server.database.psql(
            "UPDATE users SET is_active = false WHERE company_id = 1 AND email = '\(TestServer.admin)'")
        _ = try await companies.server.client(nil).call(
            "auth.request_password_reset", ["email": .string(TestServer.admin)])
        try await eventually("the link is made") {
            try await companies.server.database.psql("SELECT count(*) FROM password_resets") == "1"
        }
        #expect(try await companies.server.stop() == 0)
    }

    @Test func `an access key of an invited member works, and the member does not sign in`() async throws {
        let companies = try await Companies()
        let invited = try await companies.invite("affichage@exemple.fr").created
        let made = try await companies.digue.call(
            "auth.create_access_key", ["account_id": invited["id"] ?? .null, "role": "user", "name": "Affichage"])
        let key = try RPCClient(port: companies.server.port, token: try #require(made["key"]?.text))
        #expect(try await key.call("ecoles.list")["items"] == [])
        #expect(try await key.call("auth.me")["company"]?["id"] == 2)
        let refused = try await companies.login("affichage@exemple.fr", Self.password)
        #expect(refused.at("/error/code") == 401)
        #expect(try await companies.server.stop() == 0)
    }

    @Test func `two acceptances of one link at once make one member`() async throws {
        let companies = try await Companies()
        let token = try await Self.token(in: companies.invite("nora@exemple.fr").mail)
        let answers = try await withThrowingTaskGroup(of: JSONValue.self) { group in
            for number in 1...4 {
                let nobody = try await companies.server.client(nil)
                group.addTask {
                    try await nobody.response(
                        "auth.accept_invitation",
                        ["token": .string(token), "password": .string("le mot de passe numéro \(number)")])
                }
            }
            return try await group.reduce(into: [JSONValue]()) { $0.append($1) }
        }
        #expect(answers.count { $0["result"] != nil } == 1)
        #expect(answers.count { $0.at("/error/code") == 404 } == 3, "\(answers.map(\.json))")
        #expect(try await companies.server.database.psql("SELECT count(*) FROM users WHERE company_id = 2") == "2")
        #expect(try await companies.server.stop() == 0)
    }
}
