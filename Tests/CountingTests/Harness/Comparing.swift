import DomainKit
import JSON
import TestSupport
import Testing

@testable import ServerTests

/// Expects that a record has these values. Numbers are compared as numbers, instants as instants.
func expect(
    _ record: JSONValue, has expected: [String: JSONValue], _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let differences = expected.sorted { $0.key < $1.key }.filter { !isSame(record[$0.key], $0.value) }
        .map { "\($0.key) is \(record[$0.key]?.json ?? "missing"), not \($0.value.json)" }
    #expect(differences == [], "\(comment) \(record.json)", sourceLocation: sourceLocation)
}

private func isSame(_ found: JSONValue?, _ expected: JSONValue) -> Bool {
    guard let found else { return false }
    if found == expected { return true }
    if let left = found.double, let right = expected.double { return abs(left - right) < 1e-9 }
    if let left = found.text.flatMap({ Moment($0) }), let right = expected.text.flatMap({ Moment($0) }) {
        return left == right
    }
    return false
}

/// Expects so many records, each with its values.
func expect(
    _ records: [JSONValue], have expected: [[String: JSONValue]], _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(
        records.count == expected.count, "\(comment) \(records.map(\.json).joined(separator: "\n"))",
        sourceLocation: sourceLocation)
    for (index, (record, values)) in zip(records, expected).enumerated() {
        expect(record, has: values, "\(comment) [\(index)]", sourceLocation: sourceLocation)
    }
}

extension JSONValue {
    /// The instant of a text.
    var moment: Moment? { text.flatMap { Moment($0) } }

    /// The paths and codes of the problems of an error, sorted.
    var problems: [String] {
        at("/data/errors").array.map { "\($0["path"]?.text ?? "") \($0["code"]?.text ?? "")" }.sorted()
    }

    /// The paths of the problems of an error, sorted.
    var paths: [String] { at("/data/errors").array.map { $0["path"]?.text ?? "" }.sorted() }
}
