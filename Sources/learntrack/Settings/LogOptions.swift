import ArgumentParser
import Logging
import Observability

/// How a command tells what it does; on standard error, always.
struct LogOptions: ParsableArguments {
    @Option(name: Settings.logFormat.flag, help: Settings.logFormat.help) var logFormat: String?
    @Option(name: Settings.logLevel.flag, help: Settings.logLevel.help) var logLevel: String?
}

extension LogOptions {
    /// Sets logging up, once for the process.
    ///
    /// - Parameter quiet: for commands whose output is what they do: warnings only, unless a level is asked for.
    func start(quiet: Bool = false) throws -> Logs {
        let format = try Settings.logFormat.value(logFormat)
        var level = try Settings.logLevel.value(logLevel)
        if quiet && logLevel == nil { level = max(level, .warning) }
        let sink = LogSink()
        LoggingSystem.bootstrap { LogWriter(label: $0, format: format, level: .trace, sink: sink) }
        var logger = Logger(label: "learntrack")
        logger.logLevel = level
        return Logs(
            logger: logger, writer: LogWriter(label: "learntrack", format: format, level: level, sink: sink), sink: sink
        )
    }
}

/// Where log lines go until the process ends.
struct Logs: Sendable {
    let logger: Logger
    /// For lines that do without a logger.
    let writer: LogWriter
    fileprivate let sink: LogSink

    /// Sees the last lines off.
    func flush() { sink.flush() }
}
