package import Logging

/// One line written field by field straight into the log's memory: for lines so frequent that a dictionary for each
/// would be a good part of what they tell of. The same shape as every other line.
package struct LogLine: ~Copyable {
    private var bytes: [UInt8]
    private let format: LogFormat

    /// - Parameter bytes: what comes before it; taken back with ``end()``.
    init(after bytes: consuming [UInt8], _ format: LogFormat, _ level: Logger.Level, message: String) {
        self.bytes = bytes
        self.format = format
        self.format.begin(LogTime.now, level, message, &self.bytes)
    }

    consuming func end() -> [UInt8] {
        format.end(&bytes)
        return bytes
    }

    /// Adds a field; fields come in the order of their names.
    package mutating func add(_ name: StaticString, _ text: String) {
        format.append(name, text, to: &bytes)
    }

    package mutating func add(_ name: StaticString, _ number: Int) {
        format.append(name, to: &bytes)
        bytes.appendDecimal(number)
    }

    /// Adds a time as milliseconds with three decimals.
    package mutating func add(_ name: StaticString, nanoseconds: Int64) {
        format.append(name, to: &bytes)
        let microseconds = Int(max(0, nanoseconds) / 1_000)
        if format == .json { bytes.append(UInt8(ascii: "\"")) }
        bytes.appendDecimal(microseconds / 1_000)
        bytes.append(UInt8(ascii: "."))
        bytes.appendDigits(microseconds % 1_000, 3)
        if format == .json { bytes.append(UInt8(ascii: "\"")) }
    }
}

extension LogWriter {
    /// Writes a line of its own, whatever the level; what a logger carries is not added.
    package func write(_ level: Logger.Level, _ message: String, fields: (inout LogLine) -> Void) {
        sink.write(urgently: level >= .warning) { bytes in
            // Moved out and back in: a second holder would make the first byte copy all that waits.
            var taken: [UInt8] = []
            swap(&taken, &bytes)
            var line = LogLine(after: consume taken, format, level, message: message)
            fields(&line)
            bytes = line.end()
        }
    }
}
