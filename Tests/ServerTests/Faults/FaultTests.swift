import DomainKit
import PostgresDriver
import TestPostgres
import Testing

@Suite("Postgres fails")
struct FaultTests {
    @Test("stopped under the server gives 503, and comes back by itself")
    func stoppedAndStarted() async throws {
        let cluster = try await TestCluster.start()
        let database = try await TestDatabase.create(migrated: true, on: cluster)
        let server = try await TestServer.start(database: database)
        let client = try await server.client()
        #expect(try await client.call("sessions.list", ["count": true, "select": "{ id }"])["total"] == 0)

        try await cluster.stop()
        let error = try await client.refusal("sessions.list")
        #expect(error["code"] == 503, "\(error.json)")
        #expect(error.at("/data/code") == "unavailable")
        #expect(error.at("/data/retryable") == true)
        #expect(try await server.connection().request("GET", "/health/ready").status == 503)
        #expect(try await server.connection().request("GET", "/health/live").status == 200)

        try await cluster.startAgain()
        try await eventually("the server answers again") {
            try await client.response("sessions.list")["result"] != nil
        }
        #expect(try await server.stop() == 0)
        try await cluster.stop()
    }

    @Test("backends that are terminated all the time lose no acknowledged row and write none twice")
    func terminatedBackends() async throws {
        let server = try await TestServer.start()
        let rows = try await Fixtures(server)
        let killer = Task {
            while !Task.isCancelled {
                _ = try await server.database.psql(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        var acknowledged: Set<String> = []
        var unknown: Set<String> = []
        for index in 0..<150 {
            let mark = "k\(index)"
            let values = JSON.merging(Fixtures.session([("ref_contrat", .string(mark))]))
            let answer = try await rows.client.response(
                "sessions.create", ["values": values, "select": "{ ref_contrat }"])
            if answer["result"] != nil { acknowledged.insert(mark) }
            switch answer.at("/error/data/code") {
            case "outcome_unknown": unknown.insert(mark)
            case "unavailable", .null: break
            default: Issue.record("\(answer.json)")
            }
            let read = try await rows.client.response("sessions.list", ["first": 1])
            let isFine = read["result"] != nil || read.at("/error/data/retryable") == true
            #expect(isFine, "\(read.json)")
        }
        killer.cancel()
        _ = await killer.result
        let stored = try await server.database.psql("SELECT ref_contrat FROM sessions").split(separator: "\n").map(
            String.init)
        #expect(Set(stored).count == stored.count, "a row was written twice")
        #expect(acknowledged.isSubset(of: stored))
        #expect(Set(stored).isSubset(of: acknowledged.union(unknown)))
        try await eventually("the server answers again") {
            try await rows.client.response("sessions.list")["result"] != nil
        }
        #expect(try await server.stop() == 0)
    }
}
