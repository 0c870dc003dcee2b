import DomainKit
import JSON

// What `rpc.domains` says of a field, a relation and a command: all that a form, a list or a page needs to show it.

extension Column {
    /// - Parameters:
    ///   - target: the entity that the values name records of; nil for other columns.
    ///   - isFilled: whether the server gives the value, and no call does.
    func declaration(referringTo target: String?, isFilled: Bool = false) -> JSONValue {
        let writes: [JSONValue] =
            switch access {
            case .readWrite, .writeOnly: ["create", "update"]
            case .createOnly: ["create"]
            case .readOnly: []
            }
        return type.declaration(named: name, label: label, summary: summary, isNullable: isNullable)
            .adding("required", isRequired && !isFilled ? .bool(true) : nil)
            .adding("writes", writes.isEmpty || isFilled ? nil : .array(writes))
            .adding("unique", isUnique ? .bool(true) : nil)
            .adding("hidden", isReadable ? nil : .bool(true))
            .adding("minimum", (minimum ?? type.least).map { .integer($0) })
            .adding("maximum", (maximum ?? type.greatest).map { .integer($0) })
            .adding("values", allowedNumbers.map { .array($0.map { .integer($0) }) })
            .adding("number_labels", declaredNumberLabels)
            .adding("accepts", acceptedWords.map { .array($0.map { .string($0) }) })
            .adding("format", format?.declaration)
            .adding("default", defaultValue)
            .adding("target", target.map { .string($0) })
            .adding("file", file?.declaration)
    }
}

extension Column {
    /// `{"-1": "Sortie", "1": "Entrée"}`; nil: people read the numbers.
    private var declaredNumberLabels: JSONValue? {
        guard !numberLabels.isEmpty else { return nil }
        return .object(
            JSONObject(numberLabels.sorted { $0.key < $1.key }.map { .init(String($0.key), .string($0.value)) }))
    }
}

extension DerivedField {
    /// - Parameter target: the entity of the records that a figure is about; nil for another field.
    func declaration(about target: String?) -> JSONValue {
        type.declaration(named: name, label: label, summary: summary, isNullable: isNullable)
            .adding("about", target.map { .string($0) })
    }
}

extension Relation {
    var declaration: JSONValue {
        let (column, isMany) =
            switch kind {
            case .toOne(let column): (column, false)
            case .toMany(let column): (column, true)
            }
        let declared: JSONValue = [
            "name": .string(name), "label": .string(label ?? name), "target": .string(target),
            "column": .string(column),
        ]
        return declared.adding("many", isMany ? .bool(true) : nil).adding("part", isPart ? .bool(true) : nil)
    }
}

extension Command {
    var declaration: JSONValue {
        let entity = name.split(separator: ".").first.map(String.init) ?? name
        let record = parameters.first { $0.isRequired && $0.type == .bigint && $0.target == entity }
        let declared: JSONValue = [
            "name": .string(name), "label": .string(label ?? name), "summary": .string(summary),
            "entity": .string(entity),
            "parameters": .array(parameters.map { $0.declaration(referringTo: $0.target) }),
        ]
        return declared.adding("record", (record?.name).map { .string($0) }).adding("answers", answers.declaration)
    }
}

extension Command.Answers {
    fileprivate var declaration: JSONValue? {
        switch self {
        case .record(let entity): ["record": .string(entity)]
        case .records(let entity, _): ["records": .string(entity)]
        case .value(let shape): ["value": shape.declaration]
        case .nothing: nil
        }
    }
}

extension FieldType {
    fileprivate func declaration(named name: String, label: String?, summary: String, isNullable: Bool) -> JSONValue {
        let label = label ?? name
        let declared: JSONValue = ["name": .string(name), "label": .string(label), "type": .string(declaredName)]
        return
            declared
            // A label that says it all is not said twice.
            .adding("summary", summary.isEmpty || summary == "\(label)." ? nil : .string(summary))
            .adding("nullable", isNullable ? .bool(true) : nil)
            .adding("max_length", maxLength.map { .integer($0) })
            .adding("scale", scale.map { .integer($0) })
            .adding("choices", choices)
            .adding("shape", shape?.declaration)
    }

    private var declaredName: String {
        switch self {
        case .bigint, .integer, .smallint: "integer"
        case .decimal: "decimal"
        case .text: "text"
        case .choice: "choice"
        case .boolean: "boolean"
        case .date: "date"
        case .time: "time"
        case .timestamp: "timestamp"
        case .uuid: "uuid"
        case .json: "json"
        }
    }

    private var maxLength: Int? { if case .text(let length) = self { length } else { nil } }
    private var scale: Int? { if case .decimal(_, let scale) = self { scale } else { nil } }
    private var shape: Shape? { if case .json(let shape) = self { shape } else { nil } }

    private var choices: JSONValue? {
        guard case .choice(let choices) = self else { return nil }
        return .array(
            choices.words.map { ["value": .string($0), "label": .string(choices.label(of: $0) ?? $0)] })
    }

    fileprivate var least: Int? { if case .smallint(let range) = self { range.lowerBound } else { nil } }
    fileprivate var greatest: Int? { if case .smallint(let range) = self { range.upperBound } else { nil } }
}

extension Shape {
    /// `{"object": [fields]}`, `{"by": field, "object": [common fields], "kinds": [{"value": "text", "object": [fields]}]}`,
    /// `{"list": shape, "minimum": 0, "maximum": 10}`, `{"scalar": field}`, or `{}` for any object.
    fileprivate var declaration: JSONValue {
        switch self {
        case .object(let members): ["object": members.declarations]
        case .anyObject: [:]
        case .kinds(let kinds):
            [
                "by": kinds.member.declaration(referringTo: nil), "object": kinds.common.declarations,
                "kinds": .array(
                    kinds.kinds.map { ["value": .string($0.word), "object": $0.members.declarations] }),
            ]
        case .list(let element, let count, let unique):
            JSONValue.object([
                "list": element.declaration, "minimum": .integer(count.lowerBound),
                "maximum": .integer(count.upperBound),
            ]).adding("unique", unique.isEmpty ? nil : .array(unique.map { .string($0) }))
        case .scalar(let column): ["scalar": column.declaration(referringTo: column.target)]
        }
    }
}

extension [Column] {
    fileprivate var declarations: JSONValue { .array(map { $0.declaration(referringTo: $0.target) }) }
}

extension Format {
    fileprivate var declaration: JSONValue {
        let declared: JSONValue = ["name": .string(name), "message": .string(message)]
        return declared.adding("example", example.map { .string($0) }).adding("pattern", pattern.map { .string($0) })
    }
}

extension FileRule {
    fileprivate var declaration: JSONValue {
        ["kinds": .array(kinds.map { .string($0.mediaType) }), "max_bytes": .integer(maxBytes)]
    }
}
