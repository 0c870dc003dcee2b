import DomainKit
import JSON
import Testing

@Suite struct CalendarDateTests {
    @Test func `over a whole cycle of 400 years every day has the weekday after that of the day before`() {
        var count = 0
        // 1 January 1801 was a Thursday.
        var weekday = 3
        for year in 1801...2200 {
            for month in 1...12 {
                for day in 1...31 {
                    guard let date = CalendarDate(year: year, month: month, day: day) else { continue }
                    if date.weekday != weekday { Issue.record("\(date) is not weekday \(weekday)") }
                    weekday = (weekday + 1) % 7
                    count += 1
                }
            }
        }
        #expect(count == 146_097)
    }

    @Test(arguments: [("2026-01-12", 0), ("2026-11-21", 5), ("2000-02-29", 1), ("1970-01-01", 3), ("9999-12-31", 4)])
    func `known days have their weekday`(text: String, weekday: Int) {
        #expect(CalendarDate(text)?.weekday == weekday)
    }

    @Test(arguments: [
        "2026-02-30", "2025-02-29", "1900-02-29", "2026-04-31", "2026-00-01", "2026-13-01", "2026-01-00", "0000-12-31",
        "2026-1-1", "26-01-01", "2026/01/01", "20260101", "10000-01-01", "-001-01-01", "2026-01-01 ", " 2026-01-01", "",
        "２０２６-01-01", "2026-01-0١",
    ])
    func `a text that is not an existing day is nil`(text: String) {
        #expect(CalendarDate(text) == nil)
    }

    @Test func `leap years are those of the Gregorian calendar`() {
        #expect([1600, 2000, 2024, 4].allSatisfy(CalendarDate.isLeap))
        #expect(![1700, 1900, 2023, 2100].contains(where: CalendarDate.isLeap))
    }

    @Test func `days and times are ordered, times to the second`() throws {
        let nine = try #require(ClockTime("09:00"))
        #expect(nine == ClockTime("09:00:00"))
        #expect(try nine < #require(ClockTime("09:00:01")))
        #expect(ClockTime("23:59:59")?.secondsOfDay == 86_399)
        #expect(try #require(CalendarDate("2025-12-31")) < #require(CalendarDate("2026-01-01")))
    }

    @Test(arguments: [
        "24:00", "24:00:00", "23:60", "23:59:60", "9:00", "09:0", "09", "09:00:0", "09:00:00.5", "09:00:00Z", "0900",
        "-1:00", "", "09:00:", " 09:00",
    ])
    func `a text that is not a time of day is nil`(text: String) {
        #expect(ClockTime(text) == nil)
    }
}
