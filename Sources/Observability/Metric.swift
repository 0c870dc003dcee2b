import Metrics
import Synchronization

/// A value that is exported as Prometheus text.
protocol Metric: AnyObject, Sendable {
    func append(to text: inout String, name: String, labels: String)
}

/// An integer that only grows.
final class Count: Metric, CounterHandler {
    private let value = Atomic<Int64>(0)

    func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { value.store(0, ordering: .relaxed) }

    func append(to text: inout String, name: String, labels: String) {
        text += PrometheusText.line(name, labels, String(value.load(ordering: .relaxed)))
    }
}

/// A number that only grows.
final class Sum: Metric, FloatingPointCounterHandler {
    private let value = Mutex(0.0)

    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func reset() { value.withLock { $0 = 0 } }

    func append(to text: inout String, name: String, labels: String) {
        text += PrometheusText.line(name, labels, PrometheusText.number(value.withLock { $0 }))
    }
}

/// A number that goes up and down.
final class Gauge: Metric, MeterHandler, RecorderHandler {
    private let value = Mutex(0.0)
    private let reading: (@Sendable () -> Double)?

    /// - Parameter reading: returns the value when it is kept elsewhere.
    init(reading: (@Sendable () -> Double)? = nil) {
        self.reading = reading
    }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }

    func append(to text: inout String, name: String, labels: String) {
        let value = reading?() ?? value.withLock { $0 }
        text += PrometheusText.line(name, labels, PrometheusText.number(value))
    }
}

/// The number of values below each of several bounds.
final class Histogram: Metric, TimerHandler, RecorderHandler {
    static let seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    static let sizes = [1.0, 10, 100, 1_000, 10_000, 100_000, 1_000_000]

    private struct State {
        /// One count per bucket, not cumulative; the last one is for values above every bound.
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
