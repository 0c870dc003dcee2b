import Logging
package import Observability

/// Writes one log line per request: method and path, status, account, the method and the code of its call, size and duration.
/// The calls of a batch have a line each, behind that of the request.
///
/// Of the lines about successes, a hundred a second are written, of equal failures twenty: a further line says how many
/// others there were.
package struct RequestLog: RequestObserver {
    /// Lines that are equal but for times and sizes.
    private struct Kind: Hashable {
        let message: String
        /// Successes with the same message are of one kind.
        var isSuccess = true
        var method: String?
        var code = 0
        var account: Int64?
    }

    private static let successesPerSecond = 100
    private static let equalFailuresPerSecond = 20

    private let writer: LogWriter
    private let rate: LineRate<Kind>

    /// - Parameter writer: lines below its level are left out.
    package init(writer: LogWriter) {
        self.writer = writer
        rate = LineRate(
            seconds: 1, limit: { $0.isSuccess ? Self.successesPerSecond : Self.equalFailuresPerSecond },
            report: { kind, count in
                writer.write(.info, "\(kind.message), more of the last second") { line in
                    if let account = kind.account { line.add("account", Int(account)) }
                    if !kind.isSuccess { line.add("code", kind.code) }
                    line.add("count", count)
                    if let method = kind.method { line.add("method", method) }
                }
            })
    }

    package func observe(_ event: RequestEvent) {
        let level = level(of: event)
        guard writer.logLevel <= level else { return }
        let calls = event.record?.loggedCalls ?? []
        write(event, calls, level)
        guard calls.count > 1 else { return }
        for (index, call) in calls.enumerated() { write(call, index, event, level) }
    }

    private func write(_ event: RequestEvent, _ calls: [LoggedCall], _ level: Logger.Level) {
        let message = event.isUsual ? "POST /rpc 200" : "\(event.httpMethod) \(event.path ?? "-") \(event.status)"
        let account = event.record?.account
        let code = calls.lazy.map(\.code).first { $0 != 0 } ?? 0
        let only = calls.count == 1 ? calls.first : nil
        let kind =
            event.status < 400 && code == 0
            ? Kind(message: message)
            : Kind(message: message, isSuccess: false, method: only?.method, code: code, account: account)
        guard rate.admits(kind) else { return }
        writer.write(level, message) { line in
            if let account { line.add("account", Int(account)) }
            if calls.count > 1 { line.add("calls", calls.count) }
            if !calls.isEmpty { line.add("code", code) }
            line.add("in", event.bytesReceived)
            if let only { line.add("method", only.method) }
            line.add("ms", nanoseconds: event.nanoseconds)
            line.add("out", event.bytesSent)
            if let address = event.remoteAddress { line.add("remote", address) }
            line.add("request_id", event.requestID)
            line.add(event.trace)
        }
    }

    /// A call of a batch. Its time begins with that of the batch.
    private func write(_ call: LoggedCall, _ index: Int, _ event: RequestEvent, _ level: Logger.Level) {
        let message = "Call of a batch"
        let account = event.record?.account
        let kind =
            call.code == 0
            ? Kind(message: message)
            : Kind(message: message, isSuccess: false, method: call.method, code: call.code, account: account)
        guard rate.admits(kind) else { return }
        writer.write(level, message) { line in
            if let account { line.add("account", Int(account)) }
            line.add("call", index)
            line.add("code", call.code)
            line.add("method", call.method)
            line.add("ms", nanoseconds: call.nanoseconds)
            line.add("request_id", event.requestID)
            line.add(event.trace)
        }
    }

    /// Monitoring asks for health and metrics every few seconds: successful ones are logged at debug level.
    private func level(of event: RequestEvent) -> Logger.Level {
        if event.status >= 500 { return .warning }
        return event.path == Routes.rpcPath || event.status >= 400 ? .info : .debug
    }
}

extension LogLine {
    /// Adds the fields of a trace.
    fileprivate mutating func add(_ trace: TraceContext?) {
        guard let trace else { return }
        add("span_id", trace.spanID)
        add("trace_id", trace.traceID)
    }
}

extension RequestEvent {
    fileprivate var isUsual: Bool { status == 200 && httpMethod == "POST" && path == Routes.rpcPath }
}
