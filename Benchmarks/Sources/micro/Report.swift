/// Prints a table with one line for each measurement.
struct Report {
    static func printHead() {
        print(line("", "median", "p99", "CPU", "floor", "floor CPU", "ratio"))
    }

    /// - Parameter floor: the measurement of the same work done by the simplest code that can do it.
    static func add(_ name: String, _ ours: Measurement, floor: Measurement? = nil) {
        print(
            line(
                name, time(ours.median), time(ours.quantile(0.99)), time(ours.processorTime),
                floor.map { time($0.median) } ?? "–", floor.map { time($0.processorTime) } ?? "–",
                floor.map { "\(Double(Int(ours.median / max(1, $0.median) * 100)) / 100)" } ?? "–"))
    }

    private static func line(_ name: String, _ columns: String...) -> String {
        pad(name, 44, right: false) + columns.map { pad($0, 12, right: true) }.joined()
    }

    private static func pad(_ text: String, _ width: Int, right: Bool) -> String {
        let room = String(repeating: " ", count: max(0, width - text.count))
        return right ? room + text : text + room
    }

    private static func time(_ nanoseconds: Double) -> String {
        if nanoseconds < 10_000 { return "\(Int(nanoseconds)) ns" }
        return "\(Double(Int(nanoseconds / 100)) / 10) µs"
    }
}
