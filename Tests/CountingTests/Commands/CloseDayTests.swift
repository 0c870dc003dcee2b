import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// "close_days: a `day_end` snapshot of each ended day that has entries but no such; it touches states whose day has turned
/// (feed)." Days pass by entries that are old.
@Suite(.serialized) struct CloseDayTests {
    private static func snapshots(_ site: Site) async throws -> [JSONValue] {
        try await site.admin.call(
            "counter_snapshots.list",
            [
                "where": ["location_id": site.json, "reason": "day_end"], "order_by": ["operational_day"],
                "first": 500,
            ]
        ).at("/items").array
    }

    @Test func `each ended day with entries has one snapshot, with the figures of the whole day`() async throws {
        let site = try await CountingServer.closing().site([
            ("timezone", "Europe/Paris"), ("operational_boundary_hour", 12),
        ])
        let entries = try await site.insert([
            // A day of 25 hours, from Saturday noon to Sunday noon.
            CountedEntry("2025-10-25T10:00:00Z", 1), CountedEntry("2025-10-25T20:00:00Z", 1),
            CountedEntry("2025-10-25T22:30:00Z", 1), CountedEntry("2025-10-26T01:30:00Z", -1),
            CountedEntry("2025-10-26T10:59:59.999999Z", 1),
            // Noon is the start of the next one. It ends with one person inside, who is not counted any more.
            CountedEntry("2025-10-26T11:00:00Z", 1),
            // A day on which more people leave than came.
            CountedEntry("2025-10-28T12:00:00Z", -1), CountedEntry("2025-10-28T13:00:00Z", 1),
            CountedEntry("2025-10-28T14:00:00Z", -1), CountedEntry("2025-10-28T15:00:00Z", -1),
        ])
        let answer = try await site.admin.call("counter_snapshots.close_days")
        #expect(answer == ["closed": 3])
        let model = OccupancyModel(site.rule, entries)
        let expected = (["2025-10-25", "2025-10-26", "2025-10-28"] as [CivilDay]).map { day -> [String: JSONValue] in
            let (start, end) = (site.rule.start(of: day), site.rule.start(of: day + 1))
            let tally = model.tally(from: start, to: end)
            let average = (Double(tally.area) / Double(end - start) * 100).rounded() / 100
            return [
                "operational_day": day.json, "starts_at": start.json, "ends_at": end.json, "reason": "day_end",
                "location_id": site.json, "closing_count": JSONValue(tally.closing),
                "total_in": JSONValue(tally.totalIn), "total_out": JSONValue(tally.totalOut),
                "peak_occupancy": JSONValue(tally.peak), "average_occupancy": .number(String(average)),
            ]
        }
        let found = try await Self.snapshots(site)
        expect(found, have: expected)
        // By hand: 1 person for ten hours, 2 for two and a half, 3 for three, 2 for nine and a half, of 25.
        expect(
            found[0],
            has: [
                "closing_count": 3, "total_in": 4, "total_out": 1, "peak_occupancy": 3,
                "average_occupancy": .number("1.72"),
            ])
        expect(found[1], has: ["starts_at": "2025-10-26T11:00:00+00:00", "closing_count": 1, "average_occupancy": 1])
        expect(found[2], has: ["closing_count": 0, "total_in": 1, "total_out": 3, "peak_occupancy": 1])
        // Nothing is deleted: the entries are as they were.
        #expect(try await site.entries().count == entries.count)
        // Once more: nothing is left to do, and the present day is not closed.
        try await site.insert([CountedEntry(CountingServer.now() - Moment.second, 1)])
        #expect(try await site.admin.call("counter_snapshots.close_days") == ["closed": 0])
        #expect(try await Self.snapshots(site).count == 3)
        // A day that psql adds is closed by the next call.
        try await site.insert([CountedEntry("2025-10-27T20:00:00Z", 1)])
        #expect(try await site.admin.call("counter_snapshots.close_days") == ["closed": 1])
        let days = try await Self.snapshots(site).map { $0["operational_day"] }
        #expect(days == ["2025-10-25", "2025-10-26", "2025-10-27", "2025-10-28"])
    }

    @Test func `an administrator's snapshot is not the day's, and counts that were closed stay as they are`()
        async throws
    {
        let site = try await CountingServer.closing().site()
        try await site.insert([CountedEntry("2025-06-01T20:00:00Z", 1)])
        _ = try await site.admin.call("locations.end_day", ["id": site.json])
        #expect(try await Self.snapshots(site).isEmpty)
        _ = try await site.admin.call("counter_snapshots.close_days")
        let all = try await site.admin.call(
            "counter_snapshots.list", ["where": ["location_id": site.json], "select": "{ reason }"])
        #expect(Set(all.at("/items").array.compactMap { $0["reason"]?.text }) == ["admin", "day_end"])
        // A dry run closes nothing.
        try await site.insert([CountedEntry("2025-06-03T20:00:00Z", 1)])
        _ = try await site.admin.call("counter_snapshots.close_days", ["dry_run": true])
        #expect(try await Self.snapshots(site).count == 1)
    }

    @Test func `a state whose day has turned is one change of the feed`() async throws {
        let served = try await CountingServer.closing()
        let (turned, present) = (try await served.site(), try await served.site())
        _ = try await turned.admin.call("counter_snapshots.close_days")
        // As if the last call had been on another day.
        try await served.psql("UPDATE counting.counter_states SET noted_day = '2025-06-01' WHERE id = \(turned.id)")
        try await served.server.database.waitForEarlierTransactions()
        let start = try await turned.admin.call("changes.list")["end_cursor"] ?? .null
        for _ in 0..<2 { _ = try await turned.admin.call("counter_snapshots.close_days") }
        // What is written last is in the feed after all of it.
        let last = try await served.site()
        var items: [JSONValue] = []
        try await eventually("the changes are in the feed") {
            let page = try await turned.admin.call("changes.list", ["after": start, "first": 500])
            items = page.at("/items").array
            return items.contains { $0["table"] == "locations" && $0["id"] == last.json }
        }
        let states = items.filter { $0["table"] == "counter_states" }
        #expect(states.filter { $0["id"] == turned.json }.map { $0["op"] } == ["update"], "\(items.map(\.json))")
        #expect(!states.contains { $0["id"] == present.json })
    }

    @Test func `of two calls at once, one closes each day`() async throws {
        let served = try await CountingServer.closing()
        let site = try await served.site()
        for round in 0..<5 {
            let day = ("2025-01-01" as CivilDay) + 10 * round
            try await site.insert((0..<4).map { CountedEntry(site.rule.start(of: day + $0) + Moment.hour, 1) })
            let (one, two) = (try await served.admin(), try await served.admin())
            async let first = one.call("counter_snapshots.close_days")
            async let second = two.call("counter_snapshots.close_days")
            let closed = [try await first["closed"]?.int ?? 0, try await second["closed"]?.int ?? 0]
            #expect(closed.reduce(0, +) == 4, "\(closed)")
        }
        let days = try await Self.snapshots(site).map { $0["operational_day"]?.text ?? "" }
        #expect(days.count == 20 && Set(days).count == 20)
    }
}
