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

        func reads(on place: String) async throws -> Double {
            let text = try await server.connection().request("GET", "/metrics").text
            return text.split(separator: "\n").filter {
                $0.hasPrefix("database_reads_total") && $0.contains("server=\"\(place)\"")
            }.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0, +)
        }

        try await eventually("reads go to the replica") {
            _ = try await user.call("sessions.list", ["select": "{ id }"])
            return try await reads(on: "replica") > 0
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
}
