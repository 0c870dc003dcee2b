/// A day of the Gregorian calendar in the years 0001 to 9999.
///
/// ```swift
/// let day = CalendarDate("2026-01-12")
/// day?.weekday  // 0, a Monday
/// ```
public struct CalendarDate: Sendable, Hashable, Comparable {
    /// The year, 1 to 9999.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int
    /// The day of the month, from 1.
    public let day: Int

    /// Creates a day; nil if the calendar does not have it.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Reads `YYYY-MM-DD`, exactly these ten characters; nil if the text is anything else or the day does not exist.
    public init?(_ text: some StringProtocol) {
        var digits = DigitScanner(text)
        guard let year = digits.number(4), digits.take("-"), let month = digits.number(2), digits.take("-"),
            let day = digits.number(2), digits.isAtEnd
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// Whether a year has 366 days.
    public static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// The number of days in a month, 28 to 31.
    public static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The day of the week: 0 for Monday, 6 for Sunday.
    public var weekday: Int {
        // Days since 1 January 0001 of the proleptic Gregorian calendar, a Monday.
        let past = year - 1
        var days = past * 365 + past / 4 - past / 100 + past / 400
        for earlier in 1..<month {
            days += Self.days(in: earlier, of: year)
        }
        return (days + day - 1) % 7
    }

    /// Whether `left` is before `right`.
    public static func < (left: Self, right: Self) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}

/// A time of day to the second, 00:00:00 to 23:59:59.
///
/// ```swift
/// ClockTime("09:30")?.secondsOfDay  // 34200
/// ```
public struct ClockTime: Sendable, Hashable, Comparable {
    /// The hour, 0 to 23.
    public let hour: Int
    /// The minute, 0 to 59.
    public let minute: Int
    /// The second, 0 to 59.
    public let second: Int

    /// Reads `HH:MM` or `HH:MM:SS`; nil for anything else, such as 24:00, a leap second or a fraction of a second.
    public init?(_ text: some StringProtocol) {
        var digits = DigitScanner(text)
        guard let hour = digits.number(2), hour < 24, digits.take(":"), let minute = digits.number(2), minute < 60
        else { return nil }
        var second = 0
        if !digits.isAtEnd {
            guard digits.take(":"), let given = digits.number(2), given < 60, digits.isAtEnd else { return nil }
            second = given
        }
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// Seconds since midnight.
    public var secondsOfDay: Int { hour * 3600 + minute * 60 + second }

    /// Whether `left` is before `right`.
    public static func < (left: Self, right: Self) -> Bool { left.secondsOfDay < right.secondsOfDay }
}

/// Reads ASCII numbers of a fixed width, and separators, from the start of a text.
struct DigitScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: some StringProtocol) {
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { position == bytes.count }

    /// Reads exactly `count` digits as a number; nil, without advancing, if there are fewer.
    mutating func number(_ count: Int) -> Int? {
        guard position + count <= bytes.count else { return nil }
        var number = 0
        for byte in bytes[position..<position + count] {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        position += count
        return number
    }

    /// Skips the digits at the current position, and returns how many there were.
    mutating func skipDigits() -> Int {
        let start = position
        while position < bytes.count, bytes[position] >= UInt8(ascii: "0"), bytes[position] <= UInt8(ascii: "9") {
            position += 1
        }
        return position - start
    }

    /// Reads one of `separators`; false, without advancing, if the next byte is none of them.
    mutating func take(_ separators: Unicode.Scalar...) -> Bool {
        guard position < bytes.count, separators.contains(Unicode.Scalar(bytes[position])) else { return false }
        position += 1
        return true
    }
}
