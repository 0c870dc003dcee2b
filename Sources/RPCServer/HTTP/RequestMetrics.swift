package import Metrics
import Synchronization

/// Counts and times requests and calls. Every label's values are few: known paths, known methods, codes.
package final class RequestMetrics: RequestObserver {
    private struct CallKey: Hashable {
        let method: String
        let code: Int
    }

    private struct RequestKey: Hashable {
        let path: String
        let status: Int
    }

    /// What every call of a method needs, found with one look.
    private struct MethodInstruments {
        let successes: Counter
        /// By stage.
        let times: [Timer]
    }

    private struct Instruments {
        var requests: [RequestKey: Counter] = [:]
        var failures: [CallKey: Counter] = [:]
        var methods: [String: MethodInstruments] = [:]
    }

    private static let stages = CallReport.Stage.allCases

    private let instruments = Mutex(Instruments())
    private let factory: any MetricsFactory
    private let requestTime: Timer
    private let bytesReceived: Counter
    private let bytesSent: Counter

    package init(factory: any MetricsFactory = MetricsSystem.factory) {
        self.factory = factory
        requestTime = Timer(label: "http_request_seconds", dimensions: [], factory: factory)
        bytesReceived = Counter(label: "http_received_bytes_total", dimensions: [], factory: factory)
        bytesSent = Counter(label: "http_sent_bytes_total", dimensions: [], factory: factory)
    }

    package func observe(_ event: RequestEvent) {
        requestTime.recordNanoseconds(event.nanoseconds)
        bytesReceived.increment(by: event.bytesReceived)
        bytesSent.increment(by: event.bytesSent)
        instruments.withLock { instruments in
            request(event, in: &instruments).increment()
            for report in event.calls { count(report, in: &instruments) }
        }
    }

    private func request(_ event: RequestEvent, in instruments: inout Instruments) -> Counter {
        let key = RequestKey(path: event.path ?? "other", status: event.status)
        if let counter = instruments.requests[key] { return counter }
        let counter = Counter(
            label: "http_requests_total", dimensions: [("path", key.path), ("status", String(key.status))],
            factory: factory)
        instruments.requests[key] = counter
        return counter
    }

    private func count(_ report: CallReport, in instruments: inout Instruments) {
        let name = report.method ?? "unknown"
        let method = method(name, in: &instruments)
        if let code = report.code {
            failure(CallKey(method: name, code: code), in: &instruments).increment()
        } else {
            method.successes.increment()
        }
        for stage in Self.stages {
            let time = report[stage]
            if time > 0 { method.times[stage.rawValue].recordNanoseconds(time) }
        }
    }

    private func method(_ name: String, in instruments: inout Instruments) -> MethodInstruments {
        if let known = instruments.methods[name] { return known }
        let made = MethodInstruments(
            successes: calls(of: name, code: 0),
            times: Self.stages.map { stage in
                Timer(
                    label: "rpc_stage_seconds", dimensions: [("method", name), ("stage", "\(stage)")],
                    factory: factory)
            })
        instruments.methods[name] = made
        return made
    }

    private func failure(_ key: CallKey, in instruments: inout Instruments) -> Counter {
        if let known = instruments.failures[key] { return known }
        let made = calls(of: key.method, code: key.code)
        instruments.failures[key] = made
        return made
    }

    /// Code 0 stands for success.
    private func calls(of method: String, code: Int) -> Counter {
        Counter(
            label: "rpc_calls_total", dimensions: [("method", method), ("code", String(code))], factory: factory)
    }
}
