import DomainKit
import JSON
import PostgresDriver
import TestPostgres
import TestSupport
import Testing

@Suite struct FaultTests {
    @Test func `calls get 503 while Postgres is stopped and succeed after it has started again`() async throws {
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

    @Test func `while backends are terminated all the time, no acknowledged row is lost and none is written twice`()
        async throws
    {
        let server = try await TestServer.start()
        let rows = try await Fixtures(server)
        let terminations = LockedValue(0)
        let killer = Task {
            while !Task.isCancelled {
                _ = try await server.database.psql(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
                terminations.withLock { $0 += 1 }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        var acknowledged: Set<String> = []
        var unknown: Set<String> = []
        for index in 0..<150 {
            let mark = "k\(index)"
            let values = JSONValue.merging(Fixtures.session([("ref_contrat", .string(mark))]))
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
        #expect(terminations.value > 1)
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

    @Test func `writers that wait for a locked row do not delay reads`() async throws {
        let server = try await TestServer.start()
        let rows = try await Fixtures(server)
        let id = try await rows.session()
        let database = PostgresClient(.init(connectionString: server.database.connectionString))
        try await database.withConnection { connection in
            try await connection.simpleQuery("BEGIN; UPDATE sessions SET lieu = 'Lyon' WHERE id = \(id)")
            try await withThrowingTaskGroup { group in
                for index in 0..<6 {
                    let writer = try await server.client()
                    group.addTask {
                        let values: JSONValue = ["ref_contrat": .string("w\(index)")]
                        return try await writer.response("sessions.update", ["id": JSONValue(id), "values": values])
                    }
                }
                try await eventually("a writer waits for the row") {
                    try await server.database.psql("SELECT count(*) > 0 FROM pg_locks WHERE NOT granted").hasPrefix("t")
                }
                for _ in 0..<20 {
                    let read = try await rows.client.response("sessions.list", ["first": 1, "select": "{ id }"])
                    #expect(read["result"] != nil, "\(read.json)")
                }
                try await connection.simpleQuery("COMMIT")
                for try await answer in group {
                    // A write that has waited for a second is ended, and may be repeated.
                    let isFine = answer["result"] != nil || answer.at("/error/data/retryable") == true
                    #expect(isFine, "\(answer.json)")
                }
            }
        }
        await database.shutdown()
    }
}
