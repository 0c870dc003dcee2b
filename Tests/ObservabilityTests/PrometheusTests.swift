import Metrics
import Testing

@testable import Observability

@Suite struct PrometheusTests {
    private let registry = PrometheusRegistry()

    @Test func `counters of one name are grouped and sorted by their labels`() {
        Counter(label: "calls_total", dimensions: [("method", "b")], factory: registry).increment(by: 2)
        Counter(label: "calls_total", dimensions: [("method", "a")], factory: registry).increment()
        Counter(label: "calls_total", dimensions: [("method", "a")], factory: registry).increment()
        Counter(label: "bytes_total", dimensions: [], factory: registry).increment(by: 5)
        #expect(
            registry.text() == """
                # TYPE bytes_total counter
                bytes_total 5
                # TYPE calls_total counter
                calls_total{method="a"} 2
                calls_total{method="b"} 2

                """)
    }

    @Test func `timers are histograms in seconds`() {
        let timer = Timer(label: "time_seconds", dimensions: [("stage", "plan")], factory: registry)
        timer.recordNanoseconds(400_000)
        timer.recordNanoseconds(3_000_000)
        timer.recordNanoseconds(20_000_000_000)
        let lines = registry.text().split(separator: "\n").map(String.init)
        #expect(lines.first == "# TYPE time_seconds histogram")
        #expect(lines.contains(#"time_seconds_bucket{stage="plan",le="0.0005"} 1"#))
        #expect(lines.contains(#"time_seconds_bucket{stage="plan",le="0.0025"} 1"#))
        #expect(lines.contains(#"time_seconds_bucket{stage="plan",le="0.005"} 2"#))
        #expect(lines.contains(#"time_seconds_bucket{stage="plan",le="10"} 2"#))
        #expect(lines.contains(#"time_seconds_bucket{stage="plan",le="+Inf"} 3"#))
        #expect(lines.contains(#"time_seconds_count{stage="plan"} 3"#))
        #expect(lines.contains { $0.hasPrefix(#"time_seconds_sum{stage="plan"} 20.0034"#) })
    }

    @Test func `meters and recorders are gauges, or histograms when they aggregate`() {
        Meter(label: "level", dimensions: [], factory: registry).set(1.5)
        Recorder(label: "size", dimensions: [], aggregate: false, factory: registry).record(3)
        Recorder(label: "spread", dimensions: [], aggregate: true, factory: registry).record(50)
        FloatingPointCounter(label: "sum_total", dimensions: [], factory: registry).increment(by: 0.25)
        registry.gauge("asked") { 7 }
        let lines = registry.text().split(separator: "\n").map(String.init)
        for expected in [
            "level 1.5", "size 3", "# TYPE size gauge", "# TYPE spread histogram", #"spread_bucket{le="100"} 1"#,
            "spread_sum 50", "sum_total 0.25", "asked 7",
        ] {
            #expect(lines.contains(expected), "\(expected)")
        }
    }

    @Test func `characters that Prometheus does not allow are replaced or escaped`() {
        Counter(label: "1.odd-name", dimensions: [("a:b", "x\\y\"z\nw")], factory: registry).increment()
        let line = #"__odd_name{a_b="x\\y\"z\nw"} 1"#
        #expect(registry.text() == "# TYPE __odd_name counter\n\(line)\n")
    }

    @Test func `a name that belongs to another kind is not exported twice`() {
        Counter(label: "x", dimensions: [], factory: registry).increment()
        Meter(label: "x", dimensions: [], factory: registry).set(5)
        #expect(registry.text() == "# TYPE x counter\nx 1\n")
    }

    @Test func `counts from many threads are complete`() async {
        let counter = Counter(label: "n", dimensions: [], factory: registry)
        let timer = Timer(label: "t", dimensions: [], factory: registry)
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<8 {
                tasks.addTask {
                    for _ in 0..<1_000 {
                        counter.increment()
                        timer.recordNanoseconds(1)
                    }
                }
            }
        }
        let text = registry.text()
        #expect(text.contains("n 8000\n"))
        #expect(text.contains("t_count 8000\n"))
    }

    @Test func `the process exports memory, CPU time and open files`() {
        registry.addProcessMetrics()
        #expect(ProcessStatistics.residentBytes > 1_000_000)
        #expect(ProcessStatistics.cpuSeconds > 0)
        #expect(ProcessStatistics.openFiles > 0)
        #expect(registry.text().contains("# TYPE process_resident_memory_bytes gauge\n"))
    }
}
