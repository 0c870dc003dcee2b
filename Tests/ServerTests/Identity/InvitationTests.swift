import DomainKit
import Foundation
import JSON
import TestMail
import TestPostgres
import TestSupport
import Testing

/// mends.md, 31: "A new account gets an invitation by mail."
@Suite struct InvitationTests {
    private static func start(_ sink: SMTPSink) async throws -> TestServer {
        try await TestServer.start(
            ["--public-url", "https://crm.exemple.fr"], environment: ["SMTP_URL": "smtp://127.0.0.1:\(sink.port)"])
    }

    private static func token(in mail: SMTPSink.Mail) async throws -> String {
        let text = try #require(try await SMTPSink.read(mail)["text/plain"])
        let link = try #require(text.range(of: "https://crm.exemple.fr/explorer#reset="))
        return String(text[link.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
    }

    private static func state(_ account: JSONValue, _ client: RPCClient) async throws -> JSONValue? {
        try await client.call("users.get", ["id": account, "select": "{ invitation }"])["invitation"]
    }

    @Test func `a new account without a password gets a link by which it chooses one, within a week`() async throws {
        let sink = try await SMTPSink()
        let server = try await Self.start(sink)
        let admin = try await server.client()
        _ = try await server.database.psql(
            "UPDATE users SET username = 'Ada <Lovelace>' WHERE email = '\(TestServer.admin)'")
        let created = try await admin.call(
            "users.create",
            [
                "values": ["email": "Nora@Test.example", "username": "Nora <Le Goff>", "role": "user"],
                "select": "{ id invitation }",
            ])
        #expect(created["invitation"] == "waiting")
        let id = try #require(created["id"])
        let mail = try #require(try await sink.mails(atLeast: 1).first)
        #expect(mail.recipients == ["Nora@Test.example"])
        let seen = try await SMTPSink.read(mail)
        #expect(seen["defects"] == "")
        #expect(seen["subject"] == "Votre compte LearnTrack")
        #expect(seen["text/plain"]?.contains("Bonjour Nora <Le Goff>,") == true)
        #expect(seen["text/plain"]?.contains("valable 7 jours") == true)
        let sender = "Ada <Lovelace> (\(TestServer.admin))"
        #expect(
            seen["text/plain"]?.contains(
                "\(sender) vous invite à utiliser LearnTrack, où vous avez maintenant un compte.") == true)
        #expect(seen["text/html"]?.contains("Ada &lt;Lovelace&gt;") == true)
        #expect(seen["text/html"]?.contains("Bonjour Nora &lt;Le Goff&gt;,") == true)
        #expect(seen["text/html"]?.contains("background: #1f4f8f;") == true, "the colour of all buttons")
        try await eventually("the account says so") { try await Self.state(id, admin) == "sent" }
        let token = try await Self.token(in: mail)
        #expect(!server.process.errors.contains(token))
        // Six days and 23 hours later, it is still valid.
        _ = try await server.database.psql(
            "UPDATE kernel.invitation_tokens SET created_at = created_at - interval '167 hours'")
        let nobody = try await server.client(nil)
        let password: JSONValue = "un mot de passe bien long"
        #expect(
            try await nobody.call("auth.reset_password", ["token": .string(token), "new_password": password]) == [:])
        let signedIn = try await nobody.call("auth.login", ["email": "nora@test.example", "password": password])
        #expect(signedIn.at("/user/id") == id)
        #expect(try await Self.state(id, admin) == .null)
        let again = try await nobody.refusal(
            "auth.reset_password", ["token": .string(token), "new_password": password])
        #expect(again.at("/data/errors/0/path") == "/token")
        let refusal = try await admin.refusal("users.invite_again", ["id": id])
        #expect(refusal.at("/data/reason") == "password")
        #expect(try await server.stop() == 0)
    }

    @Test func `an administrator sends an invitation again, and the first link that is used ends the others`()
        async throws
    {
        let sink = try await SMTPSink()
        let server = try await Self.start(sink)
        let admin = try await server.client()
        let id = try #require(
            try await admin.call("users.create", ["values": ["email": "otto@test.example"], "select": "{ id }"])["id"])
        _ = try await sink.mails(atLeast: 1)
        try await eventually("it has left") { try await Self.state(id, admin) == "sent" }
        _ = try await server.database.psql(
            """
            UPDATE kernel.invitations SET sent_at = sent_at - interval '8 days';
            UPDATE kernel.invitation_tokens SET created_at = created_at - interval '8 days'
            """)
        #expect(try await Self.state(id, admin) == "expired")
        let user = try await server.client(TestServer.user)
        #expect(try await user.refusal("users.invite_again", ["id": id])["code"] == 403)
        #expect(try await admin.refusal("users.invite_again", ["id": 999_999])["code"] == 404)
        let invited = try await admin.call("users.invite_again", ["id": id, "select": "{ invitation }"])
        #expect(invited["invitation"] == "waiting")
        _ = try await sink.mails(atLeast: 2)
        try await eventually("it has left") { try await Self.state(id, admin) == "sent" }
        _ = try await admin.call("users.invite_again", ["id": id])
        let mails = try await sink.mails(atLeast: 3)
        let nobody = try await server.client(nil)
        let password: JSONValue = "un mot de passe bien long"
        func refusal(_ mail: SMTPSink.Mail) async throws -> JSONValue {
            try await nobody.refusal(
                "auth.reset_password", ["token": .string(try await Self.token(in: mail)), "new_password": password])
        }
        #expect(try await refusal(mails[0]).at("/data/errors/0/path") == "/token")
        let second = try await Self.token(in: mails[1])
        _ = try await nobody.call("auth.reset_password", ["token": .string(second), "new_password": password])
        #expect(try await refusal(mails[2]).at("/data/errors/0/path") == "/token")
        #expect(try await server.stop() == 0)
    }

    @Test func `nothing is mailed for an account with a password, one that is not active, or a dry run`() async throws {
        let sink = try await SMTPSink()
        let server = try await Self.start(sink)
        let admin = try await server.client()
        let values: [JSONValue] = [
            ["email": "mot@test.example", "password": "un mot de passe bien long"],
            ["email": "inactif@test.example", "is_active": false],
        ]
        for values in values {
            let created = try await admin.call("users.create", ["values": values, "select": "{ id invitation }"])
            #expect(created["invitation"] == .null)
        }
        _ = try await admin.call("users.create", ["values": ["email": "essai@test.example"], "dry_run": true])
        let inactive = try await admin.call(
            "users.list", ["where": ["is_active": ["eq": false]], "select": "{ id }"])
        let refusal = try await admin.refusal("users.invite_again", ["id": inactive.at("/items/0/id")])
        #expect(refusal.at("/data/reason") == "inactive")
        #expect(try await server.database.psql("SELECT count(*) FROM kernel.outbox") == "0")
        // Deactivated before the mail leaves.
        let id = try #require(
            try await admin.call("users.create", ["values": ["email": "bref@test.example"], "select": "{ id }"])["id"])
        let mail = try #require(try await sink.mails(atLeast: 1).first)
        #expect(mail.recipients == ["bref@test.example"])
        _ = try await admin.call("users.update", ["id": id, "values": ["is_active": false]])
        let nobody = try await server.client(nil)
        let late = try await nobody.refusal(
            "auth.reset_password",
            ["token": .string(try await Self.token(in: mail)), "new_password": "un mot de passe bien long"])
        #expect(late.at("/data/errors/0/path") == "/token")
        #expect(try await server.stop() == 0)
    }

    @Test func `without a mail server accounts are made without an invitation, and sending one is unavailable`()
        async throws
    {
        let server = try await TestServer.running()
        let admin = try await server.client()
        let created = try await admin.call(
            "users.create",
            ["values": ["email": .string("sans-\(UUID().uuidString)@test.example")], "select": "{ id invitation }"])
        #expect(created["invitation"] == .null)
        let id = try #require(created["id"])
        #expect(try await admin.refusal("users.invite_again", ["id": id])["code"] == 503)
        #expect(
            try await server.database.psql("SELECT count(*) FROM kernel.outbox WHERE kind = 'users.invitation'") == "0")
    }
}
