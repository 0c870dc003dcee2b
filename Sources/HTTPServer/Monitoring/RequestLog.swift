package import Logging
package import Observability

/// Writes one log line per request: method, path, status, account, calls, code, size and duration.
///
/// Of the requests that succeeded, a hundred a second are written, of failures that are equal twenty: a further line says
/// how many others there were.
package struct RequestLog: RequestObserver {
    /// Lines that are equal but for times and sizes.
    private struct Kind: Hashable {
        let message: String
        var calls: String?
        var code = 0
        var account: Int64?

        var isSuccess: Bool { code == 0 && calls == nil && account == nil }
    }

    private static let successesPerSecond = 100
    private static let equalFailuresPerSecond = 20

    private let level: Logger.Level
    private let writer: LogWriter
    private let rate: LineRate<Kind>

    /// - Parameters:
    ///   - level: lines of a lower level are left out.
    ///   - writer: writes the lines.
    package init(level: Logger.Level, writer: LogWriter) {
        self.level = level
        self.writer = writer
        rate = LineRate(
            seconds: 1, limit: { $0.isSuccess ? Self.successesPerSecond : Self.equalFailuresPerSecond },
            report: { kind, count in
                writer.write(.info, "\(kind.message), more of the last second") { line in
                    if let account = kind.account { line.add("account", Int(account)) }
                    if let calls = kind.calls { line.add("calls", calls) }
                    if !kind.isSuccess { line.add("code", kind.code) }
                    line.add("count", count)
                }
            })
    }

    package func observe(_ event: RequestEvent) {
        let level = level(of: event)
        guard self.level <= level else { return }
        let message = event.isUsual ? "POST /rpc 200" : "\(event.httpMethod) \(event.path ?? "-") \(event.status)"
        let record = event.record
        guard rate.admits(kind(of: event, message)) else { return }
        writer.write(level, message) { line in
            if let account = record?.account { line.add("account", Int(account)) }
            if let summary = record?.summary { line.add("calls", summary) }
            if let code = record?.code { line.add("code", code) }
            line.add("in", event.bytesReceived)
            line.add("ms", nanoseconds: event.nanoseconds)
            line.add("out", event.bytesSent)
            if let address = event.remoteAddress { line.add("remote", address) }
            line.add("request_id", event.requestID)
        }
    }

    private func kind(of event: RequestEvent, _ message: String) -> Kind {
        let code = event.record?.code ?? 0
        guard event.status >= 400 || code != 0 else { return Kind(message: message) }
        return Kind(message: message, calls: event.record?.summary ?? "-", code: code, account: event.record?.account)
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
