import DomainKit
import JSON
import TestPostgres
import TestSupport
import TestWebhook
import Testing

/// learntrack-next.md, Announcements: "the share text (audience formateur, never a client price) goes out once by the outbox,
/// is edited when the session changes and struck through when a trainer is found".
@Suite struct AnnouncementTests {
    private static let heading = "✅ **Pourvue**"

    private static func struck(_ text: String, under heading: String = heading) -> String {
        ([heading] + text.split(separator: "\n").map { "~~\($0)~~" }).joined(separator: "\n")
    }

    // MARK: What is announced

    @Test
    func `a session that is created without a trainer is announced once, without the client's price and without pings`()
        async throws
    {
        let one = try await AnnouncingOrganisation(try await WebhookReceiver("ok"))
        let client = try await one.rows().client([("raison_sociale", "Société secrète")])
        let session = try await one.session([
            ("module", "Kotlin @everyone"), ("lieu", "<@1234> Lyon"), ("client_id", JSONValue(client)),
        ])
        let requests = try await one.requests()
        let request = try #require(requests.first)
        #expect(requests.count == 1)
        #expect(request.method == "POST")
        #expect(request.path == AnnouncingOrganisation.webhook + "?wait=true")
        let body = try JSONValue.parse(Array(request.body.utf8))
        let text = try await one.shared(session)
        #expect(body["content"] == .string(text))
        #expect(text.contains("450,00"))
        #expect(body["allowed_mentions"] == ["parse": []])
        #expect(!request.body.contains("321,09") && !request.body.contains("secrète"))
        let kept = try await one.server.database.psql("SELECT session_id, message IS NOT NULL FROM annonces")
        #expect(kept == "\(session.json)|t")
        #expect(!one.server.process.errors.contains("jeton"))
    }

    @Test func `copies and sessions of psql are announced; those with a trainer, of the past and of a dry run are not`()
        async throws
    {
        let one = try await AnnouncingOrganisation(try await WebhookReceiver("ok"))
        let formateur = JSONValue(try await one.rows().formateur())
        let taught = try await one.session([("formateur_id", formateur)])
        _ = try await one.session([("date", "2020-01-14")])
        _ = try await one.call(
            "sessions.create",
            ["values": .merging(Fixtures.session([("date", "2999-01-14")])), "dry_run": true])
        _ = try await one.call("sessions.repeter", ["id": taught, "dates": ["2999-02-01"]])
        #expect(try await one.requests().isEmpty)
        let session = try await one.session()
        _ = try await one.call("sessions.repeter", ["id": session, "dates": ["2999-02-01", "2999-02-02"]])
        _ = try await one.server.database.psql(
            """
            INSERT INTO sessions (module, date, debut, fin, modalite) VALUES ('psql', '2999-03-01', '09:00', '12:00', 'D')
            """)
        #expect(try await one.requests().map(\.method) == ["POST", "POST", "POST", "POST"])
        _ = try await one.server.database.psql("UPDATE organisme SET annonces_auto = false")
        _ = try await one.session()
        #expect(try await one.requests().count == 4)
    }

    @Test func `sessions.annoncer needs a webhook and a session to come without a trainer`() async throws {
        let one = try await AnnouncingOrganisation(try await WebhookReceiver("ok"), isAutomatic: false)
        let formateur = JSONValue(try await one.rows().formateur())
        let session = try await one.session()
        #expect(try await one.requests().isEmpty)
        let answer = try await one.server.client(TestServer.user).call(
            "sessions.annoncer", ["id": session, "select": "{ id module }"])
        #expect(answer == ["id": session, "module": "Kotlin"])
        let text = try await one.shared(session)
        #expect(try await one.requests().map(AnnouncingOrganisation.text) == [text])
        #expect(
            try await one.server.client(TestServer.user).refusal("sessions.annoncer", ["id": 999_999_999])["code"]
                == 404)
        let taught = try await one.session([("formateur_id", formateur)])
        let filled = try await one.server.client(TestServer.user).refusal("sessions.annoncer", ["id": taught])
        #expect(filled["code"] == 409 && filled.at("/data/reason") == "pourvue", "\(filled.json)")
        let past = try await one.session([("date", "2020-01-14")])
        let over = try await one.server.client(TestServer.user).refusal("sessions.annoncer", ["id": past])
        #expect(over["code"] == 409 && over.at("/data/reason") == "passee", "\(over.json)")
        #expect(try await one.server.database.psql("SELECT session_id FROM annonces") == session.json)
        let other = try await one.session()
        _ = try await one.server.database.psql("UPDATE organisme SET discord_webhook = NULL")
        let without = try await one.server.client(TestServer.user).refusal("sessions.annoncer", ["id": other])
        #expect(without["code"] == 409 && without.at("/data/reason") == "webhook", "\(without.json)")
    }

    @Test func `a webhook of a host that the settings name is accepted by the call, and any other gets no request`()
        async throws
    {
        let (named, other) = (try await WebhookReceiver("ok"), try await WebhookReceiver("ok"))
        let one = try await AnnouncingOrganisation(named)
        let organisme = try await one.call("organisme.ouvrir", [:])["id"] ?? .null
        func set(_ address: String) async throws {
            _ = try await one.call(
                "organisme.update", ["id": organisme, "values": ["discord_webhook": .string(address)]])
        }
        try await set("http://\(named.host)/api/webhooks/123456789/SECRETTOK")
        _ = try await one.session()
        #expect(try await one.requests().map(\.path) == ["/api/webhooks/123456789/SECRETTOK?wait=true"])
        for address in ["http://\(other.host)", "https://\(other.host)", "https://example.org"] {
            try await set("\(address)/api/webhooks/123456789/SECRETTOK")
            let session = try await one.session()
            let condition = "record_id = \(session.json) AND failures > 0"
            try await eventually("the announcement has failed") {
                try await one.outbox("count(*)", condition) == "1"
            }
            let reason = try await one.outbox("last_error", condition)
            #expect(reason.contains("the address does not begin") || reason.contains("--outgoing-hosts"), "\(reason)")
        }
        #expect(try other.requests().isEmpty && named.requests().count == 1)
    }

    // MARK: Changes

    @Test
    func `an announcement follows its session, is struck through when a trainer is found, and ends with the session`()
        async throws
    {
        let one = try await AnnouncingOrganisation(try await WebhookReceiver("ok"))
        let session = try await one.session()
        #expect(try await one.requests().count == 1)
        try await one.change(session, ["lieu": "12 rue de la Paix"])
        let second = try await one.requests()
        let message = try await one.server.database.psql("SELECT message FROM annonces")
        #expect(second.count == 2)
        #expect(second[1].method == "PATCH")
        #expect(second[1].path == "\(AnnouncingOrganisation.webhook)/messages/\(message)")
        let moved = try await one.shared(session)
        #expect(try AnnouncingOrganisation.text(second[1]) == moved)
        #expect(try JSONValue.parse(Array(second[1].body.utf8))["allowed_mentions"] == ["parse": []])

        // What the text does not show sends nothing, nor does a change that is taken back.
        let client = try await one.rows().client()
        try await one.change(session, ["tarif_client": 9876, "client_id": JSONValue(client)])
        _ = try await one.server.database.psql(
            "BEGIN; UPDATE sessions SET lieu = 'Nice'; UPDATE sessions SET lieu = '12 rue de la Paix'; COMMIT")
        #expect(try await one.requests().count == 2)

        let formateurs = [try await one.rows().formateur(), try await one.rows().formateur()]
        try await one.change(session, ["formateur_id": JSONValue(formateurs[0])])
        let third = try await one.requests()
        #expect(third.count == 3)
        #expect(try AnnouncingOrganisation.text(third[2]) == Self.struck(moved))
        try await one.change(session, ["formateur_id": JSONValue(formateurs[1])])
        #expect(try await one.requests().count == 3)
        try await one.change(session, ["formateur_id": .null])
        let fourth = try await one.requests()
        #expect(fourth.count == 4)
        #expect(try AnnouncingOrganisation.text(fourth[3]) == moved)

        _ = try await one.call("sessions.delete", ["id": session])
        let fifth = try await one.requests()
        #expect(fifth.count == 5)
        #expect(try AnnouncingOrganisation.text(fifth[4]) == Self.struck(moved, under: "❌ **Annulée**"))
        #expect(Set(fifth.dropFirst().map(\.path)).count == 1)
        #expect(try await one.server.database.psql("SELECT count(*) FROM annonces") == "0")
    }

    @Test func `a session that changes before its announcement has left is announced once, with its newest text`()
        async throws
    {
        let one = try await AnnouncingOrganisation(try await WebhookReceiver("fail", "fail", "fail", "ok"))
        let session = try await one.session()
        try await eventually("an attempt fails") { try await one.outbox("max(failures)") != "0" }
        try await one.change(session, ["lieu": "Lyon"])
        let text = try await one.shared(session)
        let requests = try await one.requests()
        #expect(requests.map(\.method) == ["POST", "POST", "POST", "POST"])
        #expect(try AnnouncingOrganisation.text(requests[3]) == text)
    }

    @Test func `a session that finds a trainer or is deleted before its announcement has left is not announced`()
        async throws
    {
        let one = try await AnnouncingOrganisation(try await WebhookReceiver("fail", "fail", "fail", "fail", "ok"))
        let formateur = JSONValue(try await one.rows().formateur())
        let taught = try await one.session()
        let deleted = try await one.session()
        try await eventually("both attempts have failed") {
            try await one.outbox("count(*)", "failures > 0") == "2"
        }
        try await one.change(taught, ["formateur_id": formateur])
        _ = try await one.call("sessions.delete", ["id": deleted])
        try await one.passTime()
        #expect(try await one.requests().allSatisfy { $0.step == "fail" })
        // The one that loses its trainer again is looked for.
        try await one.change(taught, ["formateur_id": .null])
        #expect(try await one.requests().filter { $0.step == "ok" }.map(\.method) == ["POST"])
        #expect(try await one.server.database.psql("SELECT session_id FROM annonces") == taught.json)
    }

    @Test func `after many changes at once the message has the last text`() async throws {
        let one = try await AnnouncingOrganisation(try await WebhookReceiver("ok"))
        let session = try await one.session()
        let others = [try await one.server.client(), try await one.server.client(TestServer.user)]
        try await withThrowingTaskGroup { group in
            for (index, client) in others.enumerated() {
                group.addTask {
                    for turn in 0..<15 {
                        _ = try await client.call(
                            "sessions.update",
                            ["id": session, "values": ["lieu": .string("Salle \(index) \(turn)")]])
                    }
                }
            }
            try await group.waitForAll()
        }
        let text = try await one.shared(session)
        let requests = try await one.requests()
        let last = try #require(requests.last)
        #expect(try AnnouncingOrganisation.text(last) == text)
        #expect(requests.filter { $0.method == "POST" }.count == 1)
        let kept = try await one.server.database.psql("SELECT count(*) FROM annonces WHERE contenu LIKE '%Salle%'")
        #expect(kept == "1")
    }

    // MARK: Messages that are gone

    @Test func `an announcement follows its session also if the answers have only the id of the message`() async throws
    {
        let one = try await AnnouncingOrganisation(try await WebhookReceiver("bare"))
        let session = try await one.session()
        let text = try await one.shared(session)
        #expect(try await one.requests().map(AnnouncingOrganisation.text) == [text])
        try await one.change(session, ["lieu": "12 rue de la Paix"])
        let moved = try await one.shared(session)
        _ = try await one.requests()
        // What the text does not show sends nothing.
        try await one.change(session, ["tarif_client": 9876])
        _ = try await one.requests()
        _ = try await one.call("sessions.delete", ["id": session])
        let requests = try await one.requests()
        #expect(requests.map(\.method) == ["POST", "PATCH", "PATCH"])
        let cancelled = Self.struck(moved, under: "❌ **Annulée**")
        #expect(try requests.dropFirst().map(AnnouncingOrganisation.text) == [moved, cancelled])
    }

    @Test func `a message that was deleted on Discord is forgotten, and sessions.annoncer posts it anew`() async throws
    {
        let one = try await AnnouncingOrganisation(
            try await WebhookReceiver("ok", "deleted", "ok", "ok", "deleted", "ok"))
        let session = try await one.session()
        #expect(try await one.requests().count == 1)
        try await one.change(session, ["lieu": "Lyon"])
        #expect(try await one.requests().count == 2)
        #expect(try await one.server.database.psql("SELECT count(*) FROM annonces") == "0")
        #expect(try await one.outbox("count(*)", "failures > 0 OR gave_up_at IS NOT NULL") == "0")
        try await one.change(session, ["lieu": "Nice"])
        #expect(try await one.requests().count == 2)
        _ = try await one.call("sessions.annoncer", ["id": session])
        #expect(try await one.requests().last?.method == "POST")
        // Asked for again, it is sent with the same text; and anew, if the message is gone.
        _ = try await one.call("sessions.annoncer", ["id": session])
        #expect(try await one.requests().map(\.method) == ["POST", "PATCH", "POST", "PATCH"])
        _ = try await one.call("sessions.annoncer", ["id": session])
        let requests = try await one.requests()
        #expect(requests.map(\.method) == ["POST", "PATCH", "POST", "PATCH", "PATCH", "POST"])
        let text = try await one.shared(session)
        #expect(try AnnouncingOrganisation.text(requests[5]) == text)
    }

    @Test(arguments: ["gone", "revoked"])
    func `with another webhook, messages of the old one are edited there, and posted anew when it is gone`(
        answer: String
    ) async throws {
        let new = try await WebhookReceiver("ok")
        let one = try await AnnouncingOrganisation(try await WebhookReceiver("ok", "ok", answer), others: [new])
        let session = try await one.session()
        #expect(try await one.requests().count == 1)
        _ = try await one.server.database.psql(
            "UPDATE organisme SET discord_webhook = 'http://\(new.host)/api/webhooks/987654321/autre'")
        try await one.change(session, ["lieu": "Lyon"])
        #expect(try await one.requests().map(\.method) == ["POST", "PATCH"])
        #expect(try new.requests().isEmpty)
        _ = try await one.session()
        #expect(try await one.requests().count == 2)
        #expect(try new.requests().count == 1)
        try await one.change(session, ["lieu": "Nice"])
        let text = try await one.shared(session)
        #expect(try await one.requests().map(\.step) == ["ok", "ok", answer])
        let posted = try new.requests()
        #expect(posted.map(\.path) == Array(repeating: "/api/webhooks/987654321/autre?wait=true", count: 2))
        let last = try #require(posted.last)
        #expect(try AnnouncingOrganisation.text(last) == text)
        // The old message stays where it is, and an administrator has to remove it.
        let orphans = try await one.server.database.psql("SELECT session_id FROM annonces_orphelines")
        #expect(orphans == session.json)
    }
}
