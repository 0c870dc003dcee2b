import ArgumentParser
import Logging
import Observability

/// The settings of the log, which is written to standard error.
struct LogOptions: ParsableArguments {
    @Option(name: Settings.logFormat.flag, help: Settings.logFormat.help) var logFormat: String?
    @Option(name: Settings.logLevel.flag, help: Settings.logLevel.help) var logLevel: String?
}

extension LogOptions {
    /// Sets up logging. Must be called once for the process.
    ///
    /// - Parameter quiet: logs warnings only, unless a flag gives a level: for commands that print their result.
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

/// The loggers of the process.
struct Logs: Sendable {
    let logger: Logger
    /// For lines that are written without a logger.
    let writer: LogWriter
    fileprivate let sink: LogSink

    /// Writes the lines that are still buffered. To be called before the process ends.
    func flush() { sink.flush() }
}
