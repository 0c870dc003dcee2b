import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// `sessions.decaler` and `sessions.repeter`.
@Suite struct PlanningCommandTests {
    private func move(
        _ id: Int, _ rows: Fixtures, _ further: [(String, JSONValue)]
    ) async throws -> JSONValue {
        try await rows.client.response(
            "sessions.decaler",
            .merging([("id", JSONValue(id)), ("select", "{ date debut fin version }")] + further))
    }

    @Test func `a session keeps its length when only its start is given`() async throws {
        let rows = try await Fixtures()
        let id = try await rows.session()
        let cases: [([(String, JSONValue)], [String])] = [
            ([("debut", "10:30")], ["2026-01-12", "10:30:00", "18:30:00"]),
            ([("date", "2026-02-01")], ["2026-02-01", "10:30:00", "18:30:00"]),
            ([("fin", "12:00")], ["2026-02-01", "10:30:00", "12:00:00"]),
            ([("date", "2026-02-02"), ("debut", "22:29:59")], ["2026-02-02", "22:29:59", "23:59:59"]),
            ([("debut", "08:00"), ("fin", "09:00"), ("date", .null)], ["2026-02-02", "08:00:00", "09:00:00"]),
        ]
        for (index, (params, expected)) in cases.enumerated() {
            let result = try await move(id, rows, params)["result"] ?? .null
            #expect(["date", "debut", "fin"].map { result[$0]?.text } == expected, "\(result.json)")
            #expect(result["version"] == JSONValue(index + 2))
        }
        // What changes nothing writes nothing.
        for params: [(String, JSONValue)] in [[], [("debut", "08:00")], [("if_version", 6)]] {
            #expect(try await move(id, rows, params).at("/result/version") == 6)
        }
    }

    @Test func `a session that is moved is answered with whether it overlaps another of its trainer`() async throws {
        let rows = try await Fixtures()
        let trainer: (String, JSONValue) = ("formateur_id", JSONValue(try await rows.formateur()))
        _ = try await rows.session([trainer])
        let id = try await rows.session([trainer, ("date", "2026-01-13")])
        let onto = try await rows.client.call("sessions.decaler", ["id": JSONValue(id), "date": "2026-01-12"])
        #expect(onto["en_conflit"] == true, "\(onto.json)")
        #expect(onto["date"] == "2026-01-12")
        #expect(onto["version"] == 2)
        let away = try await rows.client.call(
            "sessions.decaler", ["id": JSONValue(id), "date": "2026-01-14"])
        #expect(away["en_conflit"] == false)
        let selected = try await rows.client.call(
            "sessions.decaler", ["id": JSONValue(id), "date": "2026-01-12", "select": "{ date }"])
        #expect(selected == ["date": "2026-01-12"])
    }

    @Test func `an impossible move is refused at its place`() async throws {
        let rows = try await Fixtures()
        let id = try await rows.session()
        let cases: [([(String, JSONValue)], String, String)] = [
            ([("debut", "16:00")], "/debut", "rule"), ([("debut", "23:00"), ("date", "2026-03-01")], "/debut", "rule"),
            ([("fin", "09:00")], "/fin", "rule"), ([("debut", "10:00"), ("fin", "10:00")], "/fin", "rule"),
            ([("date", "2026-02-30")], "/date", "format"), ([("debut", "25:00")], "/debut", "format"),
            ([("if_version", "1")], "/if_version", "type"), ([("heure", "10:00")], "/heure", "unknown"),
        ]
        for (params, path, code) in cases {
            let error = try await move(id, rows, params)["error"] ?? .null
            #expect(error["code"] == -32602, "\(error.json)")
            #expect(error.at("/data/errors/0/path") == .string(path), "\(error.json)")
            #expect(error.at("/data/errors/0/code") == .string(code), "\(error.json)")
        }
        #expect(try await rows.client.refusal("sessions.decaler", ["id": 999_999_999])["code"] == 404)
        #expect(try await rows.client.call("sessions.get", ["id": JSONValue(id)])["version"] == 1)
    }

    @Test func `a version conflict is answered like an update's`() async throws {
        let rows = try await Fixtures()
        let id = try await rows.session()
        let params: JSONValue = ["id": JSONValue(id), "debut": "10:00", "if_version": 7, "select": "{ id }"]
        let moved = try await rows.client.refusal("sessions.decaler", params)
        let updated = try await rows.client.refusal(
            "sessions.update", ["id": JSONValue(id), "values": ["debut": "10:00"], "if_version": 7])
        #expect(moved["code"] == 409)
        #expect(moved["message"] == updated["message"])
        #expect(moved.at("/data/reason") == "version")
        #expect(moved.at("/data/current") == updated.at("/data/current"))
        #expect(moved.at("/data/current/version") == 1)
        let error = try await rows.client.refusal(
            "transaction.run", ["calls": [["method": "sessions.decaler", "params": params]]])
        #expect(error.at("/data/path") == "/calls/0")
        #expect(error.at("/data/reason") == "version")
    }

    @Test func `of two moves of one version at once one happens`() async throws {
        let server = try await TestServer.running()
        let rows = try await Fixtures()
        let id = try await rows.session()
        let user = try await server.client(TestServer.user)
        let params: JSONValue = ["id": JSONValue(id), "debut": "10:00", "if_version": 1, "select": "{ version }"]
        async let first = rows.client.response("sessions.decaler", params)
        async let second = user.response("sessions.decaler", params)
        let answers = [try await first, try await second]
        #expect(answers.compactMap { $0["result"] } == [["version": 2]])
        #expect(answers.compactMap { $0.at("/error/data/reason").text } == ["version"])
    }

    // MARK: Repeating

    @Test func `a session is copied to every date in the order given, by users too`() async throws {
        let server = try await TestServer.running()
        let rows = try await Fixtures()
        let client = try await rows.client()
        let id = try await rows.session([("client_id", JSONValue(client)), ("tarif_client", .number("1200.50"))])
        let user = try await server.client(TestServer.user)
        let dates: JSONValue = ["2026-05-04", "2026-03-02", "2026-04-06"]
        let select = "{ date debut fin tarif_client version client { id } }"
        let answer = try await user.call(
            "sessions.repeter", ["id": JSONValue(id), "dates": dates, "select": .string(select)])
        guard case .object(let members) = answer else { throw TestEnvironmentError(answer.json) }
        #expect(members.members.map(\.name) == ["items"])
        let items = answer.at("/items").array
        #expect(items.map { $0["date"] ?? .null } == dates.array)
        for item in items {
            #expect(item["debut"] == "09:00:00")
            #expect(item["tarif_client"]?.double == 1200.5)
            #expect(item["version"] == 1)
            #expect(item.at("/client/id") == JSONValue(client))
        }
    }

    @Test func `a copy has no reference, and gets the next one of its year`() async throws {
        let rows = try await Fixtures()
        let year = Int.random(in: 3_000...9_999)
        let id = JSONValue(try await rows.session([("date", .string("\(year)-03-02"))]))
        _ = try await rows.client.call("sessions.attribuer_reference", ["id": id])
        let written = JSONValue(try await rows.session([("ref_contrat", "Marché 12")]))
        for (original, day) in [(id, "\(year)-03-09"), (written, "2026-03-09")] {
            let copies = try await rows.client.call(
                "sessions.repeter", ["id": original, "dates": [.string(day)], "select": "{ id ref_contrat }"])
            #expect(copies.at("/items/0/ref_contrat") == .null, "\(copies.json)")
            guard original == id else { continue }
            let assigned = try await rows.client.call(
                "sessions.attribuer_reference", ["id": copies.at("/items/0/id"), "select": "{ ref_contrat }"])
            #expect(assigned == ["ref_contrat": .string("CT-\(year)-002")])
        }
        #expect(
            try await rows.client.call("sessions.get", ["id": id, "select": "{ ref_contrat }"])
                == ["ref_contrat": .string("CT-\(year)-001")])
    }

    @Test func `all dates or none`() async throws {
        let rows = try await Fixtures()
        let id = try await rows.session()
        let many = JSONValue.array((1...61).map { .string("20\($0 < 10 ? "0" : "")\($0)-01-01") })
        let cases: [(JSONValue, String)] = [
            (["2026-03-02", "2026-03-03", "2026-03-02"], "/dates/2"), (["2026-03-02", "2026-02-30"], "/dates/1"),
            ([], "/dates"), (many, "/dates"), ("2026-03-02", "/dates"), (.null, "/dates"), ([.null], "/dates/0"),
        ]
        for (dates, path) in cases {
            let error = try await rows.client.refusal("sessions.repeter", ["id": JSONValue(id), "dates": dates])
            #expect(error["code"] == -32602)
            #expect(error.at("/data/errors/0/path") == .string(path), "\(error.json)")
        }
        #expect(
            try await rows.client.refusal("sessions.repeter", ["id": 999_999_999, "dates": ["2026-01-01"]])["code"]
                == 404
        )
        let found = try await rows.client.call(
            "sessions.list", ["search": .string(rows.mark), "count": true, "select": "{ id }"])
        #expect(found["total"] == 1)
        let sixty = JSONValue.array(Array(many.array.prefix(60)))
        let copies = try await rows.client.call("sessions.repeter", ["id": JSONValue(id), "dates": sixty])
        #expect(copies.at("/items").array.count == 60)
    }

    /// The answers of Postgres to calls without the server.
    @Test(arguments: [
        (#"["2031-01-01", "2031-1-1"]"#, "sessions_repeter_dates"), ("[]", "sessions_repeter_nombre"),
        ("many", "sessions_repeter_nombre"), (#"["2031-01-01", "2031-01-02"]"#, nil),
    ])
    func `at psql the dates have the same rules`(dates: String, constraint: String?) async throws {
        let server = try await TestServer.running()
        let rows = try await Fixtures(server)
        let id = try await rows.session()
        let many = (1...61).map { "\"\(2030 + $0)-01-01\"" }.joined(separator: ", ")
        let answer = try await server.database.psql(
            """
            CREATE FUNCTION pg_temp.violated() RETURNS text LANGUAGE plpgsql AS $$
            DECLARE
                name text;
            BEGIN
                PERFORM public.sessions_repeter(\(id), '\(dates == "many" ? "[\(many)]" : dates)');
                RETURN 'none';
            EXCEPTION WHEN integrity_constraint_violation THEN
                GET STACKED DIAGNOSTICS name = CONSTRAINT_NAME;
                RETURN name;
            END $$;
            SELECT pg_temp.violated();
            """)
        #expect(answer == constraint ?? "none")
        let found = try await rows.client.call(
            "sessions.list", ["search": .string(rows.mark), "count": true, "select": "{ id }"])
        #expect(found["total"] == (constraint == nil ? 3 : 1))
    }

    @Test func `with a key the copies are made once, in a transaction too, and a dry run makes none`() async throws {
        let server = try await TestServer.running()
        let rows = try await Fixtures()
        let id = try await rows.session()
        let params: JSONValue = [
            "id": JSONValue(id), "dates": ["2026-05-04", "2026-03-02"], "select": "{ id date }",
            "idempotency_key": .string(rows.mark),
        ]
        let answers = try await withThrowingTaskGroup(of: JSONValue.self) { group in
            for _ in 0..<6 {
                let client = try await server.client()
                group.addTask { try await client.response("sessions.repeter", params) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let results = answers.compactMap { $0["result"] }
        #expect(Set(results).count == 1)
        #expect(answers.compactMap { $0["error"] }.allSatisfy { $0.at("/data/reason") == "idempotency" })
        let again = try await rows.client.call("sessions.repeter", params)
        #expect(results.first == again)
        #expect(again.at("/items").array.compactMap { $0["date"]?.text } == ["2026-05-04", "2026-03-02"])
        let call: JSONValue = [
            "method": "sessions.repeter",
            "params": ["id": JSONValue(id), "dates": ["2026-06-01"], "select": "{ date }"],
        ]
        let tried = try await rows.client.call("transaction.run", ["calls": [call], "dry_run": true])
        #expect(tried.at("/results/0/items/0/date") == "2026-06-01")
        for _ in 0..<2 {
            let run = try await rows.client.call(
                "transaction.run", ["calls": [call], "idempotency_key": .string("t" + rows.mark)])
            #expect(run.at("/results/0/items/0/date") == "2026-06-01")
        }
        let found = try await rows.client.call(
            "sessions.list", ["search": .string(rows.mark), "count": true, "select": "{ id }"])
        #expect(found["total"] == 4)
    }

    @Test func `records have no id that a later call could refer to`() async throws {
        let rows = try await Fixtures()
        let id = try await rows.session()
        let calls: JSONValue = [
            [
                "method": "sessions.repeter", "params": ["id": JSONValue(id), "dates": ["2026-06-01"]], "as": "copies",
            ],
            ["method": "sessions.delete", "params": ["id": ["$ref": "copies.id"]]],
        ]
        let error = try await rows.client.refusal("transaction.run", ["calls": calls])
        #expect(error.at("/data/errors/0/path") == "/calls/1/params/id")
    }
}
