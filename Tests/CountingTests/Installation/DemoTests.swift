import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// counting.md, "Demo" and "Simulator", and the job of `close_days`: on a server with demo data and jobs. One after the other, since
/// some add entries.
@Suite(.serialized) struct DemoTests {
    /// The domain alone, with demo data and jobs.
    static let shared = Shared { try await start(serving: ["counting"]) }

    /// Starts a server on a database that `migrate up` and `seed` have filled. It is not on the cluster of the other tests:
    /// loading the data holds back their feed.
    static func start(serving domains: [String]) async throws -> TestServer {
        let program = TestProgram.learntrack(serving: domains)
        let database = try await program.migratedDatabase()
        let seed = try await LearnTrackProcess.run(
            ["seed"], environment: ["DATABASE_URL": database.connectionString], program: program)
        guard seed.output.contains("demo data loaded") else { throw TestEnvironmentError(seed.output + seed.errors) }
        return try await TestServer.start(["--demo"], database: database, program: program)
    }

    /// A client that is signed in with the password of demo accounts.
    private static func client(_ server: TestServer, _ email: String) async throws -> RPCClient {
        let session = try await RPCClient(port: server.port, token: nil)
            .call("auth.login", ["email": .string(email), "password": "demo-learntrack"])
        return try RPCClient(port: server.port, token: try #require(session["access_token"]?.text))
    }

    @Test func `there are 3 locations in 3 zones, 6 devices and 20,000 entries over 30 days`() async throws {
        let server = try await Self.shared.value()
        let counts = try await server.database.psql(
            """
            SELECT (SELECT count(*) FROM counting.locations), (SELECT count(DISTINCT timezone) FROM counting.locations),
                (SELECT count(*) FROM counting.devices)
            """)
        #expect(counts == "3|3|6")
        // The tests of the simulator add some.
        let entries = try await server.database.psql(
            """
            SELECT count(*), bool_and("timestamp" <= now()), bool_and("timestamp" > now() - interval '32 days'),
                min("timestamp") < now() - interval '28 days', max("timestamp") > now() - interval '2 days',
                count(DISTINCT location_id), count(DISTINCT "timestamp"::date) >= 28
            FROM counting.entries WHERE user_id IS NULL
            """)
        let parts = entries.split(separator: "|").map(String.init)
        let count = try #require(Int(parts[0]))
        #expect((19_000...21_000) ~= count)
        #expect(Array(parts.dropFirst()) == ["t", "t", "t", "t", "3", "t"], "\(entries)")
    }

    @Test func `the viewer sees every kind of issue, and figures that are not zero`() async throws {
        let server = try await Self.shared.value()
        let viewer = try await Self.client(server, "viewer@demo.learntrack.fr")
        let locations = try await viewer.call("locations.list", ["select": "{ id name state { status } }"])
        var kinds: Set<String> = []
        for location in locations.at("/items").array {
            let id = try #require(location["id"])
            let issues = try await viewer.call(
                "counter_issues.list", ["location_id": id, "range": "last_30", "first": 500, "select": "{ kind }"])
            kinds.formUnion(issues.at("/items").array.compactMap { $0["kind"]?.text })
            let row = try await viewer.call("counter_kpis.list", ["location_id": id, "range": "last_30"]).at("/items/0")
            for name in ["total_in", "total_out", "peak_occupancy", "peak_flow"] {
                #expect(try #require(row[name]?.int) > 0, "\(name) of \(location.json)")
            }
            #expect(try #require(row["average_occupancy"]?.double) > 0)
            let charts = try await viewer.call(
                "counter_charts.list", ["location_id": id, "range": "last_30", "count": true, "first": 1])
            #expect(charts["total"] == 30)
        }
        #expect(
            kinds == [
                "missing_events", "sequence_reset", "clock_skew", "gateway_conflict", "overcrowding", "stale_device",
            ])
        #expect(try await viewer.refusal("entries.override", ["location_id": 1, "delta": 1])["code"] == 403)
    }

    @Test func `the job closes the days that have ended, each minute`() async throws {
        let server = try await Self.shared.value()
        let admin = try await Self.client(server, "admin@demo.learntrack.fr")
        let locations = try await admin.call("locations.list", ["select": "{ id operational_day }"])
        func closed(_ location: JSONValue) async throws -> [JSONValue] {
            try await admin.call(
                "counter_snapshots.list",
                ["where": ["location_id": location["id"] ?? .null, "reason": "day_end"], "first": 500]
            ).at("/items").array
        }
        for location in locations.at("/items").array {
            try await eventually("the job has closed the days") { try await closed(location).count >= 25 }
            let snapshots = try await closed(location)
            #expect(snapshots.allSatisfy { $0["operational_day"] != location["operational_day"] })
            #expect(snapshots.allSatisfy { $0["user_id"] == .null })
        }
        let noted = try await server.database.psql(
            """
            SELECT bool_and(extract(epoch FROM next_at - last_ended_at) BETWEEN 59 AND 61)
                    FILTER (WHERE name = 'counter_snapshots.close_days'),
                bool_and(last_error IS NULL)
            FROM kernel.jobs
            """)
        #expect(noted == "t|t")
        // A day that psql adds, when the minute is over.
        let location = try #require(locations.at("/items").array.first)
        let before = try await closed(location).count
        try await server.database.psql(
            """
            INSERT INTO counting.entries (location_id, device_id, "timestamp", delta, source, sequence_number)
            SELECT location_id, id, '2025-06-01T20:00:00Z', 1, 'hardware', 900000000 FROM counting.devices
            WHERE location_id = \(location["id"]?.json ?? "") ORDER BY id LIMIT 1;
            UPDATE kernel.jobs SET next_at = now()
            """)
        try await eventually("the job has closed the day") { try await closed(location).count == before + 1 }
        try await server.database.psql("DELETE FROM counting.entries WHERE sequence_number = 900000000")
    }

    @Test func `the simulator simulates as the demo's administrator and prints each state`() async throws {
        let server = try await Self.shared.value()
        let script = LearnTrackProcess.projectRoot.appendingPathComponent("Sources/CountingDomain/simulate").path
        let count = "SELECT count(*) FROM counting.entries WHERE source = 'simulator' AND user_id IS NOT NULL"
        let before = try #require(Int(try await server.database.psql(count)))
        let run = try await ExternalProgram.run(
            script, ["--url", "http://127.0.0.1:\(server.port)", "--rate", "1200", "--seconds", "3"],
            ceiling: .seconds(60))
        #expect(run.status == 0, "\(run.errors)")
        let after = try #require(Int(try await server.database.psql(count)))
        #expect((40...80) ~= after - before, "60 are due in three seconds")
        let user = try await server.database.psql(
            """
            SELECT DISTINCT u.email FROM counting.entries AS e JOIN users AS u ON u.id = e.user_id
            WHERE e.source = 'simulator'
            """)
        #expect(user == "admin@demo.learntrack.fr")
        let name = try await server.database.psql(
            """
            SELECT l.name FROM counting.entries AS e JOIN counting.locations AS l ON l.id = e.location_id
            WHERE e.source = 'simulator' AND e.user_id IS NOT NULL ORDER BY e.id DESC LIMIT 1
            """)
        let states = run.output.split(separator: "\n").filter { $0.contains(name) }
        #expect(states.count >= 3, "\(run.output)")
        let admin = try await Self.client(server, "admin@demo.learntrack.fr")
        let present = try await admin.call(
            "counter_states.list", ["where": ["location": ["name": .string(name)]], "select": "{ current_count }"])
        let current = try #require(present.at("/items/0/current_count").int)
        #expect(states.last?.contains(String(current)) == true, "the last line is the present state: \(run.output)")
    }
}
