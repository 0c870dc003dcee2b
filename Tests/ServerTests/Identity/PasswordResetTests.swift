import DomainKit
import Foundation
import JSON
import TestMail
import TestPostgres
import TestSupport
import Testing

/// security.md: "reset token | one use, 30 minutes, hashed at rest; afterwards every sign-in of that user ends. Sent by
/// SMTP (libcurl) when `SMTP_URL` is set; else written to the log with a warning in embedded mode; otherwise 503
/// `unavailable` for every e-mail alike".
struct PasswordResetTests {
    private static func start(_ sink: SMTPSink, _ arguments: [String] = []) async throws -> TestServer {
        try await TestServer.start(
            ["--public-url", "https://crm.exemple.fr/"] + arguments,
            environment: ["SMTP_URL": "smtp://127.0.0.1:\(sink.port)"])
    }

    private static func mails(_ sink: SMTPSink, count: Int) async throws -> [SMTPSink.Mail] {
        try await eventually("\(count) mails have come") { try sink.mails().count >= count }
        return try sink.mails()
    }

    private static func token(in text: String, after mark: String) throws -> String {
        let rest = try #require(text.range(of: mark).map { text[$0.upperBound...] })
        return String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
    }

    @Test func `a reset mail in French lets its reader set a password once, which ends every sign-in`() async throws {
        let sink = try await SMTPSink()
        let server = try await Self.start(sink, ["--mail-from", "Équipe LearnTrack <bonjour@exemple.fr>"])
        let signedIn = try await server.client(TestServer.user)
        let nobody = try await server.client(nil)
        let answer = try await nobody.call(
            "auth.request_password_reset", ["email": .string(TestServer.user.uppercased())])
        #expect(answer == [:])
        let mail = try #require(try await Self.mails(sink, count: 1).first)
        #expect(mail.recipients == [TestServer.user])
        let seen = try await SMTPSink.read(mail)
        #expect(seen["defects"] == "")
        #expect(seen["from"] == "Équipe LearnTrack <bonjour@exemple.fr>")
        #expect(seen["subject"] == "Réinitialisation de votre mot de passe LearnTrack")
        let text = try #require(seen["text/plain"])
        #expect(text.contains("30 minutes"))
        let link = "https://crm.exemple.fr/explorer#reset="
        let token = try Self.token(in: text, after: link)
        #expect(token.count == 43)
        #expect(seen["text/html"]?.contains("\"\(link)\(token)\"") == true)

        let short = try await nobody.refusal("auth.reset_password", ["token": .string(token), "new_password": "court"])
        #expect(short["code"] == -32602)
        #expect(short.at("/data/errors/0/path") == "/new_password")
        let own = try await nobody.refusal(
            "auth.reset_password", ["token": .string(token), "new_password": .string(TestServer.user)])
        #expect(own.at("/data/errors/0/path") == "/new_password")
        let new = "un tout nouveau mot de passe"
        #expect(
            try await nobody.call("auth.reset_password", ["token": .string(token), "new_password": .string(new)]) == [:]
        )
        #expect(try await signedIn.refusal("auth.me").at("/data/reason") == "revoked")
        let again = try await nobody.refusal(
            "auth.reset_password", ["token": .string(token), "new_password": .string(new)])
        #expect(again["code"] == -32602)
        #expect(again.at("/data/errors/0/path") == "/token")
        #expect(
            try await nobody.refusal(
                "auth.login", ["email": .string(TestServer.user), "password": .string(TestServer.password)])["code"]
                == 401)
        #expect(
            try await nobody.call("auth.login", ["email": .string(TestServer.user), "password": .string(new)])
                .at("/user/email") == .string(TestServer.user))
        #expect(!server.process.errors.contains(token))
    }

    @Test
    func `unknown, deactivated and known accounts get the same answer in the same time, and only one gets a mail`()
        async throws
    {
        let sink = try await SMTPSink(.slow)
        let server = try await Self.start(sink)
        _ = try await server.database.psql("UPDATE users SET is_active = false WHERE email = '\(TestServer.user)'")
        let nobody = try await server.client(nil)
        var shortest: [Duration] = []
        for email in ["personne@test.example", TestServer.user, TestServer.admin, "pas une adresse"] {
            var times: [Duration] = []
            for _ in 1...4 {
                let start = ContinuousClock.now
                let answer = try await nobody.call("auth.request_password_reset", ["email": .string(email)])
                times.append(ContinuousClock.now - start)
                #expect(answer == [:])
            }
            shortest.append(try #require(times.min()))
        }
        // The mail server takes three seconds for a mail. The answers did not wait for it.
        #expect(shortest.allSatisfy { $0 < .milliseconds(2_500) })
        let mails = try await Self.mails(sink, count: 3)
        #expect(Set(mails.flatMap(\.recipients)) == [TestServer.admin])
        // This address has sent sixteen requests. The twentieth is the last one without a pause.
        for _ in 1...4 { _ = try await nobody.call("auth.request_password_reset", ["email": "x@test.example"]) }
        let refusal = try await nobody.refusal("auth.request_password_reset", ["email": "x@test.example"])
        #expect(refusal["code"] == 429)
        #expect(try #require(refusal.at("/data/retry_after").int) >= 1)
        #expect(try await server.stop() == 0)
        #expect(try sink.mails().count == 3)
    }

    @Test func `the link follows --reset-url, and a mail is sent again after a transient error`() async throws {
        let sink = try await SMTPSink(.busy)
        let server = try await Self.start(
            sink, ["--reset-url", "https://app.exemple.fr/nouveau?jeton={token}&source=mail"])
        _ = try await server.client(nil).call("auth.request_password_reset", ["email": .string(TestServer.admin)])
        let mail = try #require(try await Self.mails(sink, count: 1).first)
        #expect(sink.rejections() == 2)
        let seen = try await SMTPSink.read(mail)
        let link = "https://app.exemple.fr/nouveau?jeton="
        let token = try Self.token(in: try #require(seen["text/plain"]), after: link)
        #expect(seen["text/html"]?.contains("\(link)\(token)&amp;source=mail") == true)
    }

    @Test func `a permanent error of the mail server is logged without address and token`() async throws {
        let sink = try await SMTPSink(.rejecting)
        let server = try await Self.start(sink)
        _ = try await server.client(nil).call("auth.request_password_reset", ["email": .string(TestServer.admin)])
        try await eventually("the log tells") { server.process.errors.contains("Could not send a mail") }
        #expect(server.process.errors.contains("550"))
        #expect(!server.process.errors.contains(TestServer.admin))
        #expect(sink.rejections() == 1)
        #expect(try await server.stop() == 0)
    }

    @Test func `the server stops in time while a mail server is silent`() async throws {
        let sink = try await SMTPSink(.silent)
        let server = try await Self.start(sink)
        _ = try await server.client(nil).call("auth.request_password_reset", ["email": .string(TestServer.admin)])
        try await eventually("the token is made") {
            try await server.database.psql("SELECT count(*) FROM password_resets") == "1"
        }
        let start = ContinuousClock.now
        #expect(try await server.stop() == 0)
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test func `without SMTP_URL a request is 503 unavailable for every e-mail`() async throws {
        let nobody = try await TestServer.running().client(nil)
        for email in [TestServer.admin, "personne@test.example", ""] {
            let refusal = try await nobody.refusal("auth.request_password_reset", ["email": .string(email)])
            #expect(refusal["code"] == 503)
            #expect(refusal.at("/data/code") == "unavailable")
        }
        let bad = try await nobody.refusal(
            "auth.reset_password", ["token": "x", "new_password": "un mot de passe neuf"])
        #expect(bad.at("/data/errors/0/path") == "/token")
    }

    @Test(arguments: [
        (["SMTP_URL": "http://user:geheim@h"], "SMTP_URL"),
        (["SMTP_URL": "smtp://h", "LEARNTRACK_MAIL_FROM": "x\nBcc: y@z.fr"], "--mail-from"),
        (["SMTP_URL": "smtp://h", "LEARNTRACK_RESET_URL": "https://a.fr/"], "{token}"),
        (["SMTP_URL": "smtp://h", "LEARNTRACK_PUBLIC_URL": "javascript:x"], "--public-url"),
        (["LEARNTRACK_TRUSTED_PROXIES": "10.0.0.0/64"], "LEARNTRACK_TRUSTED_PROXIES"),
    ])
    func `unusable mail settings stop the start, and the message does not show the password`(
        environment: [String: String], mark: String
    ) async throws {
        let ran = try await LearnTrackProcess.run(
            ["serve", "--port", "0", "--database-url", "host=/nowhere"],
            environment: environment.merging(["JWT_SECRET": TestServer.secret]) { $1 })
        #expect(ran.status != 0)
        #expect(ran.errors.contains(mark))
        #expect(!ran.errors.contains("geheim"))
    }
}
