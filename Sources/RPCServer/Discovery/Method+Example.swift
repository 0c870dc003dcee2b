import DomainKit
package import JSON

extension Method {
    /// A call of this method and its result, derived from its declaration.
    var example: JSONValue {
        let given = parameters.compactMap { parameter in
            parameter.example.map { (name: parameter.name, value: $0) }
        }
        let params: [JSONValue] = given.map { ["name": .string($0.name), "value": $0.value] }
        return [
            "name": .string(name), "params": .array(params),
            "result": ["name": .string(result.name), "value": result.example],
        ]
    }
}

extension QueryParameter {
    package var example: JSONValue? {
        switch kind {
        case .identifier, .version: 1
        case .selection(let entity): .string(entity.exampleSelection)
        case .groups(let entity): entity.exampleGroup.map { [.string($0)] }
        case .aggregates(let entity): .string(entity.exampleAggregates)
        case .groupOrder: ["-count"]
        case .values(let entity, .create): .object(entity.exampleValues)
        case .values(let entity, _): .object(entity.exampleChange)
        case .first: 20
        case .filter, .search, .near, .order, .cursor, .count, .variables: nil
        }
    }
}

extension Entity {
    /// Values of the required columns of a new record.
    fileprivate var exampleValues: JSONObject {
        var times = 0
        return JSONObject(
            columns.filter(\.isRequired).map { column in
                // Ascending, because a record may begin at one time and end at the next.
                if column.type == .time { times += 1 }
                return .init(column.name, column.example(hour: 5 + 4 * times))
            })
    }

    /// The smallest change: a text without a format, which need not be unique.
    fileprivate var exampleChange: JSONObject {
        let changed = columns.first { column in
            guard column.access == .readWrite else { return false }
            if case .text = column.type { return column.format == nil }
            return false
        }
        return JSONObject(changed.map { [.init($0.name, $0.example(hour: 9))] } ?? [])
    }

    /// All readable columns of a record with ``exampleValues``.
    package var exampleRecord: JSONValue {
        let values = exampleValues
        return .object(
            JSONObject(
                readableColumns.map { column in
                    .init(column.name, values[column.name] ?? (column.isNullable ? .null : column.example(hour: 9)))
                }))
    }

    /// Some columns, and one relation to another record.
    private var exampleNames: (columns: [String], relation: Relation?) {
        let columns = ["id"] + readableColumns.filter(\.isRequired).prefix(2).map(\.name)
        let relation = relations.first { if case .toOne = $0.kind { true } else { false } }
        return (columns, relation)
    }

    fileprivate var exampleSelection: String {
        let (columns, relation) = exampleNames
        return "{ \(columns.joined(separator: " "))\(relation.map { " \($0.name) { id }" } ?? "") }"
    }

    /// The record that ``exampleSelection`` selects.
    package var exampleAnswer: JSONValue {
        let (columns, relation) = exampleNames
        let answer = JSONValue.object(JSONObject(columns.map { .init($0, exampleRecord[$0] ?? .null) }))
        return answer.adding(relation?.name ?? "", relation.map { _ in ["id": 1] })
    }
}

extension Entity {
    private var exampleAmount: String? {
        columns.first { if case .decimal = $0.type { true } else { false } }?.name
    }

    fileprivate var exampleGroup: String? {
        columns.first { $0.type == .date }.map { "month(\($0.name))" }
    }

    fileprivate var exampleAggregates: String {
        "{ count\(exampleAmount.map { " sum { \($0) }" } ?? "") }"
    }

    /// One group of ``exampleAggregates``.
    var exampleGroupAnswer: JSONValue {
        let group: JSONValue = [:]
        return group.adding(exampleGroup ?? "", exampleGroup.map { _ in "2026-01-01" }).adding("count", 3)
            .adding("sum", exampleAmount.map { .object(JSONObject([.init($0, .number("1350.00"))])) })
    }
}

extension Column {
    func example(hour: Int) -> JSONValue {
        if let example = format?.example { return .string(example) }
        if let number = allowedNumbers?.last { return .integer(number) }
        switch type {
        case .bigint, .integer: return .integer(exampleNumber(near: 1))
        case .smallint(let range): return .integer(exampleNumber(near: range.lowerBound))
        case .decimal: return exampleNumber(near: 450) == 450 ? .number("450.00") : .integer(exampleNumber(near: 450))
        case .text(let maxLength):
            let text = summary.prefix { $0 != "." && $0 != "," }
            return .string(String(text.prefix(maxLength ?? text.count)))
        case .choice(let choices): return .string((acceptedWords ?? choices.words).last ?? "")
        case .boolean: return true
        case .date: return "2026-01-12"
        case .time: return .string("\(hour < 10 ? "0" : "")\(hour):00:00")
        case .timestamp: return "2026-01-05T08:30:00+00:00"
        case .uuid: return .string(FieldType.exampleUUID)
        case .json(let shape): return shape?.example ?? [:]
        }
    }

    /// The number within the bounds that is nearest to this one.
    private func exampleNumber(near number: Int) -> Int {
        Swift.min(Swift.max(number, minimum ?? number), maximum ?? Int.max)
    }
}

extension FieldType {
    package static let exampleUUID = "3f2b6c1e-8a4d-4c57-9b1e-2d7f0a6c5e48"
}
