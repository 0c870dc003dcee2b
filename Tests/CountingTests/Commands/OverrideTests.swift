import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// "override, simulate: entries of now, numbered on, user_id the caller; override on the location's `manual` device, made at
/// first use. end_day: a snapshot of the day so far, then manual −1 until the count is 0."
@Suite struct OverrideTests {
    private static func admin(_ site: Site) async throws -> JSONValue {
        try await site.admin.call("auth.me", ["select": "{ id }"])["id"] ?? .null
    }

    @Test func `an override makes entries of now on the manual device, which its first use makes`() async throws {
        let site = try await CountingServer.running().site()
        func override(_ values: [(String, JSONValue)]) async throws -> JSONValue {
            try await site.admin.call(
                "entries.override",
                .merging([("location_id", site.json), ("select", .string("{ \(Site.stateFields) }"))] + values))
        }
        let start = CountingServer.now()
        expect(try await override([("delta", 1)]), has: ["id": site.json, "current_count": 1, "status": "ok"])
        expect(try await override([("delta", 1), ("count", 99)]), has: ["current_count": 100, "status": "full"])
        expect(try await override([("delta", -1), ("count", 3)]), has: ["current_count": 97, "status": "warning"])
        let manual = try await site.admin.call(
            "devices.list",
            [
                "where": ["location_id": site.json],
                "select": "{ id kind is_active series last_sequence_number }",
            ])
        let devices = manual.at("/items").array
        #expect(devices.count == 1)
        expect(devices[0], has: ["kind": "manual", "is_active": true, "series": 1])
        let entries = try await site.entries()
        #expect(entries.count == 103)
        let user = try await Self.admin(site)
        let end = CountingServer.now()
        for (index, entry) in entries.enumerated() {
            expect(
                entry,
                has: [
                    "device_id": devices[0]["id"] ?? .null, "user_id": user, "source": "manual",
                    "delta": index < 100 ? 1 : -1, "gateway_session_id": .null, "gateway_timestamp": .null,
                    "device_timestamp": .null, "timestamp_source": "server", "missing_before": 0,
                    "sequence_reset": false, "clock_skew": false, "gateway_conflict": false, "series": 1,
                    "timestamp": entry["created_at"] ?? .null,
                ])
            let moment = try #require(entry["timestamp"]?.moment)
            #expect(moment >= start && moment <= end)
        }
        let numbers = entries.compactMap { $0["sequence_number"]?.int }
        #expect(numbers == Array((numbers[0])..<(numbers[0] + 103)))
        #expect(devices[0]["last_sequence_number"]?.int == numbers.last)
    }

    @Test func `the manual device of a location stays in service and in its place, and makes no calls`() async throws {
        let server = try await CountingServer.running()
        let site = try await server.site()
        let other = try await server.site()
        for one in [site, other] {
            _ = try await one.admin.call("entries.override", ["location_id": one.json, "delta": 1])
        }
        let devices = try await site.admin.call(
            "devices.list", ["where": ["location_id": site.json, "kind": "manual"], "select": "{ id }"])
        let manual = try #require(devices.at("/items/0/id").int)
        for (column, value) in [("is_active", false), ("location_id", other.json)] as [(String, JSONValue)] {
            let error = try await site.admin.refusal(
                "devices.update", ["id": JSONValue(manual), "values": .merging([(column, value)])])
            #expect(error.paths == ["/values/\(column)"], "\(error.json)")
        }
        let renamed = try await site.admin.call(
            "devices.update",
            ["id": JSONValue(manual), "values": ["name": "Accueil"], "select": "{ name is_active }"])
        #expect(renamed == ["is_active": true, "name": "Accueil"])
        let state = try await site.admin.call(
            "entries.override", ["location_id": site.json, "delta": -1, "select": "{ current_count }"])
        #expect(state == ["current_count": 0])

        let key = try await server.key(role: "counting_device", subject: manual)
        let call = try await server.client(try #require(key["key"]?.text)).refusal(
            "devices.heartbeat", ["gateway_session_id": "telephone"])
        #expect(call["code"] == 409 && call.at("/data/reason") == "manual_device", "\(call.json)")

        await #expect(throws: (any Error).self) {
            try await server.psql(
                "INSERT INTO counting.devices (location_id, name, kind) VALUES (\(site.id), 'Deux', 'manual')")
        }
    }

    @Test func `the count of an override is from 1 to 1000, and its location exists`() async throws {
        let site = try await CountingServer.running().site()
        for (name, value) in [
            ("count", 0), ("count", 1_001), ("count", -1), ("delta", 0), ("delta", 5), ("delta", .null),
        ] as [(String, JSONValue)] {
            for (method, place) in [("entries.override", "location_id"), ("entries.simulate", "device_id")] {
                let error = try await site.admin.refusal(
                    method, .merging([(place, site.json), ("delta", 1), (name, value)]))
                #expect(error.paths == ["/\(name)"], "\(method) \(name) \(value.json): \(error.json)")
            }
        }
        let unknown = try await site.admin.refusal("entries.override", ["location_id": 999_999_999, "delta": 1])
        #expect(unknown["code"] == 404 || unknown.paths == ["/location_id"], "\(unknown.json)")
        let all = try await site.admin.call(
            "entries.override",
            ["location_id": site.json, "delta": 1, "count": 1_000, "select": "{ current_count remaining }"])
        #expect(all == ["current_count": 1_000, "remaining": 0])
    }

    @Test func `a simulation makes entries on a simulator only`() async throws {
        let site = try await CountingServer.running().site()
        let simulator = try await site.device([("kind", "simulator")])
        try await simulator.record(SentEvent(number: 41, gateway: CountingServer.now()))
        let state = try await site.admin.call(
            "entries.simulate",
            ["device_id": simulator.json, "delta": 1, "count": 3, "select": "{ id current_count }"])
        #expect(state == ["current_count": 4, "id": site.json])
        let entries = try await site.entries(["gateway_session_id": .null])
        #expect(entries.map { $0["sequence_number"] } == [42, 43, 44], "numbered on")
        let user = try await Self.admin(site)
        for entry in entries {
            expect(
                entry,
                has: [
                    "source": "simulator", "user_id": user, "device_id": simulator.json, "missing_before": 0,
                    "timestamp_source": "server", "timestamp": entry["created_at"] ?? .null,
                ])
        }
        _ = try await site.admin.call("entries.override", ["location_id": site.json, "delta": 1])
        let manual = try await site.admin.call(
            "devices.list", ["where": ["location_id": site.json, "kind": "manual"], "select": "{ id }"])
        let hardware = try await site.counter()
        for device in [JSONValue(hardware), manual.at("/items/0/id")] {
            let error = try await site.admin.refusal("entries.simulate", ["device_id": device, "delta": 1])
            #expect(error["code"] == -32602 && error.paths == ["/device_id"], "\(error.json)")
        }
        #expect(try await site.currentCount() == 5)
        // "Manual and simulated entries count."
        let hour: [(String, JSONValue)] = [("from", (CountingServer.now() - Moment.hour).json)]
        expect(try await site.kpis(hour), has: ["total_in": 5, "peak_occupancy": 5, "closing_count": 5])
    }

    @Test func `a simulation after the highest number of all begins another series`() async throws {
        let site = try await CountingServer.running().site()
        let simulator = try await site.device([("kind", "simulator")])
        try await simulator.record(SentEvent(number: Int.max - 2, gateway: CountingServer.now()))
        for (count, total) in [(2, 3), (2, 5), (1, 6)] {
            let state = try await site.admin.call(
                "entries.simulate",
                [
                    "device_id": simulator.json, "delta": 1, "count": JSONValue(count), "select": "{ current_count }",
                ])
            #expect(state == ["current_count": JSONValue(total)])
        }
        let entries = try await site.entries(["gateway_session_id": .null])
        #expect(entries.map { $0["series"] } == [1, 1, 2, 2, 2])
        #expect(
            entries.map { $0["sequence_number"] } == [JSONValue(Int.max - 1), JSONValue(Int.max), 1, 2, 3])
        #expect(entries.map { $0["sequence_reset"] } == [false, false, true, false, false])
        #expect(entries.allSatisfy { $0["missing_before"] == 0 })
    }

    @Test func `a device without entries is in its first series`() async throws {
        let site = try await CountingServer.running().site()
        let device = try await site.counter()
        let read = try await site.admin.call(
            "devices.get", ["id": JSONValue(device), "select": "{ series last_sequence_number last_event_at }"])
        #expect(read == ["last_event_at": .null, "last_sequence_number": .null, "series": 1])
    }

    @Test func `the end of a day takes a snapshot, then empties the location`() async throws {
        let site = try await CountingServer.running().site()
        let device = try await site.counter()
        let day = site.rule.day(of: CountingServer.now())
        let start = site.rule.start(of: day)
        // The day before does not count.
        try await site.insert(
            [
                CountedEntry(start - Moment.minute, 1), CountedEntry(start, 1), CountedEntry(start + Moment.hour, 1),
                CountedEntry(start + 2 * Moment.hour, 1), CountedEntry(start + 3 * Moment.hour, -1),
            ], device: device)
        let before = CountingServer.now()
        let snapshot = try await site.admin.call("locations.end_day", ["id": site.json])
        let user = try await Self.admin(site)
        expect(
            snapshot,
            has: [
                "location_id": site.json, "operational_day": day.json, "starts_at": start.json, "reason": "admin",
                "closing_count": 2, "total_in": 3, "total_out": 1, "peak_occupancy": 3, "user_id": user,
            ])
        let end = try #require(snapshot["ends_at"]?.moment)
        #expect(end >= before && end <= CountingServer.now())
        // One from the start, two and three for an hour each, then two.
        let area = Moment.hour + 2 * Moment.hour + 3 * Moment.hour + 2 * (end - start - 3 * Moment.hour)
        let average = (Double(area) / Double(end - start) * 100).rounded() / 100
        expect(snapshot, has: ["average_occupancy": .number(String(average))])
        #expect(try await site.currentCount() == 0)
        let manual = try await site.entries(["source": "manual"])
        #expect(manual.count == 2)
        for entry in manual { expect(entry, has: ["delta": -1, "user_id": user, "timestamp_source": "server"]) }
        // Once more: the day so far has the departures, and no one is left.
        let again = try await site.admin.call("locations.end_day", ["id": site.json])
        expect(
            again,
            has: ["closing_count": 0, "total_in": 3, "total_out": 3, "peak_occupancy": 3, "operational_day": day.json])
        #expect(try await site.entries(["source": "manual"]).count == 2)
        #expect(try await site.admin.refusal("locations.end_day", ["id": 999_999_999])["code"] == 404)
    }
}
