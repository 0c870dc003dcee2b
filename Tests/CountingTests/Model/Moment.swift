import JSON

/// An instant, to the microsecond, as Postgres keeps it. The arithmetic is written here and rests on no library.
struct Moment: Hashable, Comparable, Sendable {
    /// Since the start of 1970 in UTC.
    var microseconds: Int

    static let second = 1_000_000
    static let minute = 60 * second
    static let hour = 60 * minute
    static let day = 24 * hour

    init(microseconds: Int) { self.microseconds = microseconds }

    /// - Parameter text: in UTC, such as `2025-10-26T01:00:00Z`, or as answers have it: `2025-10-26T01:00:00.5+00:00`.
    init?(_ text: String) {
        var rest = text
        for suffix in ["Z", "+00:00"] where rest.hasSuffix(suffix) { rest.removeLast(suffix.count) }
        let halves = rest.split(separator: "T")
        guard halves.count == 2, let date = CivilDay(String(halves[0])) else { return nil }
        let parts = halves[1].split(separator: ":")
        guard parts.count == 3, let hours = Int(parts[0]), let minutes = Int(parts[1]) else { return nil }
        let seconds = parts[2].split(separator: ".")
        guard let whole = seconds.first.flatMap({ Int($0) }) else { return nil }
        let fraction = seconds.count == 2 ? seconds[1] : "0"
        guard fraction.count <= 6, let digits = Int(fraction + String(repeating: "0", count: 6 - fraction.count)) else {
            return nil
        }
        microseconds =
            date.number * Moment.day + hours * Moment.hour + minutes * Moment.minute + whole * Moment.second + digits
    }

    static func < (left: Moment, right: Moment) -> Bool { left.microseconds < right.microseconds }
    static func + (left: Moment, right: Int) -> Moment { Moment(microseconds: left.microseconds + right) }
    static func - (left: Moment, right: Int) -> Moment { Moment(microseconds: left.microseconds - right) }
    static func - (left: Moment, right: Moment) -> Int { left.microseconds - right.microseconds }

    /// As Postgres writes it in JSON: in UTC, with as many digits of the second as it takes.
    var text: String {
        let date = CivilDay(number: microseconds.flooredQuotient(by: Moment.day))
        let inside = microseconds - date.number * Moment.day
        let clock = [inside / Moment.hour, inside / Moment.minute % 60, inside / Moment.second % 60]
            .map { padded($0, to: 2) }.joined(separator: ":")
        var fraction = padded(inside % Moment.second, to: 6)
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(date.text)T\(clock)\(fraction.isEmpty ? "" : "." + fraction)+00:00"
    }

    var json: JSONValue { .string(text) }
}

extension Moment: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Traps when the literal is no instant.
    init(stringLiteral text: String) {
        guard let moment = Moment(text) else { preconditionFailure("no instant: \(text)") }
        self = moment
    }

    var description: String { text }
}

/// A date of the Gregorian calendar.
struct CivilDay: Hashable, Comparable, Sendable {
    /// Days since 1 January 1970.
    var number: Int

    init(number: Int) { self.number = number }

    init(year: Int, month: Int, day: Int) {
        // The year begins in March here, so that the leap day is its last.
        let shifted = month > 2 ? year : year - 1
        let days = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        number =
            365 * shifted + shifted.flooredQuotient(by: 4) - shifted.flooredQuotient(by: 100)
            + shifted.flooredQuotient(by: 400) + days - 719_468
    }

    /// - Parameter text: such as `2025-10-26`.
    init?(_ text: String) {
        let parts = text.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3 else { return nil }
        self.init(year: parts[0], month: parts[1], day: parts[2])
    }

    static func < (left: CivilDay, right: CivilDay) -> Bool { left.number < right.number }
    static func + (left: CivilDay, right: Int) -> CivilDay { CivilDay(number: left.number + right) }
    static func - (left: CivilDay, right: Int) -> CivilDay { CivilDay(number: left.number - right) }

    var year: Int {
        // A guess that is a year early at most.
        let guess = 1970 + number.flooredQuotient(by: 366)
        var year = number >= 0 ? guess : 1970 + number.flooredQuotient(by: 365)
        while CivilDay(year: year + 1, month: 1, day: 1) <= self { year += 1 }
        while CivilDay(year: year, month: 1, day: 1) > self { year -= 1 }
        return year
    }

    var month: Int {
        let year = year
        return (1...12).last { CivilDay(year: year, month: $0, day: 1) <= self } ?? 1
    }

    var firstOfMonth: CivilDay { CivilDay(year: year, month: month, day: 1) }

    var firstOfNextMonth: CivilDay {
        month == 12
            ? CivilDay(year: year + 1, month: 1, day: 1) : CivilDay(year: year, month: month + 1, day: 1)
    }

    var text: String {
        let day = number - firstOfMonth.number + 1
        return "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(day, to: 2))"
    }

    var json: JSONValue { .string(text) }
}

extension CivilDay: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Traps when the literal is no date.
    init(stringLiteral text: String) {
        guard let day = CivilDay(text) else { preconditionFailure("no date: \(text)") }
        self = day
    }

    var description: String { text }
}

extension Int {
    /// The quotient, rounded down, also of negative numbers.
    func flooredQuotient(by divisor: Int) -> Int {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

private func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
