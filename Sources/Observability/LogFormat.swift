import Logging

/// How a line looks.
package enum LogFormat: String, Sendable, CaseIterable {
    /// For people: `2026-11-21T12:00:00.000Z info POST /rpc 200 calls=sessions.list ms=1.204`.
    case text
    /// For machines: one JSON object a line.
    case json

    /// Appends one line with its newline. Whatever the parts hold, it stays one line.
    func append(_ entry: LogEntry, to line: inout [UInt8]) {
        begin(entry.time, entry.level, entry.message, &line)
        switch self {
        case .text:
            for (name, value) in entry.fields {
                line.append(UInt8(ascii: " "))
                line.appendEscaped(name, quotes: false)
                line.append(UInt8(ascii: "="))
                line.appendValue(value.description)
            }
        case .json:
            for (name, value) in entry.fields {
                line.append(UInt8(ascii: ","))
                // These names are taken.
                line.appendQuoted(["time", "level", "message"].contains(name) ? name + "_" : name)
                line.append(UInt8(ascii: ":"))
                line.appendJSON(value)
            }
        }
        end(&line)
    }

    // MARK: Parts of a line

    func begin(_ time: LogTime, _ level: Logger.Level, _ message: String, _ line: inout [UInt8]) {
        switch self {
        case .text:
            time.append(to: &line)
            line.append(UInt8(ascii: " "))
            line.append(contentsOf: level.rawValue.utf8)
            line.append(UInt8(ascii: " "))
            line.appendEscaped(message, quotes: false)
        case .json:
            line.append("{\"time\":\"")
            time.append(to: &line)
            line.append("\",\"level\":\"")
            line.append(contentsOf: level.rawValue.utf8)
            line.append("\",\"message\":")
            line.appendQuoted(message)
        }
    }

    /// A field's name and what stands between it and its value; `name` needs no escaping and is none that is taken.
    func append(_ name: StaticString, to line: inout [UInt8]) {
        line.append(self == .text ? " " : ",\"")
        line.append(name)
        line.append(self == .text ? "=" : "\":")
    }

    func append(_ name: StaticString, _ text: String, to line: inout [UInt8]) {
        append(name, to: &line)
        if self == .text { line.appendValue(text) } else { line.appendQuoted(text) }
    }

    func end(_ line: inout [UInt8]) {
        line.append(self == .text ? "\n" : "}\n")
    }
}

/// What a line says.
struct LogEntry {
    let time: LogTime
    let level: Logger.Level
    let message: String
    /// Sorted by name.
    let fields: [(name: String, value: Logger.MetadataValue)]
}

extension [UInt8] {
    fileprivate mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a field's value as text lines have it: as it is, or as a JSON string where its end would be in doubt.
    fileprivate mutating func appendValue(_ text: String) {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") }
        if isPlain { append(contentsOf: text.utf8) } else { appendQuoted(text) }
    }

    /// Appends a JSON string.
    fileprivate mutating func appendQuoted(_ text: String) {
        append(UInt8(ascii: "\""))
        appendEscaped(text, quotes: true)
        append(UInt8(ascii: "\""))
    }

    /// Appends `text` with control characters escaped as JSON has it, and quotes and backslashes too when asked.
    fileprivate mutating func appendEscaped(_ text: String, quotes: Bool) {
        let digits: StaticString = "0123456789abcdef"
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\n"): append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\t"): append(contentsOf: "\\t".utf8)
            case UInt8(ascii: "\r"): append(contentsOf: "\\r".utf8)
            case 0..<0x20, 0x7F:
                append(contentsOf: "\\u00".utf8)
                append(digits.utf8Start[Int(byte >> 4)])
                append(digits.utf8Start[Int(byte & 0x0F)])
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                if quotes { append(UInt8(ascii: "\\")) }
                append(byte)
            default: append(byte)
            }
        }
    }

    fileprivate mutating func appendJSON(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text): appendQuoted(text)
        case .stringConvertible(let number as Int): append(contentsOf: "\(number)".utf8)
        case .stringConvertible(let value): appendQuoted(value.description)
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
                appendQuoted(entry.key)
                append(UInt8(ascii: ":"))
                appendJSON(entry.value)
            }
            append(UInt8(ascii: "}"))
        }
    }
}
