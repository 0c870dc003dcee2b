import DomainKit
import JSON
import PostgresDriver
import TestMail
import TestPostgres
import TestSupport
import Testing

/// The outbox while its server ends at any step, and while several servers share it.
@Suite struct OutboxFaultTests {
    @Test func `a mail whose server is killed before it takes it leaves when a server runs again`() async throws {
        let sink = try await SMTPSink()
        let garden = try await OutboxGarden(mails: sink)
        let nina = try await garden.gardener("nina")
        let database = PostgresClient(.init(connectionString: garden.database.connectionString))
        try await database.withConnection { connection in
            try await connection.simpleQuery("BEGIN; SELECT kernel.send('gardeners.welcome', \(nina.json))")
            try await garden.kill()
            try await connection.simpleQuery("COMMIT")
        }
        await database.shutdown()
        #expect(try sink.mails().isEmpty)
        let next = try await garden.another()
        _ = try await sink.mails(atLeast: 1)
        try await eventually("it is marked") { try await garden.row("sent_at IS NOT NULL") == "t" }
        #expect(try await garden.row("attempts, may_repeat") == "1|f")
        #expect(try await next.stop() == 0)
        #expect(try sink.mails().count == 1)
    }

    @Test func `a mail whose server is killed while it sends is sent again with the same id, and the log says so`()
        async throws
    {
        // The mail server answers three seconds after the mail.
        let sink = try await SMTPSink(.slow)
        let garden = try await OutboxGarden(mails: sink)
        _ = try await garden.coordinator().call("gardeners.welcome", ["id": try await garden.gardener("nina")])
        try await eventually("its content leaves") { try await garden.row("departing") == "t" }
        try await garden.kill()
        let next = try await garden.another()
        // Its lease has not ended.
        #expect(try await garden.row("attempts") == "1")
        try await garden.passTime()
        try await eventually("it is marked") { try await garden.row("sent_at IS NOT NULL") == "t" }
        #expect(try await garden.row("attempts, may_repeat") == "2|t")
        let ids = try await sink.messageIDs()
        #expect((1...2).contains(ids.count))
        #expect(Set(ids).count == 1, "\(ids)")
        try await next.process.waitForLog("Sending a message again that may have been sent already")
        #expect(try await next.stop() == 0)
    }

    @Test func `a mail whose server is killed between sending and marking is sent again with the same id`()
        async throws
    {
        let sink = try await SMTPSink()
        let garden = try await OutboxGarden(mails: sink)
        let nina = try await garden.gardener("nina")
        let database = PostgresClient(.init(connectionString: garden.database.connectionString))
        try await database.withConnection { connection in
            // The function of the notice waits for this record.
            try await connection.simpleQuery("BEGIN; SELECT FROM probe.gardeners WHERE id = \(nina.json) FOR UPDATE")
            _ = try await garden.database.psql("SELECT kernel.send('gardeners.welcome', \(nina.json))")
            _ = try await sink.mails(atLeast: 1)
            try await garden.kill()
            try await connection.simpleQuery("COMMIT")
        }
        await database.shutdown()
        try await eventually("the killed server's transaction has ended") {
            try await garden.database.psql(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name ~ '^learntrack_worker \\S+$' "
                    + "AND datname = current_database()") == "0"
        }
        let next = try await garden.another()
        try await garden.passTime()
        try await eventually("it is marked") { try await garden.row("sent_at IS NOT NULL") == "t" }
        // The transaction of the killed server may have been committed after all.
        let attempts = try await garden.row("attempts - failures")
        let ids = try await sink.messageIDs()
        #expect(String(ids.count) == attempts)
        #expect(Set(ids).count == 1, "\(ids)")
        #expect(
            try await garden.database.psql("SELECT count(welcomed_at) FROM probe.gardeners") == "1")
        #expect(try await next.stop() == 0)
    }

    @Test func `two servers send each of eighty mails once`() async throws {
        let sink = try await SMTPSink()
        let garden = try await OutboxGarden(mails: sink)
        let second = try await garden.another()
        _ = try await garden.database.psql(
            """
            INSERT INTO probe.gardeners (name, email) SELECT 'j' || i, 'j' || i || '@exemple.fr'
            FROM generate_series(1, 80) AS i;
            SELECT kernel.send('gardeners.welcome', id) FROM probe.gardeners ORDER BY id
            """)
        try await eventually("all are marked") {
            try await garden.row("count(*) FILTER (WHERE sent_at IS NOT NULL)") == "80"
        }
        #expect(Set(try sink.mails().flatMap(\.recipients)).count == 80)
        #expect(try sink.mails().count == 80)
        #expect(try await garden.row("max(attempts), bool_or(may_repeat)") == "1|f")
        #expect(try await second.stop() == 0)
        #expect(try await garden.garden.server.stop() == 0)
    }

    @Test func `a server that is asked to stop while a mail server is silent stops in time and loses nothing`()
        async throws
    {
        let silent = try await SMTPSink(.silent)
        let garden = try await OutboxGarden(mails: silent)
        _ = try await garden.coordinator().call("gardeners.welcome", ["id": try await garden.gardener("nina")])
        try await eventually("a worker has it") { try await garden.row("claimed_until IS NOT NULL") == "t" }
        let start = ContinuousClock.now
        #expect(try await garden.garden.server.stop() == 0)
        #expect(ContinuousClock.now - start < .seconds(10))
        let sink = try await SMTPSink()
        // Before the next server starts, because the lease of an attempt that it has begun would end, too.
        try await garden.passTime()
        let next = try await garden.another(["SMTP_URL": "smtp://127.0.0.1:\(sink.port)"])
        #expect(try await sink.mails(atLeast: 1).count == 1)
        #expect(try await next.stop() == 0)
    }

    @Test func `a function of the domain that waits for a lock is called again, and the mail is not sent again`()
        async throws
    {
        let sink = try await SMTPSink()
        let garden = try await OutboxGarden(mails: sink)
        let nina = try await garden.gardener("nina")
        let database = PostgresClient(.init(connectionString: garden.database.connectionString))
        try await database.withConnection { connection in
            try await connection.simpleQuery("BEGIN; SELECT FROM probe.gardeners WHERE id = \(nina.json) FOR UPDATE")
            _ = try await garden.database.psql("SELECT kernel.send('gardeners.welcome', \(nina.json))")
            for failures in 1...2 {
                try await eventually("the answer is noted without the function") {
                    try await garden.row(
                        "failures >= \(failures), jsonb_array_length(answers), claimed_until IS NULL, "
                            + "sent_at IS NULL, last_error LIKE '%55P03%'") == "t|1|t|t|t"
                }
                try await garden.passTime()
            }
            try await connection.simpleQuery("COMMIT")
        }
        await database.shutdown()
        try await eventually("it is marked") { try await garden.row("sent_at IS NOT NULL") == "t" }
        #expect(try await garden.row("jsonb_array_length(answers), may_repeat") == "1|f")
        #expect(try sink.mails().count == 1)
        #expect(try await garden.database.psql("SELECT count(welcomed_at) FROM probe.gardeners") == "1")
    }

    @Test
    func `a mail that is refused for good is not sent again while the domain's function waits, also after a kill`()
        async throws
    {
        let sink = try await SMTPSink(.rejecting)
        let garden = try await OutboxGarden(mails: sink)
        let nina = try await garden.gardener("nina")
        let database = PostgresClient(.init(connectionString: garden.database.connectionString))
        let next = try await database.withConnection { connection in
            try await connection.simpleQuery("BEGIN; SELECT FROM probe.gardeners WHERE id = \(nina.json) FOR UPDATE")
            _ = try await garden.database.psql("SELECT kernel.send('gardeners.welcome', \(nina.json))")
            func waits(after failures: Int) async throws {
                try await eventually("the refusal is noted without the function") {
                    try await garden.row(
                        "failures >= \(failures), pending_call, claimed_until IS NULL, gave_up_at IS NULL, "
                            + "last_error LIKE '%550%'") == "t|failed|t|t|t"
                }
            }
            try await waits(after: 1)
            try await garden.kill()
            let next = try await garden.another()
            try await garden.passTime()
            try await waits(after: 2)
            try await garden.passTime()
            try await connection.simpleQuery("COMMIT")
            return next
        }
        await database.shutdown()
        try await eventually("it is given up") { try await garden.row("gave_up_at IS NOT NULL") == "t" }
        #expect(sink.rejections() == 1)
        #expect(try await garden.row("pending_call IS NULL, may_repeat, last_error LIKE '%550%'") == "t|f|t")
        let told = try await garden.database.psql("SELECT welcome_failure LIKE '%550%' FROM probe.gardeners")
        #expect(told == "t")
        #expect(try await next.stop() == 0)
    }

    @Test func `a function of the domain that fails does not send the mail again`() async throws {
        let sink = try await SMTPSink()
        let garden = try await OutboxGarden(mails: sink)
        _ = try await garden.database.psql(
            "ALTER TABLE probe.gardeners ADD CONSTRAINT never CHECK (welcomed_at IS NULL) NOT VALID")
        _ = try await garden.coordinator().call("gardeners.welcome", ["id": try await garden.gardener("nina")])
        try await eventually("it is marked") { try await garden.row("sent_at IS NOT NULL") == "t" }
        #expect(try await garden.row("attempts, last_error LIKE '%23514%'") == "1|t")
        #expect(try sink.mails().count == 1)
        try await garden.garden.server.process.waitForLog("Could not note what became of a message")
    }
}
