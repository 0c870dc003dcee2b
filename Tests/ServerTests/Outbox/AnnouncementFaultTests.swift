import DomainKit
import JSON
import TestMail
import TestPostgres
import TestSupport
import TestWebhook
import Testing

/// learntrack-next.md, Announcements: "A dead webhook retries with back-off, and tells the admin after a day. Tested against a
/// stand-in of Discord's API that fails, limits (429 with `retry_after`) and hangs".
@Suite struct AnnouncementFaultTests {
    @Test(arguments: ["fail", "limit", "hang"])
    func `a webhook that fails, limits or hangs gets the announcement and its change later, each once`(fault: String)
        async throws
    {
        let one = try await AnnouncingOrganisation(try await WebhookReceiver(fault, "ok", fault, "ok"))
        let session = try await one.session()
        let posted = try await one.requests()
        #expect(posted.map(\.step) == [fault, "ok"])
        #expect(posted.allSatisfy { $0.method == "POST" })
        // The member of the body is exact, the header is for those who do not read it.
        if fault == "limit" { #expect((1.5..<30).contains(posted[1].time - posted[0].time)) }
        try await one.change(session, ["lieu": "Lyon"])
        let text = try await one.shared(session)
        let requests = try await one.requests()
        #expect(requests.map(\.step) == [fault, "ok", fault, "ok"])
        #expect(requests.suffix(2).allSatisfy { $0.method == "PATCH" })
        #expect(try AnnouncingOrganisation.text(requests[3]) == text)
        #expect(try await one.outbox("bool_or(may_repeat)") == (fault == "limit" ? "f" : "t"))
    }

    @Test
    func `an announcement whose server is killed after Discord has taken it may be there twice, and the log says so`()
        async throws
    {
        let one = try await AnnouncingOrganisation(try await WebhookReceiver("swallow", "ok"))
        let session = try await one.session()
        try await eventually("Discord has it") { try one.receiver.requests().count == 1 }
        try await one.kill()
        let next = try await one.another()
        try await one.passTime()
        let requests = try await one.requests()
        // Webhooks of Discord have no key that would make the second one the same.
        #expect(requests.map(\.method) == ["POST", "POST"])
        #expect(Set(requests.map(\.key)).count == 1)
        #expect(try await one.outbox("attempts, may_repeat") == "2|t")
        try await next.process.waitForLog("Sending a message again that may have been sent already")
        // Changes are made to the one that is known.
        let message = try await one.server.database.psql("SELECT message FROM annonces")
        _ = try await next.client().call("sessions.update", ["id": session, "values": ["lieu": "Lyon"]])
        let edited = try await one.requests()
        #expect(edited.count == 3)
        #expect(edited[2].path == "\(AnnouncingOrganisation.webhook)/messages/\(message)")
        #expect(try await next.stop() == 0)
    }

    @Test
    func `administrators get one mail about announcements that Discord may have and that nothing follows any more`()
        async throws
    {
        let sink = try await SMTPSink()
        let one = try await AnnouncingOrganisation(
            try await WebhookReceiver("swallow", "swallow", "ok"),
            environment: ["SMTP_URL": "smtp://127.0.0.1:\(sink.port)"])
        let formateur = JSONValue(try await one.rows().formateur())
        let filled = try await one.session([("module", "Kotlin & coroutines")])
        let deleted = try await one.session([("module", "Swift <6>")])
        try await eventually("Discord has both") { try one.receiver.requests().count == 2 }
        try await one.kill()
        _ = try await one.server.database.psql(
            "UPDATE sessions SET formateur_id = \(formateur.json) WHERE id = \(filled.json); "
                + "DELETE FROM sessions WHERE id = \(deleted.json)")
        let next = try await one.another()
        try await one.passTime()
        #expect(try await one.requests().map(\.method) == ["POST", "POST"])
        try await next.process.waitForLog("A message may have been sent, and its record has nothing more to say")
        let metrics = try await next.connection().request("GET", "/metrics").text
        #expect(metrics.contains("outbox_unconfirmed_total 2"), "\(metrics)")
        let doubts = try await one.outbox(
            "count(*)", "may_repeat AND sent_at IS NOT NULL AND last_error LIKE '%may have%'")
        #expect(doubts == "2")
        #expect(try sink.mails().isEmpty)
        try await one.sendOrphans()
        let mail = try #require(try await sink.mails(atLeast: 1).first)
        #expect(mail.recipients == [TestServer.admin])
        let seen = try await SMTPSink.read(mail)
        #expect(seen["subject"] == "Des annonces sont peut-être restées ouvertes sur Discord")
        #expect(seen["defects"] == "")
        let day = "lundi 14 janvier 2999"
        let text = try #require(seen["text/plain"])
        #expect(text.contains("– Kotlin & coroutines · \(day) · session nº\u{A0}\(filled.json)\n"), "\(text)")
        #expect(text.contains("– Swift <6> · \(day) · session nº\u{A0}\(deleted.json)\n"), "\(text)")
        let html = try #require(seen["text/html"])
        #expect(html.contains("Kotlin &amp; coroutines · \(day)") && html.contains("Swift &lt;6&gt;"), "\(html)")
        #expect(!mail.content.contains("jeton"))
        // The one that loses its trainer is looked for by a new message. It is not named again.
        _ = try await next.client().call("sessions.update", ["id": filled, "values": ["formateur_id": .null]])
        #expect(try await one.requests().map(\.method) == ["POST", "POST", "POST"])
        let noted = try await one.server.database.psql("SELECT count(*) FROM annonces_orphelines")
        #expect(noted == "2")
        #expect(try sink.mails().count == 1)
        #expect(try await next.stop() == 0)
    }

    @Test func `an edit that Discord may have made is taken back when the session is as before`() async throws {
        let one = try await AnnouncingOrganisation(try await WebhookReceiver("ok", "swallow", "ok"))
        let session = try await one.session()
        _ = try await one.requests()
        try await one.change(session, ["module": "Swift"])
        try await eventually("Discord has it") { try one.receiver.requests().count == 2 }
        try await one.kill()
        _ = try await one.server.database.psql("UPDATE sessions SET module = 'Kotlin' WHERE id = \(session.json)")
        let next = try await one.another()
        try await one.passTime()
        let requests = try await one.requests()
        #expect(requests.map(\.method) == ["POST", "PATCH", "PATCH"])
        let texts = try requests.map(AnnouncingOrganisation.text)
        #expect(texts[2] == texts[0] && texts[1] != texts[0])
        #expect(try await one.server.database.psql("SELECT count(*) FROM annonces_orphelines") == "0")
        #expect(try await next.stop() == 0)
    }

    @Test func `an edit whose server is killed after Discord has taken it is made again, with the same result`()
        async throws
    {
        let one = try await AnnouncingOrganisation(try await WebhookReceiver("ok", "swallow", "ok"))
        let session = try await one.session()
        _ = try await one.requests()
        try await one.change(session, ["lieu": "Lyon"])
        try await eventually("Discord has it") { try one.receiver.requests().count == 2 }
        try await one.kill()
        let next = try await one.another()
        try await one.passTime()
        let requests = try await one.requests()
        #expect(requests.map(\.method) == ["POST", "PATCH", "PATCH"])
        #expect(requests[1].body == requests[2].body && requests[1].path == requests[2].path)
        #expect(try await next.stop() == 0)
    }

    @Test
    func `a dead webhook is tried for three days; after one, administrators get one mail; a corrected address gets it`()
        async throws
    {
        let sink = try await SMTPSink()
        let new = try await WebhookReceiver("ok")
        let one = try await AnnouncingOrganisation(
            try await WebhookReceiver("gone"), others: [new], environment: ["SMTP_URL": "smtp://127.0.0.1:\(sink.port)"]
        )
        _ = try await one.server.database.psql(
            """
            INSERT INTO users (email, role, is_active)
            VALUES ('parti@test.example', 'admin', false), ('autre@test.example', 'admin', true)
            """)
        for _ in 1...3 { _ = try await one.session() }
        try await eventually("each has failed") {
            try await one.outbox("count(*)", "kind = 'sessions.annonce' AND failures > 0") == "3"
        }
        #expect(try sink.mails().isEmpty)
        _ = try await one.server.database.psql("UPDATE kernel.outbox SET first_tried_at = now() - interval '25 hours'")
        try await one.passTime()
        try await eventually("the domain knows of each") {
            try await one.outbox("count(*)", "told_at IS NOT NULL") == "3"
        }
        let mails = try await sink.mails(atLeast: 2)
        #expect(Set(mails.flatMap(\.recipients)) == [TestServer.admin, "autre@test.example"])
        let mail = try #require(mails.first)
        let seen = try await SMTPSink.read(mail)
        #expect(seen["subject"] == "Les annonces n’arrivent pas sur Discord")
        #expect(seen["defects"] == "")
        #expect(seen["text/plain"]?.contains("webhook") == true && seen["text/html"]?.contains("webhook") == true)
        #expect(!mail.content.contains("jeton"))
        #expect(try await one.outbox("count(*)", "gave_up_at IS NOT NULL") == "0")
        _ = try await one.server.database.psql(
            "UPDATE organisme SET discord_webhook = 'http://\(new.host)/api/webhooks/987654321/autre'")
        try await one.passTime()
        _ = try await one.requests()
        #expect(try new.requests().count == 3)
        #expect(try sink.mails().count == 2)
    }
}
