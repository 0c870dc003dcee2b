import Glibc
import JSON
import Logging

/// The format of a log line.
package enum LogFormat: String, Sendable, CaseIterable {
    /// For people: `2026-11-21T12:00:00.000Z info POST /rpc 200 calls=books.list ms=1.204`.
    case text
    /// For machines: one JSON object a line.
    case json

    /// Appends one line and its newline. Line breaks in the parts are escaped.
    func append(_ entry: LogEntry, to line: inout [UInt8]) {
        begin(entry.time, entry.level, entry.message, &line)
        switch self {
        case .text:
            for (name, value) in entry.fields {
                line.append(UInt8(ascii: " "))
                line.appendPlain(name)
                line.append(UInt8(ascii: "="))
                line.appendValue(value.description)
            }
        case .json:
            for (name, value) in entry.fields {
                line.append(UInt8(ascii: ","))
                // Every line has fields of these names already.
                line.appendJSONString(["time", "level", "message"].contains(name) ? name + "_" : name)
                line.append(UInt8(ascii: ":"))
                line.appendJSON(value)
            }
        }
        end(&line)
    }

    // MARK: - Parts of a line

    func begin(_ time: LogTime, _ level: Logger.Level, _ message: String, _ line: inout [UInt8]) {
        switch self {
        case .text:
            time.append(to: &line)
            line.append(UInt8(ascii: " "))
            line.append(contentsOf: level.rawValue.utf8)
            line.append(UInt8(ascii: " "))
            line.appendPlain(message)
        case .json:
            line.append("{\"time\":\"")
            time.append(to: &line)
            line.append("\",\"level\":\"")
            line.append(contentsOf: level.rawValue.utf8)
            line.append("\",\"message\":")
            line.appendJSONString(message)
        }
    }

    /// Appends a field's name and the separators around it. `name` must need no escaping and must not be `time`, `level`
    /// or `message`.
    func append(_ name: StaticString, to line: inout [UInt8]) {
        line.append(self == .text ? " " : ",\"")
        line.append(name)
        line.append(self == .text ? "=" : "\":")
    }

    func append(_ name: StaticString, _ text: String, to line: inout [UInt8]) {
        append(name, to: &line)
        if self == .text { line.appendValue(text) } else { line.appendJSONString(text) }
    }

    func end(_ line: inout [UInt8]) {
        line.append(self == .text ? "\n" : "}\n")
    }
}

/// The content of a log line.
struct LogEntry {
    let time: LogTime
    let level: Logger.Level
    let message: String
    /// Sorted by name.
    let fields: [(name: String, value: Logger.MetadataValue)]
}

extension [UInt8] {
    /// Appends the value of a field of a text line: unchanged, or as a JSON string when it is empty or contains blanks,
    /// quotes or control characters.
    fileprivate mutating func appendValue(_ text: String) {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") }
        if isPlain { append(contentsOf: text.utf8) } else { appendJSONString(text) }
    }

    /// Appends `text` with its control characters escaped as in JSON, so that it stays on one line.
    fileprivate mutating func appendPlain(_ text: String) {
        for byte in text.utf8 {
            if byte < 0x20 || byte == 0x7F { appendJSONEscape(of: byte) } else { append(byte) }
        }
    }

    fileprivate mutating func appendJSON(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text): appendJSONString(text)
        case .stringConvertible(let number as any BinaryInteger): append(contentsOf: "\(number)".utf8)
        case .stringConvertible(let value): appendJSONString(value.description)
        case .array(let values):
            append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                appendJSON(value)
            }
            append(UInt8(ascii: "]"))
        case .dictionary(let values):
            append(UInt8(ascii: "{"))
            for (index, entry) in values.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                appendJSONString(entry.key)
                append(UInt8(ascii: ":"))
                appendJSON(entry.value)
            }
            append(UInt8(ascii: "}"))
        }
    }
}

/// A time of day in UTC, written as `2026-11-21T12:00:00.123Z`.
struct LogTime {
    let seconds: Int
    let milliseconds: Int

    static var now: LogTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return LogTime(seconds: time.tv_sec, milliseconds: time.tv_nsec / 1_000_000)
    }

    func append(to line: inout [UInt8]) {
        var seconds = seconds
        var parts = tm()
        gmtime_r(&seconds, &parts)
        // One append instead of twenty-four, which would take half of the time that a line costs.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { text in
            text.put(Int(parts.tm_year) + 1900, 4, at: 0, then: "-")
            text.put(Int(parts.tm_mon) + 1, 2, at: 5, then: "-")
            text.put(Int(parts.tm_mday), 2, at: 8, then: "T")
            text.put(Int(parts.tm_hour), 2, at: 11, then: ":")
            text.put(Int(parts.tm_min), 2, at: 14, then: ":")
            text.put(Int(parts.tm_sec), 2, at: 17, then: ".")
            text.put(milliseconds, 3, at: 20, then: "Z")
            line.append(contentsOf: text)
        }
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// Writes `number` with `width` digits, and the separator after it.
    fileprivate func put(_ number: Int, _ width: Int, at start: Int, then separator: Unicode.Scalar) {
        var rest = number
        for index in stride(from: start + width - 1, through: start, by: -1) {
            self[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        self[start + width] = UInt8(ascii: separator)
    }
}

extension [UInt8] {
    /// Appends an integer without leading zeros.
    mutating func appendDecimal(_ number: Int) {
        if number < 0 { append(UInt8(ascii: "-")) }
        let magnitude = number.magnitude
        var divisor: UInt = 1
        while magnitude / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(magnitude / divisor % 10))
            divisor /= 10
        }
    }

    /// Appends the last `width` digits of a number that is not negative.
    mutating func appendDigits(_ number: Int, _ width: Int) {
        var divisor = 1
        for _ in 1..<width { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
