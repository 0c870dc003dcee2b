/// A day of the Gregorian calendar, years 0001 to 9999.
public struct CalendarDate: Sendable, Hashable, Comparable {
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to the month's last.
    public let day: Int

    /// Nil unless the day exists.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Reads `YYYY-MM-DD`, those ten characters and no others.
    public init?(_ text: some StringProtocol) {
        var digits = DigitScanner(text)
        guard let year = digits.number(4), digits.take("-"), let month = digits.number(2), digits.take("-"),
            let day = digits.number(2), digits.isAtEnd
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    public static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    public static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The day of the week, Monday being 0.
    public var weekday: Int {
        // Days since Monday 1 January 0001 of the proleptic Gregorian calendar.
        let past = year - 1
        var days = past * 365 + past / 4 - past / 100 + past / 400
        for earlier in 1..<month {
            days += Self.days(in: earlier, of: year)
        }
        return (days + day - 1) % 7
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}

/// A time of day to the second, 00:00:00 to 23:59:59.
public struct ClockTime: Sendable, Hashable, Comparable {
    public let hour: Int
    public let minute: Int
    public let second: Int

    /// Reads `HH:MM` or `HH:MM:SS`; 24:00, leap seconds and fractions are no times of day.
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

    public var secondsOfDay: Int { hour * 3600 + minute * 60 + second }

    public static func < (left: Self, right: Self) -> Bool { left.secondsOfDay < right.secondsOfDay }
}

/// Reads fixed-width ASCII numbers and separators from the front of a text.
struct DigitScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: some StringProtocol) {
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { position == bytes.count }

    /// The number that exactly `count` digits make; nil, nothing taken, when others stand there.
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

    /// How many digits stand here; takes them.
    mutating func skipDigits() -> Int {
        let start = position
        while position < bytes.count, bytes[position] >= UInt8(ascii: "0"), bytes[position] <= UInt8(ascii: "9") {
            position += 1
        }
        return position - start
    }

    mutating func take(_ separators: Unicode.Scalar...) -> Bool {
        guard position < bytes.count, separators.contains(Unicode.Scalar(bytes[position])) else { return false }
        position += 1
        return true
    }
}
