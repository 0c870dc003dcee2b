package import Logging

/// Writes one line per request: what was called, what came of it, how long it took.
package struct RequestLog: RequestObserver {
    private let logger: Logger

    package init(logger: Logger) {
        self.logger = logger
    }

    package func observe(_ event: RequestEvent) {
        let level = level(of: event)
        if logger.logLevel <= level {
            let message = "\(event.httpMethod) \(event.path ?? "-") \(event.status)"
            logger.log(level: level, "\(message)", metadata: metadata(of: event))
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

    private func metadata(of event: RequestEvent) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "request_id": .string(event.requestID),
            "ms": .string(event.duration.inMilliseconds),
            "in": .stringConvertible(event.bytesReceived),
            "out": .stringConvertible(event.bytesSent),
        ]
        if let address = event.remoteAddress { metadata["remote"] = .string(address) }
        if let call = event.calls.first {
            metadata["calls"] = .string(
                event.calls.count == 1 ? call.summary : event.calls.map(\.summary).joined(separator: ","))
        }
        return metadata
    }
}

extension CallReport {
    /// The method's name, with the error's code behind it when it failed.
    fileprivate var summary: String {
        let name = method ?? "-"
        return if let code { "\(name)=\(code)" } else { name }
    }
}

extension Duration {
    /// Milliseconds with three decimals.
    fileprivate var inMilliseconds: String {
        let (seconds, attoseconds) = components
        let microseconds = max(0, seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
        let decimals = String(microseconds % 1_000)
        return "\(microseconds / 1_000)." + String(repeating: "0", count: 3 - decimals.utf8.count) + decimals
    }
}
