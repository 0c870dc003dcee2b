import TestSupport
import Testing

/// The model that other tests compare the server with, in cases with literal results.
@Suite struct ModelTests {
    @Test func `instants and dates are read and written as in answers`() {
        for text in [
            "1970-01-01T00:00:00+00:00", "2026-02-28T23:59:59.999999+00:00", "2024-02-29T12:00:00.5+00:00",
            "2000-12-31T00:00:01+00:00", "1969-12-31T23:59:59+00:00",
        ] {
            #expect(Moment(text)?.text == text)
        }
        #expect(("2025-10-26T01:00:00Z" as Moment).microseconds == 1_761_440_400_000_000)
        #expect(("2024-02-29" as CivilDay) + 1 == "2024-03-01")
        #expect(("2024-12-31" as CivilDay).firstOfNextMonth == "2025-01-01")
        for number in stride(from: -1_000, through: 40_000, by: 7) {
            let day = CivilDay(number: number)
            #expect(CivilDay(day.text) == day)
        }
    }

    static let starts: [(String, Int, CivilDay, Moment)] = [
        ("UTC", 0, "2025-06-01", "2025-06-01T00:00:00Z"),
        ("Europe/Paris", 12, "2025-06-01", "2025-06-01T10:00:00Z"),
        ("Europe/Paris", 12, "2025-12-01", "2025-12-01T11:00:00Z"),
        // The clock goes from 2 to 3 at 01:00 UTC, and from 3 to 2.
        ("Europe/Paris", 1, "2025-03-30", "2025-03-30T00:00:00Z"),
        ("Europe/Paris", 2, "2025-03-30", "2025-03-30T01:00:00Z"),
        ("Europe/Paris", 3, "2025-03-30", "2025-03-30T01:00:00Z"),
        ("Europe/Paris", 1, "2025-10-26", "2025-10-25T23:00:00Z"),
        ("Europe/Paris", 2, "2025-10-26", "2025-10-26T01:00:00Z"),
        ("Europe/Paris", 3, "2025-10-26", "2025-10-26T02:00:00Z"),
        ("America/New_York", 2, "2025-03-09", "2025-03-09T07:00:00Z"),
        ("America/New_York", 1, "2025-11-02", "2025-11-02T06:00:00Z"),
        // By half an hour.
        ("Australia/Lord_Howe", 2, "2025-04-06", "2025-04-05T15:30:00Z"),
        ("Asia/Kolkata", 0, "2025-06-01", "2025-05-31T18:30:00Z"),
    ]

    @Test(arguments: starts)
    func `a day starts at the boundary hour of its zone`(zone: String, hour: Int, day: CivilDay, start: Moment) {
        let rule = DayRule(zone, hour)
        #expect(rule.start(of: day) == start)
        #expect(rule.day(of: start) == day)
        #expect(rule.day(of: start - 1) == day - 1)
    }

    @Test func `an occupancy is never negative, and begins anew with the day`() {
        let model = OccupancyModel(
            DayRule("UTC", 12),
            [
                CountedEntry("2025-06-01T12:00:00Z", -1), CountedEntry("2025-06-01T13:00:00Z", 1),
                CountedEntry("2025-06-01T14:00:00Z", 1), CountedEntry("2025-06-02T11:59:59Z", 1),
                CountedEntry("2025-06-02T13:00:00Z", 1),
            ])
        let counts: [(Moment, Int, Int)] = [
            ("2025-06-01T12:00:00Z", 0, 0), ("2025-06-01T13:00:00Z", 0, 1), ("2025-06-02T11:59:59Z", 2, 3),
            ("2025-06-02T12:00:00Z", 0, 0), ("2025-06-02T13:00:00Z", 0, 1),
        ]
        for (moment, before, at) in counts {
            #expect(model.opening(at: moment) == before)
            #expect(model.count(at: moment) == at)
        }
        let tally = model.tally(from: "2025-06-01T13:30:00Z", to: "2025-06-02T12:00:00Z")
        #expect(tally.totalIn == 2 && tally.totalOut == 0)
        #expect(tally.peak == 3 && tally.peakAt == "2025-06-02T11:59:59Z")
        #expect(tally.closing == 3)
        #expect(tally.area == Moment.minute * 30 + 2 * (21 * Moment.hour + 3_599 * Moment.second) + 3 * Moment.second)
        #expect(model.tally(from: "2025-06-02T12:00:00Z", to: "2025-06-02T13:00:00Z").peak == 0)
        let crowds = model.crowds(above: 1, from: "2025-06-01T12:00:00Z", to: "2025-06-03T12:00:00Z")
        #expect(crowds == [.init(start: "2025-06-01T14:00:00Z", end: "2025-06-02T12:00:00Z", peak: 3)])
        let moments = OccupancyModel(
            DayRule("UTC", 12),
            [
                CountedEntry("2025-06-01T13:00:00Z", 1), CountedEntry(id: 1, "2025-06-01T14:00:00Z", 1),
                CountedEntry(id: 2, "2025-06-01T14:00:00Z", -1), CountedEntry("2025-06-01T15:00:00Z", 1),
                CountedEntry("2025-06-01T16:00:00Z", -1),
            ])
        #expect(
            moments.crowds(above: 1, from: "2025-06-01T13:00:00Z", to: "2025-06-01T15:00:00Z")
                == [.init(start: "2025-06-01T14:00:00Z", end: "2025-06-01T14:00:00Z", peak: 2)], "it lasts no time")
        #expect(
            moments.crowds(above: 1, from: "2025-06-01T16:00:00Z", to: "2025-06-01T17:00:00Z").isEmpty,
            "it ends as the interval starts")
    }

    @Test func `periods and buckets are those of the day and the month`() {
        let rule = DayRule("Europe/Paris", 12)
        let now: Moment = "2025-10-26T20:30:00Z"
        let today = FigurePeriod(rule, now: now)
        #expect(today.start == "2025-10-26T11:00:00Z" && today.end == now)
        #expect(today.previousStart == "2025-10-25T10:00:00Z")
        #expect(today.buckets.count == 10 && today.buckets.last?.start == "2025-10-26T20:00:00Z")
        let year = FigurePeriod(rule, .year, now: now)
        #expect(year.start == "2025-01-01T11:00:00Z" && year.previousStart == "2024-01-01T11:00:00Z")
        #expect(year.buckets.map(\.day).last == "2025-10-01" && year.buckets.count == 10)
        // A day of 25 hours.
        let night = FigurePeriod(rule, from: "2025-10-25T10:00:00Z", to: "2025-10-26T11:00:00Z", now: now)
        #expect(night.granularity == .hour && night.buckets.count == 25)
        #expect(night.previousStart == "2025-10-24T09:00:00Z")
    }

    @Test func `a number is next, late, a duplicate or the start of a series`() {
        let now: Moment = "2025-06-01T20:00:00Z"
        func event(_ number: Int, _ seconds: Int) -> SentEvent {
            SentEvent(number: number, gateway: "2025-06-01T12:00:00Z" + seconds * Moment.second)
        }
        var model = SequenceModel()
        let steps: [(SentEvent, SequenceModel.Outcome)] = [
            (event(5, 0), .next(missing: 0)), (event(9, 40), .next(missing: 3)), (event(7, 20), .late),
            (event(7, 22), .duplicate), (event(7, 23), .reset), (event(8, 24), .next(missing: 0)),
            (event(9, 41), .duplicate), (event(1, 26), .reset), (event(0, 20), .late),
            (event(2, 21), .next(missing: 0)),
        ]
        for (event, outcome) in steps { #expect(model.record(event, now: now) == outcome, "\(event)") }
        #expect(model.entries.map(\.series) == [1, 1, 1, 2, 2, 3, 3, 3])
        #expect(model.entries.map(\.missing) == [0, 1, 1, 0, 0, 0, 0, 0])
    }
}
