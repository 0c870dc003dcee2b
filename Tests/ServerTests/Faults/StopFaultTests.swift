import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

@Suite struct StopFaultTests {
    /// The documented ten seconds, and four more for a busy machine.
    static let promised = Duration.seconds(10) + .seconds(4)

    @Test func `SIGTERM under load loses no acknowledged request`() async throws {
        let server = try await TestServer.start()
        let acknowledged = LockedValue<Set<String>>([])
        let sent = LockedValue(0)
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                let client = try await server.client()
                group.addTask {
                    while true {
                        let mark = sent.withLock { sent in
                            sent += 1
                            return "s\(sent)"
                        }
                        let values = JSONValue.merging(Fixtures.session([("ref_contrat", .string(mark))]))
                        // The server closes the connection once it has answered the last request on it.
                        guard
                            let answer = try? await client.response(
                                "sessions.create", ["values": values, "select": "{ ref_contrat }"])
                        else { return }
                        if answer["result"] != nil { acknowledged.withLock { _ = $0.insert(mark) } }
                    }
                }
            }
            try await eventually("writes go on") { acknowledged.withLock { $0.count } > 50 }
            let start = ContinuousClock.now
            #expect(try await server.stop() == 0)
            #expect(ContinuousClock.now - start < Self.promised)
            try await group.waitForAll()
        }
        let stored = try await server.database.psql("SELECT ref_contrat FROM sessions").split(separator: "\n").map(
            String.init)
        #expect(acknowledged.value.isSubset(of: stored))
        #expect(Set(stored).count == stored.count, "a row was written twice")
        let left = try await server.database.psql(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
        #expect(left == "0")
    }

    @Test func `SIGTERM ends a server whose database is frozen`() async throws {
        let cluster = try await TestCluster.start()
        let database = try await TestDatabase.create(migrated: true, on: cluster)
        let server = try await TestServer.start(database: database)
        let reader = try await server.client()
        let writer = try await server.client()
        _ = try await reader.call("sessions.list", ["select": "{ id }"])
        try cluster.freeze()
        let read = Task { try? await reader.response("sessions.list", ["select": "{ id }"]) }
        let write = Task {
            try? await writer.response("sessions.create", ["values": JSONValue.merging(Fixtures.session())])
        }
        // Gives both calls the time to reach the database before the signal.
        try await Task.sleep(for: .milliseconds(300))
        let start = ContinuousClock.now
        try server.process.signal(SIGTERM)
        #expect(try await server.process.waitForExit() == 0)
        let taken = ContinuousClock.now - start
        #expect(taken < Self.promised, "ended after \(taken)")
        _ = await (read.value, write.value)
        try cluster.thaw()
        try await cluster.stop()
    }

    @Test func `the server waits for its database at the start, and SIGTERM ends it meanwhile`() async throws {
        let cluster = try await TestCluster.own()
        let database = try await TestDatabase.create(migrated: false, on: cluster)
        let proxy = try FaultProxy(to: cluster)
        try proxy.refuseConnections(true)
        let environment = ["DATABASE_URL": proxy.connectionString(to: database), "JWT_SECRET": TestServer.secret]
        let impatient = try LearnTrackProcess(["serve", "--port", "0"], environment: environment)
        let patient = try LearnTrackProcess(["serve", "--port", "0"], environment: environment)
        for process in [impatient, patient] {
            try await eventually("it says that it waits") { process.errors.contains("Waiting for Postgres") }
        }
        let start = ContinuousClock.now
        try impatient.signal(SIGTERM)
        #expect(try await impatient.waitForExit() == 0, "\(impatient.errors)")
        #expect(ContinuousClock.now - start < .seconds(2) + .seconds(4))
        #expect(patient.isRunning && patient.output.isEmpty)
        try proxy.refuseConnections(false)
        try await eventually("it is ready: \(patient.errors)") { patient.output.contains("LearnTrack ready on") }
        try patient.signal(SIGTERM)
        #expect(try await patient.waitForExit() == 0)
    }

    @Test func `a database that answers and refuses the login is an error at once`() async throws {
        let cluster = try await TestCluster.own()
        let run = try await LearnTrackProcess.run(
            ["serve", "--port", "0"],
            environment: [
                "DATABASE_URL": cluster.connectionString(database: "no_such_database"), "JWT_SECRET": TestServer.secret,
            ])
        #expect(run.status != 0)
        #expect(run.errors.contains("no_such_database"), "\(run.errors)")
    }

    @Test func `SIGTERM during a migration leaves nothing half applied, and the next start completes it`() async throws
    {
        let database = try await TestDatabase.create(migrated: false)
        let environment = ["DATABASE_URL": database.connectionString, "JWT_SECRET": TestServer.secret]
        let first = try LearnTrackProcess(["serve", "--port", "0"], environment: environment)
        try await eventually("it has begun: \(first.errors)") { first.errors.contains("Applied a migration") }
        try first.signal(SIGTERM)
        // The server may have become ready in the meantime, and then exits with 0 too.
        #expect(try await first.waitForExit() == 0, "\(first.errors)")
        let left = try await database.psql(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
        #expect(left == "0")
        let up = try await LearnTrackProcess.run(["migrate", "up"], environment: environment)
        #expect(up.status == 0, "\(up.errors)")
        let status = try await LearnTrackProcess.run(["migrate", "status"], environment: environment)
        #expect(status.status == 0, "\(status.output)")
    }
}
