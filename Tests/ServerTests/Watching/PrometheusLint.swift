import Foundation

/// The checks of `promtool check metrics`, and those of the text format: what it would complain of.
struct PrometheusLint {
    private(set) var problems: [String] = []
    private(set) var types: [String: String] = [:]
    /// Each line of a value, without the value.
    private(set) var series: Set<String> = []
    private var helped: Set<String> = []

    init(_ text: String) {
        var family: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            switch (words.first, words.dropFirst().first) {
            case ("#", "HELP"):
                if words.count < 4 { problems.append("no help text: \(line)") }
                if !helped.insert(words[2]).inserted { problems.append("second HELP: \(line)") }
            case ("#", "TYPE"):
                family = words[2]
                if types.updateValue(words[3], forKey: words[2]) != nil { problems.append("second TYPE: \(line)") }
                if !helped.contains(words[2]) { problems.append("no HELP before TYPE: \(words[2])") }
                check(words[2], words[3])
            default: check(value: String(line), of: family)
            }
        }
        if !text.hasSuffix("\n") { problems.append("the last line has no end") }
    }

    private mutating func check(_ name: String, _ type: String) {
        if !["counter", "gauge", "histogram"].contains(type) { problems.append("\(name): type \(type)") }
        if name.hasSuffix("_total") != (type == "counter") { problems.append("\(name): _total and \(type)") }
        if name.wholeMatch(of: /[a-z][a-z0-9_]*/) == nil { problems.append("\(name): not snake_case") }
        let parts = name.split(separator: "_").map(String.init)
        let units = [
            "milliseconds", "microseconds", "nanoseconds", "minutes", "hours", "days", "kilobytes", "megabytes", "bits",
            "percent", "ms", "us", "ns", "s", "kb", "mb",
        ]
        for part in parts where units.contains(part) { problems.append("\(name): unit \(part)") }
        for part in parts where ["counter", "gauge", "histogram", "summary"].contains(part) {
            problems.append("\(name): type in the name")
        }
        let reserved = ["_bucket", "_sum", "_count"].contains { name.hasSuffix($0) }
        if reserved { problems.append("\(name): reserved suffix") }
    }

    private mutating func check(value line: String, of family: String?) {
        guard let match = line.wholeMatch(of: /([a-z_][a-z0-9_]*)(\{(.*)\})? (NaN|[+-]Inf|[-+0-9.e]+)/) else {
            return problems.append("not a value: \(line)")
        }
        let name = String(match.1)
        let isHistogram = family.flatMap { types[$0] } == "histogram"
        let names = family.map { isHistogram ? ["\($0)_bucket", "\($0)_sum", "\($0)_count"] : [$0] } ?? []
        if !names.contains(name) { problems.append("outside its family: \(line)") }
        if !series.insert("\(name){\(match.3 ?? "")}").inserted { problems.append("twice: \(line)") }
        if !isHistogram, match.3?.contains("le=\"") ?? false { problems.append("label le: \(line)") }
        if name.hasSuffix("_total"), match.4.hasPrefix("-") { problems.append("a counter below zero: \(line)") }
    }
}
