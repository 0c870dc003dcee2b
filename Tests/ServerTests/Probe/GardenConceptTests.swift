import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// Each concept of DomainKit, in the probe domain.
@Suite struct GardenConceptTests {
    private func paths(_ error: JSONValue) -> [String] {
        error.at("/data/errors").array.map { "\($0["path"]?.text ?? "") \($0["code"]?.text ?? "")" }.sorted()
    }

    @Test func `values are checked by their types, sets and shapes, part by part`() async throws {
        let gardener = try await Garden.running().gardener()
        let soil: JSONValue = [
            "texture": "mud", "depth": 4,
            "amendments": [["what": "compost", "doses": 3], ["what": "sand", "doses": 5, "when": "now"]],
        ]
        let values: JSONValue = ["name": "x", "rotation": 5, "labels": ["a", 7, " "], "soil": soil]
        let error = try await gardener.client.refusal(
            "plots.update", ["id": JSONValue(gardener.plot), "values": values])
        #expect(error["code"] == -32602)
        #expect(
            paths(error).map { $0.split(separator: " ")[0] } == [
                "/values/labels/1", "/values/labels/2", "/values/rotation", "/values/soil/amendments/0/doses",
                "/values/soil/amendments/1/when", "/values/soil/depth", "/values/soil/texture",
            ], "\(error.json)")
        let good: JSONValue = [
            "rotation": 4, "labels": ["soleil"],
            "soil": ["texture": "clay", "amendments": [["what": "compost", "doses": 2]]],
        ]
        let plot = try await gardener.client.call(
            "plots.update",
            ["id": JSONValue(gardener.plot), "values": good, "select": "{ rotation labels soil version }"])
        #expect(plot["rotation"] == 4)
        #expect(plot["labels"] == ["soleil"])
        #expect(plot.at("/soil/depth") == 30)
        #expect(plot["version"] == 2)
    }

    @Test func `columns that only create sets, and those that commands move, are refused by update`() async throws {
        let gardener = try await Garden.running().gardener()
        for (column, value) in [("number", 998), ("gardener_id", 1), ("state", "planted")] as [(String, JSONValue)] {
            let error = try await gardener.client.refusal(
                "plots.update", ["id": JSONValue(gardener.plot), "values": .merging([(column, value)])])
            #expect(paths(error) == ["/values/\(column) read_only"], "\(error.json)")
        }
    }

    @Test func `a column that is only written shows in no answer, filter, order, copy, document or journal`()
        async throws
    {
        let garden = try await Garden.running()
        let client = try await garden.coordinator()
        let secret = "jeton-\(UInt32.random(in: 0..<1_000_000_000))"
        let created = try await client.call(
            "crops.create",
            ["values": ["code": .string("c-\(secret)"), "name": "Fève", "supplier_key": .string(secret)]])
        #expect(created["supplier_key"] == nil)
        let id = try #require(created["id"])
        let stored: @Sendable (JSONValue) async throws -> String = {
            try await garden.server.database.psql(
                "SELECT coalesce(supplier_key, 'null') FROM probe.crops WHERE id = \($0.json)")
        }
        #expect(try await stored(id) == secret)
        let place: JSONValue = ["id": id]
        let calls: [(String, JSONValue)] = [
            ("crops.get", place.setting("/select", to: "{ id supplier_key }")),
            ("crops.list", ["where": ["supplier_key": .string(secret)]]),
            ("crops.list", ["order_by": ["supplier_key"]]),
            ("crops.aggregate", ["group_by": ["supplier_key"], "select": "{ count }"]),
        ]
        for (method, params) in calls {
            let error = try await client.refusal(method, params)
            #expect(error["code"] == -32602, "\(method) \(params.json): \(error.json)")
            #expect(error.at("/data/errors/0/code") == "unknown", "\(error.json)")
        }
        let other = secret.replacing("jeton", with: "autre")
        let updated = try await client.call(
            "crops.update", ["id": id, "values": ["supplier_key": .string(other)]])
        #expect(updated["version"] == 2)
        #expect(try await stored(id) == other)
        let conflict = try await client.refusal("crops.update", ["id": id, "values": [:], "if_version": 1])
        #expect(conflict.at("/data/current/version") == 2)
        #expect(conflict.at("/data/current")["supplier_key"] == nil)
        let call: JSONValue = ["method": "crops.update", "params": ["id": id, "values": [:], "if_version": 1]]
        let inTransaction = try await client.refusal("transaction.run", ["calls": [call, call]])
        #expect(inTransaction.at("/data/current/version") == 2, "\(inTransaction.json)")
        // A copy has the secret that the call gives, not that of the record.
        let copies: [(JSONValue, String)] = [
            (["code": .string("d-\(secret)")], "null"),
            (["code": .string("e-\(secret)"), "supplier_key": "copie"], "copie"),
        ]
        for (values, expected) in copies {
            let copy = try await client.call("crops.duplicate", ["id": id, "values": values])
            #expect(try await stored(copy["id"] ?? .null) == expected)
        }
        let history = try await client.call("crops.history", ["id": id])
        #expect(history.at("/items/0/before/supplier_key") == "***")
        #expect(history.at("/items/0/after/supplier_key") == "***")
        #expect(history.at("/items/1/after/supplier_key") == "***")
        #expect(!history.json.contains(other) && !history.at("/items/1/after").json.contains("\"\(secret)\""))
        let document = try await client.call("rpc.discover")
        #expect(document.at("/components/schemas/crops/properties")["supplier_key"] == nil)
        #expect(document.at("/components/schemas/crops_update/properties/supplier_key/writeOnly") == true)
    }

    @Test func `what is only appended has no version, and no method that changes it`() async throws {
        let gardener = try await Garden.running().gardener()
        let made = try await gardener.client.call(
            "observations.create", ["values": ["plot_id": JSONValue(gardener.plot), "mood": -1, "text": "Limaces."]])
        #expect(made["version"] == nil)
        #expect(made["gardener_id"] == JSONValue(gardener.id))
        for method in ["observations.update", "observations.delete"] {
            let error = try await gardener.client.refusal(method, ["id": made["id"] ?? .null])
            #expect(error["code"] == -32601)
        }
        let wrong = try await gardener.client.refusal(
            "observations.create", ["values": ["plot_id": JSONValue(gardener.plot), "mood": 2]])
        #expect(paths(wrong).count == 1 && paths(wrong)[0].hasPrefix("/values/mood "), "\(wrong.json)")
    }

    /// ProbeDomain declares four figures of a gardener's plots.
    @Test func `figures are about the related records that the caller may read, as columns are`() async throws {
        let garden = try await Garden.running()
        let gardener = try await garden.gardener()
        let other = try await garden.gardener()
        let coordinator = try await garden.coordinator()
        let second = try await gardener.client.call(
            "plots.create", ["values": ["number": 900, "name": "Zone", "rotation": 4], "select": "{ id }"])
        for id in [JSONValue(gardener.plot), second["id"] ?? .null] {
            _ = try await gardener.client.call("plots.move", ["id": id, "state": "planted"])
        }
        let figures = "{ id plots_in_use years first_number last_name }"
        let own = try await gardener.client.call("gardeners.list", ["select": .string(figures)]).at("/items").array
        #expect(own.count == 1)
        #expect(own[0]["plots_in_use"] == 2)
        #expect(own[0]["years"] == 7)
        #expect(own[0]["last_name"] == "Zone")
        let all = try await coordinator.call(
            "gardeners.list",
            [
                "where": ["plots_in_use": ["gte": 2], "id": ["in": [JSONValue(gardener.id), JSONValue(other.id)]]],
                "order_by": ["-years"], "select": .string(figures),
            ])
        #expect(all.at("/items").array == own)
        let none = try await coordinator.call(
            "gardeners.get",
            [
                "id": JSONValue(other.id),
                "select": "{ plots_in_use years first_number last_name plots { gardener { years } } }",
            ])
        #expect(none["plots_in_use"] == 0)
        #expect(none["years"] == 3)
        #expect(none.at("/plots/0/gardener/years") == 3)
        let sums = try await coordinator.call(
            "gardeners.aggregate",
            [
                "where": ["id": JSONValue(gardener.id)], "group_by": ["plots_in_use"],
                "select": "{ count sum { years } }",
            ])
        #expect(sums.at("/items/0/plots_in_use") == 2, "\(sums.json)")
        #expect(sums.at("/items/0/sum/years") == 7, "\(sums.json)")
        let written = try await coordinator.refusal(
            "gardeners.update", ["id": JSONValue(gardener.id), "values": ["years": 1]])
        #expect(paths(written) == ["/values/years read_only"])
    }

    @Test func `what is deleted with a record does not count among what keeps it`() async throws {
        let gardener = try await Garden.running().gardener()
        _ = try await gardener.client.call("presences.note")
        let refused = try await Garden.running().coordinator().refusal(
            "gardeners.delete", ["id": JSONValue(gardener.id)])
        #expect(refused.at("/data/reason") == "referenced")
        #expect(refused.at("/data/count") == 1)
    }

    @Test func `blocks of several kinds are checked part by part, and answered with the members of all`() async throws {
        let gardener = try await Garden.running().gardener()
        let id = "0b54b1c4-55a0-4d0e-9a5e-3a6b8f5c1d2e"
        func observe(_ blocks: JSONValue) -> JSONValue {
            ["values": ["plot_id": JSONValue(gardener.plot), "mood": 1, "blocks": blocks], "select": "{ blocks }"]
        }
        let made = try await gardener.client.call(
            "observations.create",
            observe([["kind": "count", "id": .string(id.uppercased()), "place": 0, "what": "Limaces", "count": 3]]))
        let block: JSONValue = [
            "count": 3, "id": .string(id), "kind": "count", "photo": .null, "place": 0, "text": .null,
            "what": "Limaces",
        ]
        #expect(made["blocks"]?.array == [block])
        let refused = try await gardener.client.refusal(
            "observations.create",
            observe([
                block, ["kind": "text", "id": .string(id), "place": 1, "text": "a", "count": 2],
                ["kind": "poem", "place": 1],
            ]))
        #expect(
            paths(refused) == [
                "/values/blocks/1/count rule", "/values/blocks/1/id duplicate", "/values/blocks/2/id required",
                "/values/blocks/2/kind format", "/values/blocks/2/place duplicate",
            ], "\(refused.json)")
        let twice = try await gardener.client.refusal(
            "observations.create", observe([block, ["kind": "text", "id": .string(id), "place": 0, "text": "a"]]))
        #expect(paths(twice) == ["/values/blocks/1/id duplicate", "/values/blocks/1/place duplicate"])
    }

    @Test func `a command moves the state, and the trigger refuses what is out of order, with the facts`() async throws
    {
        let gardener = try await Garden.running().gardener()
        let plot = JSONValue(gardener.plot)
        let moved = try await gardener.client.call(
            "plots.move", ["id": plot, "state": "planted", "if_version": 1, "select": "{ state version }"])
        #expect(moved == ["state": "planted", "version": 2])
        let error = try await gardener.client.refusal("plots.move", ["id": plot, "state": "fallow"])
        #expect(error["code"] == 409)
        #expect(error.at("/data/reason") == "state")
        #expect(error.at("/data/state") == "planted")
        let outdated = try await gardener.client.refusal(
            "plots.move", ["id": plot, "state": "resting", "if_version": 1])
        #expect(outdated.at("/data/reason") == "version")
        #expect(outdated.at("/data/current/state") == "planted")
    }

    @Test func `a command that answers a value answers another version with the present record, also in a transaction`()
        async throws
    {
        let gardener = try await Garden.running().gardener()
        let plot = JSONValue(gardener.plot)
        let inspected = try await gardener.client.call("plots.inspect", ["id": plot, "if_version": 1])
        #expect(inspected["id"]?.text?.hasSuffix("-1") == true, "\(inspected.json)")
        let outdated = try await gardener.client.refusal("plots.inspect", ["id": plot, "if_version": 7])
        #expect(outdated["code"] == 409 && outdated.at("/data/reason") == "version", "\(outdated.json)")
        #expect(outdated.at("/data/current/id") == plot)
        #expect(outdated.at("/data/current/version") == 1)
        let calls: JSONValue = [
            ["method": "plots.move", "as": "moved", "params": ["id": plot, "state": "planted"]],
            ["method": "plots.inspect", "params": ["id": ["$ref": "moved.id"], "if_version": 1]],
        ]
        let late = try await gardener.client.refusal("transaction.run", ["calls": calls])
        #expect(late["code"] == 409 && late.at("/data/reason") == "version", "\(late.json)")
        #expect(late.at("/data/path") == "/calls/1")
        #expect(late.at("/data/current/version") == 2)
    }

    @Test func `a member of a value has the type that it is declared with, also under the name of a primary key`()
        async throws
    {
        let document = try await Garden.running().coordinator().call("rpc.discover")
        let method = try #require(document["methods"]?.array.first { $0["name"] == "plots.inspect" })
        #expect(method.at("/result/schema/properties/id/type") == "string", "\(method.json)")
        #expect(document.at("/components/schemas/plots/properties/id/minimum") == 1)
    }

    @Test func `a command answers several records, or refuses at the path that its function gives and changes nothing`()
        async throws
    {
        let gardener = try await Garden.running().gardener()
        let plot = JSONValue(gardener.plot)
        let sown = try await gardener.client.call(
            "plots.sow",
            [
                "id": plot, "lines": [["crop": "haricot", "quantity": 4], ["crop": "tomate"]],
                "select": "{ quantity crop { code } plot { id } }",
            ])
        #expect(
            sown["items"] == [
                ["crop": ["code": "haricot"], "plot": ["id": plot], "quantity": 4],
                ["crop": ["code": "tomate"], "plot": ["id": plot], "quantity": 1],
            ])
        let error = try await gardener.client.refusal(
            "plots.sow", ["id": plot, "lines": [["crop": "tomate"], ["crop": "ivraie"]]])
        #expect(paths(error) == ["/lines/1/crop rule"], "\(error.json)")
        let count = try await gardener.client.call("plantings.list", ["count": true])
        #expect(count["total"] == 2)
    }

    @Test func `a command answers the outcome of each item`() async throws {
        let garden = try await Garden.running()
        let gardener = try await garden.gardener()
        let planting = JSONValue(try await garden.planting(gardener))
        let outcomes = try await gardener.client.call(
            "plantings.harvest",
            [
                "day": "2026-07-01",
                "items": [
                    ["planting_id": planting, "kilos": .number("2.50")],
                    ["planting_id": planting, "kilos": 501],
                    ["planting_id": 999_999_999, "kilos": 1],
                ],
            ])
        #expect(outcomes.array.compactMap { $0["outcome"]?.text } == ["noted", "too_much", "unknown"])
        #expect(try await gardener.client.call("harvests.list", ["count": true])["total"] == 1)
    }

    @Test func `a command answers an object without members, and spends nothing in the feed`() async throws {
        let gardener = try await Garden.running().gardener()
        let start = try await gardener.client.call("changes.list")
        for _ in 0..<2 { #expect(try await gardener.client.call("presences.note") == [:]) }
        #expect(try await gardener.client.call("presences.list", ["count": true])["total"] == 1)
        let error = try await gardener.client.refusal(
            "changes.list", ["after": start["end_cursor"] ?? .null, "tables": ["presences"]])
        #expect(error["code"] == -32602, "\(error.json)")
    }

    @Test func `a range excludes another, and the error names the time of that one`() async throws {
        let garden = try await Garden.running()
        let (first, second) = (try await garden.gardener(), try await garden.gardener())
        let year = 3000 + first.id
        func book(_ gardener: Garden.Gardener, _ from: String, _ to: String) async throws -> JSONValue {
            try await gardener.client.response(
                "greenhouse_bookings.book",
                ["starts_at": .string("\(year)-\(from)Z"), "ends_at": .string("\(year)-\(to)Z")])
        }
        #expect(try await book(first, "01-01T08:00:00", "01-01T10:00:00")["result"] != nil)
        #expect(try await book(second, "01-01T10:00:00", "01-01T11:00:00")["result"] != nil)
        let taken = try await book(second, "01-01T09:00:00", "01-01T12:00:00")
        #expect(taken.at("/error/code") == 409, "\(taken.json)")
        #expect(taken.at("/error/data/reason") == "overlap")
        #expect(taken.at("/error/data/starts_at").text?.hasPrefix("\(year)-01-01T08:00:00") == true)
        let backwards = try await book(first, "02-01T10:00:00", "02-01T09:00:00")
        #expect(paths(backwards.at("/error")) == ["/ends_at rule"], "\(backwards.json)")
    }

    @Test func `a rule that forbids is answered with 403`() async throws {
        let garden = try await Garden.running()
        let gardener = try await garden.gardener()
        _ = try await garden.coordinator().call(
            "gardeners.update", ["id": JSONValue(gardener.id), "values": ["is_suspended": true]])
        let error = try await gardener.client.refusal(
            "greenhouse_bookings.book",
            ["starts_at": "2100-01-01T08:00:00Z", "ends_at": "2100-01-01T09:00:00Z"])
        #expect(error["code"] == 403, "\(error.json)")
        #expect(error["message"]?.text?.contains("réserver la serre") == true)
    }

    @Test func `Swift reads a parameter before the function has it`() async throws {
        let garden = try await Garden.running()
        let made = try await garden.coordinator().call(
            "gardeners.import",
            [
                "card": "BEGIN:VCARD\r\nFN:Chloé Martin\r\nEMAIL:chloe@test.example\r\nEND:VCARD",
                "select": "{ name email }",
            ])
        #expect(made == ["email": "chloe@test.example", "name": "Chloé Martin"])
        let error = try await garden.coordinator().refusal("gardeners.import", ["card": "Chloé Martin"])
        #expect(paths(error) == ["/card format"], "\(error.json)")
        #expect(error.at("/data/errors/0/message").text?.contains("BEGIN:VCARD") == true)
    }

    @Test func `a view has required and optional parameters, defaults, and a rule between them`() async throws {
        let garden = try await Garden.running()
        let gardener = try await garden.gardener()
        let planting = JSONValue(try await garden.planting(gardener))
        for (day, kilos) in [("2026-06-01", "1.50"), ("2026-07-01", "2.00")] {
            _ = try await gardener.client.call(
                "plantings.harvest",
                ["day": .string(day), "items": [["planting_id": planting, "kilos": .number(kilos)]]])
        }
        let cases: [([(String, JSONValue)], [Double])] = [
            ([], [3.5]), ([("until", "2026-06-30")], [1.5]), ([("at_least", 4)], []), ([("at_least", .null)], [3.5]),
            ([("where", ["plot": ["id": JSONValue(gardener.plot)]])], [3.5]),
        ]
        for (params, kilos) in cases {
            let page = try await gardener.client.call("yields.list", .merging([("since", "2026-01-01")] + params))
            #expect(
                page.at("/items").array.map { $0["kilos"]?.double } == kilos, "\(params): \(page.json)")
        }
        #expect(paths(try await gardener.client.refusal("yields.list", [:])) == ["/since required"])
        let backwards = try await gardener.client.refusal(
            "yields.list", ["since": "2026-02-01", "until": "2026-01-01"])
        #expect(paths(backwards) == ["/until rule"], "\(backwards.json)")
        let text = try await gardener.client.call(
            "plots.label", ["id": JSONValue(gardener.plot), "with_gardener": false])["text"]?.text
        #expect(text?.contains("Carré") == true && text?.contains("(") == false)
    }
}
