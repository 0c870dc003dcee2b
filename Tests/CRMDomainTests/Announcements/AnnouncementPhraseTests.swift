import CRMDomain
import DomainKit
import JSON
import Testing

/// learntrack-next.md, Announcements: what is sent to Discord for each state of a session and of its message.
@Suite struct AnnouncementPhraseTests {
    private static let address = "https://discord.com/api/webhooks/1/jeton"
    private static let hosts: Set = ["discord.com", "discordapp.com", "canary.discord.com", "ptb.discord.com"]

    /// A session as the notice loads it, and more: what a trainer must not see.
    private static let session = SharedSessions.complete.with(["formateur_id": nil])

    private static func phrase(_ session: JSONValue?, _ state: KeyValuePairs<String, JSONValue>) throws -> [Message] {
        let notice = try #require(CRM.domain.notices.first { $0.name == "sessions.annonce" })
        let complete =
            ([
                "adresse": .string(address), "actuelle": true, "message": nil, "contenu": nil, "demandee": false,
                "annulee": false,
            ] as JSONValue).with(state)
        return notice.phrase([.array([session].compactMap(\.self)), .string(complete.jsonText)])
    }

    private static func text(_ session: JSONValue?, _ state: KeyValuePairs<String, JSONValue>) throws -> String {
        let messages = try phrase(session, state)
        guard case .request(_, _, _, let body, _, _)? = messages.first else { return "" }
        return body["content"]?.text ?? ""
    }

    @Test func `a message is posted, edited, or left as it is`() throws {
        let text = try SharedSessions.text(Self.session, "discord")
        let body: JSONValue = ["content": .string(text), "allowed_mentions": ["parse": []]]
        #expect(
            try Self.phrase(Self.session, [:]) == [
                .request(method: "POST", url: Self.address + "?wait=true", headers: [:], body: body, hosts: Self.hosts)
            ])
        #expect(
            try Self.phrase(Self.session, ["message": "7", "contenu": "autre"]) == [
                .request(
                    method: "PATCH", url: Self.address + "/messages/7", headers: [:], body: body,
                    accepts: [Message.Answer(404, body: ["code": 10008])], hosts: Self.hosts)
            ])
        #expect(try Self.phrase(Self.session, ["message": "7", "contenu": .string(text)]).isEmpty)
        let wanted = try Self.phrase(Self.session, ["message": "7", "contenu": .string(text), "demandee": true])
        #expect(wanted.count == 1)
        let filled = Self.session.with(["formateur_id": 3])
        #expect(try Self.phrase(filled, [:]).isEmpty)
        #expect(try Self.phrase(nil, ["annulee": true]).isEmpty)
        let notice = try #require(CRM.domain.notices.first { $0.name == "sessions.annonce" })
        #expect(notice.phrase([.array([Self.session]), .null]).isEmpty)
    }

    @Test(
        arguments: [
            (nil, "https://discord.com/api/webhooks/1/jeton?thread_id=42&wait=true"),
            ("7", "https://discord.com/api/webhooks/1/jeton/messages/7?thread_id=42"),
        ] as [(JSONValue, String)])
    func `the message of a thread is posted and edited there`(message: JSONValue, expected: String) throws {
        let state: KeyValuePairs<String, JSONValue> = [
            "adresse": .string(Self.address + "?thread_id=42"), "message": message,
        ]
        guard case .request(_, let url, _, _, _, _)? = try Self.phrase(Self.session, state).first else {
            Issue.record("no request")
            return
        }
        #expect(url == expected)
    }

    @Test func `a message that was posted by another webhook is gone if that webhook refuses its address`() throws {
        let messages = try Self.phrase(Self.session, ["message": "7", "contenu": "autre", "actuelle": false])
        guard case .request(_, _, _, _, let accepted, _)? = messages.first else {
            Issue.record("no request")
            return
        }
        #expect(accepted == [Message.Answer(404), Message.Answer(401)])
    }

    @Test func `each line is struck through once, when a trainer is found and when the session is deleted`() throws {
        let filled = try Self.text(Self.session.with(["formateur_id": 3]), ["message": "7", "contenu": "autre"])
        let plain = try SharedSessions.text(Self.session, "discord")
        let struck = plain.split(separator: "\n").map { "~~\($0)~~" }
        #expect(filled.split(separator: "\n").map(String.init) == ["✅ **Pourvue**"] + struck)
        for content in [plain, filled] {
            let deleted = try Self.text(nil, ["message": "7", "contenu": .string(content), "annulee": true])
            #expect(deleted.split(separator: "\n").map(String.init) == ["❌ **Annulée**"] + struck)
        }
    }

    @Test(arguments: ["*", "@", "🚀", "é", "~"])
    func `a struck message has at most 2,000 characters, and the same words as the open one`(unit: String) throws {
        let session = Self.session.with([
            "module": .string(String(repeating: unit, count: 500)),
            "lieu": .string(String(repeating: unit, count: 5000)),
            "ref_contrat": .string(String(repeating: unit, count: 100)),
        ])
        let open = try Self.text(session, [:])
        let filled = try Self.text(session.with(["formateur_id": 3]), ["message": "7", "contenu": .string(open)])
        let deleted = try Self.text(nil, ["message": "7", "contenu": .string(filled), "annulee": true])
        #expect(open.utf16.count > 1_800)
        for text in [open, filled, deleted] { #expect(text.utf16.count <= 2_000) }
        #expect(
            filled.replacing("✅ **Pourvue**\n", with: "").split(separator: "\n").count
                == open.split(separator: "\n").count)
    }

    @Test(arguments: [nil, 3] as [JSONValue])
    func `no price of a client is in a message, even if it was loaded`(formateur: JSONValue) throws {
        let session = Self.session.with(["formateur_id": formateur])
        let text = try Self.text(session, ["message": "7", "contenu": "autre"])
        #expect(text.contains("450,00"))
        for price in ["200,50", "670,50", "client.example"] { #expect(!text.contains(price)) }
    }
}
