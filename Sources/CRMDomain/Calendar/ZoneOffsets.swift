import DomainKit
import JSON

/// How far the time zone of the service is ahead of universal time, as `Load.timeZone` loads it.
struct ZoneOffsets {
    /// From a second since 1970 on, in minutes, ascending. The first holds before it, too.
    private let changes: [(second: Int, minutes: Int)]

    /// - Parameter loaded: `[[0, 60], [954032400, 120], …]`.
    init(_ loaded: JSONValue) {
        changes = loaded.elements.compactMap { pair in
            guard case .array(let numbers) = pair, numbers.count == 2, let second = numbers[0].integer,
                let minutes = numbers[1].integer
            else { return nil }
            return (second, minutes)
        }
    }

    /// The instant at which the clocks of the zone show a day and a time. Of an hour that comes twice it is the second one.
    func instant(_ date: CalendarDate, _ time: ClockTime) -> Instant? {
        let shown = date.daysSince1970 * 86_400 + time.secondsOfDay
        let minutes = changes.last { $0.second <= shown - $0.minutes * 60 }?.minutes ?? changes.first?.minutes ?? 0
        return Instant(date, time, ahead: minutes)
    }
}

extension CalendarDate {
    /// Negative before 1970.
    fileprivate var daysSince1970: Int {
        // The year begins in March, so that the day that a leap year has more is its last one.
        let year = month > 2 ? self.year : self.year - 1
        let era = year / 400
        let ofEra = year - era * 400
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    }
}
