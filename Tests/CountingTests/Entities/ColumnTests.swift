import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// counting.md, "Entities": columns with their ranges and defaults, refused on both sides.
@Suite struct ColumnTests {
    private static let good: [(String, JSONValue)] = [
        ("name", "Salle"), ("max_capacity", 10), ("timezone", "Europe/Paris"),
    ]

    @Test func `a location has the defaults of its settings`() async throws {
        let site = try await CountingServer.running().site()
        let made = try await site.admin.call("locations.create", ["values": .merging(Self.good)])
        expect(
            made,
            has: [
                "name": "Salle", "max_capacity": 10, "timezone": "Europe/Paris", "operational_boundary_hour": 12,
                "stale_after_seconds": 300, "gateway_lease_seconds": 60, "version": 1,
            ])
        #expect(made["created_at"]?.moment != nil && made["updated_at"]?.moment != nil)
    }

    private static let accepted: [(String, JSONValue)] = [
        ("name", .string(String(repeating: "é", count: 200))), ("max_capacity", 1), ("max_capacity", 1_000_000),
        ("operational_boundary_hour", 0), ("operational_boundary_hour", 23), ("stale_after_seconds", 1),
        ("gateway_lease_seconds", 1), ("timezone", "UTC"), ("timezone", "Australia/Lord_Howe"),
    ]

    private static let refused: [(String, JSONValue)] = [
        ("name", .string(String(repeating: "é", count: 201))), ("name", .null), ("name", 7),
        ("max_capacity", 0), ("max_capacity", 1_000_001), ("max_capacity", .null), ("max_capacity", .number("1.5")),
        ("operational_boundary_hour", -1), ("operational_boundary_hour", 24), ("stale_after_seconds", 0),
        ("stale_after_seconds", -5), ("gateway_lease_seconds", 0), ("timezone", "Mars/Olympus"), ("timezone", "UTC+3"),
        ("timezone", "europe/paris"), ("timezone", ""), ("timezone", .null),
    ]

    @Test func `the values of a location are within their ranges`() async throws {
        let site = try await CountingServer.running().site()
        for (column, value) in Self.accepted {
            let changed = try await site.update(.merging([(column, value)]))
            #expect(changed[column] == value, "\(column)")
        }
        for (column, value) in Self.refused {
            let created = try await site.admin.refusal(
                "locations.create", ["values": .merging(Self.good + [(column, value)])])
            #expect(created.paths == ["/values/\(column)"], "\(column) \(value.json): \(created.json)")
            let changed = try await site.admin.refusal(
                "locations.update", ["id": site.json, "values": .merging([(column, value)])])
            #expect(changed.paths == ["/values/\(column)"], "\(column) \(value.json): \(changed.json)")
        }
        let several = try await site.admin.refusal(
            "locations.create",
            ["values": .merging(Self.good + [("max_capacity", 0), ("timezone", "Mars/Olympus")])])
        #expect(several.problems == ["/values/max_capacity out_of_range", "/values/timezone format"])
        let missing = try await site.admin.refusal("locations.create", ["values": [:]])
        #expect(
            missing.problems == ["/values/max_capacity required", "/values/name required", "/values/timezone required"])
    }

    @Test func `Postgres refuses the same values by itself`() async throws {
        let site = try await CountingServer.running().site()
        for assignment in [
            "max_capacity = 0", "max_capacity = 1000001", "operational_boundary_hour = 24",
            "operational_boundary_hour = -1", "stale_after_seconds = 0", "gateway_lease_seconds = 0",
            "timezone = 'Mars/Olympus'", "timezone = 'europe/paris'", "name = NULL", "name = repeat('x', 201)",
        ] {
            await #expect(throws: TestEnvironmentError.self, "\(assignment)") {
                try await site.served.psql("UPDATE counting.locations SET \(assignment) WHERE id = \(site.id)")
            }
        }
        let device = try await site.counter()
        let values = "\(site.id), \(device), now()"
        for row in [
            "\(values), 2, 'hardware', 1", "\(values), 0, 'hardware', 1", "\(values), 1, 'sensor', 1",
            "\(values), 1, 'hardware', -1", "\(site.id), \(device), NULL, 1, 'hardware', 1",
            "\(site.id), NULL, now(), 1, 'hardware', 1",
        ] {
            await #expect(throws: TestEnvironmentError.self, "\(row)") {
                try await site.served.psql(
                    """
                    INSERT INTO counting.entries (location_id, device_id, "timestamp", delta, source, sequence_number)
                    VALUES (\(row))
                    """)
            }
        }
    }

    @Test func `a device is hardware and active by default, and never made manual`() async throws {
        let site = try await CountingServer.running().site()
        func create(_ values: [(String, JSONValue)]) -> JSONValue {
            ["values": .merging([("location_id", site.json), ("name", "Porte")] + values)]
        }
        let made = try await site.admin.call("devices.create", create([]))
        expect(
            made, has: ["kind": "hardware", "is_active": true, "location_id": site.json, "name": "Porte", "version": 1])
        let simulator = try await site.admin.call(
            "devices.create", create([("kind", "simulator"), ("is_active", false)]))
        expect(simulator, has: ["kind": "simulator", "is_active": false])
        for (path, values) in [
            ("/values/kind", [("kind", "manual")]), ("/values/kind", [("kind", "sensor")]),
            ("/values/location_id", [("location_id", 999_999_999)]), ("/values/location_id", [("location_id", .null)]),
            ("/values/name", [("name", .string(String(repeating: "x", count: 201)))]),
            ("/values/is_active", [("is_active", 1)]),
        ] as [(String, [(String, JSONValue)])] {
            let error = try await site.admin.refusal("devices.create", create(values))
            #expect(error.paths == [path], "\(error.json)")
        }
        let refusal = try await site.admin.refusal("devices.create", create([("kind", "manual")]))
        #expect(
            refusal.at("/data/errors/0/message")
                == "Donnez «\u{A0}hardware\u{A0}» ou «\u{A0}simulator\u{A0}».", "the choices that one may give")
        let document = try await site.admin.call("rpc.discover")
        let described = document.at("/components/schemas/devices_create/properties/kind")
        #expect(described["enum"] == ["hardware", "simulator"], "\(described.json)")
        let id = try #require(made["id"])
        let kind = try await site.admin.refusal("devices.update", ["id": id, "values": ["kind": "simulator"]])
        #expect(kind.problems == ["/values/kind read_only"])
        let renamed = try await site.admin.call(
            "devices.update", ["id": id, "values": ["name": "Porte sud", "is_active": false]])
        expect(renamed, has: ["name": "Porte sud", "is_active": false, "version": 2])
    }

    @Test func `an entry has its columns, and those that psql leaves out have defaults`() async throws {
        let site = try await CountingServer.running().site()
        let device = try await site.counter()
        let inserted = try await site.insert([CountedEntry("2025-06-01T10:00:00.25Z", -1)], device: device)
        let entry = try #require(try await site.entries().first)
        expect(
            entry,
            has: [
                "id": JSONValue(inserted[0].id), "location_id": site.json, "device_id": JSONValue(device),
                "user_id": .null, "timestamp": "2025-06-01T10:00:00.25+00:00", "delta": -1, "source": "hardware",
                "series": 1, "sequence_number": 1, "device_timestamp": .null, "gateway_timestamp": .null,
                "timestamp_source": "server", "gateway_session_id": .null, "missing_before": 0,
                "sequence_reset": false, "clock_skew": false, "gateway_conflict": false,
            ])
        #expect(
            entry["created_at"]?.moment != nil && entry["updated_at"] == entry["created_at"] && entry["version"] == 1)
    }

    @Test func `what entries refer to is not deleted, and the rest is`() async throws {
        let site = try await CountingServer.running().site()
        let (used, unused) = (try await site.counter(), try await site.counter())
        try await site.insert([CountedEntry("2025-06-01T10:00:00Z", 1)], device: used)
        for (method, id) in [("devices.delete", JSONValue(used)), ("locations.delete", site.json)] {
            let error = try await site.admin.refusal(method, ["id": id])
            #expect(error["code"] == 409 && error.at("/data/reason") == "referenced", "\(method): \(error.json)")
        }
        let deleted = try await site.admin.call("devices.delete", ["id": JSONValue(unused)])
        #expect(deleted["deleted"] == true)
        let empty = try await site.served.site()
        #expect(try await empty.admin.call("locations.delete", ["id": empty.json])["deleted"] == true)
        #expect(try await empty.admin.refusal("counter_states.get", ["id": empty.json])["code"] == 404)
    }
}
