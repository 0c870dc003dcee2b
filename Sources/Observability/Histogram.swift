import Metrics
import Synchronization

/// How often values fell below each of a few bounds.
final class Histogram: Metric, TimerHandler, RecorderHandler {
    static let seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    static let sizes = [1.0, 10, 100, 1_000, 10_000, 100_000, 1_000_000]

    private struct State {
        /// By bucket, not yet summed up; the last is for what exceeds every bound.
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }

    func append(to text: inout String, name: String, labels: String) {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        let separator = labels.isEmpty ? "" : ","
        var total: UInt64 = 0
        for (bucket, count) in counts.enumerated() {
            total += count
            let bound = bucket < bounds.count ? PrometheusText.number(bounds[bucket]) : "+Inf"
            text += PrometheusText.line("\(name)_bucket", "\(labels)\(separator)le=\"\(bound)\"", String(total))
        }
        text += PrometheusText.line("\(name)_sum", labels, PrometheusText.number(sum))
        text += PrometheusText.line("\(name)_count", labels, String(total))
    }
}
