package import HTTPServer
package import Metrics
import Synchronization

/// Counts and times calls. The labels are the registry's method names, so their number is bounded.
package final class CallMetrics: RequestObserver {
    private struct FailureKey: Hashable {
        let method: String
        let code: Int
    }

    /// What every call of a method needs, found by one lookup.
    private struct MethodInstruments {
        let successes: Counter
        /// Indexed by `Stage.rawValue`.
        let times: [Timer]
    }

    private struct Instruments {
        var failures: [FailureKey: Counter] = [:]
        var methods: [String: MethodInstruments] = [:]
    }

    private static let stages = CallReport.Stage.allCases

    private let instruments = Mutex(Instruments())
    private let factory: any MetricsFactory

    package init(factory: any MetricsFactory = MetricsSystem.factory) {
        self.factory = factory
    }

    package func observe(_ event: RequestEvent) {
        let calls = event.calls
        guard !calls.isEmpty else { return }
        instruments.withLock { instruments in
            for report in calls { count(report, in: &instruments) }
        }
    }

    private func count(_ report: CallReport, in instruments: inout Instruments) {
        let name = report.method ?? "unknown"
        let method = method(name, in: &instruments)
        if let code = report.code {
            failure(FailureKey(method: name, code: code), in: &instruments).increment()
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

    private func failure(_ key: FailureKey, in instruments: inout Instruments) -> Counter {
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
