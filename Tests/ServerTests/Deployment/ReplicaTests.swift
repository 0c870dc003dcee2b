import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@Suite struct ReplicaTests {
    @Test func `reads use the replica, own writes are visible at once, and no call fails when the replica stops`()
        async throws
    {
        let cluster = try await TestCluster.start()
        let database = try await TestDatabase.create(on: cluster)
        let replica = try await cluster.startReplica()
        let server = try await TestServer.start(
            ["--replica-url", replica.connectionString(database: database.name), "--replica-max-lag", "0.5"],
            database: database)
        let rows = try await Fixtures(server)
        let user = try await server.client(TestServer.user)

        try await eventually("reads go to the replica") {
            _ = try await user.call("sessions.list", ["select": "{ id }"])
            return try await Self.reads(on: "replica", of: server) > 0
        }
        for count in 1...50 {
            let session = try await rows.session()
            let total = try await rows.client.call("sessions.list", ["count": true, "select": "{ id }"])["total"]
            #expect(total == .number("\(count)"))
            #expect(try await rows.client.call("sessions.get", ["id": JSONValue(session)])["id"] == JSONValue(session))
        }
        let text = try await server.connection().request("GET", "/metrics").text
        #expect(text.contains("replica_lag_seconds{replica=\"1\"}"))

        try await replica.killPostmaster()
        for _ in 0..<100 {
            let answer = try await user.response("sessions.list", ["count": true])
            #expect(answer.at("/result/total") == 50, "\(answer.json)")
        }
        #expect(try await server.stop() == 0)
        try await cluster.stop(.immediate)
    }
    @Test func `own rows are read from the replica, and own writes are visible at once`() async throws {
        let cluster = try await TestCluster.start()
        let program = TestProgram.probe()
        let database = try await program.migratedDatabase(on: cluster)
        let replica = try await cluster.startReplica()
        let server = try await TestServer.start(
            ["--replica-url", replica.connectionString(database: database.name), "--replica-max-lag", "0.5"],
            database: database, program: program)
        let garden = try await Garden(server)
        let (ana, bao) = (try await garden.gardener(), try await garden.gardener())
        let before = try await Self.reads(on: "replica", of: server)
        try await eventually("own rows are read from the replica") {
            let page = try await bao.client.call("plots.list", ["select": "{ id }"])
            #expect(page["items"] == [["id": JSONValue(bao.plot)]])
            return try await Self.reads(on: "replica", of: server) > before
        }
        for number in 1...20 {
            let name = JSONValue.string("Carré nouveau \(number)")
            _ = try await ana.client.call("plots.update", ["id": JSONValue(ana.plot), "values": ["name": name]])
            #expect(try await ana.client.call("plots.get", ["id": JSONValue(ana.plot)])["name"] == name)
        }
        #expect(try await server.stop() == 0)
        try await replica.stop(.immediate)
        try await cluster.stop(.immediate)
    }

    /// How many reads a server of the database has answered.
    private static func reads(on place: String, of server: TestServer) async throws -> Double {
        let text = try await server.connection().request("GET", "/metrics").text
        return text.split(separator: "\n").filter {
            $0.hasPrefix("database_reads_total") && $0.contains("server=\"\(place)\"")
        }.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0, +)
    }
}
