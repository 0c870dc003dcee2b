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

    @Test func `a server that asks for a password gets it, and a wrong password is a fault of the login`() async throws
    {
        let sink = try await SMTPSink(.authenticated)
        #expect(try await Self.error("smtp://user:secret@127.0.0.1:\(sink.port)") == nil)
        let wrong = try await Self.error("smtp://user:wrong@127.0.0.1:\(sink.port)")
        #expect(wrong?.concern == .login)
        #expect(wrong?.isFinal == false)
        #expect(wrong?.description.contains("wrong") == false)
        #expect(try sink.mails().count == 1)
    }

    @Test func `if STARTTLS is required, a server without it gets neither password nor mail`() async throws {
        let sink = try await SMTPSink(.authenticated)
        let error = try await Self.error("smtp://user:secret@127.0.0.1:\(sink.port)?starttls=required")
        #expect(error?.concern == .encryption)
        #expect(error?.isFinal == false)
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
            #expect(try await Self.error(url)?.concern == .encryption, "\(url)")
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
        #expect(now?.isFinal == false)
        let refusing = try await SMTPSink(.rejecting)
        let forGood = try await Self.error("smtp://127.0.0.1:\(refusing.port)")
        #expect(forGood?.isFinal == true)
        #expect(forGood?.description.contains("anne") == false)
    }

    @Test func `a server that is silent or absent is an error of the connection after the timeout`() async throws {
        let sink = try await SMTPSink(.silent)
        let silent = try await Self.error("smtp://127.0.0.1:\(sink.port)", connectTimeout: 1, timeout: 2)
        #expect(silent?.concern == .connection)
        #expect(silent?.mayHaveLeft == false)
        let absent = try await Self.error("smtp://127.0.0.1:1", connectTimeout: 1, timeout: 2)
        #expect(absent?.concern == .connection)
        #expect(absent?.mayHaveLeft == false)
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

    /// What each fault of a mail server concerns. Only the last ones are about the mail, and only the very last end it.
    private static let faults: [(SMTPSink.Fault, SMTPError.Concern, isFinal: Bool, mayHaveLeft: Bool)] = [
        (.greetsWith554, .server, false, false), (.greetsWith421, .server, false, false),
        (.closesBeforeGreeting, .connection, false, false), (.speaksHTTP, .connection, false, false),
        (.refusesLogin, .login, false, false), (.cannotCheckLogin, .login, false, false),
        (.requiresLogin, .login, false, false), (.refusesSender, .sender, false, false),
        (.deniesRelay, .server, false, false), (.hasReachedQuota, .server, false, false),
        (.closesAfterSender, .server, false, false), (.hasExpiredCertificate, .encryption, false, false),
        (.closesDuringContent, .connection, false, true), (.failsAfterContent, .message, false, false),
        (.greylists, .message, false, false), (.refusesContent, .message, true, false),
        (.findsMailTooLarge, .message, true, false),
    ]

    @Test func `each fault of a mail server says what it concerns, and a mended server takes the mail`() async throws {
        #expect(Set(Self.faults.map(\.0)) == Set(SMTPSink.Fault.allCases))
        try await withThrowingTaskGroup { group in
            for (fault, concern, isFinal, mayHaveLeft) in Self.faults {
                group.addTask {
                    let sink = try await SMTPSink(failing: fault)
                    let isEncrypted = fault == .hasExpiredCertificate
                    func url(_ certificate: String) -> String {
                        "smtp://user:secret@127.0.0.1:\(sink.port)"
                            + (isEncrypted ? "?starttls=required&cafile=\(certificate)" : "")
                    }
                    // The one that never speaks SMTP takes as long as it may.
                    let patience = fault == .speaksHTTP ? 2 : 30
                    let error = try await Self.error(
                        url(sink.certificate), connectTimeout: patience, timeout: 2 * patience)
                    #expect(error?.concern == concern, "\(fault): \(String(describing: error))")
                    #expect(error?.isFinal == isFinal, "\(fault)")
                    #expect(error?.mayHaveLeft == mayHaveLeft, "\(fault)")
                    try sink.mend()
                    #expect(try await Self.error(url(sink.renewedCertificate)) == nil, "\(fault)")
                    #expect(try sink.mails().count == 1, "\(fault)")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: [SMTPSink.Fault.refusesLogin, .requiresLogin, .refusesSender, .greetsWith554, .greylists])
    func `an examination goes as far as the sender and sends nothing`(fault: SMTPSink.Fault) async throws {
        let sink = try await SMTPSink(failing: fault)
        let client = SMTPClient(try SMTPServer("smtp://user:secret@127.0.0.1:\(sink.port)"))
        let sender = try #require(MailAddress("bonjour%41@exemple.fr"))
        var concern: SMTPError.Concern?
        do throws(SMTPError) { try await client.examine(sender: sender) } catch { concern = error.concern }
        #expect(concern == Self.faults.first { $0.0 == fault && $0.1 != .message }?.1)
        #expect(try sink.mails().isEmpty)
    }

    @Test func `nothing of a mail is sent before it may depart`() async throws {
        let sink = try await SMTPSink()
        let client = SMTPClient(try SMTPServer("smtp://127.0.0.1:\(sink.port)"))
        let message = try Self.message()
        let error = await #expect(throws: SMTPError.self) { try await client.send(message) { false } }
        #expect(error?.mayHaveLeft == false)
        #expect(try sink.mails().isEmpty)
    }

    @Test(arguments: [
        ("RCPT", "550 no such user", SMTPError.Concern.message, true), ("RCPT", "550-5.1.1 a\r\n", .message, true),
        ("RCPT", "452 4.2.2 mailbox full", .message, false), ("RCPT", "530 login first", .login, false),
        ("RCPT", "503 5.5.1 bad sequence", .login, false), ("RCPT", "521 5.3.2 no mail here", .server, false),
        ("RCPT", "550 5.7.1 not authorised", .server, false), ("DATA", "554 no valid recipients", .message, true),
        ("", "550 5.7.0 blocked attachment", .message, true), ("", "550 5.7.60 no right to send as", .server, false),
        ("", "535 5.7.8 login ended", .login, false), ("", "552 5.2.2 mailbox full", .message, true),
        ("MAIL", "452 4.3.1 disk full", .sender, false), ("AUTH", "421 4.7.0 try later", .login, false),
    ])
    func `a reply concerns the message only if it is about the recipient or the content`(
        command: String, reply: String, concern: SMTPError.Concern, isFinal: Bool
    ) {
        var dialogue = SMTPDialogue()
        if command.isEmpty { dialogue.sentContent() } else { dialogue.sent(Array("\(command) x\r\n".utf8)) }
        dialogue.received(Array(reply.utf8))
        dialogue.sent(Array("QUIT\r\n".utf8))
        dialogue.received(Array("221 bye\r\n".utf8))
        #expect(dialogue.refusal?.concern == concern)
        #expect(dialogue.refusal?.isFinal == isFinal)
    }
}
