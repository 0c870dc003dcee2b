import JSON
import PostgresDriver
import TestPostgres
import TestSupport
import Testing

/// The jobs as administrators see them: `jobs.list`, `jobs.run`.
@Suite struct ReadableJobTests {
    @Test func `administrators read the jobs with what became of them, and run one at once`() async throws {
        let server = try await TestServer.start()
        let admin = try await server.client()
        let listed = try await admin.call("jobs.list").at("/items").array
        let job = try #require(listed.first { $0["name"] == "prospects.relances_du_matin" })
        #expect(job["schedule"] == "daily 7:00")
        #expect(job["failures"] == 0)
        // It has not run yet, and is due tomorrow at the latest.
        #expect(job["last_started_at"] == .null)
        let declared = try await admin.call("rpc.domains").at("/domains").array.flatMap { $0["entities"]?.array ?? [] }
        let names = try #require(declared.first { $0["name"] == "jobs" })["columns"]?.array.first {
            $0["name"] == "name"
        }
        #expect(names?.at("/choices/0/label") == "Courriels des relances du matin")
        let due = try await admin.call("jobs.run", ["id": job["id"] ?? .null])
        #expect(due["id"] == job["id"])
        let isOver = { (at: String) async throws in
            try await admin.call("jobs.get", ["id": job["id"] ?? .null])[at] != .null
        }
        try await eventually("the job has run") { try await isOver("last_ended_at") }
        let after = try await admin.call("jobs.get", ["id": job["id"] ?? .null])
        #expect(after["last_error"] == .null)
        #expect((after["next_at"]?.text ?? "") > (after["last_ended_at"]?.text ?? ""))
    }

    @Test func `a job that runs is not run twice, and one that is none is not found`() async throws {
        let server = try await TestServer.start()
        let admin = try await server.client()
        let id = try #require(try await admin.call("jobs.list").at("/items/0/id").int)
        let database = PostgresClient(.init(connectionString: server.database.connectionString))
        try await database.withConnection { connection in
            // As the transaction of a run holds it.
            try await connection.simpleQuery("BEGIN; SELECT FROM kernel.jobs WHERE id = \(id) FOR UPDATE")
            let refused = try await admin.refusal("jobs.run", ["id": JSONValue(id)])
            #expect(refused.at("/data/reason") == "running")
            try await connection.simpleQuery("COMMIT")
        }
        await database.shutdown()
        let missing = try await admin.refusal("jobs.run", ["id": 999])
        #expect(missing["code"] == 404)
        let user = try await server.client(TestServer.user)
        #expect(try await user.refusal("jobs.list")["code"] == 403)
    }
}
