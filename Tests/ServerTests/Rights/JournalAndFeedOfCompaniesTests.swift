import JSON
import TestPostgres
import TestSupport
import Testing

/// companies.md: "Search, aggregates, counts of 409, journal, feed, duplicates, outbox show the company alone".
@Suite struct JournalAndFeedOfCompaniesTests {
    @Test func `journal, histories and what is read from them know the entries of the company alone`() async throws {
        let server = try await TestServer.start()
        let client = try await server.client()
        let school = try await client.call("ecoles.create", ["values": ["nom": "École du Port"], "select": "{ id }"])
        let id = try #require(school["id"])
        let session = try await client.call(
            "sessions.create",
            [
                "values": [
                    "module": "Soudure", "date": "2031-03-04", "debut": "09:00", "fin": "12:00", "modalite": "D",
                ], "select": "{ id }",
            ])
        let sessionID = try #require(session["id"])
        func entries() async throws -> JSONValue {
            try await client.call("journal.list", ["count": true, "first": 1])["total"] ?? .null
        }
        let before = try await entries()
        // Records under the same ids in another company: one is changed, one deleted.
        try await server.database.psql(
            """
            INSERT INTO ecoles (company_id, id, nom) VALUES (2, \(id.json), 'École du Phare');
            UPDATE ecoles SET nom = 'École de la Digue' WHERE company_id = 2;
            INSERT INTO sessions (company_id, id, module, date, debut, fin, modalite)
            VALUES (2, 70001, 'Voile', '2031-03-04', '09:00', '12:00', 'D');
            DELETE FROM sessions WHERE company_id = 2;
            """)
        let kept = try await server.database.psql(
            "SELECT string_agg(table_name || ' ' || operation, ', ' ORDER BY id) FROM journal WHERE company_id = 2")
        #expect(kept == "ecoles create, ecoles update, sessions create, sessions delete")

        let after = try await entries()
        #expect(after == before)
        let history = try await client.call("ecoles.history", ["id": id, "select": "{ operation }"])
        #expect(history["items"] == [["operation": "create"]])
        let cancelled = try await client.call("sessions_annulees.list", ["select": "{ module }"])
        #expect(cancelled["items"] == [])
        _ = try await client.call("sessions.delete", ["id": sessionID])
        let own = try await client.call("sessions_annulees.list", ["select": "{ module }"])
        #expect(own["items"] == [["module": "Soudure"]])
        #expect(try await server.stop() == 0)
    }

    @Test func `the feed tells each company of its own records alone`() async throws {
        let server = try await TestServer.start()
        let client = try await server.client()
        // The creation of the accounts is told before the start, not after it.
        try await server.database.waitForEarlierTransactions()
        let start = try await client.call("changes.list")["end_cursor"] ?? .null
        try await server.database.psql(
            """
            INSERT INTO ecoles (company_id, id, nom) VALUES (2, 70001, 'École du Phare');
            INSERT INTO programmes (company_id, id, intitule) VALUES (2, 70001, 'Voile');
            UPDATE ecoles SET nom = 'École de la Digue' WHERE company_id = 2;
            UPDATE ecoles SET id = 70002 WHERE company_id = 2;
            DELETE FROM ecoles WHERE company_id = 2;
            INSERT INTO kernel.companies (id, name) VALUES (2, 'Autre');
            INSERT INTO users (company_id, id, email) VALUES (2, 70005, 'voisin@exemple.fr');
            INSERT INTO users (id, email) VALUES (70003, 'gardien@exemple.fr');
            INSERT INTO ecoles (id, nom) VALUES (70004, 'École du Port');
            """)
        // A change is told when no earlier transaction runs any more, of other tests too.
        try await eventually("the feed tells of them", within: .seconds(300)) {
            try await client.call("changes.list", ["after": start])["items"] == [
                ["id": 70003, "op": "create", "table": "users", "version": 1],
                ["id": 70004, "op": "create", "table": "ecoles", "version": 1],
            ]
        }
        #expect(try await server.stop() == 0)
    }
}
