import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// Two sessions that do the same at once.
@Suite struct GardenRaceTests {
    /// The answers of two connections that send at once.
    private func race(
        _ clients: (RPCClient, RPCClient), _ method: String, _ params: (JSONValue, JSONValue)
    ) async throws -> [JSONValue] {
        async let first = clients.0.response(method, params.0)
        async let second = clients.1.response(method, params.1)
        return [try await first, try await second]
    }

    @Test func `of two overlapping bookings one is made, and the other is a conflict`() async throws {
        let garden = try await Garden.running()
        let (ana, bao) = (try await garden.gardener(), try await garden.gardener())
        for round in 0..<10 {
            let year = 5000 + round
            let params: JSONValue = [
                "starts_at": .string("\(year)-01-01T08:00:00Z"), "ends_at": .string("\(year)-01-01T09:00:00Z"),
            ]
            let answers = try await race((ana.client, bao.client), "greenhouse_bookings.book", (params, params))
            #expect(answers.filter { $0["result"] != nil }.count == 1, "\(answers.map(\.json))")
            #expect(answers.compactMap { $0["error"]?.at("/data/reason") } == ["overlap"])
        }
    }

    @Test func `of two moves of a plot to the same state one is refused`() async throws {
        let garden = try await Garden.running()
        let gardener = try await garden.gardener()
        let second = try await garden.server.client(gardener.email)
        for state in ["planted", "resting", "fallow"] {
            let params: JSONValue = ["id": JSONValue(gardener.plot), "state": .string(state)]
            let answers = try await race((gardener.client, second), "plots.move", (params, params))
            #expect(answers.filter { $0["result"] != nil }.count == 1, "\(answers.map(\.json))")
            #expect(answers.compactMap { $0["error"]?.at("/data/state") } == [.string(state)])
        }
    }

    @Test func `the singleton is made once`() async throws {
        let garden = try await Garden.running()
        let (ana, bao) = (try await garden.gardener(), try await garden.gardener())
        for _ in 0..<5 {
            try await garden.server.database.psql("DELETE FROM probe.seasons")
            let answers = try await race((ana.client, bao.client), "seasons.current", ([:], [:]))
            #expect(answers[0].at("/result/id").int != nil, "\(answers[0].json)")
            #expect(answers[0].at("/result/id") == answers[1].at("/result/id"))
        }
    }

    @Test func `a command with one key happens once`() async throws {
        let garden = try await Garden.running()
        let gardener = try await garden.gardener()
        let second = try await garden.server.client(gardener.email)
        let params: JSONValue = [
            "id": JSONValue(gardener.plot), "lines": [["crop": "tomate"]], "idempotency_key": "une fois",
            "select": "{ id }",
        ]
        let answers = try await race((gardener.client, second), "plots.sow", (params, params))
        let results = answers.compactMap { $0["result"] }
        #expect(!results.isEmpty && Set(results.map(\.json)).count == 1, "\(answers.map(\.json))")
        #expect(answers.compactMap { $0["error"]?["code"] }.allSatisfy { $0 == 409 })
        #expect(try await gardener.client.call("plots.sow", params).json == results[0].json)
        #expect(try await gardener.client.call("plantings.list", ["count": true])["total"] == 1)
    }
}
