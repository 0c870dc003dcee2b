import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// counting.md: the derived fields of locations, devices and states.
@Suite struct StateTests {
    @Test func `the state of a new location is empty`() async throws {
        let site = try await CountingServer.running().site([("max_capacity", 40)])
        expect(
            try await site.state(),
            has: [
                "id": site.json, "location_id": site.json, "current_count": 0, "status": "ok", "occupancy_percent": 0,
                "remaining": 40, "freshness_seconds": .null, "is_online": false, "gateway_conflict": false,
                "last_event_at": .null, "last_device_seen_at": .null, "gateway_session_id": .null,
                "gateway_seen_at": .null, "gateway_conflict_at": .null,
            ])
    }

    /// Counts with capacities, and what follows: « full from 100 % of max_capacity, warning from 80 %, else ok, exactly ».
    /// The percents of some round to a limit that the count has not reached.
    private static let statuses: [(Int, Int, String, Double, Int)] = [
        (1, 0, "ok", 0, 1), (1, 1, "full", 100, 0), (3, 2, "ok", 66.7, 1), (3, 3, "full", 100, 0),
        (5, 4, "warning", 80, 1), (6, 4, "ok", 66.7, 2), (6, 5, "warning", 83.3, 1), (7, 5, "ok", 71.4, 2),
        (7, 6, "warning", 85.7, 1), (2_000, 1_599, "ok", 80, 401), (2_000, 1_600, "warning", 80, 400),
        (2_000, 1_999, "warning", 100, 1), (2_000, 2_000, "full", 100, 0), (10, 25, "full", 250, 0),
    ]

    @Test func `status, percent and remaining follow from the count and the capacity`() async throws {
        let site = try await CountingServer.running().site()
        let device = try await site.counter()
        let start = CountingServer.now() - Moment.hour
        var count = 0
        for (capacity, wanted, status, percent, remaining) in Self.statuses.sorted(by: { $0.1 < $1.1 }) {
            if wanted > count {
                try await site.served.psql(
                    """
                    INSERT INTO counting.entries
                        (location_id, device_id, "timestamp", delta, source, sequence_number)
                    SELECT \(site.id), \(device), '\(start.text)', 1, 'hardware', n
                    FROM generate_series(\(count + 1), \(wanted)) AS n
                    """)
                count = wanted
            }
            try await site.update(["max_capacity": JSONValue(capacity)])
            expect(
                try await site.state(),
                has: [
                    "current_count": JSONValue(count), "status": .string(status),
                    "occupancy_percent": .number(String(percent)), "remaining": JSONValue(remaining),
                ], "\(count) of \(capacity)")
        }
    }

    @Test func `a count that leaves and returns is never negative`() async throws {
        let site = try await CountingServer.running().site()
        let device = try await site.device()
        let start = CountingServer.now() - Moment.hour
        for (index, step) in [(-1, 0), (1, 1), (-1, 0), (-1, 0), (1, 1), (1, 2)].enumerated() {
            let gateway = start + index * Moment.minute
            try await device.record(SentEvent(number: index + 1, delta: step.0, gateway: gateway))
            #expect(try await site.currentCount() == step.1, "after \(index + 1)")
        }
    }

    @Test func `an entry of the future does not count yet`() async throws {
        let site = try await CountingServer.running().site()
        let now = CountingServer.now()
        try await site.insert([
            CountedEntry(now - Moment.minute, 1), CountedEntry(now - Moment.second, 1),
            CountedEntry(now + Moment.hour, 1),
        ])
        expect(try await site.state(), has: ["current_count": 2, "last_event_at": (now + Moment.hour).json])
        let kpis = try await site.kpis()
        expect(kpis, has: ["total_in": 2, "peak_occupancy": 2, "closing_count": 2])
    }

    @Test func `the operational day of a location is the present one`() async throws {
        let served = try await CountingServer.running()
        for (zone, hour) in [
            ("Europe/Paris", 12), ("America/New_York", 4), ("Pacific/Auckland", 0), ("Asia/Kolkata", 23),
        ] {
            let site = try await served.site([
                ("timezone", .string(zone)), ("operational_boundary_hour", JSONValue(hour)),
            ])
            let rule = DayRule(zone, hour)
            let before = rule.day(of: CountingServer.now())
            let read = try await site.admin.call(
                "locations.get", ["id": site.json, "select": "{ operational_day day_started_at day_ends_at }"])
            let days = [before, rule.day(of: CountingServer.now())]
            let day = try #require(days.first { $0.json == read["operational_day"] }, "\(zone): \(read.json)")
            expect(
                read,
                has: ["day_started_at": rule.start(of: day).json, "day_ends_at": rule.start(of: day + 1).json], zone)
        }
    }

    @Test func `a device tells its series, its last number and times, and events leave its version alone`() async throws
    {
        let site = try await CountingServer.running().site()
        let device = try await site.device()
        expect(
            try await device.read(),
            has: [
                "last_sequence_number": .null, "last_event_at": .null, "last_heartbeat_at": .null,
                "last_seen_at": .null, "version": 1,
            ])
        let start = CountingServer.now() - Moment.hour
        try await device.record(SentEvent(number: 7, gateway: start + Moment.minute))
        // Late, and older than the latest.
        try await device.record(SentEvent(number: 3, gateway: start))
        let first = try await device.read()
        expect(
            first,
            has: [
                "series": 1, "last_sequence_number": 7, "last_event_at": (start + Moment.minute).json,
                "last_heartbeat_at": .null, "version": 1,
            ])
        #expect(try await site.state()["last_event_at"]?.moment == start + Moment.minute)
        let seen = try #require(first["last_seen_at"]?.moment)
        #expect(abs(CountingServer.now() - seen) < Moment.minute, "when the call was accepted, not when it happened")

        // A reset begins a series, with numbers of its own.
        try await device.record(SentEvent(number: 2, gateway: start + 2 * Moment.minute))
        expect(try await device.read(), has: ["series": 2, "last_sequence_number": 2, "version": 1])
        // A duplicate is an accepted call.
        let before = try #require(try await device.read()["last_seen_at"]?.moment)
        try await device.record(SentEvent(number: 2, gateway: start + 2 * Moment.minute))
        let duplicate = try #require(try await device.read()["last_seen_at"]?.moment)
        #expect(duplicate > before)
        // A heartbeat, too, and it answers the device.
        let beat = try await device.heartbeat([("select", .string("{ \(CountingDevice.fields) }"))])
        let heard = try #require(beat["last_heartbeat_at"]?.moment)
        #expect(heard > duplicate && beat["last_seen_at"]?.moment == heard)
        expect(beat, has: ["id": device.json, "version": 1, "is_stale": false])
        #expect(try await site.state()["last_device_seen_at"]?.moment == heard)
        // And an empty batch.
        try await device.recordBatch([])
        let last = try await device.read()
        #expect(try #require(last["last_seen_at"]?.moment) > heard)
        #expect(last["last_heartbeat_at"]?.moment == heard)
        #expect(last["version"] == 1)
    }

    @Test func `freshness is whole seconds since the last event`() async throws {
        let site = try await CountingServer.running().site()
        let event = CountingServer.now() - 125 * Moment.second - 900_000
        try await site.insert([CountedEntry(event, 1)])
        let start = CountingServer.now()
        let fresh = try #require(try await site.state()["freshness_seconds"]?.int)
        let end = CountingServer.now()
        #expect((start - event) / Moment.second...(end - event) / Moment.second ~= fresh)
    }

    @Test func `a location is online while a device was seen within stale_after_seconds`() async throws {
        let site = try await CountingServer.running().site([("stale_after_seconds", 300)])
        let device = try await site.device()
        try await device.heartbeat()
        #expect(try await site.state()["is_online"] == true)
        func pass(_ seconds: Int) async throws {
            try await site.served.psql(
                """
                UPDATE counting.counter_states SET last_device_seen_at = now() - interval '\(seconds) seconds'
                WHERE id = \(site.id)
                """)
        }
        try await pass(290)
        #expect(try await site.state()["is_online"] == true)
        try await pass(301)
        #expect(try await site.state()["is_online"] == false)
        try await site.update(["stale_after_seconds": 400])
        #expect(try await site.state()["is_online"] == true)
    }

    @Test func `a device is stale when it is active, not manual, and was not seen for stale_after_seconds`()
        async throws
    {
        let site = try await CountingServer.running().site([("stale_after_seconds", 300)])
        let device = try await site.device()
        func isStale() async throws -> Bool? { try await device.read()["is_stale"]?.bool }
        func created(_ seconds: Int) async throws {
            try await site.served.psql(
                """
                SET session_replication_role = replica; -- The time of creation is kept by a trigger.
                UPDATE counting.devices SET created_at = now() - interval '\(seconds) seconds' WHERE id = \(device.id)
                """)
        }
        #expect(try await isStale() == false)
        try await created(290)
        #expect(try await isStale() == false)
        try await created(301)
        #expect(try await isStale() == true, "never seen: since it was created")
        try await device.heartbeat()
        #expect(try await isStale() == false, "seen just now")
        // Seen, and then not for a second.
        try await site.update(["stale_after_seconds": 1])
        try await eventually("it is stale", within: .seconds(10)) { try await isStale() == true }
        _ = try await site.admin.call("devices.update", ["id": device.json, "values": ["is_active": false]])
        #expect(try await isStale() == false)
        _ = try await site.admin.call("entries.override", ["location_id": site.json, "delta": 1])
        try await site.served.psql(
            """
            SET session_replication_role = replica; -- The time of creation is kept by a trigger.
            UPDATE counting.devices SET created_at = now() - interval '1 day'
            WHERE location_id = \(site.id) AND kind = 'manual'
            """)
        let manual = try await site.admin.call(
            "devices.list",
            ["where": ["location_id": site.json, "kind": "manual"], "select": "{ is_stale }"])
        #expect(manual["items"] == [["is_stale": false]])
    }
}
