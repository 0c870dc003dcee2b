import Glibc

/// The time as HTTP writes it: `Date: Sat, 21 Nov 2026 12:00:00 GMT`.
enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Seconds since 1970.
    static var now: Int { time(nil) }

    /// The whole header line.
    static func header(_ second: Int) -> [UInt8] {
        var second = second
        var parts = tm()
        gmtime_r(&second, &parts)
        let weekday = days[(second / 86_400) % 7]
        let month = months[Int(parts.tm_mon)]
        let day = "\(twoDigits(parts.tm_mday)) \(month) \(parts.tm_year + 1900)"
        let clock = "\(twoDigits(parts.tm_hour)):\(twoDigits(parts.tm_min)):\(twoDigits(parts.tm_sec))"
        return Array("Date: \(weekday), \(day) \(clock) GMT\r\n".utf8)
    }

    private static func twoDigits(_ number: Int32) -> String {
        number < 10 ? "0\(number)" : String(number)
    }
}
