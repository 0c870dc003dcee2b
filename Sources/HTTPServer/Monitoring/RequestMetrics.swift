package import Metrics
import Synchronization

/// Counts and times HTTP requests. The labels are the server's own paths and statuses, so their number is bounded.
package final class RequestMetrics: RequestObserver {
    private struct Key: Hashable {
        let path: String
        let status: Int
    }

    private let requests = Mutex<[Key: Counter]>([:])
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
        requests.withLock { counter(of: event, in: &$0).increment() }
    }

    private func counter(of event: RequestEvent, in requests: inout [Key: Counter]) -> Counter {
        let key = Key(path: event.path ?? "other", status: event.status)
        if let counter = requests[key] { return counter }
        let counter = Counter(
            label: "http_requests_total", dimensions: [("path", key.path), ("status", String(key.status))],
            factory: factory)
        requests[key] = counter
        return counter
    }
}
