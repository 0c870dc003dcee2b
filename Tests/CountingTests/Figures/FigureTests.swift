import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// counting.md, "Figures": `counter_kpis` and `counter_charts`, with numbers that were worked out by hand.
@Suite struct FigureTests {
    /// A location in UTC whose days start at noon, with four hours of two days.
    private static func site() async throws -> Site {
        let site = try await CountingServer.running().site([
            ("timezone", "UTC"), ("operational_boundary_hour", 12), ("max_capacity", 10),
        ])
        try await site.insert([
            // The day before, at the same time.
            CountedEntry("2025-06-09T13:00:00Z", 1), CountedEntry("2025-06-09T13:15:00Z", 1),
            CountedEntry("2025-06-09T13:30:00Z", 1), CountedEntry("2025-06-09T14:30:00Z", -1),
            // The day: 1, 2, 3, 2, 3, 2, 1, 0.
            CountedEntry("2025-06-10T13:00:00Z", 1), CountedEntry("2025-06-10T13:30:00Z", 1),
            CountedEntry("2025-06-10T14:15:00Z", 1), CountedEntry("2025-06-10T14:30:00Z", -1),
            CountedEntry("2025-06-10T14:45:00Z", 1), CountedEntry("2025-06-10T15:30:00Z", -1),
            CountedEntry("2025-06-10T15:30:00Z", -1), CountedEntry("2025-06-10T15:45:00Z", -1),
        ])
        return site
    }

    private static let hours: [(String, JSONValue)] = [
        ("from", "2025-06-10T12:00:00Z"), ("to", "2025-06-10T16:00:00Z"),
    ]

    @Test func `the key figures of four hours`() async throws {
        let site = try await Self.site()
        let row = try await site.kpis(Self.hours)
        // 1 × 30 min + 2 × 45 + 3 × 15 + 2 × 15 + 3 × 45 + 1 × 15 = 345 min of 240.
        expect(
            row,
            has: [
                "location_id": site.json, "period_start": "2025-06-10T12:00:00+00:00",
                "period_end": "2025-06-10T16:00:00+00:00", "granularity": "hour", "total_in": 4, "total_out": 4,
                "net": 0, "peak_occupancy": 3, "peak_at": "2025-06-10T14:15:00+00:00",
                "peak_bucket": "2025-06-10T14:00:00+00:00", "peak_flow": 3,
                "peak_flow_bucket": "2025-06-10T14:00:00+00:00", "average_occupancy": .number("1.44"),
                "closing_count": 0, "previous_start": "2025-06-10T08:00:00+00:00",
                "previous_end": "2025-06-10T12:00:00+00:00",
                // Two people of the day before were still inside until noon.
                "previous_total_in": 0, "previous_total_out": 0, "previous_net": 0, "previous_peak_occupancy": 2,
                "previous_peak_flow": 0, "previous_average_occupancy": 2, "change_total_in": 4, "change_total_out": 4,
                "change_net": 0, "change_peak_occupancy": 1, "change_peak_flow": 3,
                "change_average_occupancy": .number("-0.56"),
            ])
        #expect(row["id"] != .null && row["id"] != nil)
        let day = try await site.kpis([("from", "2025-06-10T12:00:00Z"), ("to", "2025-06-11T12:00:00Z")])
        expect(
            day,
            has: [
                "previous_start": "2025-06-09T12:00:00+00:00", "previous_total_in": 3, "previous_total_out": 1,
                "previous_net": 2, "previous_peak_occupancy": 3, "previous_peak_flow": 3, "change_total_in": 1,
                "change_total_out": 3, "change_net": -2, "change_peak_occupancy": 0, "change_peak_flow": 0,
                // (15 + 2 × 15 + 3 × 60 + 2 × 1290) min of 1440, and 345 of 1440.
                "previous_average_occupancy": .number("1.95"), "average_occupancy": .number("0.24"),
                "change_average_occupancy": .number("-1.71"),
            ])
    }

    @Test func `every bucket of four hours, cut to the interval`() async throws {
        let site = try await Self.site()
        let rows = try await site.charts(Self.hours)
        func row(
            _ hour: Int, _ figures: (Int, Int), peak: Int, average: Double, closing: Int
        ) -> [String: JSONValue] {
            [
                "id": JSONValue(hour - 11), "location_id": site.json, "operational_day": "2025-06-10",
                "bucket_start": .string("2025-06-10T\(hour):00:00+00:00"),
                "bucket_end": .string("2025-06-10T\(hour + 1):00:00+00:00"), "total_in": JSONValue(figures.0),
                "total_out": JSONValue(figures.1), "net": JSONValue(figures.0 - figures.1),
                "flow": JSONValue(figures.0 + figures.1), "peak_occupancy": JSONValue(peak),
                "average_occupancy": .number(String(average)), "closing_count": JSONValue(closing),
            ]
        }
        expect(
            rows,
            have: [
                row(12, (0, 0), peak: 0, average: 0, closing: 0), row(13, (2, 0), peak: 2, average: 1.5, closing: 2),
                row(14, (2, 1), peak: 3, average: 2.5, closing: 3), row(15, (0, 3), peak: 3, average: 1.75, closing: 0),
            ])
        let cut = try await site.charts([
            ("from", "2025-06-10T13:45:00Z"), ("to", "2025-06-10T15:40:00Z"), ("granularity", "hour"),
        ])
        expect(
            cut,
            have: [
                [
                    "id": 1, "bucket_start": "2025-06-10T13:45:00+00:00", "bucket_end": "2025-06-10T14:00:00+00:00",
                    "flow": 0, "peak_occupancy": 2, "average_occupancy": 2, "closing_count": 2,
                ],
                ["id": 2, "bucket_start": "2025-06-10T14:00:00+00:00", "flow": 3],
                // Three for half an hour, one for ten minutes, of forty.
                [
                    "id": 3, "bucket_start": "2025-06-10T15:00:00+00:00", "bucket_end": "2025-06-10T15:40:00+00:00",
                    "flow": 2, "peak_occupancy": 3, "average_occupancy": .number("2.5"), "closing_count": 1,
                ],
            ])
    }

    @Test func `the peak of an interval includes the count at its start`() async throws {
        let site = try await Self.site()
        let row = try await site.kpis([("from", "2025-06-10T15:00:00Z"), ("to", "2025-06-10T16:00:00Z")])
        expect(
            row,
            has: [
                "total_in": 0, "total_out": 3, "net": -3, "peak_occupancy": 3, "peak_at": "2025-06-10T15:00:00+00:00",
                "peak_bucket": "2025-06-10T15:00:00+00:00", "average_occupancy": .number("1.75"), "closing_count": 0,
            ])
        // The first of equal peaks, and the first of equal flows; neither has a bucket when it is 0.
        let two = try await site.kpis([("from", "2025-06-10T14:00:00Z"), ("to", "2025-06-10T16:00:00Z")])
        expect(
            two,
            has: [
                "peak_at": "2025-06-10T14:15:00+00:00", "peak_flow": 3, "peak_flow_bucket": "2025-06-10T14:00:00+00:00",
            ])
        let empty = try await site.kpis([("from", "2025-06-11T12:00:00Z"), ("to", "2025-06-11T16:00:00Z")])
        expect(
            empty,
            has: [
                "peak_occupancy": 0, "peak_bucket": .null, "peak_flow": 0, "peak_flow_bucket": .null, "total_in": 0,
                "average_occupancy": 0, "closing_count": 0, "change_peak_occupancy": 0,
            ])
    }

    @Test func `the interval includes its start and not its end`() async throws {
        let site = try await Self.site()
        let before = try await site.kpis([("from", "2025-06-10T12:00:00Z"), ("to", "2025-06-10T13:30:00Z")])
        expect(before, has: ["total_in": 1, "closing_count": 1])
        let after = try await site.kpis([("from", "2025-06-10T12:00:00Z"), ("to", "2025-06-10T13:30:00.000001Z")])
        expect(after, has: ["total_in": 2, "closing_count": 2])
        let from = try await site.kpis([("from", "2025-06-10T13:30:00Z"), ("to", "2025-06-10T14:00:00Z")])
        expect(from, has: ["total_in": 1, "closing_count": 2, "average_occupancy": 2])
    }

    @Test func `views are filtered, ordered, counted and aggregated as lists are`() async throws {
        let site = try await Self.site()
        let parameters = [("location_id", site.json)] + Self.hours
        let busy = try await site.admin.call(
            "counter_charts.list",
            .merging(
                parameters + [
                    ("where", ["flow": ["gte": 3]]), ("order_by", ["-bucket_start"]), ("count", true),
                    ("select", "{ id flow location { name } }"),
                ]))
        #expect(busy["total"] == 2)
        #expect(busy.at("/items").array.map { $0["id"] } == [4, 3], "\(busy.json)")
        #expect(busy.at("/items/0/location/name").text != nil)
        let sums = try await site.admin.call(
            "counter_charts.aggregate", .merging(parameters + [("select", "{ count sum { flow net } }")]))
        #expect(sums.at("/items/0") == ["count": 4, "sum": ["flow": 8, "net": 0]], "\(sums.json)")
        let page = try await site.admin.call(
            "counter_charts.list", .merging(parameters + [("first", 3), ("select", "{ id }")]))
        #expect(page.at("/items").array.map { $0["id"] } == [1, 2, 3], "by id")
        let rest = try await site.admin.call(
            "counter_charts.list",
            .merging(
                parameters + [("first", 3), ("select", "{ id }"), ("after", page["end_cursor"] ?? .null)]))
        #expect(rest.at("/items").array.map { $0["id"] } == [4])
    }
}
