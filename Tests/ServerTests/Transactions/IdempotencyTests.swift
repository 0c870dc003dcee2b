import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// A write with an `idempotency_key` happens once, however often it is sent.
@Suite struct IdempotencyTests {
    private func count(_ rows: Fixtures, of table: String = "ecoles") async throws -> JSONValue {
        try await rows.client.call(
            "\(table).list", ["search": .string(rows.mark), "count": true, "select": "{ id }"])["total"] ?? .null
    }

    private func create(_ rows: Fixtures, _ further: [(String, JSONValue)] = []) -> JSONValue {
        .merging(
            [
                ("values", ["nom": .string("École \(rows.mark)")]), ("select", "{ id nom version }"),
                ("idempotency_key", .string(rows.mark)),
            ] + further)
    }

    @Test func `a creation that is sent again is answered again and creates nothing`() async throws {
        let rows = try await Fixtures()
        let first = try await rows.client.call("ecoles.create", create(rows))
        #expect(first["version"] == 1)
        #expect(first["nom"] == .string("École \(rows.mark)"))
        for _ in 0..<3 { #expect(try await rows.client.call("ecoles.create", create(rows)) == first) }
        // The order of members does not matter.
        let reordered: JSONValue = [
            "idempotency_key": .string(rows.mark), "select": "{ id nom version }",
            "values": ["nom": .string("École \(rows.mark)")],
        ]
        #expect(try await rows.client.call("ecoles.create", reordered) == first)
        #expect(try await count(rows) == 1)
    }

    @Test(arguments: ["learntrack_user", "learntrack_admin", "learntrack_auth"])
    func `in the database, a key can be taken for the account of the transaction only`(role: String) async throws {
        let server = try await TestServer.running()
        for (account, name) in [("", "once"), ("2", "once"), ("", "keep_answers"), ("2", "keep_answers")] {
            _ = try await server.database.psql(
                """
                BEGIN;
                SET LOCAL ROLE \(role);
                SELECT set_config('learntrack.account', '\(account)', true);
                DO $$
                BEGIN
                    BEGIN
                        PERFORM kernel.\(name)(1, 'stolen key', 'clients.create', '\\x00');
                    EXCEPTION WHEN insufficient_privilege THEN
                        ASSERT SQLERRM = 'the key is of another account', SQLERRM;
                        RETURN;
                    END;
                    RAISE EXCEPTION 'the key of account 1 is taken';
                END
                $$;
                ROLLBACK;
                """)
        }
        let kept = try await server.database.psql("SELECT count(*) FROM kernel.idempotency WHERE key = 'stolen key'")
        #expect(kept == "0")
    }

    @Test func `the answer shows the record as it is now`() async throws {
        let rows = try await Fixtures()
        let id = try #require(try await rows.client.call("ecoles.create", create(rows))["id"])
        _ = try await rows.client.call("ecoles.update", ["id": id, "values": ["ville": "Lyon"]])
        #expect(try await rows.client.call("ecoles.create", create(rows))["version"] == 2)
        _ = try await rows.client.call("ecoles.delete", ["id": id])
        // The call has happened, although its record is gone.
        #expect(try await rows.client.call("ecoles.create", create(rows)) == ["deleted": true, "id": id])
        #expect(try await count(rows) == 0)
    }

    @Test func `a deleted record of a command or a transaction is answered in its place`() async throws {
        let rows = try await Fixtures()
        let session = try await rows.session()
        let copies: JSONValue = [
            "id": JSONValue(session), "dates": ["2026-03-02", "2026-03-03", "2026-03-04"], "select": "{ id date }",
            "idempotency_key": .string("r" + rows.mark),
        ]
        let items = try await rows.client.call("sessions.repeter", copies).at("/items").array
        #expect(items.count == 3)
        _ = try await rows.client.call("sessions.delete", ["id": items[1].at("/id")])
        let repeated = try await rows.client.call("sessions.repeter", copies)
        #expect(
            repeated.at("/items").array == [items[0], ["deleted": true, "id": items[1].at("/id")], items[2]],
            "\(repeated.json)")
        let move: JSONValue = [
            "id": items[0].at("/id"), "date": "2026-03-09", "idempotency_key": .string("m" + rows.mark),
        ]
        _ = try await rows.client.call("sessions.decaler", move)
        _ = try await rows.client.call("sessions.delete", ["id": items[0].at("/id")])
        #expect(
            try await rows.client.call("sessions.decaler", move) == ["deleted": true, "id": items[0].at("/id")])
        let transaction: JSONValue = [
            "calls": [
                [
                    "method": "clients.create", "as": "c",
                    "params": ["values": ["raison_sociale": .string("Société \(rows.mark)")]],
                ], ["method": "clients.delete", "params": ["id": ["$ref": "c.id"]]],
            ], "idempotency_key": .string("t" + rows.mark),
        ]
        let first = try await rows.client.call("transaction.run", transaction).at("/results")
        let again = try await rows.client.call("transaction.run", transaction).at("/results")
        let deleted: JSONValue = ["deleted": true, "id": first.at("/0/id")]
        #expect(again == [deleted, deleted])
    }

    @Test(arguments: [("variables", .null), ("variables", [:]), ("dry_run", false)] as [(String, JSONValue)])
    func `a member that says what its absence does is not another call`(name: String, value: JSONValue) async throws {
        let rows = try await Fixtures()
        let first = try await rows.client.call("ecoles.create", create(rows))
        #expect(try await rows.client.call("ecoles.create", create(rows, [(name, value)])) == first)
        func transaction(_ further: [(String, JSONValue)]) -> JSONValue {
            let params = [("values", ["nom": .string("Autre \(rows.mark)")])] as [(String, JSONValue)]
            let calls: JSONValue = [["method": "ecoles.create", "params": .merging(params + further)]]
            return ["calls": calls, "idempotency_key": .string("t" + rows.mark)]
        }
        let results = try await rows.client.call("transaction.run", transaction([]))
        let further = name == "variables" ? [(name, value)] : []
        #expect(try await rows.client.call("transaction.run", transaction(further)) == results)
    }

    @Test func `an update, a duplication and a deletion happen once`() async throws {
        let rows = try await Fixtures()
        let id = try await rows.session()
        let update: JSONValue = [
            "id": JSONValue(id), "values": ["lieu": "Lyon"], "if_version": 1, "select": "{ id lieu version }",
            "idempotency_key": .string("u" + rows.mark),
        ]
        // Without the key, the second call would be a conflict of versions.
        for _ in 0..<2 {
            #expect(
                try await rows.client.call("sessions.update", update)
                    == ["id": JSONValue(id), "lieu": "Lyon", "version": 2])
        }
        let unchanged: JSONValue = [
            "id": JSONValue(id), "select": "{ version }", "idempotency_key": .string("n" + rows.mark),
        ]
        for _ in 0..<2 { #expect(try await rows.client.call("sessions.update", unchanged) == ["version": 2]) }
        let duplicate: JSONValue = [
            "id": JSONValue(id), "values": ["date": "2026-02-02"], "select": "{ id date }",
            "idempotency_key": .string("c" + rows.mark),
        ]
        let copy = try await rows.client.call("sessions.duplicate", duplicate)
        #expect(copy["id"] != JSONValue(id))
        #expect(try await rows.client.call("sessions.duplicate", duplicate) == copy)
        #expect(try await count(rows, of: "sessions") == 2)
        let delete: JSONValue = ["id": JSONValue(id), "idempotency_key": .string("d" + rows.mark)]
        for _ in 0..<2 {
            let deleted = try await rows.client.call("sessions.delete", delete)
            #expect(deleted == ["deleted": true, "id": JSONValue(id)], "\(deleted.json)")
        }
        #expect(try await count(rows, of: "sessions") == 1)
    }

    @Test func `the same key with other params or another method is a conflict`() async throws {
        let rows = try await Fixtures()
        let id = try #require(try await rows.client.call("ecoles.create", create(rows))["id"])
        let others: [(String, JSONValue)] = [
            ("ecoles.create", create(rows, [("select", "{ id }")])),
            ("ecoles.create", create(rows, [("values", ["nom": .string("Autre \(rows.mark)")])])),
            ("ecoles.delete", ["id": id, "idempotency_key": .string(rows.mark)]),
        ]
        for (method, params) in others {
            let error = try await rows.client.refusal(method, params)
            #expect(error["code"] == 409)
            #expect(error.at("/data/reason") == "idempotency")
            #expect(error["message"] == "Cette clé a servi à un autre appel\u{202F}: donnez-en une nouvelle.")
        }
        #expect(try await count(rows) == 1)
    }

    @Test func `the keys of two accounts are independent`() async throws {
        let rows = try await Fixtures()
        let user = try await TestServer.running().client(TestServer.user)
        let params: JSONValue = .merging([
            ("values", .merging(Fixtures.session(module: "Module \(rows.mark)"))), ("select", "{ id }"),
            ("idempotency_key", .string(rows.mark)),
        ])
        let first = try await rows.client.call("sessions.create", params)
        let second = try await user.call("sessions.create", params)
        #expect(first != second)
        #expect(try await count(rows, of: "sessions") == 2)
        #expect(try await user.call("sessions.create", params) == second)
    }

    @Test(
        arguments: [
            (.string(String(repeating: "k", count: 300)), "too_long"),
            (.string(String(repeating: "k", count: 201)), "too_long"),
            ("", "required"), (" \u{A0}", "required"), ("a\u{0}b", "format"), (1, "type"), ([], "type"),
        ] as [(JSONValue, String)])
    func `a key is a visible text of at most two hundred characters`(key: JSONValue, code: String) async throws {
        let rows = try await Fixtures()
        let error = try await rows.client.refusal("ecoles.create", create(rows, [("idempotency_key", key)]))
        #expect(error["code"] == -32602)
        #expect(error.at("/data/errors/0/path") == "/idempotency_key")
        #expect(error.at("/data/errors/0/code") == .string(code))
        #expect(try await count(rows) == 0)
    }

    @Test func `a key of two hundred characters is accepted`() async throws {
        let rows = try await Fixtures()
        let key = JSONValue.string(rows.mark + String(repeating: "é", count: 200 - rows.mark.count))
        let first = try await rows.client.call("ecoles.create", create(rows, [("idempotency_key", key)]))
        #expect(try await rows.client.call("ecoles.create", create(rows, [("idempotency_key", key)])) == first)
    }

    @Test func `a failed write leaves its key free`() async throws {
        let rows = try await Fixtures()
        let values = Fixtures.session(module: "Module \(rows.mark)")
        func params(_ client: Int) -> JSONValue {
            .merging([
                ("values", .merging(values + [("client_id", JSONValue(client))])), ("select", "{ id }"),
                ("idempotency_key", .string(rows.mark)),
            ])
        }
        let missing = try await rows.client.refusal("sessions.create", params(999_999_999))
        #expect(missing.at("/data/errors/0/code") == "not_found")
        let unmatched = try await rows.client.refusal(
            "sessions.update", ["id": 999_999_999, "values": ["lieu": "x"], "idempotency_key": .string(rows.mark)])
        #expect(unmatched["code"] == 404)
        let id = try await rows.session()
        let stale = try await rows.client.refusal(
            "sessions.delete", ["id": JSONValue(id), "if_version": 7, "idempotency_key": .string(rows.mark)])
        #expect(stale.at("/data/reason") == "version")
        #expect(stale.at("/data/current/version") == 1)
        let client = try await rows.client()
        _ = try await rows.client.call("sessions.create", params(client))
        #expect(try await count(rows, of: "sessions") == 2)
    }

    @Test func `the same call at once on many connections creates one record`() async throws {
        let server = try await TestServer.running()
        let rows = try await Fixtures()
        let params = create(rows)
        let answers = try await withThrowingTaskGroup(of: JSONValue.self) { group in
            for _ in 0..<12 {
                let client = try await server.client()
                group.addTask { try await client.response("ecoles.create", params) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(try await count(rows) == 1)
        let results = answers.compactMap { $0["result"] }
        #expect(Set(results).count == 1)
        for error in answers.compactMap({ $0["error"] }) {
            #expect(error["code"] == 409)
            #expect(error.at("/data/reason") == "idempotency")
        }
        #expect(try await rows.client.call("ecoles.create", params) == results.first)
    }

    @Test func `a key whose call is running is refused until that call ends`() async throws {
        let server = try await TestServer.start(["--lock-timeout", "30"])
        let rows = try await Fixtures(server)
        let id = try await rows.session()
        let holder = Task {
            try await server.database.psql(
                """
                SET application_name = 'holder'; BEGIN; SELECT id FROM sessions WHERE id = \(id) FOR UPDATE;
                SELECT pg_sleep(60)
                """)
        }
        let holds = """
            FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'holder' AND wait_event = 'PgSleep'
            """
        try await eventually { try await server.database.psql("SELECT count(*) \(holds)") == "1" }
        let params: JSONValue = [
            "id": JSONValue(id), "values": ["lieu": "Lyon"], "select": "{ lieu version }", "idempotency_key": "clé",
        ]
        let first = try await server.client()
        async let running = first.response("sessions.update", params)
        let waits = """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE sessions%'
            """
        try await eventually { try await server.database.psql(waits) == "1" }
        let second = try await server.client(TestServer.admin)
        let error = try await second.refusal("sessions.update", params)
        #expect(error["code"] == 409)
        #expect(error.at("/data/reason") == "idempotency")
        #expect(
            error["message"] == "L’appel de cette clé est encore en cours\u{202F}: renvoyez-le dans un instant.")
        _ = try await server.database.psql("SELECT pg_cancel_backend(pid) \(holds)")
        _ = await holder.result
        let answer: JSONValue = ["lieu": "Lyon", "version": 2]
        #expect(try await running["result"] == answer)
        #expect(try await second.call("sessions.update", params) == answer)
        #expect(try await server.stop() == 0)
    }

    @Test func `a key is free again after a day, and old keys are deleted`() async throws {
        let server = try await TestServer.start()
        let rows = try await Fixtures(server)
        let first = try await rows.client.call("ecoles.create", create(rows))
        _ = try await rows.client.call("ecoles.create", create(rows, [("idempotency_key", "autre")]))
        try await server.database.psql("UPDATE kernel.idempotency SET created_at = now() - interval '25 hours'")
        let second = try await rows.client.call("ecoles.create", create(rows))
        #expect(second["id"] != first["id"])
        #expect(try await server.database.psql("SELECT string_agg(key, ',') FROM kernel.idempotency") == rows.mark)
        #expect(try await rows.client.call("ecoles.create", create(rows)) == second)
        #expect(try await server.stop() == 0)
    }

    /// A session plans its statements once, and keeps them until the table is analysed.
    @Test func `a session that knew no keys reads none of the account's others`() async throws {
        let database = try await TestProgram.learntrack.migratedDatabase()
        let read = try await database.psql(
            """
            BEGIN;
            SET LOCAL plan_cache_mode = force_generic_plan;
            SET LOCAL learntrack.company = '1';
            SET LOCAL learntrack.account = '7';
            SELECT kernel.keep_answers(7, 'first', 'ecoles.create', '');
            INSERT INTO kernel.idempotency (company_id, account_id, key, method, digest, answers)
            SELECT 1, 7, 'key ' || n, 'ecoles.create', '', '[]' FROM generate_series(1, 2000) AS n;
            CREATE TEMP TABLE before AS SELECT coalesce(idx_tup_fetch, 0) + seq_tup_read AS read
            FROM pg_stat_xact_user_tables WHERE relid = 'kernel.idempotency'::regclass;
            SELECT kernel.keep_answers(7, 'last', 'ecoles.create', '');
            SELECT coalesce(idx_tup_fetch, 0) + seq_tup_read - before.read
            FROM pg_stat_xact_user_tables, before WHERE relid = 'kernel.idempotency'::regclass;
            ROLLBACK
            """)
        #expect(read.split(separator: "\n") == ["0"])
        try await database.drop()
    }

    @Test func `an account is created once, with its password, which is not part of the digest`() async throws {
        let server = try await TestServer.running()
        let rows = try await Fixtures()
        let email = JSONValue.string("\(rows.mark)@exemple.fr")
        func params(_ password: String) -> JSONValue {
            [
                "values": ["email": email, "password": .string(password)], "select": "{ id }",
                "idempotency_key": .string(rows.mark),
            ]
        }
        let first = try await rows.client.call("users.create", params("une belle phrase secrète"))
        #expect(try await rows.client.call("users.create", params("une tout autre phrase")) == first)
        let login = try await server.client(nil).call(
            "auth.login", ["email": email, "password": "une belle phrase secrète"])
        #expect(login.at("/user/id") == first["id"])
    }

    @Test func `a key can be used for the account of the transaction only`() async throws {
        let database = try await TestServer.running().database
        for call in [
            "once(1, 'stolen', 'clients.create', '\\x00')", "keep_answers(1, 'stolen', 'clients.create', '\\x00')",
        ] {
            for account in ["", "2"] {
                await #expect(throws: (any Error).self) {
                    try await database.psql(
                        """
                        SET ROLE learntrack_user; SELECT set_config('learntrack.account', '\(account)', false);
                        SELECT kernel.\(call)
                        """)
                }
            }
        }
    }

    @Test func `the roles of the service cannot read the keys`() async throws {
        let database = try await TestServer.running().database
        for role in ["learntrack_user", "learntrack_admin", "learntrack_auth"] {
            await #expect(throws: (any Error).self) {
                try await database.psql("SET ROLE \(role); SELECT count(*) FROM kernel.idempotency")
            }
        }
    }
}
