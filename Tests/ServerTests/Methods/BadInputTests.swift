import DomainKit
import JSON
import TestSupport
import Testing

@Suite struct BadInputTests {
    private func problems(_ error: JSONValue) -> [String] {
        error.at("/data/errors").array.map { "\($0["path"]?.text ?? "-") \($0["code"]?.text ?? "-")" }
    }

    @Test(
        arguments: [
            (["fin": "08:00"], ["/values/fin rule"]),
            (["date": "2026-02-30"], ["/values/date format"]),
            (["debut": "24:00"], ["/values/debut format"]),
            (["debut": "09:00:00.5"], ["/values/debut format"]),
            (["tarif_client": .number("12345678901")], ["/values/tarif_client too_many_digits"]),
            (["tarif_client": .number("1e400")], ["/values/tarif_client too_many_digits"]),
            (["tarif_client": .number("1.234")], ["/values/tarif_client too_many_digits"]),
            (["tarif_client": -1], ["/values/tarif_client out_of_range"]),
            (["tarif_client": "12.00"], ["/values/tarif_client type"]),
            (["module": .string(String(repeating: "é", count: 501))], ["/values/module too_long"]),
            (["module": ""], ["/values/module required"]),
            (["module": "\u{1}\u{1F}\u{7F}\u{85}"], ["/values/module required"]),
            (["module": "a\u{0}b"], ["/values/module format"]),
            (["module": .null], ["/values/module required"]),
            (["modalite": "X"], ["/values/modalite format"]),
            (["client_id": 999_999_999], ["/values/client_id not_found"]),
            (
                ["client_id": 999_999_999, "ecole_id": 999_999_998],
                ["/values/client_id not_found", "/values/ecole_id not_found"]
            ),
            (["id": 5], ["/values/id read_only"]),
            (["version": 5], ["/values/version read_only"]),
            (["modul": "x"], ["/values/modul unknown"]),
            (
                ["date": "hier", "modalite": 3, "couleur": "bleu"],
                ["/values/couleur unknown", "/values/date format", "/values/modalite type"]
            ),
        ] as [(JSONValue, [String])])
    func `each mistake in the values of a session is an error at its place`(given: JSONValue, expected: [String])
        async throws
    {
        let rows = try await Fixtures()
        guard case .object(let object) = given else { throw TestEnvironmentError("not an object") }
        let base = Fixtures.session(module: "Refus \(rows.mark)")
        let values = JSONValue.merging(base + object.members.map { ($0.name, $0.value) })
        let error = try await rows.client.refusal("sessions.create", ["values": values])
        #expect(error["code"] == -32602)
        #expect(problems(error).sorted() == expected.sorted())
        let count = try await rows.client.call(
            "sessions.list", ["search": .string(rows.mark), "count": true, "select": "{ id }"])
        #expect(count["total"] == 0)
    }

    @Test(
        arguments: [
            (["wher": [:]], "/wher unknown", "where"),
            (["where": ["modul": "x"]], "/where/modul unknown", "module"),
            (["where": ["date": ["gt3": "2026-01-01"]]], "/where/date/gt3 unknown", nil),
            (["where": ["date": ["gte": "2026-02-30"]]], "/where/date/gte format", nil),
            (["where": ["formateur": ["nm": "x"]]], "/where/formateur/nm unknown", "nom"),
            (["where": ["module": ["like": "a\\"]]], "/where/module/like format", nil),
            (["where": ["or": [:]]], "/where/or type", nil),
            (["where": [1]], "/where type", nil),
            (["order_by": ["-dat"]], "/order_by/0 unknown", "date"),
            (["order_by": "date"], "/order_by type", nil),
            (["first": 0], "/first out_of_range", nil),
            (["first": 501], "/first out_of_range", nil),
            (["first": "10"], "/first type", nil),
            (["after": "n'importe quoi"], "/after format", nil),
            (["count": "oui"], "/count type", nil),
            (["select": "{ idd }"], "/select unknown", "id"),
            (["select": "{ id"], "/select format", nil),
            (["select": "{ formateur }"], "/select type", nil),
            (["select": "{ id { x } }"], "/select type", nil),
            (["select": "{ }"], "/select format", nil),
            (["select": 3], "/select type", nil),
            (["select": "{ id }", "variables": ["x": 1]], "/variables/x unknown", nil),
        ] as [(JSONValue, String, String?)])
    func `each mistake in the parameters of a list is an error at its place`(
        params: JSONValue, expected: String, suggestion: String?
    ) async throws {
        let client = try await TestServer.running().client()
        let error = try await client.refusal("sessions.list", params)
        #expect(error["code"] == -32602, "\(error.json)")
        #expect(problems(error).first == expected, "\(error.json)")
        if let suggestion { #expect(error.at("/data/errors/0/suggestion") == .string(suggestion)) }
    }

    @Test func `an error in a selection has its line and column`() async throws {
        let client = try await TestServer.running().client()
        let error = try await client.refusal("sessions.list", ["select": "{ id\n  formateur { prenm } }"])
        #expect(error.at("/data/errors/0/line") == 2)
        #expect(error.at("/data/errors/0/column") == 15)
        #expect(error.at("/data/errors/0/suggestion") == "prenom")
    }

    @Test func `exceeding a limit of a selection is 413 and names the limit`() async throws {
        let client = try await TestServer.running().client()
        let deep =
            "{ " + String(repeating: "formateur { sessions { ", count: 4) + "id" + String(repeating: " } }", count: 4)
            + " }"
        let depth = try await client.refusal("sessions.list", ["select": .string(deep)])
        #expect(depth["code"] == 413)
        #expect(depth.at("/data/limit") == "selection_depth")
        let cost = try await client.refusal(
            "formateurs.list",
            ["first": 500, "select": "{ sessions(first: 500) { client { sessions(first: 500) { id } } } }"])
        #expect(cost["code"] == 413)
        #expect(cost.at("/data/limit") == "cost")
        #expect(cost.at("/data/max") == 50_000)
        #expect(cost.at("/data/price") == JSONValue(500 + 250_000 + 125_000_000))
        #expect(cost.at("/data/path") == "sessions.client.sessions")
        let fields = (0..<2_001).map { "a\($0): id" }.joined(separator: " ")
        for (method, select) in [
            ("sessions.list", "{ client { \(fields) } }"), ("clients.list", "{ sessions(first: 1) { \(fields) } }"),
        ] {
            let wide = try await client.refusal(method, ["select": .string(select)])
            #expect(wide["code"] == 413)
            #expect(wide.at("/data/limit") == "cost")
            #expect(wide.at("/data/price") == 2_002)
            #expect(wide.at("/data/max") == 2_000)
            #expect(wide.at("/data/path") == (method == "sessions.list" ? "client" : "sessions"))
        }
    }

    @Test func `a thousand wrong names make no long response`() async throws {
        let client = try await TestServer.running().client()
        let names = (0..<1_000).map { "faux_nom_numero_\($0)" }
        let object = JSONValue.object(JSONObject(names.map { .init($0, 1) }))
        let list = JSONValue.array(names.map { .string($0) })
        let text = JSONValue.string("{ " + names.joined(separator: " ") + " }")
        let calls: [(String, JSONValue)] = [
            ("sessions.list", object), ("sessions.list", ["where": object]), ("sessions.list", ["order_by": list]),
            ("sessions.list", ["where": ["client": object]]), ("sessions.list", ["where": ["date": object]]),
            ("sessions.list", ["where": ["date": ["in": list]]]), ("sessions.list", ["select": text]),
            ("sessions.list", ["variables": object]), ("sessions.create", ["values": object]),
            ("sessions.aggregate", ["select": text]),
            ("sessions.aggregate", ["select": "{ count }", "group_by": list]),
            ("sessions.aggregate", ["select": "{ count }", "order_by": list]),
        ]
        for (method, params) in calls {
            let error = try await client.refusal(method, params)
            #expect(error["code"] == -32602)
            let problems = error.at("/data/errors").array
            #expect((1...110).contains(problems.count), "\(method): \(problems.count)")
            #expect(error.json.utf8.count < 60_000, "\(method): \(error.json.utf8.count)")
        }
    }

    @Test func `a wrong id or password is reported together with the other mistakes, in every method`() async throws {
        let client = try await TestServer.running().client()
        for (method, params, paths): (String, JSONValue, [String]) in [
            ("sessions.share", ["id": 0, "format": "pdf"], ["/format", "/id"]),
            ("sessions.history", ["id": 0, "first": 0], ["/first", "/id"]),
            ("sessions.update", ["id": 0, "values": ["modul": 1]], ["/id", "/values/modul"]),
            ("sessions.delete", ["id": -1, "if_version": "1"], ["/id", "/if_version"]),
            (
                "auth.change_password", ["current_password": 5, "new_password": "x", "foo": 1],
                ["/current_password", "/foo", "/new_password"]
            ),
        ] {
            let error = try await client.refusal(method, params)
            #expect(error.at("/data/errors").array.compactMap { $0["path"]?.text }.sorted() == paths, "\(error.json)")
        }
    }

    @Test func `a stale version is 409 with the present row`() async throws {
        let rows = try await Fixtures()
        let id = try await rows.session()
        _ = try await rows.client.call(
            "sessions.update", ["id": JSONValue(id), "values": ["module": "Un"], "if_version": 1])
        let error = try await rows.client.refusal(
            "sessions.update",
            ["id": JSONValue(id), "values": ["module": "Deux"], "if_version": 1, "select": "{ id client { id } }"])
        #expect(error["code"] == 409)
        #expect(error.at("/data/reason") == "version")
        let current = try await rows.client.call("sessions.get", ["id": JSONValue(id)])
        #expect(current["version"] == 2 && current["module"] == "Un")
        #expect(error.at("/data/current") == current)
        let kept = try await rows.client.refusal("sessions.delete", ["id": JSONValue(id), "if_version": 1])
        #expect(kept.at("/data/current") == current)
        let gone = try await rows.client.refusal("sessions.delete", ["id": 999_999_999, "if_version": 1])
        #expect(gone["code"] == 404)
    }

    @Test func `deleting a client that sessions refer to is 409 with their number`() async throws {
        let rows = try await Fixtures()
        let clientID = try await rows.client()
        for _ in 0..<3 { _ = try await rows.session([("client_id", JSONValue(clientID))]) }
        let error = try await rows.client.refusal("clients.delete", ["id": JSONValue(clientID)])
        #expect(error["code"] == 409)
        #expect(error.at("/data/reason") == "referenced")
        #expect(error.at("/data/count") == 3)
    }

    @Test func `an update that breaks a rule together with a stored value is an error`() async throws {
        let rows = try await Fixtures()
        let id = try await rows.session()
        let error = try await rows.client.refusal("sessions.update", ["id": JSONValue(id), "values": ["fin": "08:30"]])
        #expect(error["code"] == -32602)
        #expect(problems(error) == ["/values/fin rule"])
        let other = try await rows.client.refusal(
            "sessions.update", ["id": JSONValue(id), "values": ["debut": "18:00"]])
        #expect(problems(other) == ["/values/debut rule"])
    }
}
