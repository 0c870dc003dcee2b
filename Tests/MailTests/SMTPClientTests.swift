import TestMail
import Testing

@testable import Mail

struct SMTPClientTests {
    private static func message(to: String = "anne@exemple.fr") throws -> MailMessage {
        MailMessage(
            from: try #require(MailAddress("École d'été <bonjour@exemple.fr>")), to: try #require(MailAddress(to)),
            subject: "Votre mot de passe a été oublié : choisissez-en un autre, s'il vous plaît",
            text: "Bonjour Élodie,\n\n.une ligne qui commence par un point\n=égal et une fin \n"
                + String(repeating: "très long ", count: 30),
            html: "<p>Bonjour Élodie&nbsp;!</p>")
    }

    /// The error of sending a mail. Nil if it is sent.
    private static func error(_ url: String, connectTimeout: Int = 10, timeout: Int = 30) async throws -> SMTPError? {
        let client = SMTPClient(try SMTPServer(url), connectTimeout: connectTimeout, timeout: timeout)
        let message = try message()
        do throws(SMTPError) {
            try await client.send(message)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a mail arrives as it was written, in both forms, with the headers that readers and filters look for`()
        async throws
    {
        let sink = try await SMTPSink()
        let client = SMTPClient(try SMTPServer("smtp://127.0.0.1:\(sink.port)"))
        let message = try Self.message()
        try await client.send(message)
        let mail = try #require(try sink.mails().first)
        #expect(mail.sender == "bonjour@exemple.fr")
        #expect(mail.recipients == ["anne@exemple.fr"])
        #expect(mail.content.utf8.allSatisfy { $0 < 127 })
        let seen = try await SMTPSink.read(mail)
        #expect(seen["defects"] == "")
        #expect(seen["subject"] == message.subject)
        #expect(seen["from"] == "École d'été <bonjour@exemple.fr>")
        #expect(seen["to"] == "anne@exemple.fr")
        #expect(seen["message-id"] == "<\(message.id)>")
        #expect(seen["type"] == "multipart/alternative")
        #expect(seen["parts"] == "text/plain text/html")
        #expect(seen["text/plain"] == message.text)
        #expect(seen["text/html"] == message.html)
        #expect(seen["auto-submitted"] == "auto-generated")
        #expect(try #require(Double(seen["age"] ?? "")).magnitude < 120)
    }

    @Test func `a server that asks for a password gets it, and a wrong password is a permanent error`() async throws {
        let sink = try await SMTPSink(.authenticated)
        #expect(try await Self.error("smtp://user:secret@127.0.0.1:\(sink.port)") == nil)
        let wrong = try await Self.error("smtp://user:wrong@127.0.0.1:\(sink.port)")
        #expect(wrong?.isTransient == false)
        #expect(wrong?.description.contains("wrong") == false)
        #expect(try sink.mails().count == 1)
    }

    @Test func `if STARTTLS is required, a server without it gets neither password nor mail`() async throws {
        let sink = try await SMTPSink(.authenticated)
        let error = try await Self.error("smtp://user:secret@127.0.0.1:\(sink.port)?starttls=required")
        #expect(error?.isTransient == false)
        #expect(try sink.mails().isEmpty)
    }

    @Test func `STARTTLS is used if it is offered, with any certificate, unless the URL forbids it`() async throws {
        let sink = try await SMTPSink(.encrypted)
        let place = "127.0.0.1:\(sink.port)"
        #expect(try await Self.error("smtp://\(place)") == nil)
        #expect(try await Self.error("smtp://user:secret@\(place)") == nil)
        #expect(try sink.mails().map(\.isEncrypted) == [true, true])
        #expect(sink.logins() == 1)
        #expect(try await Self.error("smtp://\(place)?starttls=never") == nil)
        #expect(try sink.mails().map(\.isEncrypted) == [true, true, false])
    }

    @Test
    func `if STARTTLS is required, the server gets password and mail only with a trusted certificate of its name`()
        async throws
    {
        let sink = try await SMTPSink(.encrypted)
        for url in [
            // An untrusted certificate, then trusted ones of another name.
            "smtp://user:secret@127.0.0.1:\(sink.port)?starttls=required",
            "smtp://user:secret@localhost:\(sink.port)?starttls=required&cafile=\(sink.certificate)",
            "smtp://user:secret@localhost:\(sink.port)?starttls=offered&cafile=\(sink.certificate)",
        ] {
            #expect(try await Self.error(url)?.isTransient == false, "\(url)")
        }
        #expect(sink.logins() == 0)
        #expect(try sink.mails().isEmpty)
        let right = "smtp://user:secret@127.0.0.1:\(sink.port)?starttls=required&cafile=\(sink.certificate)"
        #expect(try await Self.error(right) == nil)
        #expect(try sink.mails().map(\.isEncrypted) == [true])
        #expect(sink.logins() == 1)
    }

    @Test(arguments: ["?starttls=maybe", "?starttls=never&starttls=required", "?cafile=/nowhere", "?tls=1", "/path"])
    func `a URL with an unknown, repeated or unusable parameter is rejected`(rest: String) {
        #expect(throws: SMTPServerError.self) { try SMTPServer("smtp://user:secret@127.0.0.1\(rest)") }
    }

    @Test func `a transient rejection by the server is told apart from a permanent one`() async throws {
        let busy = try await SMTPSink(.busy)
        let now = try await Self.error("smtp://127.0.0.1:\(busy.port)")
        #expect(now?.isTransient == true)
        let refusing = try await SMTPSink(.rejecting)
        let forGood = try await Self.error("smtp://127.0.0.1:\(refusing.port)")
        #expect(forGood?.isTransient == false)
        #expect(forGood?.description.contains("anne") == false)
    }

    @Test func `a server that is silent or absent is a transient error after the timeout`() async throws {
        let sink = try await SMTPSink(.silent)
        let silent = try await Self.error("smtp://127.0.0.1:\(sink.port)", connectTimeout: 1, timeout: 2)
        #expect(silent?.isTransient == true)
        let absent = try await Self.error("smtp://127.0.0.1:1", connectTimeout: 1, timeout: 2)
        #expect(absent?.isTransient == true)
    }

    @Test func `a send under way can be aborted`() async throws {
        let sink = try await SMTPSink(.silent)
        let client = SMTPClient(try SMTPServer("smtp://127.0.0.1:\(sink.port)"))
        let message = try Self.message()
        let start = ContinuousClock.now
        let sent = Task { try await client.send(message) }
        client.abort()
        await #expect(throws: SMTPError.self) { try await sent.value }
        #expect(ContinuousClock.now - start < .seconds(8))
    }
}
