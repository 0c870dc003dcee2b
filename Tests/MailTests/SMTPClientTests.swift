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

    @Test func `a server may take its time to say whether it takes a content that it has`() async throws {
        // It answers after three seconds.
        let sink = try await SMTPSink(.slow)
        let server = try SMTPServer("smtp://127.0.0.1:\(sink.port)")
        try await SMTPClient(server, connectTimeout: 1, timeout: 2).send(try Self.message())
        #expect(try sink.mails().count == 1)
        let impatient = SMTPClient(server, verdictTimeout: 1)
        let message = try Self.message()
        let error = await #expect(throws: SMTPError.self) { try await impatient.send(message) }
        #expect(error?.concern == .connection)
        #expect(error?.mayHaveLeft == true)
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

    @Test func `transfers that wait for a mail server hold up no other task`() async throws {
        let sink = try await SMTPSink(.silent)
        let client = SMTPClient(try SMTPServer("smtp://127.0.0.1:\(sink.port)"))
        let message = try Self.message()
        let transfers = (0..<12).map { _ in Task { try await client.send(message) } }
        let start = ContinuousClock.now
        for _ in 0..<10 {
            try await Task.sleep(for: .milliseconds(10))
            await Task.detached {}.value
        }
        #expect(ContinuousClock.now - start < .seconds(5))
        client.abort()
        for transfer in transfers { await #expect(throws: SMTPError.self) { try await transfer.value } }
    }

    /// What each fault of a mail server concerns. Only the last ones are about the mail, and only the very last end it.
    private static let faults: [(SMTPSink.Fault, SMTPError.Concern, isFinal: Bool, mayHaveLeft: Bool)] = [
        (.greetsWith554, .server, false, false), (.greetsWith421, .server, false, false),
        (.closesBeforeGreeting, .connection, false, false), (.speaksHTTP, .connection, false, false),
        (.greetsWithoutEnd, .connection, false, false),
        (.refusesLogin, .login, false, false), (.cannotCheckLogin, .login, false, false),
        (.requiresLogin, .login, false, false), (.refusesSender, .sender, false, false),
        (.deniesRelay, .server, false, false), (.hasReachedQuota, .server, false, false),
        (.deniesAccess, .message, true, false), (.deniesSome, .message, true, false),
        (.closesAfterSender, .server, false, false), (.hasExpiredCertificate, .encryption, false, false),
        (.closesDuringContent, .connection, false, true), (.closesForSome, .connection, false, true),
        (.failsAfterContent, .message, false, false),
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

    @Test func `a greeting that never ends takes no longer than any other fault`() async throws {
        let sink = try await SMTPSink(failing: .greetsWithoutEnd)
        let start = ContinuousClock.now
        #expect(try await Self.error("smtp://127.0.0.1:\(sink.port)") != nil)
        #expect(ContinuousClock.now - start < .seconds(20))
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

    @Test func `an examination says when a server offers no login though there is a user`() async throws {
        let sink = try await SMTPSink()
        let sender = try #require(MailAddress("bonjour@exemple.fr"))
        try await SMTPClient(try SMTPServer("smtp://127.0.0.1:\(sink.port)")).examine(sender: sender)
        let client = SMTPClient(try SMTPServer("smtp://user:secret@127.0.0.1:\(sink.port)"))
        let error = await #expect(throws: SMTPError.self) { try await client.examine(sender: sender) }
        #expect(error?.concern == .login)
    }

    @Test func `nothing of a mail is sent before it may depart`() async throws {
        let sink = try await SMTPSink()
        let client = SMTPClient(try SMTPServer("smtp://127.0.0.1:\(sink.port)"))
        let message = try Self.message()
        let error = await #expect(throws: SMTPError.self) { try await client.send(message) { false } }
        #expect(error?.mayHaveLeft == false)
        #expect(try sink.mails().isEmpty)
    }

    @Test func `a large mail over a slow connection takes the time that it needs`() async throws {
        let sink = try await SMTPSink(.thin)
        let client = SMTPClient(try SMTPServer("smtp://127.0.0.1:\(sink.port)"), timeout: 20)
        let plain = try Self.message()
        // Takes 25 s. A busy machine may need many seconds until the content begins, which the timeout includes.
        let bytes = [UInt8](repeating: 7, count: 3_000_000)
        let message = MailMessage(
            from: plain.from, to: plain.to, subject: plain.subject, text: plain.text, html: plain.html,
            attachments: [.init(name: "plan.pdf", mediaType: "application/pdf", bytes: bytes)])
        try await client.send(message)
        #expect(try sink.mails().count == 1)
        #expect(SMTPClient.extraTime(for: 40_000) < 5)
    }

    @Test func `a mail whose permission to depart comes too late does not depart, and cannot have left`() async throws {
        let sink = try await SMTPSink()
        let client = SMTPClient(try SMTPServer("smtp://127.0.0.1:\(sink.port)"), timeout: 1)
        let message = try Self.message()
        let error = await #expect(throws: SMTPError.self) {
            try await client.send(message) {
                do { try await Task.sleep(for: .seconds(2)) } catch {}
                return true
            }
        }
        #expect(error?.concern == .interruption)
        #expect(error?.mayHaveLeft == false)
        #expect(try sink.mails().isEmpty)
    }

    /// What servers of this kind say, what was asked of them, and what it concerns. "=": that alone; "?": others may meet it, too.
    private static let replies: [(server: String, after: String, reply: String, concern: String)] = [
        // About the recipient.
        ("any", "RCPT", "550 no such user", "= message"), ("any", "RCPT", "550-5.1.1 a\r\n", "= message"),
        ("Postfix", "RCPT", "554 5.7.1 <a@b.fr>: Recipient address rejected: Access denied", "= message"),
        ("Postfix", "RCPT", "550 5.1.1 <a@b.fr>: Recipient address rejected: User unknown", "= message"),
        ("Postfix", "RCPT", "450 4.7.1 <a@b.fr>: Recipient address rejected: Greylisted", "message"),
        ("Exchange Online", "RCPT", "550 5.4.1 Recipient address rejected: Access denied. AS(201806281)", "= message"),
        (
            "Exchange", "RCPT", "550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required",
            "= message"
        ),
        ("Exchange", "RCPT", "550 5.4.14 Hop count exceeded - possible mail loop", "= message"),
        ("Sendmail", "RCPT", "550 5.3.0 <a@b.fr>... User refused by the access table", "? message"),
        ("Gmail", "RCPT", "552 5.2.2 The recipient's inbox is out of storage space, quota exceeded", "= message"),
        ("any", "RCPT", "452 4.2.2 mailbox full", "message"),
        // About the content.
        ("Yahoo", "content", "554 5.7.9 Message not accepted for policy reasons", "? message"),
        (
            "Gmail", "content", "550-5.7.26 This mail has been blocked because the sender is unauthenticated.",
            "? message"
        ),
        (
            "Gmail", "content", "552 5.7.0 This message was blocked because its content presents a security issue",
            "= message"
        ),
        ("Postfix", "content", "554 5.7.1 Spam message rejected", "? message"),
        ("Postfix", "content", "554 5.7.1 Service unavailable; Client host [192.0.2.7] blocked", "? message"),
        ("any", "DATA", "554 5.5.1 no valid command here", "? message"),
        ("any", "content", "550 blocked", "? message"), ("any", "content", "550 5.1.1 no such user", "= message"),
        ("Exchange", "content", "554 5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException", "? message"),
        ("Exchange", "content", "552 5.3.4 Message size exceeds fixed maximum message size", "= message"),
        ("any", "content", "554 5.7.8 not this one", "? message"),
        ("any", "content", "552 5.2.2 mailbox full", "= message"),
        ("any", "DATA", "554 no valid recipients", "? message"),
        // About the login.
        ("Gmail", "RCPT", "530-5.7.0 Authentication Required. For more information, go to", "login"),
        ("Exchange", "RCPT", "550 5.7.57 Client not authenticated to send mail", "login"),
        ("Exim", "RCPT", "550 Authentication required", "login"),
        ("any", "RCPT", "503 5.5.1 bad sequence", "login"), ("any", "content", "535 5.7.8 login ended", "login"),
        ("any", "AUTH", "421 4.7.0 try later", "login"), ("any", "MAIL", "550 5.7.0 log in first", "login"),
        // About the sender.
        ("Postfix", "RCPT", "553 5.7.1 <a@b.fr>: Sender address rejected: not owned by user claire", "sender"),
        ("Exchange", "content", "550 5.7.60 SMTP; Client does not have permissions to send as this sender", "sender"),
        ("Exchange Online", "content", "550 5.1.8 Access denied, bad outbound sender", "sender"),
        ("any", "MAIL", "452 4.3.1 disk full", "sender"),
        // About the server, this machine, or the account.
        ("Postfix", "RCPT", "554 5.7.1 <a@b.fr>: Relay access denied", "server"),
        ("Postfix", "RCPT", "454 4.7.1 <a@b.fr>: Relay access denied", "server"),
        ("Postfix", "RCPT", "554 5.7.1 <unknown[192.0.2.7]>: Client host rejected: Access denied", "server"),
        ("Postfix with a policy", "RCPT", "554 5.7.1 <a@b.fr>: Recipient address rejected: quota exceeded", "server"),
        ("Sendmail", "RCPT", "550 5.7.1 <a@b.fr>... Relaying denied. Proper authentication required.", "server"),
        ("Exchange", "RCPT", "550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain", "server"),
        ("Exim", "RCPT", "550 relay not permitted", "server"),
        ("qmail", "RCPT", "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", "server"),
        ("Gmail", "RCPT", "550 5.4.5 Daily user sending limit exceeded", "server"),
        ("Gmail", "content", "550-5.4.5 Daily user sending limit exceeded. For more information", "server"),
        ("any", "RCPT", "521 5.3.2 no mail here", "server"), ("any", "RCPT", "421 4.3.2 closing", "? server"),
        ("any", "content", "421 4.7.0 not now", "? server"), ("any", "MAIL", "421 4.3.2 closing", "server"),
        // What cannot be told apart.
        ("Exchange Online", "RCPT", "550 5.7.708 Access denied, traffic not accepted from this IP", "? message"),
        (
            "Exchange Online", "RCPT", "550 5.1.90 Your message can't be sent because you've reached your daily limit",
            "? message"
        ),
        ("any", "RCPT", "550 5.7.1 access denied", "? message"),
    ]

    @Test(arguments: replies)
    func `a reply concerns the message only if it is about the recipient or the content`(
        server: String, after: String, reply: String, concern: String
    ) throws {
        var dialogue = SMTPDialogue()
        if after == "content" { dialogue.sentContent() } else { dialogue.sent(Array("\(after) x\r\n".utf8)) }
        dialogue.received(Array(reply.utf8))
        if reply.prefix(4).hasSuffix("-") {
            let status = reply.dropFirst(4).prefix { $0 != " " }
            dialogue.received(Array("\(reply.prefix(3)) \(status) https://exemple.fr\r\n".utf8))
        }
        dialogue.sent(Array("QUIT\r\n".utf8))
        dialogue.received(Array("221 bye\r\n".utf8))
        let refusal = try #require(dialogue.refusal)
        let mark = refusal.isDoubtful ? "? " : refusal.isFinal ? "= " : ""
        #expect(mark + refusal.concern.rawValue == concern, "\(server): \(reply)")
    }
}
