import DomainKit
import Foundation
import JSON
import PostgresDriver
import TestPostgres
import TestSupport
import Testing

@Suite struct DatabaseFaultTests {
    /// The tolerance for documented times on a busy machine, in seconds.
    static let indulgence = 4

    @Test
    func `in a black hole before the database calls get 503 in time, then succeed at once, and no descriptor leaks`()
        async throws
    {
        let cluster = try await TestCluster.own()
        let database = try await TestDatabase.create(migrated: true, on: cluster)
        let proxy = try FaultProxy(to: cluster)
        let server = try await TestServer.start(
            environment: ["DATABASE_URL": proxy.connectionString(to: database)], database: database)
        let client = try await server.client()
        _ = try await client.call("sessions.list", ["select": "{ id }"])
        for _ in 0..<3 {
            proxy.set(.blackHole)
            let start = ContinuousClock.now
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    let reader = try await server.client()
                    group.addTask {
                        let error = try await reader.refusal("sessions.list", ["select": "{ id }"])
                        #expect(error["code"] == 503, "\(error.json)")
                        #expect(error.at("/data/retryable") == true)
                    }
                }
                try await group.waitForAll()
            }
            let taken = ContinuousClock.now - start
            #expect(taken < .seconds(5) + .seconds(1) * Self.indulgence, "refused after \(taken)")
            proxy.set(.normal)
            let recovery = try await timeToRecover(client)
            #expect(recovery < .seconds(1) * Self.indulgence, "back after \(recovery)")
        }
        // What the pools may hold: 8 for each of the two roles, 2 for sign-ins, 4 for jobs, the owner's; and the listeners.
        try await eventually("dead connections are closed") { proxy.openConnections <= 2 * 8 + 2 + 4 + 1 + 2 }
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(server.process.pid ?? 0)/fd")
            .count
        #expect(descriptors < 80, "descriptors stay open")
        #expect(try await server.stop() == 0)
        try await eventually("nothing is left on the line") { proxy.openConnections == 0 }
    }

    @Test func `when others hold every connection, calls that need one get 503 and the others succeed`() async throws {
        let cluster = try await TestCluster.start(settings: ["max_connections": "16"])
        let database = try await TestDatabase.create(migrated: true, on: cluster)
        let server = try await TestServer.start(database: database)
        let admin = try await server.client()
        let user = try await server.client(TestServer.user)
        _ = try await admin.call("sessions.list", ["select": "{ id }"])
        // The server has connected with each role at the start.
        try await database.psql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'learntrack_user %'")

        let isFull = LockedValue(false)
        let isOver = LockedValue(false)
        var crowd = PostgresClient.Configuration(connectionString: cluster.connectionString)
        crowd.poolSize = 16
        crowd.onEvent = { if case .connectFailed = $0 { isFull.withLock { $0 = true } } }
        let others = PostgresClient(crowd)
        let holding = Task {
            await withTaskGroup { group in
                for _ in 0..<16 {
                    group.addTask {
                        // The connections beyond the server's limit fail, so all of its connections are taken.
                        try? await others.withConnection { _ in
                            try await eventually("the test is over") { isOver.value }
                        }
                    }
                }
            }
        }
        try await eventually("the database is full") { isFull.value }
        let start = ContinuousClock.now
        let error = try await user.refusal("sessions.list", ["select": "{ id }"])
        #expect(error["code"] == 503 && error.at("/data/retryable") == true, "\(error.json)")
        #expect(ContinuousClock.now - start < .seconds(5) + .seconds(1) * Self.indulgence)
        for _ in 0..<10 {
            let answer = try await admin.response("sessions.list", ["select": "{ id }"])
            #expect(answer["result"] != nil, "\(answer.json)")
        }
        isOver.withLock { $0 = true }
        await holding.value
        await others.shutdown()
        #expect(try await timeToRecover(user) < .seconds(1) * Self.indulgence)
        #expect(try await server.stop() == 0)
        try await cluster.stop()
    }

    @Test
    func
        `with a full disk writes get 503 and leave nothing behind, reads succeed, and writes succeed once there is room`()
        async throws
    {
        let cluster = try await TestCluster.start(initdb: ["--wal-segsize=1"])
        let database = try await TestDatabase.create(migrated: true, on: cluster)
        try await database.psql(
            """
            INSERT INTO sessions (module, date, debut, fin, modalite, lieu)
            SELECT 'Module ' || n, '2026-01-12', '09:00', '17:00', 'P', repeat(md5(n::text), 10)
            FROM generate_series(1, 4000) n
            """)
        let server = try await TestServer.start(database: database)
        let rows = try await Fixtures(server)
        let largest = try await database.psql(
            "SELECT max(pg_relation_size(oid)) FROM pg_class WHERE relkind IN ('r', 'i', 't')")
        // Only the first half of the next page fits into the largest file.
        try await cluster.limitFileSize(to: max(try #require(Int(largest)), 1 << 20) + 4_096)
        var acknowledged = 4_000
        var refusal: JSONValue?
        while refusal == nil, acknowledged < 5_000 {
            let place = JSONValue.string(String(repeating: "é\(acknowledged)", count: 60))
            let values = JSONValue.merging(Fixtures.session([("lieu", place)]))
            let answer = try await rows.client.response("sessions.create", ["values": values, "select": "{ id }"])
            if answer["result"] != nil { acknowledged += 1 } else { refusal = answer["error"] }
        }
        let error = try #require(refusal)
        #expect(error["code"] == 503 && error.at("/data/retryable") == true, "\(error.json)")
        let list = try await rows.client.call("sessions.list", ["count": true, "first": 1, "select": "{ id }"])
        #expect(list["total"]?.int == acknowledged)
        // Of equal failures the log has some, and no path of the database server.
        let values = JSONValue.merging(
            Fixtures.session([("lieu", .string(String(repeating: "é", count: 400)))]))
        for _ in 0..<100 { _ = try await rows.client.response("sessions.create", ["values": values]) }
        let lines = server.process.errors.split(separator: "\n")
        #expect(lines.count { $0.contains("a file of the database") } < 40)
        #expect(lines.contains { $0.contains("a file of the database") })
        #expect(!lines.contains { $0.contains("base/") })
        try await cluster.limitFileSize(to: nil)
        _ = try await rows.session()
        #expect(try await server.stop() == 0)
        try await cluster.stop()
    }

    private func timeToRecover(_ client: RPCClient) async throws -> Duration {
        let start = ContinuousClock.now
        try await eventually("the server answers again") {
            try await client.response("sessions.list", ["select": "{ id }"])["result"] != nil
        }
        return ContinuousClock.now - start
    }
}
