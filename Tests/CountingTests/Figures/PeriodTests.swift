import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// counting.md, "Figures": ranges, granularities, the interval and the one before it, against the model.
@Suite struct PeriodTests {
    private static let names = ["period_start", "period_end", "previous_start", "previous_end", "granularity"]

    /// What the model says of the period that a row describes: the end of an answer up to now is its own.
    private static func expectPeriod(
        _ site: Site, _ rule: DayRule, _ parameters: [(String, JSONValue)],
        sourceLocation: SourceLocation = #_sourceLocation, _ model: (Moment) -> FigurePeriod
    ) async throws {
        let before = CountingServer.now()
        let row = try await site.kpis(parameters, sourceLocation: sourceLocation)
        let end = try #require(row["period_end"]?.moment)
        let name = parameters.map { "\($0.0) \($0.1.json)" }.joined(separator: ", ")
        #expect(end <= CountingServer.now(), "\(name)", sourceLocation: sourceLocation)
        if !parameters.contains(where: { $0.0 == "to" }) {
            #expect(end >= before, "to is now by default", sourceLocation: sourceLocation)
        }
        let period = model(end)
        expect(
            row,
            has: [
                "period_start": period.start.json, "period_end": period.end.json,
                "previous_start": period.previousStart.json, "previous_end": period.previousEnd.json,
                "granularity": .string(period.granularity.rawValue),
            ], name, sourceLocation: sourceLocation)
        let charts = try await site.charts(parameters)
        let buckets = model(charts.last?["bucket_end"]?.moment ?? end).buckets
        expect(
            charts,
            have: buckets.enumerated().map { index, bucket in
                ["id": JSONValue(index + 1), "bucket_start": bucket.start.json, "bucket_end": bucket.end.json]
            }, name, sourceLocation: sourceLocation)
    }

    @Test func `each range begins with the day of its end, or one before, and has its granularity`() async throws {
        let served = try await CountingServer.running()
        for (zone, hour) in [("UTC", CountingServer.quietHour()), ("Europe/Paris", CountingServer.quietHour())] {
            let site = try await served.site([
                ("timezone", .string(zone)), ("operational_boundary_hour", JSONValue(hour)),
            ])
            try await Self.expectPeriod(site, site.rule, []) { FigurePeriod(site.rule, .today, now: $0) }
            for range in FigureRange.allCases {
                let name: (String, JSONValue) = ("range", .string(range.rawValue))
                try await Self.expectPeriod(site, site.rule, [name]) { FigurePeriod(site.rule, range, now: $0) }
                for granularity in FigureGranularity.allCases where !(range == .year && granularity == .hour) {
                    try await Self.expectPeriod(
                        site, site.rule, [name, ("granularity", .string(granularity.rawValue))]
                    ) { FigurePeriod(site.rule, range, granularity: granularity, now: $0) }
                }
                // The day is that of the end.
                let to: Moment = "2025-04-02T17:30:00Z"
                try await Self.expectPeriod(site, site.rule, [name, ("to", to.json)]) { _ in
                    FigurePeriod(site.rule, range, to: to, now: CountingServer.now())
                }
            }
        }
    }

    @Test func `literal periods`() async throws {
        let site = try await CountingServer.running().site([
            ("timezone", "Europe/Paris"), ("operational_boundary_hour", 12),
        ])
        let to: JSONValue = "2025-04-02T17:30:00Z"
        let expected: [(String, String, String, String)] = [
            ("today", "2025-04-02T10:00:00", "2025-04-01T10:00:00", "hour"),
            ("last_7", "2025-03-27T11:00:00", "2025-03-20T11:00:00", "day"),
            ("last_30", "2025-03-04T11:00:00", "2025-02-02T11:00:00", "day"),
            ("year", "2025-01-01T11:00:00", "2024-01-01T11:00:00", "month"),
        ]
        for (range, start, previous, granularity) in expected {
            let row = try await site.kpis([("range", .string(range)), ("to", to)])
            expect(
                row,
                has: [
                    "period_start": .string(start + "+00:00"), "period_end": "2025-04-02T17:30:00+00:00",
                    "previous_start": .string(previous + "+00:00"), "previous_end": .string(start + "+00:00"),
                    "granularity": .string(granularity),
                ], range)
        }
        // In the morning it is still the day before.
        let morning = try await site.kpis([("to", "2025-04-02T09:59:59Z")])
        expect(morning, has: ["period_start": "2025-04-01T10:00:00+00:00"])
        let months = try await site.charts([("range", "year"), ("to", to)])
        expect(
            months,
            have: [
                ["operational_day": "2025-01-01", "bucket_start": "2025-01-01T11:00:00+00:00"],
                ["operational_day": "2025-02-01", "bucket_start": "2025-02-01T11:00:00+00:00"],
                ["operational_day": "2025-03-01", "bucket_start": "2025-03-01T11:00:00+00:00"],
                [
                    "operational_day": "2025-04-01", "bucket_start": "2025-04-01T10:00:00+00:00",
                    "bucket_end": "2025-04-02T17:30:00+00:00",
                ],
            ])
    }

    @Test func `with from, the length says the granularity and the interval before`() async throws {
        let site = try await CountingServer.running().site([
            ("timezone", "Europe/Paris"), ("operational_boundary_hour", 12),
        ])
        let from: Moment = "2025-01-10T11:00:00Z"
        for (length, granularity) in [
            (Moment.second, "hour"), (48 * Moment.hour, "hour"), (48 * Moment.hour + 1, "day"),
            (92 * Moment.day, "day"), (92 * Moment.day + 1, "month"), (300 * Moment.day, "month"),
        ] {
            let parameters: [(String, JSONValue)] = [("from", from.json), ("to", (from + length).json)]
            expect(
                try await site.kpis(parameters),
                has: [
                    "granularity": .string(granularity), "period_start": from.json, "period_end": (from + length).json,
                    "previous_start": (from - length).json, "previous_end": from.json,
                ], "\(length)")
            try await Self.expectPeriod(site, site.rule, parameters) { _ in
                FigurePeriod(site.rule, from: from, to: from + length, now: CountingServer.now())
            }
        }
        // From wins over the range, and the end is now by default.
        let recent = CountingServer.now() - Moment.hour
        try await Self.expectPeriod(site, site.rule, [("range", "year"), ("from", recent.json)]) {
            FigurePeriod(site.rule, from: recent, now: $0)
        }
    }

    @Test func `an end in the future is now`() async throws {
        let site = try await CountingServer.running().site()
        try await site.insert([CountedEntry(CountingServer.now() - Moment.hour, 1)])
        for parameters in [
            [("to", "2999-01-01T00:00:00Z")],
            [("from", (CountingServer.now() - 2 * Moment.hour).json), ("to", "2999-01-01T00:00:00Z")],
        ] as [[(String, JSONValue)]] {
            let before = CountingServer.now()
            let row = try await site.kpis(parameters)
            let end = try #require(row["period_end"]?.moment)
            #expect(end >= before && end <= CountingServer.now())
            expect(row, has: ["total_in": 1, "closing_count": 1])
        }
    }

    @Test func `an empty interval and an unknown location have no rows`() async throws {
        let site = try await CountingServer.running().site()
        let moment: JSONValue = "2025-06-01T12:00:00Z"
        for parameters in [
            [("from", moment), ("to", moment)], [("from", moment), ("to", "2025-06-01T11:00:00Z")],
            [("from", "2999-01-01T00:00:00Z")],
        ] as [[(String, JSONValue)]] {
            for view in ["counter_kpis", "counter_charts", "counter_issues"] {
                let rows = try await site.rows(view, parameters)
                #expect(rows.isEmpty, "\(view) \(rows.map(\.json))")
            }
        }
        for view in ["counter_kpis", "counter_charts", "counter_issues"] {
            let page = try await site.admin.call("\(view).list", ["location_id": 999_999_999])
            #expect(page["items"] == [], "\(view)")
        }
    }

    @Test func `the parameters of the views are checked`() async throws {
        let site = try await CountingServer.running().site()
        for view in ["counter_kpis", "counter_charts", "counter_issues"] {
            #expect(try await site.admin.refusal("\(view).list", [:]).problems == ["/location_id required"])
            for (name, value) in [
                ("range", "last_8"), ("from", "gestern"), ("to", 7), ("from", "2026-02-30T00:00:00Z"),
            ]
                as [(String, JSONValue)]
            {
                let error = try await site.admin.refusal(
                    "\(view).list", .merging([("location_id", site.json), (name, value)]))
                #expect(error.paths == ["/\(name)"], "\(view): \(error.json)")
            }
            let granularity = try await site.admin.refusal(
                "\(view).list", ["location_id": site.json, "granularity": "week"])
            #expect(granularity.paths == ["/granularity"], "\(view): \(granularity.json)")
        }
        let issues = try await site.admin.refusal(
            "counter_issues.list", ["location_id": site.json, "granularity": "day"])
        #expect(issues.problems == ["/granularity unknown"], "issues have none")
    }

    @Test func `an interval of more than ten thousand buckets is refused with a remedy`() async throws {
        let site = try await CountingServer.running().site()
        func refusal(_ method: String, _ granularity: String, from: String) async throws -> JSONValue {
            try await site.admin.response(
                "counter_charts.\(method)",
                [
                    "location_id": site.json, "from": .string(from), "to": "2026-01-01T12:00:00Z",
                    "granularity": .string(granularity), "select": method == "list" ? "{ id }" : "{ count }",
                ])
        }
        for (granularity, from) in [("hour", "2024-11-01T12:00:00Z"), ("day", "1998-01-01T12:00:00Z")] {
            for method in ["list", "aggregate"] {
                let answer = try await refusal(method, granularity, from: from)
                #expect(answer.at("/error/code") == -32602, "\(answer.json.prefix(300))")
                #expect(answer.at("/error/data/errors/0/path") == "/granularity", "\(answer.json.prefix(300))")
                #expect(answer.at("/error/data/errors/0/code") == "rule")
            }
        }
        #expect(try await refusal("aggregate", "hour", from: "2025-01-01T12:00:00Z").at("/result") != nil)
        #expect(try await refusal("aggregate", "month", from: "1998-01-01T12:00:00Z").at("/result") != nil)
    }
}
