import JSON
import TestMail
import TestPostgres
import TestSupport
import Testing

/// What the account that has asked sees and does while it waits: deadlines, reminders, limits.
@Suite struct SigningReminderTests {
    private static let marie = (name: "Marie Curie", email: "marie@exemple.fr")
    private static let paul = (name: "Paul Langevin", email: "paul@exemple.fr")

    /// The ids of a request and of its signatories.
    private static func ids(
        _ signing: SigningServer, _ asked: JSONValue
    ) async throws -> (document: JSONValue, signatories: [JSONValue]) {
        let record = try await signing.client.call(
            "signatures.get", ["id": asked["id"] ?? .null, "select": "{ id signatories { id } }"])
        return (record["id"] ?? .null, record["signatories"]?.array.compactMap { $0["id"] } ?? [])
    }

    private static func params(_ id: JSONValue, _ signatory: JSONValue, email: JSONValue? = nil) -> JSONValue {
        let params: JSONValue = ["id": id, "signataire": signatory]
        return email.map { params.setting("/email", to: $0) } ?? params
    }

    /// A mail that waits is the same as a further one.
    private static func untilNoMailWaits(_ signing: SigningServer) async throws {
        try await eventually("the mails are taken") {
            try await signing.row("count(*)", from: "outbox WHERE attempts = 0") == "0"
        }
    }

    @Test func `links sign for fourteen days, and mail and page name the same last moment in the service's zone`()
        async throws
    {
        // There it is another day than in UTC for most of the day.
        let zone = "Pacific/Kiritimati"
        let signing = try await SigningServer(["--time-zone", zone])
        let asked = try await signing.ask(Self.marie)
        let (expires, created) = (asked["expires_at"]?.text ?? "", asked["created_at"]?.text ?? "")
        let facts = try await signing.server.database.psql(
            """
            SELECT '\(expires)'::timestamptz - '\(created)'::timestamptz = interval '14 days',
                to_char('\(expires)'::timestamptz AT TIME ZONE '\(zone)', 'FMDD|FMMM|YYYY|FMHH24|MI')
            """
        ).split(separator: "|").map(String.init)
        try #require(facts.count == 6)
        #expect(facts[0] == "t")
        let months = [
            "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
            "décembre",
        ]
        let month = months[(Int(facts[2]) ?? 1) - 1]
        let day = facts[1] == "1" ? "1er" : facts[1]
        let minute = facts[5] == "00" ? "" : " \(facts[5])"
        let expected = "jusqu’au \(day) \(month) \(facts[3]) à \(facts[4]) h\(minute)."
        // A calendar has its sessions at the hours of the zone, too.
        _ = try await signing.client.call(
            "sessions.update",
            ["id": signing.session, "values": ["date": "2026-07-14", "debut": "09:00", "fin": "17:00"]])
        let calendar = try await signing.server.open(try await signing.client.call("sessions.calendrier"))
        let hours = "DTSTART;TZID=\(zone):20260714T090000\r\nDTEND;TZID=\(zone):20260714T170000\r\n"
        #expect(calendar.text.contains(hours), "\(calendar.text)")
        let mail = try await signing.mail(to: Self.marie.email, "signer")["text/plain"] ?? ""
        let page = try await signing.get(try await signing.link(to: Self.marie.email)).text
        for text in [mail, page] {
            let plain = text.replacing("\u{A0}", with: " ").replacing("\r\n", with: " ").replacing("\n", with: " ")
            #expect(plain.contains(expected), "\(expected)\n\(plain)")
        }
    }

    @Test func `a signatory is mailed the same link again, with the same deadline`() async throws {
        let signing = try await SigningServer()
        let asked = try await signing.ask(Self.marie, Self.paul)
        let link = try await signing.link(to: Self.marie.email)
        let (id, signatories) = try await Self.ids(signing, asked)
        try #require(signatories.count == 2)
        let reminded = try await signing.client.call("signatures.relancer", Self.params(id, signatories[0]))
        #expect(reminded["id"] == id && reminded["expires_at"] == asked["expires_at"])
        try await eventually("there is a second mail") {
            try signing.sink.mails().count { $0.recipients == [Self.marie.email] } == 2
        }
        for mail in try signing.sink.mails() where mail.recipients == [Self.marie.email] {
            let text = try await SMTPSink.read(mail)["text/plain"] ?? ""
            #expect(text.contains(link), "\(text)")
        }
        let others = try signing.sink.mails().filter { $0.recipients == [Self.paul.email] }
        #expect(others.count <= 1)
        let listed = try await signing.client.call(
            "signatories.get", ["id": signatories[0], "select": "{ reminded_at mail_error }"])
        #expect(listed["reminded_at"]?.text != nil)
        let signed = try await signing.sign(link, "Marie Curie")
        #expect(signed.status == 200)
    }

    @Test func `reminders while a mail still waits to leave are that mail, and count once`() async throws {
        let signing = try await SigningServer()
        let asked = try await signing.ask(Self.marie)
        _ = try await signing.link(to: Self.marie.email)
        let (id, signatories) = try await Self.ids(signing, asked)
        let params = Self.params(id, try #require(signatories.first))
        // Mails wait from now on.
        _ = try await signing.server.database.psql(
            """
            CREATE FUNCTION public.put_off() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN NEW.not_before := now() + interval '1 hour'; RETURN NEW; END $$;
            CREATE TRIGGER put_off BEFORE INSERT ON kernel.outbox FOR EACH ROW EXECUTE FUNCTION public.put_off();
            """)
        let client = signing.client
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...12 {
                group.addTask { _ = try await client.call("signatures.relancer", params) }
            }
            try await group.waitForAll()
        }
        #expect(try await signing.row("reminders", from: "signatories") == "1")
        #expect(try await signing.row("count(*)", from: "outbox WHERE attempts = 0") == "1")
        // The mail that waits goes to the right address, with the link of that address.
        let moved = try await client.call("signatures.relancer", params.setting("/email", to: "curie@exemple.fr"))
        #expect(moved["id"] == id)
        #expect(try await signing.row("reminders, email", from: "signatories") == "1|curie@exemple.fr")
        _ = try await signing.server.database.psql(
            """
            DROP TRIGGER put_off ON kernel.outbox;
            UPDATE kernel.outbox SET not_before = now() WHERE attempts = 0;
            NOTIFY outbox;
            """)
        let signed = try await signing.sign(try await signing.link(to: "curie@exemple.fr"), "Marie Curie")
        #expect(signed.status == 200)
        let reminders = try signing.sink.mails().count { $0.recipients == [Self.marie.email] }
        #expect(reminders == 1)
    }

    @Test func `a signatory whose address was wrong gets another link at the right one, and the first link ends`()
        async throws
    {
        let signing = try await SigningServer()
        let asked = try await signing.ask((Self.marie.name, "marie@exemple.com"))
        let first = try await signing.link(to: "marie@exemple.com")
        let (id, signatories) = try await Self.ids(signing, asked)
        let params = Self.params(id, try #require(signatories.first), email: .string(Self.marie.email))
        _ = try await signing.client.call("signatures.relancer", params)
        let second = try await signing.link(to: Self.marie.email)
        #expect(first != second)
        for path in [first, first + "/document"] {
            let answer = try await signing.get(path)
            #expect(answer.status == 404)
        }
        let refused = try await signing.sign(first, "Marie Curie")
        #expect(refused.status == 404)
        let signed = try await signing.sign(second, "Marie Curie")
        #expect(signed.status == 200)
        #expect(try await signing.row("email", from: "signatories") == Self.marie.email)
    }

    @Test func `only who asked reminds, and only a signatory who can still sign`() async throws {
        let signing = try await SigningServer()
        let asked = try await signing.ask(Self.marie, Self.paul)
        let (id, signatories) = try await Self.ids(signing, asked)
        try #require(signatories.count == 2)
        let marie = Self.params(id, signatories[0])
        func reason(_ params: JSONValue, _ client: RPCClient? = nil) async throws -> JSONValue? {
            let refusal = try await (client ?? signing.client).refusal("signatures.relancer", params)
            let reason = refusal.at("/data/reason")
            return reason.isNull ? refusal["code"] : reason
        }
        #expect(try await reason(marie, try await signing.server.client(TestServer.user)) == 403)
        #expect(try await reason(Self.params(id, 999_999_999)) == 404)
        let other = try await signing.ask(Self.paul)
        #expect(try await reason(Self.params(other["id"] ?? .null, signatories[0])) == 404)
        let same = try await signing.client.refusal(
            "signatures.relancer", Self.params(id, signatories[0], email: "PAUL@exemple.fr"))
        #expect(same.at("/data/errors/0/path") == "/email", "\(same.json)")
        _ = try await signing.sign(try await signing.link(to: Self.marie.email), "Marie Curie")
        #expect(try await reason(marie) == "signed")

        let paul = Self.params(id, signatories[1])
        for _ in 1...10 {
            try await Self.untilNoMailWaits(signing)
            _ = try await signing.client.call("signatures.relancer", paul)
        }
        try await Self.untilNoMailWaits(signing)
        #expect(try await reason(paul) == "reminders")
        _ = try await signing.client.call("signatures.annuler", ["id": other["id"] ?? .null])
        let (_, others) = try await Self.ids(signing, other)
        #expect(try await reason(Self.params(other["id"] ?? .null, try #require(others.first))) == "ended")
    }

    @Test func `a request whose links have run out says so, and can be neither signed nor reminded of`() async throws {
        let signing = try await SigningServer()
        let asked = try await signing.ask(Self.marie)
        _ = try await signing.link(to: Self.marie.email)
        let (id, signatories) = try await Self.ids(signing, asked)
        func state() async throws -> JSONValue {
            try await signing.client.call("signatures.get", ["id": id, "select": "{ status expired }"])
        }
        #expect(try await state() == ["expired": false, "status": "waiting"])
        try await signing.moveDeadline(to: "now() - interval '1 second'")
        #expect(try await state() == ["expired": true, "status": "waiting"])
        let listed = try await signing.client.call(
            "signatures.list", ["where": ["expired": true], "count": true, "select": "{ id }"])
        #expect(listed["total"] == 1)
        let refusal = try await signing.client.refusal(
            "signatures.relancer", Self.params(id, try #require(signatories.first)))
        #expect(refusal.at("/data/reason") == "ended")
        // It can still be cancelled, and then it is that.
        _ = try await signing.client.call("signatures.annuler", ["id": id])
        #expect(try await state() == ["expired": false, "status": "cancelled"])
    }

    @Test func `an account asks for a hundred documents a day, and reminders count`() async throws {
        let signing = try await SigningServer()
        let asked = try await signing.ask(Self.marie)
        let (id, signatories) = try await Self.ids(signing, asked)
        try await Self.untilNoMailWaits(signing)
        _ = try await signing.server.database.psql(
            """
            INSERT INTO kernel.signatures (kind, method, params, name, sha256, account_id, created_at)
            SELECT kind, method, params, name, sha256, account_id, now() - CASE WHEN n <= 97 THEN interval '23 hours'
                ELSE interval '25 hours' END
            FROM kernel.signatures, generate_series(1, 120) AS n
            """)
        _ = try await signing.client.call(
            "signatures.relancer", Self.params(id, try #require(signatories.first)))
        _ = try await signing.client.call("signatures.demander", signing.request([Self.paul]))
        let params = signing.request([Self.paul])
        let refusal = try await signing.client.refusal("signatures.demander", params)
        #expect(refusal.at("/data/reason") == "full", "\(refusal.json)")
        #expect(try await signing.row("count(*)") == "122")
        let user = try await signing.server.client(TestServer.user)
        let other = try await user.call("signatures.demander", params)
        #expect(other["status"] == "waiting")
    }

    @Test func `without a mail server signatures are refused at once, and nothing is kept`() async throws {
        let server = try await TestServer.start()
        let rows = try await Fixtures(server)
        let session = JSONValue(try await rows.session())
        let refusal = try await rows.client.refusal(
            "signatures.demander",
            [
                "document": ["methode": "sessions.convention", "params": ["id": session]],
                "signataires": [["nom": "Marie Curie", "email": "marie@exemple.fr"]],
            ])
        #expect(refusal["code"] == 409)
        #expect(refusal.at("/data/reason") == "no_mail", "\(refusal.json)")
        #expect(refusal["message"]?.text?.contains("messagerie") == true, "\(refusal.json)")
        #expect(try await server.database.psql("SELECT count(*) FROM kernel.signatures") == "0")
    }
}
