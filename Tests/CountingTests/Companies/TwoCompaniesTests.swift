import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// counting.md, "A device and its key": "Devices, numbers and gateway sessions of one company have nothing to do with those of another,
/// also where they are the same."
@Suite struct TwoCompaniesTests {
    /// A company with a place, a device and its key. Both companies' have the same names and ids.
    private struct House {
        let admin: RPCClient
        let device: RPCClient
        let location: JSONValue
        let deviceID: JSONValue
    }

    /// A server of the companies 1 and 2, which the administrator of the tests administers both.
    private static func server() async throws -> TestServer {
        let program = TestProgram.learntrack(serving: ["counting"])
        let database = try await program.migratedDatabase(on: CountingServer.cluster.value())
        try await database.psql("SELECT kernel.companies_enable(); SELECT kernel.companies_close()")
        // No mail leaves: nothing listens there.
        let server = try await TestServer.start(
            ["--smtp-url", "smtp://127.0.0.1:9", "--public-url", "https://comptage.exemple.fr"], database: database,
            program: program)
        try await database.psql(
            """
            INSERT INTO kernel.companies (name) VALUES ('Voisine');
            BEGIN;
            SET LOCAL learntrack.company = '2';
            INSERT INTO users (email, username, role) VALUES ('\(TestServer.admin)', 'admin', 'admin');
            COMMIT;
            """)
        return server
    }

    private static func house(_ company: Int, on server: TestServer) async throws -> House {
        // The next place and device of either company are the first.
        try await server.database.psql(
            """
            SELECT setval('counting.locations_id_seq', 1, false), setval('counting.devices_id_seq', 1, false),
                setval('counting.counter_states_id_seq', 1, false)
            """)
        let session = try await server.client(nil).call(
            "auth.login",
            [
                "email": .string(TestServer.admin), "password": .string(TestServer.password),
                "company_id": JSONValue(company),
            ])
        let admin = try RPCClient(port: server.port, token: try #require(session["access_token"]?.text))
        let hour = JSONValue(CountingServer.quietHour())
        let location = try await admin.call(
            "locations.create",
            [
                "values": [
                    "name": "Galerie", "max_capacity": JSONValue(10 * company), "timezone": "UTC",
                    "operational_boundary_hour": hour,
                ]
            ])
        let device = try await admin.call(
            "devices.create", ["values": ["location_id": location["id"] ?? .null, "name": "Porte"]])
        let account = try await admin.call(
            "users.create", ["values": ["email": .string("porte\(company)@test.example")], "select": "{ id }"])
        _ = try await admin.call(
            "account_roles.create",
            [
                "values": [
                    "account_id": account["id"] ?? .null, "role": "counting_device", "subject": device["id"] ?? .null,
                ]
            ])
        let key = try await admin.call(
            "auth.create_access_key",
            ["account_id": account["id"] ?? .null, "role": "counting_device", "name": "Porte"])
        return House(
            admin: admin, device: try RPCClient(port: server.port, token: try #require(key["key"]?.text)),
            location: try #require(location["id"]), deviceID: try #require(device["id"]))
    }

    /// Arrivals with the numbers 1, 2 …, of the same seconds and the same gateway in each company.
    private static func events(_ count: Int, since start: Moment) -> JSONValue {
        CountingDevice.batch(
            (1...count).map { number in
                SentEvent(number: number, gateway: start + number * Moment.second)
            })
    }

    @Test func `places, devices, numbers, figures and days of two companies are apart, under the same ids and names`()
        async throws
    {
        let server = try await Self.server()
        let first = try await Self.house(1, on: server)
        let second = try await Self.house(2, on: server)
        #expect(first.location == second.location && first.deviceID == second.deviceID)

        let start = CountingServer.now() - Moment.minute
        for (house, count) in [(first, 5), (second, 2)] {
            let events = Self.events(count, since: start)
            let recorded = try await house.device.call("entries.record_batch", events)
            expect(
                recorded,
                has: ["recorded": JSONValue(count), "duplicates": 0, "gaps": 0, "current_count": JSONValue(count)])
            let again = try await house.device.call("entries.record_batch", events)
            expect(again, has: ["recorded": 0, "duplicates": JSONValue(count), "current_count": JSONValue(count)])
        }
        for (house, count, capacity) in [(first, 5, 10), (second, 2, 20)] {
            let own = try await house.device.call("devices.list", ["select": "{ id name }"])
            #expect(own["items"] == [["id": house.deviceID, "name": "Porte"]])
            #expect(try await house.device.call("entries.list", ["count": true])["total"] == JSONValue(count))
            let states = try await house.admin.call(
                "counter_states.list",
                ["select": "{ current_count gateway_conflict location { max_capacity } }", "count": true])
            #expect(
                states["items"] == [
                    [
                        "current_count": JSONValue(count), "gateway_conflict": false,
                        "location": ["max_capacity": JSONValue(capacity)],
                    ]
                ])
            let kpis = try await house.admin.call("counter_kpis.list", ["location_id": house.location])
            #expect(kpis.at("/items/0/total_in") == JSONValue(count))
            let charts = try await house.admin.call(
                "counter_charts.list", ["location_id": house.location, "range": "last_7", "first": 50])
            #expect(charts.at("/items").array.compactMap { $0["total_in"]?.int }.reduce(0, +) == count)
        }

        // A correction and the end of a day concern the company of the call.
        _ = try await second.admin.call("entries.override", ["location_id": second.location, "delta": 1, "count": 3])
        let ended = try await second.admin.call(
            "locations.end_day", ["id": second.location, "select": "{ closing_count total_in }"])
        expect(ended, has: ["closing_count": 5, "total_in": 5])
        let left = try await first.admin.call(
            "counter_states.get", ["id": first.location, "select": "{ current_count }"])
        #expect(left["current_count"] == 5)
        #expect(try await first.admin.call("counter_snapshots.list", ["count": true])["total"] == 0)

        // What the page says about psql, and the job that closes the days of each company.
        try await server.database.psql(
            """
            INSERT INTO counting.entries (company_id, location_id, device_id, "timestamp", delta, source, sequence_number)
            SELECT company_id, location_id, id, '2025-06-01T20:00:00Z', 1, 'hardware', 900000 + company_id
            FROM counting.devices WHERE kind = 'hardware';
            """)
        try await eventually("the job has closed the day of each") {
            try await server.database.psql("UPDATE kernel.jobs SET next_at = now()")
            return try await server.database.psql(
                """
                SELECT string_agg(company_id || ' ' || total_in, ', ' ORDER BY company_id) FROM counting.counter_snapshots
                WHERE reason = 'day_end' AND operational_day < '2026-01-01'
                """) == "1 1, 2 1"
        }
        #expect(try await first.admin.call("counter_snapshots.list", ["count": true])["total"] == 1)
        #expect(try await second.admin.call("counter_snapshots.list", ["count": true])["total"] == 2)
        try await server.database.psql("DELETE FROM counting.entries WHERE company_id = 2 AND sequence_number = 900002")
        let rest = try await server.database.psql(
            """
            SELECT string_agg(company_id || ' ' || ins, ', ' ORDER BY company_id)
            FROM (SELECT company_id, sum(total_in) AS ins FROM counting.minutes WHERE starts_at < '2026-01-01' GROUP BY 1) AS m
            """)
        #expect(rest == "1 1")
        #expect(try await server.stop() == 0)
        try await server.database.drop()
    }

    @Test func `the demo's second company has a place of its own, and its simulator is there for its administrator`()
        async throws
    {
        let server = try await DemoTests.start(serving: ["counting"])
        let environment = ["DATABASE_URL": server.database.connectionString]
        let program = TestProgram.learntrack(serving: ["counting"])
        let seeded = try await LearnTrackProcess.run(
            ["seed", "--companies"], environment: environment, program: program)
        #expect(seeded.status == 0 && seeded.output.contains("second company loaded"), "\(seeded.errors)")
        func client(_ email: String) async throws -> RPCClient {
            let session = try await server.client(nil).call(
                "auth.login", ["email": .string(email), "password": "demo-learntrack"])
            return try RPCClient(port: server.port, token: try #require(session["access_token"]?.text))
        }
        let places: JSONValue = ["select": "{ name }", "order_by": ["id"]]
        let (cap, rivage) = (
            try await client("admin@demo.learntrack.fr"), try await client("rivage@demo.learntrack.fr")
        )
        #expect(
            try await cap.call("locations.list", places)["items"] == [
                ["name": "Salle du Vieux Moulin"], ["name": "Club La Rade"], ["name": "Médiathèque du Phare"],
            ])
        #expect(try await rivage.call("locations.list", places)["items"] == [["name": "Capitainerie"]])
        let office = try await rivage.call("locations.list", ["select": "{ id }"]).at("/items/0/id")
        let kpis = try await rivage.call("counter_kpis.list", ["location_id": office, "range": "last_7"])
        #expect(try #require(kpis.at("/items/0/total_in").int) > 100)

        let script = LearnTrackProcess.projectRoot.appendingPathComponent("Sources/CountingDomain/simulate").path
        func simulate(_ email: String) async throws -> ExternalProgram.Outcome {
            try await ExternalProgram.run(
                script,
                [
                    "--url", "http://127.0.0.1:\(server.port)", "--rate", "600", "--seconds", "2", "--company", "2",
                ], environment: ["LEARNTRACK_EMAIL": email], ceiling: .seconds(60))
        }
        let run = try await simulate("rivage@demo.learntrack.fr")
        #expect(run.status == 0 && run.output.contains("Capitainerie"), "\(run.output)\(run.errors)")
        let simulated = """
            SELECT string_agg(DISTINCT company_id::text, ',') FROM counting.entries
            WHERE source = 'simulator' AND user_id IS NOT NULL
            """
        #expect(try await server.database.psql(simulated) == "2")
        #expect(try await simulate("viewer@demo.learntrack.fr").status != 0, "no member of the second company")
        #expect(try await server.stop() == 0)
        try await server.database.drop()
    }
}
