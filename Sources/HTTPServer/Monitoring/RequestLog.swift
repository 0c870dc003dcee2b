package import Logging
package import Observability

/// Writes one log line per request: method, path, status, size and duration.
package struct RequestLog: RequestObserver {
    private let level: Logger.Level
    private let writer: LogWriter

    /// - Parameters:
    ///   - level: lines of a lower level are left out.
    ///   - writer: writes the lines.
    package init(level: Logger.Level, writer: LogWriter) {
        self.level = level
        self.writer = writer
    }

    package func observe(_ event: RequestEvent) {
        let level = level(of: event)
        guard self.level <= level else { return }
        let message = event.isUsual ? "POST /rpc 200" : "\(event.httpMethod) \(event.path ?? "-") \(event.status)"
        writer.write(level, message) { line in
            if let summary = event.record?.summary { line.add("calls", summary) }
            line.add("in", event.bytesReceived)
            line.add("ms", nanoseconds: event.nanoseconds)
            line.add("out", event.bytesSent)
            if let address = event.remoteAddress { line.add("remote", address) }
            line.add("request_id", event.requestID)
        }
    }

    /// Monitoring asks for health and metrics every few seconds: successful ones are logged at debug level.
    private func level(of event: RequestEvent) -> Logger.Level {
        if event.status >= 500 { return .warning }
        return event.path == Routes.rpcPath || event.status >= 400 ? .info : .debug
    }
}

extension RequestEvent {
    fileprivate var isUsual: Bool { status == 200 && httpMethod == "POST" && path == Routes.rpcPath }
}
