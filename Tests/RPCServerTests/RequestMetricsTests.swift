import HTTPServer
import JSON
import Metrics
import Synchronization
import Testing

@testable import RPCServer

@Suite struct RequestMetricsTests {
    @Test func `requests, calls and stages are counted under a bounded number of names`() {
        let factory = Tallies()
        let observers: [any RequestObserver] = [RequestMetrics(factory: factory), CallMetrics(factory: factory)]
        var call = CallReport(method: "sessions.list")
        call[.plan] = 2_000_000
        let calls = [call, call, CallReport(method: "sessions.get", code: 404), CallReport(code: -32601)]
        for observer in observers {
            observer.observe(event(path: "/rpc", status: 200, calls: calls))
            for _ in 0..<2 { observer.observe(event(path: nil, status: 404, calls: [])) }
        }
        #expect(
            factory.all == [
                "http_received_bytes_total": 30, "http_sent_bytes_total": 60, "http_request_seconds": 3,
                "http_requests_total path=/rpc status=200": 1, "http_requests_total path=other status=404": 2,
                "rpc_calls_total method=sessions.list code=0": 2, "rpc_calls_total method=sessions.get code=404": 1,
                "rpc_calls_total method=unknown code=-32601": 1,
                "rpc_stage_seconds method=sessions.list stage=plan": 2,
            ])
    }

    private func event(path: String?, status: Int, calls: [CallReport]) -> RequestEvent {
        let record = CallRecord()
        for call in calls { record.add(call) }
        return RequestEvent(
            requestID: "r", httpMethod: "POST", path: path, status: status, record: record, nanoseconds: 1_000_000,
            bytesReceived: 10, bytesSent: 20, remoteAddress: nil)
    }
}

/// Adds up counters, and counts what timers were told; leaves out what never was.
private final class Tallies: MetricsFactory {
    private let values = Mutex<[String: Int64]>([:])

    var all: [String: Int64] { values.withLock { $0 } }

    fileprivate func add(_ amount: Int64, to name: String) {
        values.withLock { $0[name, default: 0] += amount }
    }

    private func tally(_ label: String, _ dimensions: [(String, String)]) -> Tally {
        Tally(name: ([label] + dimensions.map { "\($0)=\($1)" }).joined(separator: " "), tallies: self)
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { tally(label, dimensions) }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { tally(label, dimensions) }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        tally(label, dimensions)
    }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}

private final class Tally: CounterHandler, TimerHandler, RecorderHandler {
    private let name: String
    private let tallies: Tallies

    init(name: String, tallies: Tallies) {
        self.name = name
        self.tallies = tallies
    }

    func increment(by amount: Int64) { tallies.add(amount, to: name) }
    func reset() {}
    func recordNanoseconds(_ duration: Int64) { tallies.add(1, to: name) }
    func record(_ value: Int64) { tallies.add(1, to: name) }
    func record(_ value: Double) { tallies.add(1, to: name) }
}
