package import Logging

/// The log handler of this program: one line per event into a ``LogSink``.
///
///     let sink = LogSink()
///     LoggingSystem.bootstrap { LogWriter(label: $0, format: .json, level: .info, sink: sink) }
///     defer { sink.flush() }
package struct LogWriter: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    let format: LogFormat
    let sink: LogSink

    package init(label: String, format: LogFormat, level: Logger.Level = .info, sink: LogSink) {
        logLevel = level
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

    /// What was said nearer to the event stands.
    private func add(_ metadata: Logger.Metadata, to fields: inout [(name: String, value: Logger.MetadataValue)]) {
        for (name, value) in metadata where !fields.contains(where: { $0.name == name }) {
            fields.append((name, value))
        }
    }
}
