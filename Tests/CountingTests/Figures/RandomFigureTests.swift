import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// The figures of random entries, in every range and in random intervals, against the model.
@Suite struct RandomFigureTests {
    /// Entries of more than a year, most of them in the last days. None is at the start of an hour.
    private static func entries(_ count: Int, until end: Moment, _ random: inout SeededGenerator) -> [CountedEntry] {
        (0..<count).map { _ in
            let age = random.pick([Moment.day, 8 * Moment.day, 35 * Moment.day, 500 * Moment.day])
            return CountedEntry(end - random.number(1...age), random.chance(0.55) ? 1 : -1)
        }
    }

    @Test(
        arguments: [("Europe/Paris", 12, 21), ("America/New_York", 2, 22), ("Australia/Lord_Howe", 23, 23)]
            as [(String, Int, UInt64)])
    func `figures are those of the model`(zone: String, hour: Int, seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let site = try await CountingServer.running().site([
            ("timezone", .string(zone)), ("operational_boundary_hour", JSONValue(hour)), ("max_capacity", 2),
        ])
        let entries = try await site.insert(Self.entries(400, until: CountingServer.now(), &random))
        var cases: [(parameters: [(String, JSONValue)], model: (Moment) -> FigurePeriod)] = []
        for range in FigureRange.allCases {
            cases.append(
                (
                    [("range", .string(range.rawValue))], { FigurePeriod(site.rule, range, now: $0) }
                ))
        }
        for _ in 0..<8 {
            let from =
                CountingServer.now() - random.number(1...random.pick([2, 40, 300])) * Moment.day
                - random.number(1...Moment.day)
            let to =
                from + random.number(1...random.pick([1, 48, 24 * 60, 24 * 200])) * Moment.hour
                + random.number(1...Moment.hour)
            cases.append(
                (
                    [("from", from.json), ("to", to.json)], { FigurePeriod(site.rule, from: from, to: to, now: $0) }
                ))
        }
        for (parameters, period) in cases {
            let name = "seed \(seed), " + parameters.map { "\($0.0) \($0.1.json)" }.joined(separator: ", ")
            let row = try await site.kpis(parameters)
            let end = try #require(row["period_end"]?.moment)
            let kpis = FigureModel(entries, period(end)).kpis
            expect(row, has: kpis, name)
            let charts = try await site.charts(parameters)
            let until = try #require(charts.last?["bucket_end"]?.moment)
            let model = FigureModel(entries, period(until))
            let expected = model.charts.map { row in
                // The day of a month that is cut is said by no sentence.
                model.period.granularity == .month ? row.filter { $0.key != "operational_day" } : row
            }
            expect(charts, have: expected, name)
            // A crowd at the end lasts if this is now.
            let given = parameters.first { $0.0 == "to" }?.1.moment
            let crowds = model.occupancy.crowds(above: 2, from: model.period.start, to: model.period.end)
            let issues = try await site.issues(parameters, kind: "overcrowding")
            let lastEnd: JSONValue = given.map { $0 < CountingServer.now() ? $0.json : .null } ?? .null
            expect(
                issues,
                have: crowds.map { crowd in
                    [
                        "starts_at": crowd.start.json, "ends_at": crowd.end?.json ?? lastEnd,
                        "value": JSONValue(crowd.peak),
                    ]
                }, name)
        }
        let count = OccupancyModel(site.rule, entries).count(at: CountingServer.now())
        #expect(try await site.currentCount() == count)
    }
}
