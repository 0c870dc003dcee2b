import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// learntrack-next.md: "`calendriers.abonner {…same}` makes a subscription: a link without an end …, listed and revoked by its
/// owner (`calendriers.list/delete`)".
@Suite struct SubscriptionTests {
    private static func identifiers(_ client: RPCClient) async throws -> [JSONValue?] {
        try await client.call("calendriers.list").at("/items").array.map { $0["id"] }
    }

    @Test func `a subscription opens the present document until its owner ends it`() async throws {
        let rows = try await Fixtures()
        let server = try await TestServer.running()
        let user = try await server.client(TestServer.user)
        let trainer = try await rows.formateur()
        let made = try await user.call(
            "calendriers.abonner", ["formateur_id": JSONValue(trainer), "nom": "Mon téléphone"])
        #expect(made["expires_at"] == .null)
        #expect(made["media_type"] == "text/calendar; charset=utf-8")
        let empty = try await server.open(made)
        #expect(empty.status == 200)
        #expect(!empty.text.contains("VEVENT"))
        _ = try await rows.session([("formateur_id", JSONValue(trainer))])
        let filled = try await server.open(made)
        #expect(filled.text.contains("BEGIN:VEVENT"))
        let tag = try #require(filled.headers["etag"])
        #expect(try await server.open(made, headers: [("If-None-Match", tag)]).status == 304)

        let list = try await user.call("calendriers.list")
        let listed = try #require(list.at("/items").array.first { $0["id"] == made["id"] })
        #expect(listed["nom"] == "Mon téléphone")
        #expect(listed["params"] == ["formateur_id": JSONValue(trainer)])
        #expect(listed["role"] == "user")
        #expect(listed["last_used_at"] != .null)
        let secret = try #require(made["url"]?.text).split(separator: ".")[1]
        #expect(!list.json.contains(secret))
        #expect(!server.process.errors.contains(secret))

        #expect(try await user.call("calendriers.delete", ["id": made["id"] ?? .null])["deleted"] == true)
        #expect(try await server.open(made).status == 404)
        #expect(try await !Self.identifiers(user).contains(made["id"]))
        #expect(try await user.refusal("calendriers.delete", ["id": made["id"] ?? .null])["code"] == 404)
    }

    @Test func `a subscription follows a trainer, a client or a school into the one that absorbs it`() async throws {
        let rows = try await Fixtures()
        let server = try await TestServer.running()
        let kinds = [
            ("formateur", try await rows.formateur(), try await rows.formateur()),
            ("client", try await rows.client(), try await rows.client()),
            ("ecole", try await rows.ecole(), try await rows.ecole()),
        ]
        for (kind, kept, gone) in kinds {
            let parameter = "\(kind)_id"
            let made = try await rows.client.call("calendriers.abonner", .merging([(parameter, JSONValue(gone))]))
            _ = try await rows.session([(parameter, JSONValue(gone)), ("date", "2026-05-04")])
            _ = try await rows.session([(parameter, JSONValue(kept)), ("date", "2026-05-05")])
            let cancelled = try await rows.session([(parameter, JSONValue(gone)), ("date", "2026-05-06")])
            _ = try await rows.client.call("sessions.delete", ["id": JSONValue(cancelled)])
            let days = { (text: String) in (4...6).filter { text.contains(":2026050\($0)T090000") } }
            #expect(days(try await server.open(made).text) == [4, 6])
            _ = try await rows.client.call(
                "\(kind)s.fusionner", ["garde": JSONValue(kept), "absorbe": JSONValue(gone)])
            let opened = try await server.open(made)
            #expect(opened.status == 200, "\(kind): \(opened.text)")
            #expect(days(opened.text) == [4, 5, 6], "\(kind): \(opened.text)")
        }
    }

    @Test func `a subscription to what was deleted still says that its sessions are cancelled`() async throws {
        let rows = try await Fixtures()
        let trainer = JSONValue(try await rows.formateur())
        let made = try await rows.client.call("calendriers.abonner", ["formateur_id": trainer])
        let session = try await rows.session([("formateur_id", trainer)])
        _ = try await rows.client.call("sessions.delete", ["id": JSONValue(session)])
        _ = try await rows.client.call("formateurs.delete", ["id": trainer])
        let opened = try await TestServer.running().open(made)
        #expect(opened.status == 200)
        #expect(opened.text.contains("STATUS:CANCELLED"), "\(opened.text)")
    }

    @Test func `an account reaches its own subscriptions, an administrator all`() async throws {
        let server = try await TestServer.running()
        let (admin, user) = (try await server.client(), try await server.client(TestServer.user))
        let mine = try await user.call("calendriers.abonner")
        let theirs = try await admin.call("calendriers.abonner")
        let seen = try await Self.identifiers(user)
        #expect(seen.contains(mine["id"]) && !seen.contains(theirs["id"]))
        let all = try await Self.identifiers(admin)
        #expect(all.contains(mine["id"]) && all.contains(theirs["id"]))
        #expect(try await user.refusal("calendriers.delete", ["id": theirs["id"] ?? .null])["code"] == 404)
        #expect(try await server.open(theirs).status == 200)
        _ = try await admin.call("calendriers.delete", ["id": mine["id"] ?? .null])
        #expect(try await server.open(mine).status == 404)
    }

    @Test(arguments: [
        "UPDATE users SET is_active = false WHERE role = 'user'", "UPDATE users SET role = 'admin'",
        "DELETE FROM users WHERE role = 'user'",
    ])
    func `a subscription ends for good with the account or the role`(change: String) async throws {
        let server = try await TestServer.start()
        let made = try await server.client(TestServer.user).call("calendriers.abonner")
        #expect(try await server.open(made).status == 200)
        _ = try await server.database.psql(change)
        #expect(try await server.open(made).status == 404)
        _ = try await server.database.psql(
            "UPDATE users SET role = 'user', is_active = true WHERE email = '\(TestServer.user)'")
        #expect(try await server.open(made).status == 404)
        #expect(try await server.database.psql("SELECT count(*) FROM kernel.subscriptions") == "0")
    }

    @Test func `a subscription outlives the secrets of the server`() async throws {
        let first = try await TestServer.start()
        let made = try await first.client().call("calendriers.abonner")
        let second = try await TestServer.start(
            environment: ["JWT_SECRET": "a-new-secret-for-tests-that-is-long-enough-012345"], database: first.database)
        #expect(try await second.open(made).status == 200)
    }

    @Test func `made-up secrets open nothing, and soon are not looked up`() async throws {
        let server = try await TestServer.start()
        let made = try await server.client().call("calendriers.abonner")
        let url = try #require(made["url"]?.text)
        var statuses: [Int] = []
        for position in 0..<40 {
            var altered = Array(url)
            altered[altered.count - 64 + position] = altered[altered.count - 64 + position] == "A" ? "B" : "A"
            let response = try await server.open(url: String(altered))
            statuses.append(response.status)
            if response.status == 429 { #expect(response.headers["retry-after"] != nil) }
        }
        #expect(Set(statuses) == [404, 429])
        let secret = url.split(separator: ".")[1]
        for id in ["-1", "+1", "01", "-9223372036854775808", "99999999999999999999", "x"] {
            #expect(try await server.open(url: "/documents/\(id).\(secret)").status == 404, "\(id)")
        }
        #expect(try await server.open(made).status == 200)
    }

    @Test func `an access key makes no subscriptions`() async throws {
        let server = try await TestServer.running()
        let admin = try await server.client()
        let account = try await admin.call("auth.me", ["select": "{ id }"])["id"] ?? .null
        let key = try await admin.call("auth.create_access_key", ["account_id": account, "role": "admin", "name": "x"])
        let device = try RPCClient(port: server.port, token: key["key"]?.text)
        for (method, params) in [
            ("calendriers.abonner", [:]), ("calendriers.list", [:]), ("calendriers.delete", ["id": 1]),
        ] as [(String, JSONValue)] {
            #expect(try await device.refusal(method, params)["code"] == 403, "\(method)")
        }
    }

    @Test func `an account has a hundred subscriptions at most`() async throws {
        let server = try await TestServer.start()
        let client = try await server.client()
        for _ in 0..<100 { _ = try await client.call("calendriers.abonner") }
        let error = try await client.refusal("calendriers.abonner")
        #expect(error.at("/data/reason") == "full")
        #expect(error.at("/data/max") == 100)
    }
}
