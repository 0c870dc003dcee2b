import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// learntrack-next.md, Documents: "`ref_contrat` is proposed by `sessions.attribuer_reference {id}` (`CT-2026-014`, gapless per
/// year, two at once get two)".
@Suite struct ReferenceTests {
    /// Sessions of a year that no other test has.
    private struct Year {
        let rows: Fixtures
        let server: TestServer
        let number = Int.random(in: 3_000...9_999)

        init() async throws {
            server = try await TestServer.running()
            rows = try await Fixtures(server)
        }

        func session(_ values: [(String, JSONValue)] = []) async throws -> JSONValue {
            JSONValue(try await rows.session([("date", .string("\(number)-03-02"))] + values))
        }

        func reference(_ number: String) -> JSONValue { .string("CT-\(self.number)-\(number)") }

        /// The answer to a call by an administrator, or by the account of `client`.
        func assign(
            _ id: JSONValue, _ client: RPCClient? = nil, _ further: [(String, JSONValue)] = []
        ) async throws -> JSONValue {
            try await (client ?? rows.client).response(
                "sessions.attribuer_reference",
                .merging([("id", id), ("select", "{ ref_contrat version }")] + further))
        }

        func assigned(_ id: JSONValue) async throws -> JSONValue {
            try await assign(id).at("/result/ref_contrat")
        }
    }

    @Test func `sessions of a year get its numbers one after the other, and keep what they have`() async throws {
        let year = try await Year()
        let ids = [try await year.session(), try await year.session()]
        let user = try await year.server.client(TestServer.user)
        let first = try await year.assign(ids[0], user)
        #expect(first["result"] == ["ref_contrat": year.reference("001"), "version": 2], "\(first.json)")
        #expect(try await year.assigned(ids[1]) == year.reference("002"))
        let again = try await year.assign(ids[0])
        #expect(again["result"] == first["result"], "\(again.json)")
        let own = try await year.session([("ref_contrat", "Marché 12")])
        #expect(try await year.assign(own)["result"] == ["ref_contrat": "Marché 12", "version": 1])
        let blank = try await year.session([("ref_contrat", " ")])
        #expect(try await year.assigned(blank) == year.reference("003"))
        // Another year has numbers of its own.
        let other = try await Year()
        #expect(try await other.assigned(try await other.session()) == other.reference("001"))
        let history = try await year.rows.client.call("sessions.history", ["id": ids[0], "first": 1])
        #expect(history.at("/items/0/actor/email") == .string(TestServer.user), "\(history.json)")
    }

    @Test func `calls at once get different numbers without a gap`() async throws {
        let year = try await Year()
        var ids: [JSONValue] = []
        for _ in 0..<12 { ids.append(try await year.session()) }
        let clients = [
            try await year.server.client(), try await year.server.client(TestServer.user),
            try await year.server.client(), try await year.server.client(),
        ]
        let references = try await withThrowingTaskGroup(of: JSONValue.self) { group in
            for (index, id) in ids.enumerated() {
                group.addTask { try await year.assign(id, clients[index % 4]).at("/result/ref_contrat") }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let expected = (1...12).map { year.reference(($0 < 10 ? "00" : "0") + String($0)) }
        #expect(Set(references) == Set(expected), "\(references.map(\.json))")
        // Calls for one session give it one reference.
        let id = try await year.session()
        let same = try await withThrowingTaskGroup(of: JSONValue.self) { group in
            for client in clients { group.addTask { try await year.assign(id, client).at("/result") } }
            return try await group.reduce(into: Set<JSONValue>()) { $0.insert($1) }
        }
        #expect(same == [["ref_contrat": year.reference("013"), "version": 2]])
    }

    @Test func `transactions that give references of two years in different orders wait, and none fails`() async throws
    {
        let years = [try await Year(), try await Year()]
        let clients = [try await years[0].server.client(), try await years[0].server.client(TestServer.user)]
        for _ in 0..<4 {
            var transactions: [JSONValue] = []
            for index in 0..<6 {
                var ids = [try await years[0].session(), try await years[1].session()]
                if index.isMultiple(of: 2) { ids.reverse() }
                // The sessions themselves in different orders, too.
                let calls = (ids + ids.reversed()).map { id -> JSONValue in
                    ["method": "sessions.attribuer_reference", "params": ["id": id, "select": "{ ref_contrat }"]]
                }
                transactions.append(["calls": .array(calls)])
            }
            let answers = try await withThrowingTaskGroup(of: JSONValue.self) { group in
                for (index, transaction) in transactions.enumerated() {
                    group.addTask { try await clients[index % 2].response("transaction.run", transaction) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for answer in answers { #expect(answer["error"] == nil, "\(answer.json)") }
        }
        for year in years {
            #expect(try await year.assigned(try await year.session()) == year.reference("025"))
        }
    }

    @Test func `a transaction that is undone and a dry run leave no gap`() async throws {
        let year = try await Year()
        let ids = [try await year.session(), try await year.session()]
        let tried = try await year.assign(ids[0], nil, [("dry_run", true)])
        #expect(tried.at("/result/ref_contrat") == year.reference("001"), "\(tried.json)")
        let failed = try await year.rows.client.refusal(
            "transaction.run",
            [
                "calls": [
                    ["method": "sessions.attribuer_reference", "params": ["id": ids[0]]],
                    ["method": "sessions.attribuer_reference", "params": ["id": 999_999_999]],
                ]
            ])
        #expect(failed["code"] == 404, "\(failed.json)")
        try await year.server.database.psql(
            "BEGIN; SELECT public.sessions_attribuer_reference(\(ids[0].json), NULL); ROLLBACK")
        #expect(try await year.rows.client.call("sessions.get", ["id": ids[0]])["ref_contrat"] == .null)
        #expect(try await year.assigned(ids[1]) == year.reference("001"))
    }

    @Test func `a transaction that waits for another one gets the number that its end leaves`() async throws {
        for end in ["ROLLBACK", "COMMIT"] {
            let year = try await Year()
            let ids = [try await year.session(), try await year.session()]
            let name = "holder \(year.number)"
            let holder = Task {
                try await year.server.database.psql(
                    """
                    SET application_name = '\(name)'; BEGIN;
                    SELECT public.sessions_attribuer_reference(\(ids[0].json), NULL); SELECT pg_sleep(0.5); \(end)
                    """)
            }
            try await Self.sleeps(name, year)
            #expect(try await year.assigned(ids[1]) == year.reference(end == "COMMIT" ? "002" : "001"))
            _ = try await holder.value
        }
    }

    private static func sleeps(_ name: String, _ year: Year) async throws {
        try await eventually {
            try await year.server.database.psql(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(name)' AND wait_event = 'PgSleep'")
                == "1"
        }
    }

    @Test func `the next number is one above the highest that was written by hand, also meanwhile`() async throws {
        let year = try await Year()
        _ = try await year.session([("ref_contrat", year.reference("041"))])
        for other in ["0999", "99", "100 bis", "A12"] {
            _ = try await year.session([("ref_contrat", year.reference(other))])
        }
        #expect(try await year.assigned(try await year.session()) == year.reference("042"))
        let id = try await year.session()
        let name = "writer \(year.number)"
        let writer = Task {
            try await year.server.database.psql(
                """
                SET application_name = '\(name)'; BEGIN;
                UPDATE sessions SET ref_contrat = '\(year.reference("043").text ?? "")' WHERE id = \(id.json);
                SELECT pg_sleep(0.5); COMMIT
                """)
        }
        try await Self.sleeps(name, year)
        #expect(try await year.assigned(try await year.session()) == year.reference("044"))
        _ = try await writer.value
        _ = try await year.session([("ref_contrat", year.reference("999"))])
        #expect(try await year.assigned(try await year.session()) == year.reference("1000"))
        #expect(try await year.assigned(try await year.session()) == year.reference("1001"))
    }

    @Test func `the number of a deleted session is not given again, one that was written by mistake is`() async throws {
        let year = try await Year()
        let id = try await year.session()
        #expect(try await year.assigned(id) == year.reference("001"))
        _ = try await year.rows.client.call("sessions.delete", ["id": id])
        let mistaken = try await year.session([("ref_contrat", year.reference("200"))])
        _ = try await year.rows.client.call("sessions.update", ["id": mistaken, "values": ["ref_contrat": .null]])
        #expect(try await year.assigned(mistaken) == year.reference("002"))
    }

    @Test func `a call for another version or a missing session is refused, and a key makes one of two calls`()
        async throws
    {
        let year = try await Year()
        let id = try await year.session()
        let refused = try await year.assign(id, nil, [("if_version", 2)])
        #expect(refused.at("/error/code") == 409 && refused.at("/error/data/reason") == "version", "\(refused.json)")
        #expect(try await year.assign(999_999_999).at("/error/code") == 404)
        let key: [(String, JSONValue)] = [("idempotency_key", .string(year.rows.mark)), ("if_version", 1)]
        let first = try await year.assign(id, nil, key)
        #expect(first.at("/result/ref_contrat") == year.reference("001"), "\(first.json)")
        #expect(try await year.assign(id, nil, key)["result"] == first["result"])
    }

    @Test(arguments: [("learntrack_user", "001"), ("learntrack_admin", "001"), ("learntrack_auth", "denied")])
    func `at psql the roles that may call it may execute it, and none writes the count`(
        role: String, expected: String
    ) async throws {
        let year = try await Year()
        let id = try await year.session()
        let answer = try await year.server.database.psql(
            """
            CREATE FUNCTION pg_temp.tried(sql text) RETURNS text LANGUAGE plpgsql AS $$
            BEGIN
                EXECUTE sql;
                RETURN 'done';
            EXCEPTION WHEN insufficient_privilege THEN
                RETURN 'denied';
            END $$;
            SET ROLE \(role);
            SELECT pg_temp.tried('SELECT public.sessions_attribuer_reference(\(id.json), NULL)');
            SELECT pg_temp.tried('UPDATE public.references_contrat SET dernier = 1');
            RESET ROLE;
            SELECT coalesce(right(ref_contrat, 3), 'none') FROM sessions WHERE id = \(id.json);
            """)
        let lines = answer.split(separator: "\n").map(String.init)
        #expect(lines == (expected == "denied" ? ["denied", "denied", "none"] : ["done", "denied", expected]))
    }
}
