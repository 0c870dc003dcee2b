import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// counting.md, "Operational day" and "Occupancy": noon boundaries and the nights on which clocks change.
@Suite struct DayBoundaryTests {
    private static func site(_ zone: String, _ hour: Int, capacity: Int = 100) async throws -> Site {
        try await CountingServer.running().site([
            ("timezone", .string(zone)), ("operational_boundary_hour", JSONValue(hour)),
            ("max_capacity", JSONValue(capacity)),
        ])
    }

    private static func between(_ from: Moment, _ to: Moment, _ granularity: String) -> [(String, JSONValue)] {
        [("from", from.json), ("to", to.json), ("granularity", .string(granularity))]
    }

    @Test func `Postgres reads the starts of days as the model does`() async throws {
        let served = try await CountingServer.running()
        let zones = [
            "Europe/Paris", "America/New_York", "Australia/Lord_Howe", "America/St_Johns", "Asia/Kathmandu",
            "Pacific/Auckland",
        ]
        for zone in zones {
            let rows = try await served.psql(
                """
                SELECT day, hour, extract(epoch FROM (day + make_interval(hours => hour)) AT TIME ZONE '\(zone)')::bigint
                FROM generate_series('2024-01-01'::timestamp, '2025-12-31', '1 day') AS one (day), unnest('{0,1,2,3,12}'::int[]) AS hour
                """)
            for row in rows.split(separator: "\n") {
                let parts = row.split(separator: "|")
                guard let day = CivilDay(String(parts[0].prefix(10))), let hour = Int(parts[1]), let at = Int(parts[2])
                else { throw TestEnvironmentError("\(row)") }
                let start = DayRule(zone, hour).start(of: day)
                #expect(start.microseconds == at * Moment.second, "\(zone) \(row)")
            }
        }
    }

    @Test func `at noon the count is zero, to the microsecond`() async throws {
        let site = try await Self.site("Europe/Paris", 12)
        try await site.insert([
            CountedEntry("2025-06-10T08:00:00Z", 1), CountedEntry("2025-06-10T09:59:59.999999Z", 1),
            CountedEntry("2025-06-10T10:00:00Z", 1), CountedEntry("2025-06-10T10:30:00Z", -1),
            CountedEntry("2025-06-10T10:45:00Z", -1),
        ])
        let charts = try await site.charts(Self.between("2025-06-10T09:00:00Z", "2025-06-10T12:00:00Z", "hour"))
        expect(
            charts,
            have: [
                [
                    "id": 1, "bucket_start": "2025-06-10T09:00:00+00:00", "bucket_end": "2025-06-10T10:00:00+00:00",
                    "operational_day": "2025-06-09", "total_in": 1, "total_out": 0, "flow": 1, "net": 1,
                    "peak_occupancy": 2, "average_occupancy": 1, "closing_count": 2,
                ],
                [
                    "id": 2, "bucket_start": "2025-06-10T10:00:00+00:00", "operational_day": "2025-06-10",
                    "total_in": 1, "total_out": 2, "flow": 3, "net": -1, "peak_occupancy": 1,
                    "average_occupancy": .number("0.5"), "closing_count": 0,
                ],
                [
                    "id": 3, "operational_day": "2025-06-10", "flow": 0, "peak_occupancy": 0, "average_occupancy": 0,
                    "closing_count": 0,
                ],
            ])
        // A departure after noon does not take away what came before it: nothing is negative.
        let days = try await site.charts(Self.between("2025-06-09T10:00:00Z", "2025-06-11T10:00:00Z", "day"))
        expect(
            days,
            have: [
                ["operational_day": "2025-06-09", "peak_occupancy": 2, "closing_count": 2, "net": 2],
                ["operational_day": "2025-06-10", "peak_occupancy": 1, "closing_count": 0, "net": -1],
            ])
    }

    /// Nights on which clocks change: zone, boundary hour, the day, its start and end, and the number of its hours.
    private static let nights: [(String, Int, CivilDay, Moment, Moment, Int)] = [
        // Noon to noon: 23 and 25 hours.
        ("Europe/Paris", 12, "2025-03-29", "2025-03-29T11:00:00Z", "2025-03-30T10:00:00Z", 23),
        ("Europe/Paris", 12, "2025-10-25", "2025-10-25T10:00:00Z", "2025-10-26T11:00:00Z", 25),
        ("America/New_York", 12, "2025-03-08", "2025-03-08T17:00:00Z", "2025-03-09T16:00:00Z", 23),
        ("America/New_York", 12, "2025-11-01", "2025-11-01T16:00:00Z", "2025-11-02T17:00:00Z", 25),
        // The boundary hour is skipped: by the offset before, so that this day starts at 3 o'clock of the summer.
        ("Europe/Paris", 2, "2025-03-29", "2025-03-29T01:00:00Z", "2025-03-30T01:00:00Z", 24),
        ("Europe/Paris", 2, "2025-03-30", "2025-03-30T01:00:00Z", "2025-03-31T00:00:00Z", 23),
        // It comes twice: the second one.
        ("Europe/Paris", 2, "2025-10-25", "2025-10-25T00:00:00Z", "2025-10-26T01:00:00Z", 25),
        ("Europe/Paris", 2, "2025-10-26", "2025-10-26T01:00:00Z", "2025-10-27T01:00:00Z", 24),
        ("America/New_York", 1, "2025-11-01", "2025-11-01T05:00:00Z", "2025-11-02T06:00:00Z", 25),
        // By half an hour: the last bucket of the day is half an hour long.
        ("Australia/Lord_Howe", 12, "2025-04-05", "2025-04-05T01:00:00Z", "2025-04-06T01:30:00Z", 25),
        ("Australia/Lord_Howe", 12, "2025-10-04", "2025-10-04T01:30:00Z", "2025-10-05T01:00:00Z", 24),
    ]

    @Test func `a day whose night changes the clock has the hours that pass`() async throws {
        for (zone, hour, day, start, end, hours) in Self.nights {
            let site = try await Self.site(zone, hour)
            // One comes before the day and does not count in it; one stays from its third hour; one comes in its last second.
            let entries = try await site.insert([
                CountedEntry(start - 1, 1), CountedEntry(start + 2 * Moment.hour, 1),
                CountedEntry(end - Moment.second, 1),
                CountedEntry(end, 1),
            ])
            let name = "\(zone) \(hour) \(day)"
            let charts = try await site.charts(Self.between(start, end, "hour"))
            #expect(charts.count == hours, "\(name)")
            for (index, bucket) in charts.enumerated() {
                let from = start + index * Moment.hour
                expect(
                    bucket,
                    has: [
                        "bucket_start": from.json, "bucket_end": min(from + Moment.hour, end).json,
                        "operational_day": day.json, "closing_count": index < 2 ? 0 : index < hours - 1 ? 1 : 2,
                    ], name)
            }
            let now = CountingServer.now()
            let period = FigurePeriod(site.rule, from: start, to: end, granularity: .day, now: now)
            let model = FigureModel(entries, period)
            let kpis = try await site.kpis(Self.between(start, end, "day"))
            expect(kpis, has: model.kpis, name)
            expect(
                kpis,
                has: ["total_in": 2, "peak_occupancy": 2, "closing_count": 2, "peak_at": (end - Moment.second).json],
                name)
            let whole = try await site.charts(Self.between(start - Moment.hour, end + Moment.hour, "day"))
            #expect(whole.map { $0["operational_day"] } == [(day - 1).json, day.json, (day + 1).json], "\(name)")
            expect(whole[1], has: ["bucket_start": start.json, "bucket_end": end.json, "total_in": 2], name)
        }
    }

    @Test func `the order within an instant is that of the identifiers`() async throws {
        let site = try await Self.site("UTC", 0)
        let moment: Moment = "2025-06-01T10:00:00Z"
        try await site.insert([CountedEntry(moment, -1), CountedEntry(moment, 1), CountedEntry(moment, 1)])
        let other = try await Self.site("UTC", 0)
        try await other.insert([CountedEntry(moment, 1), CountedEntry(moment, 1), CountedEntry(moment, -1)])
        let hour = Self.between(moment - Moment.minute, moment + Moment.minute, "hour")
        expect(try await site.kpis(hour), has: ["closing_count": 2, "peak_occupancy": 2, "net": 1])
        expect(try await other.kpis(hour), has: ["closing_count": 1, "peak_occupancy": 2, "net": 1])
    }
}
