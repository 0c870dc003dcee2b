import JSON
import Synchronization
import TestMail
import TestPostgres
import TestSupport
import Testing

/// companies.md: "Connections, documents, outbox take turns by company, then account."
@Suite struct CompanyTurnsTests {
    private static let accounts = 6
    private static let documentsOfEach = 3

    private final class Count: Sendable {
        let number = Atomic<Int>(0)
    }

    @Test func `many accounts of a company that wait for documents leave every other turn to another company`()
        async throws
    {
        let server = try await TestServer.start()
        let database = server.database
        let admin = try await server.client()
        var crowd: [RPCClient] = []
        for number in 1...Self.accounts {
            let email = "foule\(number)@exemple.fr"
            _ = try await admin.call(
                "users.create",
                [
                    "values": [
                        "email": .string(email), "password": .string(TestServer.password), "role": "user",
                    ]
                ])
            crowd.append(try await server.client(email))
        }
        _ = try await database.psql(
            """
            INSERT INTO sessions (module, date, debut, fin, modalite)
            SELECT 'Voile ' || n, '2031-08-03', '09:00', '12:00', 'D' FROM generate_series(1, 50) AS n;
            SELECT kernel.companies_enable();
            """)
        try await Task.sleep(for: .seconds(2))
        _ = try await database.psql("SELECT kernel.companies_close()")
        let added = try await LearnTrackProcess.run(
            ["companies", "add", "Digue", "--admin", TestServer.user],
            environment: ["DATABASE_URL": database.connectionString])
        #expect(added.status == 0, "\(added.errors)")
        let session = try await RPCClient(port: server.port, token: nil).call(
            "auth.login",
            ["email": .string(TestServer.user), "password": .string(TestServer.password), "company_id": 2])
        let digue = try RPCClient(port: server.port, token: try #require(session["access_token"]?.text))

        let made = Count()
        let august: JSONValue = ["du": "2031-08-01", "au": "2031-08-31"]
        var links: [JSONValue] = []
        for client in crowd { links.append(try await client.call("sessions.liste", august)) }
        let own = try await digue.call("sessions.liste", august)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for link in links {
                for _ in 0..<Self.documentsOfEach {
                    group.addTask {
                        let status = try await server.open(link).status
                        #expect(status == 200)
                        made.number.add(1, ordering: .relaxed)
                    }
                }
            }
            try await eventually("the first documents are made") { made.number.load(ordering: .relaxed) > 0 }
            let before = made.number.load(ordering: .relaxed)
            try await withThrowingTaskGroup(of: Void.self) { company in
                for _ in 0..<Self.documentsOfEach {
                    company.addTask {
                        let status = try await server.open(own).status
                        #expect(status == 200)
                    }
                }
                try await company.waitForAll()
            }
            // In turn with six accounts, one would have waited for six times as many.
            let meanwhile = made.number.load(ordering: .relaxed) - before
            #expect(meanwhile <= 3 * Self.documentsOfEach, "\(meanwhile) of \(Self.accounts * Self.documentsOfEach)")
            try await group.waitForAll()
        }
        #expect(try await server.stop() == 0)
    }

    @Test func `ten thousand waiting messages of a company do not hold up the message of another`() async throws {
        let sink = try await SMTPSink()
        let garden = try await OutboxGarden(mails: sink)
        let database = garden.database
        let nina = try await garden.gardener("nina").json
        _ = try await database.psql(
            """
            INSERT INTO probe.gardeners (company_id, id, name, email)
            SELECT 1, 1000000 + n, 'Foule', 'foule' || n || '@exemple.fr' FROM generate_series(1, 10000) AS n;
            INSERT INTO probe.gardeners (company_id, id, name, email) VALUES (2, \(nina), 'Olga', 'olga@exemple.fr');
            INSERT INTO kernel.outbox (company_id, kind, record_id)
            SELECT 1, 'gardeners.welcome', 1000000 + n FROM generate_series(1, 10000) AS n;
            NOTIFY outbox;
            """)
        _ = try await sink.mails(atLeast: 1)
        _ = try await database.psql(
            """
            BEGIN;
            SET LOCAL learntrack.company = '2';
            SELECT kernel.send('gardeners.welcome', \(nina));
            COMMIT;
            """)
        try await eventually("the other company's mail has come") {
            try sink.mails().contains { $0.recipients == ["olga@exemple.fr"] }
        }
        let waiting = try await database.psql("SELECT count(*) FROM kernel.outbox WHERE sent_at IS NULL")
        #expect(try #require(Int(waiting)) > 5_000)
        try await garden.kill()
    }
}
