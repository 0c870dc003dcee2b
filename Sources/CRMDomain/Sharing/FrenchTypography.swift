import DomainKit

/// Writes days, times, lengths and amounts as French does, with the spaces of printed texts or with plain ones.
struct FrenchTypography {
    /// Between thousands, and before `€` and `:`.
    let thinSpace: String
    /// Around `h` and before `min`.
    let noBreakSpace: String
    /// Between two times.
    let dash: String
    let minus: String
    let monthNames: [String]

    static let printed = FrenchTypography(
        thinSpace: "\u{202F}", noBreakSpace: "\u{A0}", dash: "–", minus: "\u{2212}", monthNames: months)

    /// For SMS, in GSM-7: plain spaces, a hyphen, and `aout`, a spelling allowed since 1990.
    static let plain = FrenchTypography(
        thinSpace: " ", noBreakSpace: " ", dash: "-", minus: "-",
        monthNames: months.map { $0 == "août" ? "aout" : $0 })

    private static let months = [
        "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
        "décembre",
    ]
    private static let weekdays = ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"]

    /// `lundi 12 janvier 2026`, `jeudi 1er janvier 2026`.
    func day(_ date: CalendarDate) -> String {
        let number = date.day == 1 ? "1er" : String(date.day)
        return "\(Self.weekdays[date.weekday]) \(number) \(monthNames[date.month - 1]) \(date.year)"
    }

    /// `9 h`, `9 h 05`.
    func time(_ time: ClockTime) -> String {
        hours(time.hour, time.minute)
    }

    /// `9 h – 17 h`.
    func span(_ debut: ClockTime, _ fin: ClockTime) -> String {
        "\(time(debut)) \(dash) \(time(fin))"
    }

    /// `8 h`, `7 h 30`, `45 min`, `1 240 h`.
    func length(minutes: Int) -> String {
        minutes < 60 ? "\(minutes)\(noBreakSpace)min" : hours(minutes / 60, minutes % 60)
    }

    /// `1 200,50 €` for `1200.5`: the digits as they are, at least two after the comma.
    func amount(_ digits: String) -> String {
        let isNegative = digits.hasPrefix("-")
        let parts = digits.drop { $0 == "-" }.split(separator: ".", maxSplits: 1)
        var cents = parts.count > 1 ? String(parts[1]) : ""
        while cents.utf8.count < 2 { cents += "0" }
        return "\(isNegative ? minus : "")\(grouped(parts.first ?? "0")),\(cents)\(thinSpace)€"
    }

    /// `1 250`. The number is not negative.
    func whole(_ number: Int) -> String { grouped(String(number)[...]) }

    private func grouped(_ digits: Substring) -> String {
        var grouped = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { grouped += thinSpace }
            grouped.append(digit)
        }
        return grouped
    }

    /// `Tarif : …`.
    func labelled(_ label: String, _ content: String) -> String {
        "\(label)\(thinSpace): \(content)"
    }

    private func hours(_ hours: Int, _ minutes: Int) -> String {
        guard minutes > 0 else { return "\(whole(hours))\(noBreakSpace)h" }
        return "\(whole(hours))\(noBreakSpace)h\(noBreakSpace)\(minutes < 10 ? "0" : "")\(minutes)"
    }
}
