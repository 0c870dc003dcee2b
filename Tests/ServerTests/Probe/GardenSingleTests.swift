import JSON
import TestPostgres
import TestSupport
import Testing

/// ProbeDomain declares the garden as single: there is one record at most.
@Suite struct GardenSingleTests {
    @Test func `of any number of first uses at once one makes the only record, and later ones answer it`() async throws
    {
        let garden = try await Garden(.probe())
        let coordinator = try await garden.coordinator()
        let none = try await coordinator.refusal("gardens.get", ["select": "{ name }"])
        #expect(none["code"] == 404)
        #expect(try await coordinator.call("gardens.list", ["select": "{ id }"])["items"] == [])
        let token = try #require(coordinator.token)
        let ids = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<16 {
                let client = try RPCClient(port: garden.server.port, token: token)
                group.addTask { try await client.call("gardens.open", ["select": "{ id }"])["id"]?.json ?? "" }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(ids.count == 1 && !ids.contains(""), "\(ids)")
        #expect(try await garden.server.database.psql("SELECT count(*) FROM probe.gardens") == "1")
        #expect(try await garden.server.stop() == 0)
    }

    @Test func `the first record that refers to it makes it, by psql too`() async throws {
        let garden = try await Garden(.probe())
        let database = garden.server.database
        let gardener = try await garden.gardener()
        let plot = try await gardener.client.call(
            "plots.get", ["id": JSONValue(gardener.plot), "select": "{ garden_id garden { name plot_count } }"])
        #expect(plot["garden"] == ["name": "Notre jardin", "plot_count": 1], "\(plot.json)")
        let other = try await database.psql(
            "INSERT INTO probe.plots (gardener_id, number, name) VALUES (\(gardener.id), 800, 'Autre') RETURNING garden_id"
        )
        #expect(plot["garden_id"]?.json == other)
        let written = try await gardener.client.refusal(
            "plots.update", ["id": JSONValue(gardener.plot), "values": ["garden_id": 1]])
        #expect(written.at("/data/errors/0/code") == "read_only")
        #expect(try await garden.server.stop() == 0)
    }

    @Test func `it is read without an id, and no call makes or deletes a second`() async throws {
        let garden = try await Garden.running()
        let coordinator = try await garden.coordinator()
        let id = try await coordinator.call("gardens.open", ["select": "{ id }"])["id"] ?? .null
        for params: JSONValue in [
            ["select": "{ id }"], ["id": .null, "select": "{ id }"], ["id": id, "select": "{ id }"],
        ] {
            #expect(try await coordinator.call("gardens.get", params) == ["id": id], "\(params.json)")
        }
        let variables: JSONValue = [
            "select": "{ id plots(where: {rotation: $rotation}) { id } }",
            "variables": ["rotation": 77],
        ]
        #expect(try await coordinator.call("gardens.get", variables) == ["id": id, "plots": []])
        #expect(try await coordinator.refusal("gardens.get", ["id": 999_999])["code"] == 404)
        #expect(try await coordinator.refusal("gardens.get", ["id": "x"])["code"] == -32602)
        // Others are asked for by their id.
        #expect(try await coordinator.refusal("crops.get", ["select": "{ id }"]).at("/data/errors/0/path") == "/id")
        for method in ["gardens.create", "gardens.delete", "gardens.duplicate"] {
            #expect(try await coordinator.refusal(method)["code"] == -32601, "\(method)")
        }
        let second = try await garden.server.database.psql(
            "DO $$ BEGIN INSERT INTO probe.gardens DEFAULT VALUES; EXCEPTION WHEN unique_violation THEN RAISE NOTICE 'one'; END $$; SELECT count(*) FROM probe.gardens"
        )
        #expect(second == "1")
        let gardener = try await garden.gardener()
        #expect(try await gardener.client.call("gardens.get", ["select": "{ id }"]) == ["id": id])
        #expect(
            try await gardener.client.refusal("gardens.update", ["id": id, "values": ["name": "Le mien"]])["code"]
                == 403)
        let account = try await garden.server.client(TestServer.user)
        #expect(try await account.refusal("gardens.get", ["select": "{ id }"])["code"] == 403)
    }

    @Test func `rpc.domains and the documents say that there is one`() async throws {
        let coordinator = try await Garden.running().coordinator()
        let domains = try await coordinator.call("rpc.domains")["domains"]?.array ?? []
        let entities = domains.first { $0["name"] == "probe" }?["entities"]?.array ?? []
        #expect(entities.filter { $0["single"] == true }.map { $0["name"] } == ["gardens"])
        let document = try await coordinator.call("rpc.discover")
        let methods = document["methods"]?.array ?? []
        func requires(_ method: String) -> Bool? {
            let parameters = methods.first { $0["name"] == .string(method) }?["params"]?.array
            return parameters?.first { $0["name"] == "id" }.map { $0["required"] == true }
        }
        #expect(requires("gardens.get") == false)
        #expect(requires("crops.get") == true)
    }
}
