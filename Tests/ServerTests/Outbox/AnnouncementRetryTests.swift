import DomainKit
import JSON
import TestPostgres
import TestSupport
import TestWebhook
import Testing

/// What was given up can be sent again: learntrack-next.md, Announcements: "struck through when a trainer is found".
@Suite struct AnnouncementRetryTests {
    private static func givenUp(_ one: AnnouncingOrganisation, _ count: Int) async throws {
        try await eventually("\(count) are given up") {
            try await one.outbox("count(*)", "kind = 'sessions.annonce' AND gave_up_at IS NOT NULL") == "\(count)"
        }
    }

    @Test func `sessions.annoncer strikes the message of a session through again, whose edit was refused`() async throws
    {
        let one = try await AnnouncingOrganisation(try await WebhookReceiver("ok", "refuse", "ok"))
        let formateur = JSONValue(try await one.rows().formateur())
        let session = try await one.session()
        _ = try await one.requests()
        try await one.change(session, ["formateur_id": formateur])
        try await Self.givenUp(one, 1)
        // Without a webhook, too: the message has its own.
        _ = try await one.server.database.psql("UPDATE organisme SET discord_webhook = NULL")
        _ = try await one.server.client(TestServer.user).call("sessions.annoncer", ["id": session])
        let requests = try await one.requests()
        #expect(requests.map(\.method) == ["POST", "PATCH", "PATCH"])
        let texts = try requests.map(AnnouncingOrganisation.text)
        #expect(texts[1] == texts[2] && texts[2].hasPrefix("✅ **Pourvue**\n~~"))
        let kept = try await one.server.database.psql("SELECT abandonnee, demandee, contenu LIKE '✅%' FROM annonces")
        #expect(kept == "f|f|t")
    }

    @Test func `the message of a deleted session whose edit was refused is struck through when the webhook is written`()
        async throws
    {
        let one = try await AnnouncingOrganisation(try await WebhookReceiver("ok", "refuse", "ok"))
        let session = try await one.session()
        _ = try await one.requests()
        _ = try await one.call("sessions.delete", ["id": session])
        try await Self.givenUp(one, 1)
        #expect(
            try await one.server.database.psql("SELECT session_id, abandonnee FROM annonces") == "\(session.json)|t")
        // The message is edited by the webhook that has posted it.
        let organisme = try await one.call("organisme.ouvrir", [:])
        let webhook: JSONValue = "https://discord.com/api/webhooks/987654321/autre"
        _ = try await one.call(
            "organisme.update", ["id": organisme["id"] ?? .null, "values": ["discord_webhook": webhook]])
        let requests = try await one.requests()
        #expect(requests.map(\.method) == ["POST", "PATCH", "PATCH"])
        let last = try #require(requests.last)
        #expect(try AnnouncingOrganisation.text(last).hasPrefix("❌ **Annulée**\n~~"))
        #expect(try await one.server.database.psql("SELECT count(*) FROM annonces") == "0")
        // What has arrived is not sent again.
        _ = try await one.server.database.psql("UPDATE organisme SET discord_webhook = discord_webhook")
        #expect(try await one.requests().count == 3)
    }

    /// After `gone` (404) Discord has no message, after `fail` (500) it may have one.
    @Test(arguments: [("gone", "0"), ("fail", "3")])
    func `announcements given up after three days are posted when the webhook is written, if they are still to be`(
        answer: String, orphans: String
    ) async throws {
        let new = try await WebhookReceiver("ok")
        let one = try await AnnouncingOrganisation(try await WebhookReceiver(answer), others: [new])
        let formateur = JSONValue(try await one.rows().formateur())
        let open = try await one.session()
        let filled = try await one.session()
        let past = try await one.session()
        try await eventually("each has failed") {
            try await one.outbox("count(*)", "kind = 'sessions.annonce' AND failures > 0") == "3"
        }
        _ = try await one.server.database.psql("UPDATE kernel.outbox SET first_tried_at = now() - interval '73 hours'")
        try await one.passTime()
        try await Self.givenUp(one, 3)
        #expect(try await one.server.database.psql("SELECT count(*) FROM annonces_orphelines") == orphans)
        try await one.change(filled, ["formateur_id": formateur])
        try await one.change(past, ["date": "2020-01-14"])
        _ = try await one.server.database.psql(
            "UPDATE organisme SET discord_webhook = 'http://\(new.host)/api/webhooks/987654321/autre'")
        let text = try await one.shared(open)
        _ = try await one.requests()
        #expect(try new.requests().map(AnnouncingOrganisation.text) == [text])
        #expect(
            try await one.server.database.psql("SELECT session_id FROM annonces WHERE message IS NOT NULL") == open.json
        )
        #expect(try await one.server.database.psql("SELECT count(*) FROM annonces_orphelines") == orphans)
    }
}
