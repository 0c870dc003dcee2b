package import Logging
package import Observability

/// Writes one line per request: what was called, what came of it, how long it took.
package struct RequestLog: RequestObserver {
    private let logger: Logger
    private let writer: LogWriter

    /// - Parameters:
    ///   - logger: for what went wrong inside; its level counts for all lines.
    ///   - writer: for the requests' lines.
    package init(logger: Logger, writer: LogWriter) {
        self.logger = logger
        self.writer = writer
    }

    package func observe(_ event: RequestEvent) {
        let level = level(of: event)
        if logger.logLevel <= level {
            let message = event.isUsual ? "POST /rpc 200" : "\(event.httpMethod) \(event.path ?? "-") \(event.status)"
            writer.write(level, message) { line in
                if let call = event.calls.first {
                    line.add("calls", event.calls.count == 1 ? call.summary : event.calls.summary)
                }
                line.add("in", event.bytesReceived)
                line.add("ms", nanoseconds: event.nanoseconds)
                line.add("out", event.bytesSent)
                if let address = event.remoteAddress { line.add("remote", address) }
                line.add("request_id", event.requestID)
            }
        }
        for call in event.calls {
            guard let cause = call.cause else { continue }
            logger.error(
                "\(cause)",
                metadata: ["request_id": .string(event.requestID), "method": .string(call.method ?? "-")])
        }
    }

    /// What monitoring asks for every few seconds is no news while it goes well.
    private func level(of event: RequestEvent) -> Logger.Level {
        if event.status >= 500 { return .warning }
        return event.path == Routes.rpcPath || event.status >= 400 ? .info : .debug
    }
}

extension RequestEvent {
    fileprivate var isUsual: Bool { status == 200 && httpMethod == "POST" && path == Routes.rpcPath }
}

extension [CallReport] {
    fileprivate var summary: String { map(\.summary).joined(separator: ",") }
}

extension CallReport {
    /// The method's name, with the error's code behind it when it failed.
    fileprivate var summary: String {
        let name = method ?? "-"
        return if let code { "\(name)=\(code)" } else { name }
    }
}
