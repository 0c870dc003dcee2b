import DomainKit

/// A second of universal time, as a calendar states when a session was written.
struct Instant {
    /// `20260105T083000Z`.
    let text: String

    /// Reads RFC 3339, such as `2026-01-05T09:30:00.25+01:00`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "T", maxSplits: 1)
        guard parts.count == 2, let day = CalendarDate(parts[0]),
            let zone = parts[1].firstIndex(where: { "Z+-".contains($0) }),
            let time = ClockTime(parts[1][..<zone].prefix { $0 != "." }),
            let offset = Self.minutes(parts[1][zone...])
        else { return nil }
        var seconds = time.secondsOfDay - offset * 60
        var date: CalendarDate? = day
        if seconds < 0 {
            seconds += 86_400
            date = day.previous
        } else if seconds >= 86_400 {
            seconds -= 86_400
            date = day.next
        }
        guard let date else { return nil }
        self.text =
            date.basic + "T"
            + [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0.padded(2) }.joined() + "Z"
    }

    /// The offset from universal time in minutes: 60 for `+01:00`.
    private static func minutes(_ text: Substring) -> Int? {
        if text == "Z" { return 0 }
        let digits = text.dropFirst()
        guard let hours = Int(digits.prefix(2)), let minutes = Int(digits.dropFirst(2).drop { $0 == ":" }.prefix(2))
        else { return Int(digits).map { (text.first == "-" ? -1 : 1) * $0 * 60 } }
        return (text.first == "-" ? -1 : 1) * (hours * 60 + minutes)
    }
}

extension CalendarDate {
    /// `20260112`.
    var basic: String { year.padded(4) + month.padded(2) + day.padded(2) }

    fileprivate var next: CalendarDate? {
        CalendarDate(year: year, month: month, day: day + 1) ?? CalendarDate(year: year, month: month + 1, day: 1)
            ?? CalendarDate(year: year + 1, month: 1, day: 1)
    }

    fileprivate var previous: CalendarDate? {
        if day > 1 { return CalendarDate(year: year, month: month, day: day - 1) }
        guard month > 1 else { return CalendarDate(year: year - 1, month: 12, day: 31) }
        return CalendarDate(year: year, month: month - 1, day: Self.days(in: month - 1, of: year))
    }
}

extension ClockTime {
    /// `090000`.
    var basic: String { [hour, minute, second].map { $0.padded(2) }.joined() }
}

extension Int {
    /// The digits, with zeros before them up to a width.
    fileprivate func padded(_ width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
    }
}
