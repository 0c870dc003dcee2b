/// Writes content lines of iCalendar (RFC 5545): texts escaped, lines folded, each with CRLF at its end.
struct ICalendarWriter {
    /// The longest line, in bytes without its end (section 3.1).
    private static let maxLine = 75

    private(set) var bytes: [UInt8] = []

    /// Adds a line such as `DTSTART;TZID=Europe/Paris:20260112T090000`, the value as it is.
    mutating func add(_ name: String, _ value: String) {
        let line = Array((name + ":" + value).utf8)
        var start = 0
        var limit = Self.maxLine
        while line.count - start > limit {
            var end = start + limit
            // A character in UTF-8 stays on one line.
            while line[end] & 0xC0 == 0x80 { end -= 1 }
            bytes += line[start..<end]
            bytes += [13, 10, 32]
            start = end
            // The space that begins the line counts.
            limit = Self.maxLine - 1
        }
        bytes += line[start...]
        bytes += [13, 10]
    }

    /// Adds a line with a text for people.
    mutating func add(_ name: String, text: String) {
        add(name, Self.escaped(text))
    }

    /// Adds a component such as `VEVENT`.
    mutating func component(_ name: String, _ content: (inout ICalendarWriter) -> Void) {
        add("BEGIN", name)
        content(&self)
        add("END", name)
    }

    /// A value of the type TEXT (section 3.3.11), without the control characters that it cannot have.
    static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            defer { isAfterReturn = scalar == "\r" }
            switch scalar {
            case "\\", ";", ",": escaped.append(contentsOf: ["\\", scalar])
            case "\n" where isAfterReturn: break
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": escaped.append(contentsOf: ["\\", "n"])
            case "\t": escaped.append(scalar)
            case _ where scalar.properties.generalCategory == .control: break
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
