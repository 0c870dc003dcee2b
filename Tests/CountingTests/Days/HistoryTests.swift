import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// "Every figure is a function of the stored entries and the location's present settings, never of the order of arrival."
@Suite struct HistoryTests {
    private static let from: Moment = "2025-03-20T00:00:00Z"
    private static let to: Moment = "2025-04-08T00:00:00Z"

    /// Entries of nineteen days, with a change of the clock among them.
    private static func entries(_ count: Int, seed: UInt64) -> [CountedEntry] {
        var random = SeededGenerator(seed: seed)
        var entries: [CountedEntry] = []
        for _ in 0..<count {
            let at = from + random.number(0...(to - from - 1))
            // Often several at one instant, or right after it.
            for index in 0..<random.number(1...3) {
                entries.append(
                    CountedEntry(at + index * random.number(0...90) * Moment.second, random.chance(0.55) ? 1 : -1))
            }
        }
        return entries
    }

    /// Expects that the figures of the location are the model's, in each granularity.
    private static func expectFigures(
        _ site: Site, _ rule: DayRule, _ entries: [CountedEntry], _ comment: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let now = CountingServer.now()
        for granularity in FigureGranularity.allCases {
            let parameters: [(String, JSONValue)] = [
                ("from", from.json), ("to", to.json), ("granularity", .string(granularity.rawValue)),
            ]
            let model = FigureModel(entries, FigurePeriod(rule, from: from, to: to, granularity: granularity, now: now))
            let kpis = try await site.kpis(parameters)
            expect(kpis, has: model.kpis, "\(comment), \(granularity)", sourceLocation: sourceLocation)
            // The first bucket of months is cut, and its day is said by no sentence.
            let charts = model.charts.enumerated().map { index, row in
                granularity == .month && index == 0 ? row.filter { $0.key != "operational_day" } : row
            }
            let found = try await site.charts(parameters)
            expect(found, have: charts, "\(comment), \(granularity)", sourceLocation: sourceLocation)
        }
    }

    @Test func `a new zone, boundary or capacity applies to the whole history`() async throws {
        let site = try await CountingServer.running().site([
            ("timezone", "Europe/Paris"), ("operational_boundary_hour", 12),
        ])
        let entries = try await site.insert(Self.entries(250, seed: 1))
        try await Self.expectFigures(site, site.rule, entries, "as inserted")
        for (zone, hour) in [
            ("Europe/Paris", 2), ("America/New_York", 2), ("Australia/Lord_Howe", 12), ("Asia/Kolkata", 0),
        ] {
            try await site.update(["timezone": .string(zone), "operational_boundary_hour": JSONValue(hour)])
            try await Self.expectFigures(site, DayRule(zone, hour), entries, "\(zone) at \(hour)")
        }
        // By psql as well.
        try await site.served.psql("UPDATE counting.locations SET operational_boundary_hour = 5 WHERE id = \(site.id)")
        let rule = DayRule("Asia/Kolkata", 5)
        try await Self.expectFigures(site, rule, entries, "by psql")
        let model = OccupancyModel(rule, entries)
        for capacity in [1, 3] {
            try await site.update(["max_capacity": JSONValue(capacity)])
            let found = try await site.issues([("from", Self.from.json), ("to", Self.to.json)], kind: "overcrowding")
            let crowds = model.crowds(above: capacity, from: Self.from, to: Self.to)
            expect(
                found.sorted { ($0["starts_at"]?.moment ?? Self.to) < ($1["starts_at"]?.moment ?? Self.to) },
                have: crowds.map { crowd in
                    [
                        "starts_at": crowd.start.json, "ends_at": crowd.end?.json ?? .null,
                        "value": JSONValue(crowd.peak), "location_id": site.json,
                    ]
                }, "capacity \(capacity)")
        }
    }

    @Test func `new settings do not wait for the history, which is worked in by and by and right at any time`()
        async throws
    {
        let site = try await CountingServer.running().site([
            ("timezone", "Europe/Paris"), ("operational_boundary_hour", 12),
        ])
        let served = site.served
        var entries = try await site.insert(Self.entries(120, seed: 7))
        let rule = DayRule("America/New_York", 3)
        // In one transaction with what looks at it, so that no run of the job comes between.
        let text = try await served.psql(
            """
            BEGIN;
            UPDATE counting.locations SET timezone = 'America/New_York', operational_boundary_hour = 3 WHERE id = \(site.id);
            SELECT counting.days_to_fold(l) > 10 AND (SELECT count(*) FROM counting.hours AS h WHERE h.location_id = l.id) <= 25
            FROM counting.locations AS l WHERE l.id = \(site.id);
            COMMIT;
            """)
        #expect(text == "t")
        try await Self.expectFigures(site, rule, entries, "waiting")
        // A slice ends with its time, after one day at least: no longer does it lock the location.
        let before = try await served.psql("SELECT count(*) FROM counting.days WHERE NOT is_folded")
        try await served.psql("SELECT counting.fold_waiting_days('0 ms')")
        let after = try await served.psql("SELECT count(*) FROM counting.days WHERE NOT is_folded")
        #expect(Int(after) == Int(before).map { $0 - 1 })
        for _ in 1...3 { try await served.psql("SELECT counting.fold_waiting_days('0 ms')") }
        try await Self.expectFigures(site, rule, entries, "partly folded")
        // Entries of a day that waits fold it.
        entries += try await site.insert(Self.entries(3, seed: 8))
        try await Self.expectFigures(site, rule, entries, "with further entries")
        // What the job does, which this server does not run. Locations of other tests may come first.
        try await eventually("the job folds the rest") {
            try await served.psql("SET ROLE learntrack_worker; SELECT counting.fold_days_by_and_by()")
            let location = try await site.admin.call(
                "locations.get", ["id": site.json, "select": "{ days_to_fold }"])
            return location == ["days_to_fold": 0]
        }
        try await Self.expectFigures(site, rule, entries, "folded")
    }

    @Test func `rows that psql inserts, changes and deletes are in every figure`() async throws {
        let site = try await CountingServer.running().site([
            ("timezone", "Europe/Paris"), ("operational_boundary_hour", 12),
        ])
        let (one, two) = (try await site.counter(), try await site.counter())
        var entries = try await site.insert(Self.entries(80, seed: 2), device: one)
        entries += try await site.insert(Self.entries(80, seed: 3), device: two)
        try await Self.expectFigures(site, site.rule, entries, "inserted")
        // Every third changes its sign, every seventh its time, every fifth goes.
        let numbers = try await site.served.psql(
            """
            WITH changed AS (
                UPDATE counting.entries SET delta = -delta WHERE location_id = \(site.id) AND id % 3 = 0 RETURNING 1
            ), moved AS (
                UPDATE counting.entries SET "timestamp" = "timestamp" + interval '31 hours 7.5 seconds'
                WHERE location_id = \(site.id) AND id % 7 = 0 AND id % 3 <> 0 RETURNING 1
            )
            SELECT count(*) FROM changed, moved;
            DELETE FROM counting.entries WHERE location_id = \(site.id) AND id % 5 = 0;
            """)
        #expect(numbers != "0")
        entries = entries.filter { $0.id % 5 != 0 }.map { entry in
            var entry = entry
            if entry.id % 3 == 0 {
                entry.delta = -entry.delta
            } else if entry.id % 7 == 0 {
                entry.at = entry.at + 31 * Moment.hour + 7_500_000
            }
            return entry
        }
        try await Self.expectFigures(site, site.rule, entries, "changed")
        // From one location to another.
        let other = try await site.served.site([("timezone", "UTC"), ("operational_boundary_hour", 0)])
        try await site.served.psql(
            """
            UPDATE counting.entries SET location_id = \(other.id) WHERE device_id = \(two)
            """)
        let moved = Set(
            try await site.served.psql("SELECT id FROM counting.entries WHERE device_id = \(two)")
                .split(separator: "\n").compactMap { Int($0) })
        #expect(!moved.isEmpty)
        try await Self.expectFigures(site, site.rule, entries.filter { !moved.contains($0.id) }, "left")
        try await Self.expectFigures(other, other.rule, entries.filter { moved.contains($0.id) }, "arrived")
        try await site.served.psql("DELETE FROM counting.entries WHERE location_id = \(site.id)")
        try await Self.expectFigures(site, site.rule, [], "empty")
    }

    @Test func `the order of arrival does not matter`() async throws {
        let served = try await CountingServer.running()
        let base = CountingServer.now() - 20 * Moment.hour
        var random = SeededGenerator(seed: 4)
        var time = base
        let events = (1...200).map { number in
            time = time + random.number(1...300) * Moment.second + random.number(0...999_999)
            return SentEvent(number: number, delta: random.chance(0.55) ? 1 : -1, gateway: time)
        }
        var answers: [[String]] = []
        // In order, the other way round, the second half first in batches, one by one from the middle.
        let middle = Array(events[80..<120])
        let orders: [[[SentEvent]]] = [
            [events], [events.reversed()], [Array(events[100...]), Array(events[..<100])],
            [middle] + (events[..<80].reversed() + events[120...]).map { [$0] }.shuffled(using: &random),
        ]
        for order in orders {
            let site = try await served.site()
            let device = try await site.device()
            for batch in order {
                if batch.count == 1 {
                    try await device.record(batch[0])
                } else {
                    try await device.recordBatch(batch)
                }
            }
            let entries = try await site.entries()
            #expect(entries.count == 200 && entries.allSatisfy { $0["series"] == 1 && $0["missing_before"] == 0 })
            let parameters: [(String, JSONValue)] = [("from", base.json), ("to", (base + 19 * Moment.hour + 1).json)]
            let kpis = try await site.kpis(parameters), charts = try await site.charts(parameters)
            let state = try await site.state()
            answers.append(
                ([kpis] + charts).map { $0.setting("/id", to: .null).setting("/location_id", to: .null).json } + [
                    state["current_count"]?.json ?? "", state["last_event_at"]?.json ?? "",
                ])
        }
        for answer in answers { #expect(answer == answers[0]) }
    }
}
