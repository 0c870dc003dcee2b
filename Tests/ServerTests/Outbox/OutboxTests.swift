import DomainKit
import JSON
import TestMail
import TestPostgres
import TestSupport
import Testing

/// kernel.md: "outbox | a command calls `kernel.send(kind, id, not_before)` in its transaction; a worker takes rows `FOR
/// UPDATE SKIP LOCKED`, mail or webhook, with back-off, nothing lost, nothing sent twice without saying so".
@Suite struct OutboxTests {
    @Test func `a mail leaves after the command that sends it, and the record says so`() async throws {
        let sink = try await SMTPSink()
        let garden = try await OutboxGarden(mails: sink, arguments: ["--mail-from", "Le jardin <jardin@exemple.fr>"])
        let nina = try await garden.gardener("nina")
        _ = try await garden.coordinator().call("gardeners.welcome", ["id": nina])
        let mail = try #require(try await sink.mails(atLeast: 1).first)
        #expect(mail.recipients == ["nina@exemple.fr"])
        let seen = try await SMTPSink.read(mail)
        #expect(seen["defects"] == "")
        #expect(seen["from"] == "Le jardin <jardin@exemple.fr>")
        #expect(seen["subject"] == "Bienvenue au jardin, nina")
        #expect(seen["text/plain"] == "Bonjour nina,\n\nVos parcelles\u{202F}: 0.\n")
        try await eventually("the record says so") {
            try await garden.coordinator().call("gardeners.get", ["id": nina, "select": "{ welcomed_at }"])[
                "welcomed_at"]
                != .null
        }
        // The function of the domain and the mark are one transaction.
        #expect(
            try await garden.row("attempts, failures, may_repeat, sent_at IS NOT NULL, gave_up_at IS NULL")
                == "1|0|f|t|t")
        let author = try await garden.database.psql(
            "SELECT actor ->> 'username', request_id FROM journal WHERE after ? 'welcomed_at' AND operation = 'update'")
        #expect(author == "outbox:gardeners.welcome|outbox:\(try await garden.row("id"))")
    }

    @Test func `a dry run, a refused transaction and a record that is unknown send nothing`() async throws {
        let sink = try await SMTPSink()
        let garden = try await OutboxGarden(mails: sink)
        let nina = try await garden.gardener("nina")
        _ = try await garden.coordinator().call("gardeners.welcome", ["id": nina, "dry_run": true])
        let refusal = try await garden.coordinator().refusal(
            "transaction.run",
            [
                "calls": [
                    ["method": "gardeners.welcome", "params": ["id": nina]],
                    ["method": "gardeners.welcome", "params": ["id": 999_999]],
                ]
            ])
        #expect(refusal["code"] == 404)
        #expect(try await garden.row("count(*)") == "0")
        _ = try await garden.coordinator().call("gardeners.welcome", ["id": nina])
        #expect(try await sink.mails(atLeast: 1).count == 1)
    }

    @Test func `sends that no worker has taken yet are one, and it reads the record when it leaves`() async throws {
        let sink = try await SMTPSink()
        let garden = try await OutboxGarden(mails: sink)
        let nina = try await garden.gardener("nina")
        let later: JSONValue = "2999-01-01T00:00:00Z"
        for _ in 1...3 { _ = try await garden.coordinator().call("gardeners.welcome", ["id": nina, "after": later]) }
        #expect(try await garden.row("count(*), min(attempts)") == "1|0")
        _ = try await garden.coordinator().call(
            "gardeners.update", ["id": nina, "values": ["email": "neuve@exemple.fr"]])
        _ = try await garden.database.psql("UPDATE kernel.outbox SET not_before = now(); NOTIFY outbox")
        let mail = try #require(try await sink.mails(atLeast: 1).first)
        #expect(mail.recipients == ["neuve@exemple.fr"])
    }

    @Test func `messages that have nothing to say, or whose record is gone, end without a mail`() async throws {
        let sink = try await SMTPSink()
        let garden = try await OutboxGarden(mails: sink)
        let silent = try await garden.gardener("muette")
        let gone = try await garden.gardener("partie")
        let later: JSONValue = "2999-01-01T00:00:00Z"
        for id in [silent, gone] {
            _ = try await garden.coordinator().call("gardeners.welcome", ["id": id, "after": later])
        }
        _ = try await garden.coordinator().call("gardeners.update", ["id": silent, "values": ["email": .null]])
        _ = try await garden.coordinator().call("gardeners.delete", ["id": gone])
        _ = try await garden.database.psql("UPDATE kernel.outbox SET not_before = now(); NOTIFY outbox")
        try await eventually("both have ended") {
            try await garden.row("count(*) FILTER (WHERE sent_at IS NOT NULL OR gave_up_at IS NOT NULL)") == "2"
        }
        #expect(
            try await garden.database.psql("SELECT last_error FROM kernel.outbox WHERE gave_up_at IS NOT NULL")
                == "its record is gone")
        #expect(try sink.mails().isEmpty)
    }

    @Test func `a mail is sent again after a transient error, later each time`() async throws {
        let sink = try await SMTPSink(.busy)
        let garden = try await OutboxGarden(mails: sink)
        _ = try await garden.coordinator().call("gardeners.welcome", ["id": try await garden.gardener("nina")])
        _ = try await sink.mails(atLeast: 1)
        #expect(sink.rejections() == 2)
        try await eventually("it is marked") { try await garden.row("sent_at IS NOT NULL") == "t" }
        #expect(try await garden.row("attempts, failures, may_repeat") == "3|2|f")
    }

    @Test func `a permanent error ends it at once, and the domain and administrators learn why`() async throws {
        let sink = try await SMTPSink(.rejecting)
        let garden = try await OutboxGarden(mails: sink)
        let nina = try await garden.gardener("nina")
        _ = try await garden.coordinator().call("gardeners.welcome", ["id": nina])
        try await eventually("it is given up") { try await garden.row("gave_up_at IS NOT NULL") == "t" }
        #expect(sink.rejections() == 1)
        let told = try await garden.coordinator().call("gardeners.get", ["id": nina, "select": "{ welcome_failure }"])
        #expect(told["welcome_failure"]?.text?.contains("550") == true)
        let admin = try await garden.garden.server.client()
        let seen = try await admin.call(
            "outbox.list",
            ["where": ["gave_up_at": ["is_null": false]], "select": "{ kind record_id attempts last_error }"])
        #expect(seen.at("/items/0/kind") == "gardeners.welcome")
        #expect(seen.at("/items/0/record_id") == nina)
        #expect(seen.at("/items/0/last_error").text?.contains("550") == true)
        #expect(try await garden.coordinator().refusal("outbox.list")["code"] == 403)
        let log = garden.garden.server.process.errors
        #expect(log.contains("Gave up a message"))
        #expect(!log.contains("nina@exemple.fr"))
    }

    @Test func `without a mail server mails wait, the domain is told after a day, and they are given up after three`()
        async throws
    {
        let garden = try await OutboxGarden([:])
        let nina = try await garden.gardener("nina")
        _ = try await garden.coordinator().call("gardeners.welcome", ["id": nina])
        try await eventually("an attempt fails") { try await garden.row("failures > 0") == "t" }
        #expect(try await garden.row("last_error") == "there is no mail server: SMTP_URL is not set")
        let failure = "SELECT welcome_failure IS NULL FROM probe.gardeners WHERE email = 'nina@exemple.fr'"
        #expect(try await garden.database.psql(failure) == "t")
        _ = try await garden.database.psql("UPDATE kernel.outbox SET first_tried_at = now() - interval '25 hours'")
        try await garden.passTime()
        try await eventually("the domain is told") { try await garden.database.psql(failure) == "f" }
        #expect(try await garden.row("told_at IS NOT NULL, gave_up_at IS NULL") == "t|t")
        _ = try await garden.database.psql(
            """
            UPDATE kernel.outbox SET first_tried_at = now() - interval '73 hours';
            UPDATE probe.gardeners SET welcome_failure = NULL
            """)
        try await garden.passTime()
        try await eventually("it is given up") { try await garden.row("gave_up_at IS NOT NULL") == "t" }
        // The domain learns that, too.
        #expect(try await garden.database.psql(failure) == "f")
    }

    @Test func `a message that has left does not make the next one of its row a repetition`() async throws {
        let database = try await TestDatabase.create(migrated: true)
        let claim = "SELECT FROM kernel.outbox_claim(ARRAY['essai'], 1, '1 minute')"
        func note(_ attempt: Int, _ outcome: String, _ answer: String, isUnclear: Bool) -> String {
            "SELECT kernel.outbox_note(id, \(attempt), '\(outcome)', \(answer), NULL, '0', \(isUnclear), false) "
                + "FROM kernel.outbox"
        }
        func mayRepeat() async throws -> String { try await database.psql("SELECT may_repeat FROM kernel.outbox") }
        _ = try await database.psql("SELECT kernel.send('essai', 1); " + claim)
        _ = try await database.psql(note(1, "failed", "NULL", isUnclear: true))
        let unclear = try await mayRepeat()
        #expect(unclear == "t")
        _ = try await database.psql(claim + "; " + note(2, "delivered", "'{}'", isUnclear: false))
        let delivered = try await mayRepeat()
        #expect(delivered == "f")
    }

    @Test func `messages about one record leave in their order, and others pass them`() async throws {
        let garden = try await OutboxGarden([:])
        let nina = try await garden.gardener("nina")
        _ = try await garden.coordinator().call("gardeners.welcome", ["id": nina])
        try await eventually("an attempt fails") { try await garden.row("failures > 0") == "t" }
        _ = try await garden.coordinator().call("gardeners.welcome", ["id": nina])
        _ = try await garden.coordinator().call("gardeners.welcome", ["id": try await garden.gardener("otto")])
        try await eventually("the other one is tried") {
            try await garden.database.psql("SELECT count(*) FROM kernel.outbox WHERE failures > 0") == "2"
        }
        #expect(
            try await garden.database.psql(
                "SELECT attempts FROM kernel.outbox WHERE record_id = \(nina.json) ORDER BY id DESC LIMIT 1") == "0")
        let sink = try await SMTPSink()
        #expect(try await garden.garden.server.stop() == 0)
        let next = try await garden.another(["SMTP_URL": "smtp://127.0.0.1:\(sink.port)"])
        try await garden.passTime()
        _ = try await sink.mails(atLeast: 3)
        try await eventually("all are marked") {
            try await garden.database.psql("SELECT count(sent_at) FROM kernel.outbox") == "3"
        }
        #expect(
            try await garden.database.psql(
                """
                SELECT bool_and(ordered) FROM (
                    SELECT sent_at >= lag(sent_at) OVER (ORDER BY id) AS ordered FROM kernel.outbox
                    WHERE record_id = \(nina.json)) AS each
                """) == "t")
        #expect(try await next.stop() == 0)
    }
}
