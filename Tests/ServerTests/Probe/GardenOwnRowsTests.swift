import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// Through every path, a gardener reaches the own rows, and the coordinator all of them.
@Suite struct GardenOwnRowsTests {
    @Test func `a method that is given the identifier of another's row answers as if there were none`() async throws {
        let garden = try await Garden.running()
        let (ana, bao) = (try await garden.gardener(), try await garden.gardener())
        let planting = JSONValue(try await garden.planting(ana))
        let plot = JSONValue(ana.plot)
        let calls: [(String, JSONValue)] = [
            ("plots.get", ["id": plot]), ("plots.label", ["id": plot]), ("gardeners.get", ["id": JSONValue(ana.id)]),
            ("plots.history", ["id": plot]), ("plantings.get", ["id": planting]),
            ("plots.sow", ["id": plot, "lines": [["crop": "tomate"]]]),
            ("plantings.update", ["id": planting, "values": ["quantity": 2]]),
            ("plots.move", ["id": plot, "state": "planted"]),
            ("plots.update", ["id": plot, "values": ["name": "Le mien"]]), ("plantings.delete", ["id": planting]),
        ]
        for (method, params) in calls {
            let foreign = try await bao.client.response(method, params)
            #expect(foreign.at("/error/code") == 404, "\(method): \(foreign.json)")
            let transaction = try await bao.client.response(
                "transaction.run", ["calls": [["method": .string(method), "params": params]]])
            #expect(transaction["result"] == nil, "\(method): \(transaction.json)")
        }
        for (method, params) in calls {
            let own = try await ana.client.response(method, params)
            #expect(own["result"] != nil, "\(method): \(own.json)")
        }
    }

    @Test func `lists, counts, relations, conditions and the search have the own rows only`() async throws {
        let garden = try await Garden.running()
        let (ana, bao) = (try await garden.gardener(), try await garden.gardener())
        _ = try await garden.planting(ana)
        let plot = JSONValue(ana.plot)
        let filters: [(String, JSONValue)] = [
            ("plots", ["id": plot]), ("plantings", ["plot_id": plot]), ("plantings", ["plot": ["id": plot]]),
            ("gardeners", ["plots": ["some": ["id": plot]]]), ("plots", ["plantings": ["some": ["plot_id": plot]]]),
        ]
        for (entity, filter) in filters {
            for (client, expected) in [(ana.client, 1), (bao.client, 0), (try await garden.coordinator(), 1)] {
                let page = try await client.call(
                    "\(entity).list", ["where": filter, "count": true, "select": "{ id }"])
                #expect(page["total"] == JSONValue(expected), "\(entity) \(filter.json): \(page.json)")
                let groups = try await client.call("\(entity).aggregate", ["where": filter, "select": "{ count }"])
                let count = groups["count"] ?? groups.at("/items/0/count")
                #expect(count == JSONValue(expected), "\(entity): \(groups.json)")
            }
        }
        let none = try await bao.client.call(
            "gardeners.list", ["where": ["plots": ["none": ["id": plot]]], "select": "{ id plots { id } }"])
        #expect(none["items"] == [["id": JSONValue(bao.id), "plots": [["id": JSONValue(bao.plot)]]]])
        let found = try await bao.client.call("plots.list", ["search": "Carré", "select": "{ id }"])
        #expect(found["items"] == [["id": JSONValue(bao.plot)]])
    }

    @Test func `a row refers to own rows only, and is the caller's`() async throws {
        let garden = try await Garden.running()
        let (ana, bao) = (try await garden.gardener(), try await garden.gardener())
        let plot = JSONValue(ana.plot)
        let error = try await bao.client.refusal("observations.create", ["values": ["plot_id": plot, "mood": 0]])
        #expect(error.at("/data/errors/0/path") == "/values/plot_id", "\(error.json)")
        let given = try await bao.client.refusal(
            "observations.create", ["values": ["plot_id": plot, "mood": 0, "gardener_id": JSONValue(ana.id)]])
        #expect(given["code"] == -32602, "\(given.json)")
        // The coordinator writes for others, and the two columns must belong together.
        let mixed = try await garden.coordinator().refusal(
            "observations.create", ["values": ["plot_id": plot, "mood": 0, "gardener_id": JSONValue(bao.id)]])
        #expect(mixed["code"] == -32602, "\(mixed.json)")
        let written = try await garden.coordinator().response(
            "observations.create", ["values": ["plot_id": plot, "mood": 0, "gardener_id": JSONValue(ana.id)]])
        #expect(written["result"] != nil, "\(written.json)")
    }

    @Test func `a view and a transaction with references have the own rows only`() async throws {
        let garden = try await Garden.running()
        let (ana, bao) = (try await garden.gardener(), try await garden.gardener())
        let planting = JSONValue(try await garden.planting(ana))
        let harvest: JSONValue = ["day": "2026-07-01", "items": [["planting_id": planting, "kilos": 3]]]
        #expect(try await bao.client.call("plantings.harvest", harvest).at("/0/outcome") == "unknown")
        #expect(try await ana.client.call("plantings.harvest", harvest).at("/0/outcome") == "noted")
        let period: JSONValue = ["since": "2026-01-01", "select": "{ plot_id plot { name } }"]
        #expect(try await bao.client.call("yields.list", period)["items"] == [])
        #expect(try await ana.client.call("yields.list", period).at("/items/0/plot_id") == JSONValue(ana.plot))
        let calls: [JSONValue] = [
            ["method": "crops.list", "params": [:]],
            [
                "method": "observations.create", "as": "seen",
                "params": ["values": ["plot_id": JSONValue(bao.plot), "mood": 1]],
            ],
            ["method": "plots.update", "params": ["id": JSONValue(ana.plot), "values": ["name": "Le mien"]]],
        ]
        let error = try await bao.client.refusal("transaction.run", ["calls": .array(Array(calls.dropFirst()))])
        #expect(error["code"] == 404, "\(error.json)")
        #expect(error.at("/data/path") == "/calls/1")
        #expect(try await bao.client.call("observations.list", ["count": true])["total"] == 0)
    }

    @Test func `the feed tells a gardener of the own rows, also by an access key`() async throws {
        // Older transactions of a cluster hold changes back.
        let garden = try await Garden(.probe(), on: TestCluster.start())
        let (ana, bao) = (try await garden.gardener(), try await garden.gardener())
        let admin = try await garden.server.client()
        let key = try await admin.call(
            "auth.create_access_key",
            ["account_id": ana.account, "role": "gardener", "subject": JSONValue(ana.id), "name": "Cabanon"])
        let sensor = try RPCClient(port: garden.server.port, token: try #require(key["key"]?.text))
        let start = try await sensor.call("changes.list")["end_cursor"] ?? .null
        let listener = try await EventListenerClient.listen(
            garden.server, token: sensor.token, query: "?tables=plots")
        #expect(try await listener.event().name == "ready")
        for gardener in [bao, ana] {
            _ = try await gardener.client.call(
                "plots.update", ["id": JSONValue(gardener.plot), "values": ["name": "Nouveau nom"]])
        }
        #expect(try await listener.changes(1).texts == ["plots \(ana.plot) update 2"])
        try await eventually("the change is in the list") {
            let page = try await sensor.call("changes.list", ["after": start, "tables": ["plots"]])
            return page.at("/items").array.map { $0["id"] } == [JSONValue(ana.plot)]
        }
        #expect(try await sensor.refusal("plots.get", ["id": JSONValue(bao.plot)])["code"] == 404)
        #expect(try await sensor.response("plots.get", ["id": JSONValue(ana.plot)])["result"] != nil)
        #expect(try await sensor.refusal("users.list")["code"] == 403)
    }

    @Test func `methods of the other role are refused`() async throws {
        let garden = try await Garden.running()
        let gardener = try await garden.gardener()
        let plot = JSONValue(gardener.plot)
        for (method, params) in [
            ("gardeners.create", ["values": ["name": "x"]]), ("plots.delete", ["id": plot]),
            ("gardeners.import", ["card": "x"]), ("seasons.update", ["id": 1, "values": [:]]),
        ] as [(String, JSONValue)] {
            #expect(try await gardener.client.refusal(method, params)["code"] == 403, "\(method)")
        }
        #expect(try await garden.coordinator().refusal("presences.note")["code"] == 403)
        // An account without a role of the domain has none of its methods.
        let admin = try await garden.server.client()
        #expect(try await admin.refusal("plots.list")["code"] == 403)
    }
}
