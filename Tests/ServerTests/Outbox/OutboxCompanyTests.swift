import JSON
import TestMail
import TestPostgres
import TestSupport
import Testing

/// companies.md: "Connections, documents, outbox take turns by company"; "Nothing crosses".
@Suite struct OutboxCompanyTests {
    @Test func `a message says the record of its own company, which alone learns that it has left`() async throws {
        let sink = try await SMTPSink()
        let garden = try await OutboxGarden(mails: sink)
        let nina = try await garden.gardener("nina").json
        // The same ids in another company.
        try await garden.database.psql(
            """
            INSERT INTO probe.gardeners (company_id, id, name, email) VALUES (2, \(nina), 'Olga', 'olga@exemple.fr');
            BEGIN;
            SET LOCAL learntrack.company = '2';
            SELECT kernel.send('gardeners.welcome', \(nina));
            COMMIT;
            """)
        let mail = try #require(try await sink.mails(atLeast: 1).first)
        #expect(mail.recipients == ["olga@exemple.fr"])
        let seen = try await SMTPSink.read(mail)
        #expect(seen["subject"] == "Bienvenue au jardin, Olga")
        func welcomed() async throws -> String {
            try await garden.database.psql(
                """
                SELECT string_agg(company_id || ' ' || (welcomed_at IS NOT NULL), ', ' ORDER BY company_id)
                FROM probe.gardeners
                """)
        }
        try await eventually("its record says so") { try await welcomed() == "1 false, 2 true" }

        _ = try await garden.coordinator().call("gardeners.welcome", ["id": try JSONValue.parse(Array(nina.utf8))])
        let mails = try await sink.mails(atLeast: 2)
        #expect(mails.last?.recipients == ["nina@exemple.fr"])
        try await eventually("the other record says so, too") { try await welcomed() == "1 true, 2 true" }
    }

    @Test func `an administrator sees and repeats the messages of the company alone`() async throws {
        let garden = try await OutboxGarden([:])
        let nina = try await garden.gardener("nina")
        _ = try await garden.coordinator().call(
            "gardeners.welcome", ["id": nina, "after": "2999-01-01T00:00:00Z"])
        try await garden.database.psql(
            """
            INSERT INTO kernel.outbox (company_id, id, kind, record_id, attempts, failures, gave_up_at, cause)
            VALUES (2, 7001, 'essai', 1, 3, 3, now(), 'server');
            """)
        let admin = try await garden.garden.server.client()
        let listed = try await admin.call("outbox.list", ["select": "{ record_id }", "count": true])
        #expect(listed["total"] == 1)
        #expect(listed.at("/items/0/record_id") == nina)
        for method in ["outbox.get", "outbox.retry"] {
            let foreign = try await admin.refusal(method, ["id": 7001])
            let unknown = try await admin.refusal(method, ["id": 7002])
            #expect(foreign["code"] == 404)
            #expect(foreign["code"] == unknown["code"])
            #expect(foreign.at("/data/reason") == unknown.at("/data/reason"))
        }
        #expect(try await admin.call("outbox.retry_all", [:])["count"] == 0)
        // The installation's own command is about all companies.
        let run = try await LearnTrackProcess.run(
            ["outbox", "retry", "--all"], environment: ["DATABASE_URL": garden.database.connectionString],
            program: .probe())
        #expect(run.output.contains("1 will be sent again"))
        #expect(
            try await garden.database.psql("SELECT gave_up_at IS NULL FROM kernel.outbox WHERE company_id = 2") == "t")
    }

    @Test(arguments: [
        // Waiting messages of each company, how many are taken at most, and how many of each are.
        ("1:20", 8, "1:8"),
        ("1:20, 2:1", 8, "1:4, 2:1"),
        ("1:20, 2:20, 3:20", 8, "1:2, 2:2, 3:2"),
        ("1:1, 2:1, 3:1", 2, "2"),
        ("", 8, ""),
    ])
    func `companies have equal shares of what a worker takes`(
        waiting: String, count: Int, taken: String
    ) async throws {
        try await TestDatabase.with(migrated: true) { database in
            for company in waiting.split(separator: ", ").map({ $0.split(separator: ":") }) {
                try await database.psql(
                    """
                    INSERT INTO kernel.outbox (company_id, kind, record_id)
                    SELECT \(company[0]), 'essai', n FROM generate_series(1, \(company[1])) AS n;
                    """)
            }
            let shares = taken.contains(":") || taken.isEmpty
            let found = try await database.psql(
                """
                SELECT \(shares ? "coalesce(string_agg(c || ':' || n, ', ' ORDER BY c), '')" : "sum(n)") FROM (
                    SELECT company_id AS c, count(*) AS n
                    FROM kernel.outbox_take(ARRAY['essai'], \(count), '1 minute') GROUP BY 1) AS taken
                """)
            #expect(found == taken)
        }
    }

    @Test(arguments: [
        // Waiting messages of each member of each company, how many are taken at most, and how many of each are.
        ("1/7:20, 1/8:20", 8, "1/7:4, 1/8:4"),
        ("1/7:20, 1/8:1, 2/7:20", 8, "1/7:2, 1/8:1, 2/7:4"),
        ("1/0:20, 1/7:20, 2/0:2", 8, "1/0:2, 1/7:2, 2/0:2"),
        ("1/7:3", 8, "1/7:3"),
    ])
    func `the members of a company have equal shares of what it has`(
        waiting: String, count: Int, taken: String
    ) async throws {
        try await TestDatabase.with(migrated: true) { database in
            for part in waiting.split(separator: ", ") {
                let numbers = part.split { $0 == "/" || $0 == ":" }
                try await database.psql(
                    """
                    SET learntrack.company = '\(numbers[0])'; SET learntrack.account = '\(numbers[1])';
                    SELECT kernel.send('essai', \(numbers[1])000 + n) FROM generate_series(1, \(numbers[2])) AS n;
                    """)
            }
            let found = try await database.psql(
                """
                SELECT string_agg(c || '/' || s || ':' || n, ', ' ORDER BY c, s) FROM (
                    SELECT o.company_id AS c, o.sender_id AS s, count(*) AS n
                    FROM kernel.outbox_take(ARRAY['essai'], \(count), '1 minute') AS t
                    JOIN kernel.outbox AS o ON o.company_id = t.company_id AND o.id = t.id
                    GROUP BY 1, 2) AS taken
                """)
            #expect(found == taken)
        }
    }
}
