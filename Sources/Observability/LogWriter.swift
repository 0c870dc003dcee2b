package import Logging

/// The log handler of this program. It writes one line per event into a ``LogSink``.
///
///     let sink = LogSink()
///     LoggingSystem.bootstrap { LogWriter(label: $0, format: .json, level: .info, sink: sink) }
///     defer { sink.flush() }
package struct LogWriter: LogHandler {
    /// The lowest level of this logger and of those that it was copied to, which the threshold may raise.
    package var logLevel: Logger.Level {
        get { max(ownLevel, threshold?.level ?? .trace) }
        set { ownLevel = newValue }
    }
    private var ownLevel: Logger.Level
    private let threshold: LogThreshold?
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    let format: LogFormat
    let sink: LogSink

    /// - Parameter threshold: the lowest level of all loggers of the program; nil: `level` alone counts.
    package init(
        label: String, format: LogFormat, level: Logger.Level = .info, threshold: LogThreshold? = nil, sink: LogSink
    ) {
        ownLevel = level
        self.threshold = threshold
        self.format = format
        self.sink = sink
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var fields: [(name: String, value: Logger.MetadataValue)] = []
        if let given = event.metadata { for (name, value) in given { fields.append((name, value)) } }
        add(metadataProvider?.get() ?? [:], to: &fields)
        add(metadata, to: &fields)
        if let error = event.error { add(["error": .string("\(error)")], to: &fields) }
        fields.sort { $0.name < $1.name }
        let entry = LogEntry(time: .now, level: event.level, message: event.message.description, fields: fields)
        let format = format
        sink.write(urgently: event.level >= .warning) { format.append(entry, to: &$0) }
    }

    /// Adds the fields that are new: metadata of the event precede those of the provider, and these those of the logger.
    private func add(_ metadata: Logger.Metadata, to fields: inout [(name: String, value: Logger.MetadataValue)]) {
        for (name, value) in metadata where !fields.contains(where: { $0.name == name }) {
            fields.append((name, value))
        }
    }
}

/// A line that is written field by field into the log's buffer, without a metadata dictionary. It looks like any other
/// line. For lines as frequent as requests.
package struct LogLine: ~Copyable {
    private var bytes: [UInt8]
    private let format: LogFormat

    /// - Parameter bytes: the buffer to append to; ``end()`` returns it.
    init(after bytes: consuming [UInt8], _ format: LogFormat, _ level: Logger.Level, message: String) {
        self.bytes = bytes
        self.format = format
        self.format.begin(LogTime.now, level, message, &self.bytes)
    }

    consuming func end() -> [UInt8] {
        format.end(&bytes)
        return bytes
    }

    /// Adds a field. The caller adds fields in the order of their names.
    package mutating func add(_ name: StaticString, _ text: String) {
        format.append(name, text, to: &bytes)
    }

    package mutating func add(_ name: StaticString, _ number: Int) {
        format.append(name, to: &bytes)
        bytes.appendDecimal(number)
    }

    /// Adds a duration in milliseconds with three decimals.
    package mutating func add(_ name: StaticString, nanoseconds: Int64) {
        format.append(name, to: &bytes)
        let microseconds = Int(max(0, nanoseconds) / 1_000)
        bytes.appendDecimal(microseconds / 1_000)
        bytes.append(UInt8(ascii: "."))
        bytes.appendDigits(microseconds % 1_000, 3)
    }
}

extension LogWriter {
    /// Writes a line of any level, even below `logLevel`, without the metadata of a logger.
    package func write(_ level: Logger.Level, _ message: String, fields: (inout LogLine) -> Void) {
        sink.write(urgently: level >= .warning) { bytes in
            // Moved out and back in. A second reference to the buffer would make the first append copy it.
            var taken: [UInt8] = []
            swap(&taken, &bytes)
            var line = LogLine(after: consume taken, format, level, message: message)
            fields(&line)
            bytes = line.end()
        }
    }
}
