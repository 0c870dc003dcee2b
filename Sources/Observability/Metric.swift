import Metrics
import Synchronization

/// A value that can be shown as Prometheus text.
protocol Metric: AnyObject, Sendable {
    func append(to text: inout String, name: String, labels: String)
}

/// A whole number that only grows.
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

    /// - Parameter reading: where the value is kept when it is not kept here.
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
