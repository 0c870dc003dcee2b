package import Metrics
import Synchronization

/// Keeps the program's metrics and exports them as Prometheus text, format 0.0.4.
///
///     let registry = PrometheusRegistry()
///     MetricsSystem.bootstrap(registry)
///     registry.text()
///
/// Counters become counters, timers histograms in seconds, recorders histograms or gauges, meters gauges. Names are
/// made valid: characters that Prometheus does not allow become `_`.
package final class PrometheusRegistry: MetricsFactory {
    private let families = Mutex<[String: MetricFamily]>([:])
    /// What each metric means, by its name.
    private let descriptions: [String: String]

    /// - Parameter descriptions: what each metric means, by its name, in one line.
    package init(descriptions: [String: String] = [:]) {
        self.descriptions = descriptions
    }

    /// Adds a gauge. `value` is called whenever the metrics are exported.
    package func gauge(
        _ name: String, _ labels: [(String, String)] = [], value: @escaping @Sendable () -> Double
    ) {
        _ = metric(name, labels, kind: .gauge) { Gauge(reading: value) }
    }

    /// Adds a counter. `value` is called whenever the metrics are exported.
    package func counter(
        _ name: String, _ labels: [(String, String)] = [], value: @escaping @Sendable () -> Double
    ) {
        _ = metric(name, labels, kind: .counter) { Gauge(reading: value) }
    }

    /// All metrics, sorted by name and labels.
    package func text() -> String {
        let families = families.withLock { $0 }
        var text = ""
        for name in families.keys.sorted() {
            if let description = descriptions[name] { text += "# HELP \(name) \(description)\n" }
            families[name]?.append(to: &text, name: name)
        }
        return text
    }

    // MARK: - MetricsFactory

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        metric(label, dimensions, kind: .counter) { Count() }
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        metric(label, dimensions, kind: .counter) { Sum() }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        metric(label, dimensions, kind: .gauge) { Gauge() }
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else { return metric(label, dimensions, kind: .gauge) { Gauge() } }
        return metric(label, dimensions, kind: .histogram) { Histogram(bounds: Histogram.sizes) }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        metric(label, dimensions, kind: .histogram) { Histogram(bounds: Histogram.seconds) }
    }

    // Metrics are never removed: a missing one would look like a restart.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// The metric of this name and these labels, created when it is new. When the name belongs to a metric of another
    /// kind, the result is not exported, because a name has one kind in the text.
    private func metric<M: Metric>(
        _ label: String, _ labels: [(String, String)], kind: MetricFamily.Kind, make: () -> M
    ) -> M {
        let name = PrometheusText.name(label)
        let key = PrometheusText.labels(labels)
        return families.withLock { families in
            var family = families[name] ?? MetricFamily(kind: kind)
            guard family.kind == kind else { return make() }
            if let known = family.metrics[key] { return known as? M ?? make() }
            let made = make()
            family.metrics[key] = made
            families[name] = family
            return made
        }
    }
}

/// All metrics of one name.
struct MetricFamily {
    enum Kind: String {
        case counter, gauge, histogram
    }

    let kind: Kind
    /// By their labels in the text, such as `method="x",code="0"`.
    var metrics: [String: any Metric] = [:]

    func append(to text: inout String, name: String) {
        text += "# TYPE \(name) \(kind.rawValue)\n"
        for labels in metrics.keys.sorted() { metrics[labels]?.append(to: &text, name: name, labels: labels) }
    }
}

/// The rules of Prometheus's text format.
enum PrometheusText {
    /// `name` with `_` in place of characters that are not allowed.
    static func name(_ name: String) -> String {
        var valid = ""
        for (index, scalar) in name.unicodeScalars.enumerated() {
            let isLetter = ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
            let isDigit = ("0"..."9").contains(scalar)
            if isLetter || scalar == ":" || (isDigit && index > 0) {
                valid.unicodeScalars.append(scalar)
            } else {
                valid += "_"
            }
        }
        return valid.isEmpty ? "_" : valid
    }

    /// `a="1",b="2"`, in the order given, without braces.
    static func labels(_ labels: [(String, String)]) -> String {
        labels.map { name, value in
            "\(self.name(name).replacingColons)=\"\(escaped(value))\""
        }.joined(separator: ",")
    }

    static func line(_ name: String, _ labels: String, _ value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return if let whole = Int64(exactly: value) { String(whole) } else { "\(value)" }
    }

    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension String {
    /// Colons are allowed in names of metrics, but not of labels.
    fileprivate var replacingColons: String {
        String(map { $0 == ":" ? "_" : $0 })
    }
}
