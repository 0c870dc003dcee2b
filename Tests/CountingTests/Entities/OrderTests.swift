import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// counting.md, "Entities": relations, orders, the journal.
@Suite struct OrderTests {
    @Test func `locations and devices are listed by name, entries and snapshots from the newest`() async throws {
        let served = try await CountingServer.running()
        let mark = "zq\(CountingServer.unique())"
        var ids: [Int: JSONValue] = [:]
        for (place, name) in [(2, "Été"), (0, "Accueil"), (1, "étage"), (3, "Zone")] {
            ids[place] = try await served.site([("name", .string("\(mark) \(name)"))]).json
        }
        let admin = try await served.admin()
        let locations = try await admin.call(
            "locations.list", ["where": ["name": ["like": .string("\(mark)%")]], "select": "{ id }"])
        // As French people sort names: « étage » before « Été ».
        #expect(locations.at("/items").array.map { $0["id"] } == (0...3).map { ids[$0] })

        let site = try await served.site()
        for name in ["b", "C", "a"] { _ = try await site.counter([("name", .string(name))]) }
        let devices = try await admin.call(
            "devices.list", ["where": ["location_id": site.json], "select": "{ name }"])
        #expect(devices["items"] == [["name": "a"], ["name": "b"], ["name": "C"]])

        let device = try await site.device()
        let start = CountingServer.now() - 3 * Moment.hour
        for number in 1...3 {
            try await device.record(SentEvent(number: number, gateway: start + number * Moment.minute))
            _ = try await admin.call("locations.end_day", ["id": site.json])
        }
        let entries = try await admin.call(
            "entries.list", ["where": ["device_id": device.json], "select": "{ sequence_number }"])
        #expect(entries.at("/items").array.map { $0["sequence_number"] } == [3, 2, 1])
        let snapshots = try await admin.call(
            "counter_snapshots.list", ["where": ["location_id": site.json], "select": "{ id }"])
        let found = snapshots.at("/items").array.compactMap { $0["id"]?.int }
        #expect(found.count == 3 && found == found.sorted(by: >))
    }

    @Test func `each column with an id has its relation, and each record its records`() async throws {
        let site = try await CountingServer.running().site([("name", "Musée")])
        let device = try await site.device([("name", "Porte")])
        let entry = try await device.record(SentEvent(number: 1, gateway: CountingServer.now()))
        _ = try await site.admin.call("entries.override", ["location_id": site.json, "delta": 1])
        _ = try await site.admin.call("locations.end_day", ["id": site.json])
        let read = try await site.admin.call(
            "locations.get",
            [
                "id": site.json,
                "select": """
                { devices(order_by: ["id"]) { name location { name } }
                  entries(where: {source: "hardware"}) { id device { name } location { name } user { email } }
                  snapshots { reason location { name } user { email } }
                  state { id location_id location { name } } }
                """,
            ])
        #expect(read.at("/devices/0") == ["location": ["name": "Musée"], "name": "Porte"])
        #expect(
            read["entries"] == [
                [
                    "device": ["name": "Porte"], "id": entry["id"] ?? .null, "location": ["name": "Musée"],
                    "user": .null,
                ]
            ])
        #expect(
            read["snapshots"] == [
                ["location": ["name": "Musée"], "reason": "admin", "user": ["email": .string(TestServer.admin)]]
            ])
        #expect(
            read["state"] == ["id": site.json, "location": ["name": "Musée"], "location_id": site.json])
        let manual = try await site.admin.call(
            "entries.list",
            ["where": ["location_id": site.json, "source": "manual", "delta": 1], "select": "{ user { email } }"])
        #expect(manual["items"] == [["user": ["email": .string(TestServer.admin)]]])
        let own = try await site.admin.call(
            "devices.get", ["id": device.json, "select": "{ entries { id } }"])
        #expect(own["entries"] == [["id": entry["id"] ?? .null]])
    }

    @Test func `each location has one state, with its id`() async throws {
        let site = try await CountingServer.running().site()
        let states = try await site.admin.call("counter_states.list", ["where": ["location_id": site.json]])
        #expect(states.at("/items").array.map { $0["id"] } == [site.json])
        let inserted = try await site.served.psql(
            """
            INSERT INTO counting.locations (name, max_capacity, timezone) VALUES ('Par psql', 5, 'UTC') RETURNING id
            """)
        let state = try await site.admin.call("counter_states.get", ["id": .number(inserted)])
        #expect(state["location_id"] == .number(inserted))
    }

    @Test func `the journal has the changes of locations and devices, and none of what events change`() async throws {
        let site = try await CountingServer.running().site()
        let device = try await site.device()
        try await site.update(["max_capacity": 50])
        _ = try await site.admin.call("devices.update", ["id": device.json, "values": ["name": "Autre"]])
        try await device.record(SentEvent(number: 1, gateway: CountingServer.now()))
        try await device.heartbeat()
        let location = try await site.admin.call("locations.history", ["id": site.json])
        #expect(location.at("/items").array.map { $0["operation"] } == ["update", "create"])
        #expect(location.at("/items/0/before/max_capacity") == 100 && location.at("/items/0/after/max_capacity") == 50)
        let history = try await site.admin.call("devices.history", ["id": device.json])
        #expect(history.at("/items").array.map { $0["operation"] } == ["update", "create"])
        for entity in ["entries", "counter_states", "counter_snapshots"] {
            let history = try await site.admin.response("\(entity).history", ["id": site.json])
            #expect(history.at("/result/items").array.isEmpty, "\(entity): \(history.json)")
        }
        #expect(
            try await site.served.psql(
                """
                SELECT count(*) FROM journal
                WHERE table_name IN ('entries', 'counter_states', 'counter_snapshots', 'device_presences')
                """) == "0")
    }
}
