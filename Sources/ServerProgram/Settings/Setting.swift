import ArgumentParser
import FoundationEssentials
import TextEncodings

/// A setting: the value of a flag, else of an environment variable, else a default.
struct Setting<Value: Sendable>: Sendable {
    /// The flag without its dashes.
    let name: String
    let variable: String
    let summary: String
    let fallback: Value
    /// The default in the help text; nil: the help does not show it.
    let shownFallback: String?
    /// What a valid value looks like, for error messages.
    let expected: String
    let read: @Sendable (String) -> Value?

    fileprivate var flag: NameSpecification { .customLong(name) }

    fileprivate var help: ArgumentHelp {
        let shown = shownFallback.map { "; default: \($0)" } ?? ""
        return ArgumentHelp(
            "\(summary) (\(variable)\(shown))", valueName: name.split(separator: "-").last.map(String.init))
    }

    /// The effective value. An empty environment variable counts as missing.
    func value(_ flag: String?, in environment: [String: String] = ProcessInfo.processInfo.environment) throws -> Value
    {
        if let flag { return try parse(flag, from: "--\(name)") }
        if let given = environment[variable], !given.isEmpty { return try parse(given, from: variable) }
        return fallback
    }

    /// The effective value of a setting with a flag that takes no value.
    func value(
        _ flag: Bool, in environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> Value where Value == Bool {
        try value(flag ? "true" : nil, in: environment)
    }

    private func parse(_ text: String, from source: String) throws -> Value {
        guard let value = read(text) else { throw CommandError("\(source): \(expected) is expected, not '\(text)'") }
        return value
    }
}

extension Setting where Value == String {
    static func text(_ name: String, _ variable: String, default fallback: String, _ summary: String) -> Setting {
        Setting(
            name: name, variable: variable, summary: summary, fallback: fallback, shownFallback: fallback,
            expected: "a text", read: { $0 })
    }
}

extension Setting where Value == String? {
    static func optional(_ name: String, _ variable: String, _ summary: String) -> Setting {
        Setting(
            name: name, variable: variable, summary: summary, fallback: nil, shownFallback: nil, expected: "a text",
            read: { .some($0) })
    }
}

extension Setting where Value == [String] {
    /// Several values, separated by commas, each of which `matches`.
    static func list(
        _ name: String, _ variable: String, of expected: String, _ summary: String,
        where matches: @escaping @Sendable (String) -> Bool
    ) -> Setting {
        Setting(
            name: name, variable: variable, summary: summary, fallback: [], shownFallback: "none",
            expected: "a list of \(expected), separated by commas,",
            read: { text in
                let values = text.split(separator: ",").map { $0.trimmingWhitespace }.filter { !$0.isEmpty }
                return values.allSatisfy(matches) ? values : nil
            })
    }
}

extension Setting where Value == Int {
    static func number(
        _ name: String, _ variable: String, default fallback: Int, in range: ClosedRange<Int>, _ summary: String
    ) -> Setting {
        Setting(
            name: name, variable: variable, summary: summary, fallback: fallback, shownFallback: "\(fallback)",
            expected: "a number from \(range.lowerBound) to \(range.upperBound)",
            read: { text in Int(text).flatMap { range.contains($0) ? $0 : nil } })
    }
}

extension Setting where Value == Duration {
    static func seconds(
        _ name: String, _ variable: String, default fallback: Double, _ summary: String
    ) -> Setting {
        Setting(
            name: name, variable: variable, summary: summary, fallback: .seconds(fallback),
            shownFallback: fallback == fallback.rounded() ? "\(Int(fallback))" : "\(fallback)",
            expected: "a number of seconds above 0, at most 86400,",
            read: { text in
                Double(text).flatMap { $0 > 0 && $0 <= 86400 ? .milliseconds(Int64($0 * 1000)) : nil }
            })
    }
}

extension Setting where Value == Bool {
    static func toggle(_ name: String, _ variable: String, _ summary: String) -> Setting {
        Setting(
            name: name, variable: variable, summary: summary, fallback: false, shownFallback: nil,
            expected: "true or false",
            read: { text in
                switch text.lowercased() {
                case "1", "true", "yes", "on": true
                case "0", "false", "no", "off": false
                default: nil
                }
            })
    }
}

extension Option where Value == String? {
    /// The flag of a setting.
    init<T>(_ setting: Setting<T>) {
        self.init(name: setting.flag, help: setting.help)
    }
}

extension Flag where Value == Bool {
    /// The flag of a setting that takes no value.
    init(wrappedValue: Bool, _ setting: Setting<Bool>) {
        self.init(wrappedValue: wrappedValue, name: setting.flag, help: setting.help)
    }
}
