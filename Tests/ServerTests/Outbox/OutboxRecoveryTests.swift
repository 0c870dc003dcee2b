import DomainKit
import JSON
import TestMail
import TestPostgres
import TestSupport
import Testing

/// mends.md, 3: "What concerns the message alone may end it; all else waits for days, is told, and an operator can send again
/// what was given up."
@Suite struct OutboxRecoveryTests {
    private static func enter(_ count: Int, _ garden: OutboxGarden) async throws {
        _ = try await garden.database.psql(
            """
            INSERT INTO probe.gardeners (name, email) SELECT 'j' || i, 'j' || i || '@exemple.fr'
            FROM generate_series(1, \(count)) AS i;
            SELECT kernel.send('gardeners.welcome', id) FROM probe.gardeners WHERE welcomed_at IS NULL ORDER BY id
            """)
    }

    private static func address(_ sink: SMTPSink) -> [String: String] {
        ["SMTP_URL": "smtp://user:secret@127.0.0.1:\(sink.port)"]
    }

    @Test func `mails wait while the login is refused, knock one at a time, and leave when it is accepted`()
        async throws
    {
        let sink = try await SMTPSink(failing: .refusesLogin)
        let garden = try await OutboxGarden(Self.address(sink))
        try await Self.enter(20, garden)
        try await eventually("all have met the refusal") {
            try await garden.row("count(*) FILTER (WHERE cause = 'login')") == "20"
        }
        #expect(try await garden.row("count(gave_up_at), bool_or(may_repeat)") == "0|f")
        // Eight are sent at once before the first refusal is known.
        #expect(sink.faults() < 15)
        let summary = try await garden.database.psql("SELECT cause, waiting, given_up FROM kernel.outbox_summary()")
        #expect(summary == "login|20|0")
        let finding = try await garden.doctorFinding()
        #expect(finding?["detail"]?.text?.hasPrefix("messages wait after failures: 20 for ") == true)
        #expect(finding?["detail"]?.text?.hasSuffix(" (login)") == true, "\(String(describing: finding))")
        #expect(finding?["remedy"]?.text?.contains("outbox retry --all") == true)
        let process = garden.garden.server.process
        #expect(process.errors.ranges(of: "No mails leave").count == 1)
        try sink.mend()
        try await eventually("all leave", within: .seconds(60)) {
            // Unlike the passing of time, this leaves those alone that are under way.
            _ = try await garden.database.psql("SELECT kernel.outbox_retry_all(NULL, NULL, NULL)")
            return try await garden.row("count(sent_at)") == "20"
        }
        #expect(try sink.mails().count == 20)
        #expect(try await garden.row("count(*) FILTER (WHERE may_repeat), count(cause)") == "0|0")
        try await process.waitForLog("Mails leave again")
        #expect(!process.errors.contains("may have been sent already"))
        #expect(!process.errors.contains("secret"))
    }

    @Test(arguments: [SMTPSink.Fault.greetsWith554, .requiresLogin, .cannotCheckLogin, .deniesRelay])
    func `a fault that other mails would meet too gives up none`(fault: SMTPSink.Fault) async throws {
        let sink = try await SMTPSink(failing: fault)
        let garden = try await OutboxGarden(Self.address(sink))
        try await Self.enter(1, garden)
        try await eventually("it has failed twice") { try await garden.row("failures > 1") == "t" }
        #expect(try await garden.row("gave_up_at IS NULL, sent_at IS NULL, may_repeat") == "t|t|f")
        try sink.mend()
        try await garden.passTime()
        _ = try await sink.mails(atLeast: 1)
    }

    @Test func `a recipient who is refused ends one mail and holds up no other`() async throws {
        let sink = try await SMTPSink(failing: .deniesSome)
        let garden = try await OutboxGarden(Self.address(sink))
        let anne = try await garden.gardener("anne")
        _ = try await garden.database.psql("SELECT kernel.send('gardeners.welcome', \(anne.json))")
        try await eventually("it was refused") { try await garden.row("failures > 0, gave_up_at IS NULL") == "t|t" }
        try await Self.enter(3, garden)
        try await eventually("the others leave") { try await garden.row("count(sent_at)") == "3" }
        try await eventually("it is given up") {
            _ = try await garden.database.psql("SELECT kernel.outbox_retry_all(NULL, NULL, false)")
            // Both of her mails may be given up between two looks.
            return try await garden.row("count(gave_up_at) > 0") == "t"
        }
        let ended = try await garden.database.psql(
            "SELECT DISTINCT cause, may_repeat FROM kernel.outbox WHERE gave_up_at IS NOT NULL")
        #expect(ended == "message|f")
        #expect(!garden.garden.server.process.errors.contains("No mails leave"))
    }

    @Test func `a mail whose connection the server ends each time holds up no other, and is not given up`() async throws
    {
        let sink = try await SMTPSink(failing: .closesForSome)
        let garden = try await OutboxGarden(Self.address(sink))
        let anne = try await garden.gardener("anne")
        _ = try await garden.database.psql("SELECT kernel.send('gardeners.welcome', \(anne.json))")
        try await eventually("it has failed") { try await garden.row("failures > 0") == "t" }
        try await Self.enter(20, garden)
        try await eventually("the others leave", within: .seconds(20)) {
            try await garden.row("count(sent_at)") == "20"
        }
        try await eventually("it has failed again, and is known to be alone with that") {
            try await garden.database.psql(
                "SELECT cause, gave_up_at IS NULL, may_repeat FROM kernel.outbox WHERE sent_at IS NULL AND failures > 1"
            )
                == "message|t|t"
        }
        #expect(!garden.garden.server.process.errors.contains("No mails leave"))
    }

    @Test func `while the gate is closed, another mail tries than the one that has failed last`() async throws {
        let sink = try await SMTPSink(failing: .closesForSome)
        let garden = try await OutboxGarden(Self.address(sink))
        // Two that the server ends the connection with close the gate for all.
        for name in ["anne", "alain"] {
            let id = try await garden.gardener(name)
            _ = try await garden.database.psql("SELECT kernel.send('gardeners.welcome', \(id.json))")
        }
        try await garden.garden.server.process.waitForLog("No mails leave")
        try await Self.enter(20, garden)
        try await eventually("the others leave", within: .seconds(30)) {
            try await garden.row("count(sent_at)") == "20"
        }
        #expect(try await garden.row("count(gave_up_at)") == "0")
    }

    @Test(arguments: [SMTPSink.Fault.deniesAccess, .refusesContent])
    func `a refusal that several recipients meet ends no mail`(fault: SMTPSink.Fault) async throws {
        let sink = try await SMTPSink(failing: fault)
        let garden = try await OutboxGarden(Self.address(sink))
        try await Self.enter(4, garden)
        try await garden.garden.server.process.waitForLog("No mails leave")
        try await eventually("all have met it") { try await garden.row("count(cause)") == "4" }
        #expect(try await garden.row("count(gave_up_at)") == "0")
        try sink.mend()
        try await eventually("all leave", within: .seconds(60)) {
            _ = try await garden.database.psql("SELECT kernel.outbox_retry_all(NULL, NULL, NULL)")
            return try await garden.row("count(sent_at)") == "4"
        }
        #expect(try sink.mails().count == 4)
    }

    @Test func `a mail that had no connection, or whose server was killed before it had one, is not one sent twice`()
        async throws
    {
        let silent = try await SMTPSink(.silent)
        let garden = try await OutboxGarden(mails: silent)
        try await Self.enter(10, garden)
        try await eventually("workers have eight") { try await garden.row("count(claimed_until)") == "8" }
        try await garden.kill()
        try await garden.passTime()
        let absent = try await garden.another(["SMTP_URL": "smtp://127.0.0.1:1"])
        try await eventually("all have failed") { try await garden.row("count(cause)") == "10" }
        #expect(try await absent.stop() == 0)
        try await garden.passTime()
        let sink = try await SMTPSink()
        let next = try await garden.another(["SMTP_URL": "smtp://127.0.0.1:\(sink.port)"])
        try await eventually("all are marked") { try await garden.row("count(sent_at)") == "10" }
        #expect(try await garden.row("count(*) FILTER (WHERE may_repeat)") == "0")
        #expect(try sink.mails().count == 10)
        for server in [absent, next] { #expect(!server.process.errors.contains("may have been sent")) }
        #expect(try await next.stop() == 0)
    }

    @Test func `an administrator sends again what was given up, and nobody else does`() async throws {
        let sink = try await SMTPSink(failing: .findsMailTooLarge)
        let garden = try await OutboxGarden(mails: sink)
        try await Self.enter(3, garden)
        try await eventually("all are given up") { try await garden.row("count(gave_up_at)") == "3" }
        let admin = try await garden.garden.server.client()
        let coordinator = try await garden.coordinator()
        let listed = try await admin.call("outbox.list", ["select": "{ id cause }", "order_by": ["id"]])
        #expect(listed.at("/items/0/cause") == "message")
        let first = listed.at("/items/0/id")
        #expect(try await coordinator.refusal("outbox.retry", ["id": first])["code"] == 403)
        #expect(try await coordinator.refusal("outbox.retry_all")["code"] == 403)
        #expect(try await admin.refusal("outbox.retry", ["id": 999_999])["code"] == 404)
        #expect(try await admin.call("outbox.retry_all", ["cause": "login"])["count"] == 0)
        #expect(try await admin.call("outbox.retry_all", ["given_up": true, "dry_run": true])["count"] == 3)
        try sink.mend()
        let again = try await admin.call("outbox.retry", ["id": first, "select": "{ id gave_up_at failures }"])
        #expect(again["id"] == first)
        #expect(again["gave_up_at"] == .null)
        #expect(again["failures"] == 0)
        try await eventually("it is marked") { try await garden.row("count(sent_at)") == "1" }
        let refusal = try await admin.refusal("outbox.retry", ["id": first])
        #expect(refusal["code"] == 409)
        #expect(refusal.at("/data/reason") == "sent")
        #expect(try await admin.call("outbox.retry_all", ["kind": "gardeners.welcome"])["count"] == 2)
        try await eventually("all are marked") { try await garden.row("count(sent_at)") == "3" }
        #expect(try sink.mails().count == 3)
        // The domain knows that they have left after all.
        #expect(try await garden.database.psql("SELECT count(welcomed_at) FROM probe.gardeners") == "3")
    }

    @Test func `an operator lists what was given up and sends it again`() async throws {
        let sink = try await SMTPSink(failing: .findsMailTooLarge)
        let garden = try await OutboxGarden(mails: sink)
        try await Self.enter(3, garden)
        try await eventually("all are given up") { try await garden.row("count(gave_up_at)") == "3" }
        let environment = ["DATABASE_URL": garden.database.connectionString]
        func run(_ arguments: String...) async throws -> (status: Int32, output: String, errors: String) {
            try await LearnTrackProcess.run(["outbox"] + arguments, environment: environment, program: .probe())
        }
        let list = try await run("list", "--state", "given-up")
        #expect(list.status == 0, "\(list.errors)")
        #expect(list.output.contains("gardeners.welcome 1"))
        #expect(list.output.contains("message: ") && list.output.contains("its reply was 552 5.3.4"))
        #expect(try await run("list", "--json", "--first", "1").output.contains("\"state\":\"given-up\""))
        #expect(try await run("list", "--cause", "login").output == "there are none\n")
        #expect(try await run("list", "--cause", "humeur").status == 64)
        let finding = try await garden.doctorFinding()
        #expect(finding?["detail"] == "3 messages were given up within thirty days")
        let remedy = try #require(finding?["remedy"]?.text?.firstMatch(of: /learntrack outbox (retry [^']+)'/)).1
        #expect(remedy == "retry --all --given-up")
        #expect(try await run("retry").status == 64)
        #expect(try await run("retry", "1", "--all").status == 64)
        try sink.mend()
        #expect(try await run("retry", "1").output == "1 will be sent again\n")
        let unknown = try await run("retry", "4711")
        #expect(unknown.status != 0)
        #expect(unknown.errors.contains("4711: not there"))
        #expect(try await run("retry", "--all", "--given-up").output == "2 will be sent again\n")
        try await eventually("all are marked") { try await garden.row("count(sent_at)") == "3" }
        #expect(try sink.mails().count == 3)
    }
}
