import DomainKit
package import JSON
import QueryCompiler

extension FieldType {
    /// The schema of a value that a call gives. Null is not among its values.
    package var givenSchema: JSONValue {
        switch self {
        case .bigint: Self.whole(Int(Int64.min)...Int(Int64.max))
        case .integer: Self.whole(Int(Int32.min)...Int(Int32.max))
        case .smallint(let range): Self.whole(range)
        case .decimal(let precision, let scale): Self.decimal(digits: precision - scale, scale: scale)
        case .text(let maxLength): Self.text(Patterns.text, maxLength: maxLength)
        case .choice(let choices): JSONSchema.choices(choices)
        case .boolean: ["type": "boolean"]
        case .date: ["type": "string", "format": "date", "pattern": .string(Patterns.whole(Patterns.date))]
        case .time: ["type": "string", "pattern": .string(Patterns.whole(Patterns.time))]
        case .timestamp:
            ["type": "string", "format": "date-time", "pattern": .string(Patterns.whole(Patterns.timestamp))]
        case .uuid: ["type": "string", "format": "uuid", "pattern": .string(Patterns.whole(Patterns.uuid))]
        case .json(let shape): shape?.givenSchema ?? JSONSchema.anything
        }
    }

    /// The schema of a value in a result. It has no condition that clients would have to compute with binary
    /// fractions.
    package var answeredSchema: JSONValue {
        switch self {
        case .bigint, .integer: ["type": "integer"]
        case .smallint(let range): Self.whole(range)
        case .decimal: ["type": "number"]
        case .text: ["type": "string"]
        case .choice(let choices): JSONSchema.choices(choices)
        case .boolean: ["type": "boolean"]
        case .date: ["type": "string", "format": "date"]
        case .time: ["type": "string", "pattern": "^[0-9]{2}:[0-9]{2}:[0-9]{2}$"]
        case .timestamp: ["type": "string", "format": "date-time"]
        case .uuid: ["type": "string", "format": "uuid"]
        case .json(let shape): shape?.answeredSchema ?? JSONSchema.anything
        }
    }

    package static func whole(_ range: ClosedRange<Int>) -> JSONValue {
        ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
    }

    package static func text(_ pattern: String, maxLength: Int? = nil) -> JSONValue {
        let schema: JSONValue = ["type": "string"]
        return schema.adding("maxLength", maxLength.map(JSONValue.integer))
            .adding("pattern", .string(Patterns.whole(pattern)))
    }

    /// A number with at most `digits` digits before the point and `scale` after it.
    private static func decimal(digits: Int, scale: Int) -> JSONValue {
        let fraction = scale == 0 ? "" : "." + String(repeating: "9", count: scale)
        let largest = String(repeating: "9", count: digits) + fraction
        let step = scale == 0 ? "1" : "0." + String(repeating: "0", count: scale - 1) + "1"
        return [
            "type": "number", "minimum": .number("-" + largest), "maximum": .number(largest),
            "multipleOf": .number(step),
        ]
    }
}

// MARK: Conditions of filters

extension FieldType {
    /// The types with conditions defined in `components.schemas`. The conditions of other types are written out.
    static let sharedConditions: [(name: String, type: FieldType)] = [
        ("condition_bigint", .bigint), ("condition_integer", .integer),
        ("condition_decimal", .comparedDecimal), ("condition_text", .text(maxLength: nil)),
        ("condition_boolean", .boolean), ("condition_date", .date), ("condition_time", .time),
        ("condition_timestamp", .timestamp), ("condition_uuid", .uuid),
    ]

    func conditionReference(_ limits: CallLimits) -> JSONValue {
        let compared: FieldType =
            switch self {
            case .text: .text(maxLength: nil)
            case .decimal: .comparedDecimal
            default: self
            }
        guard let shared = Self.sharedConditions.first(where: { $0.type == compared }) else {
            return conditionSchema(limits)
        }
        return JSONSchema.reference(shared.name)
    }

    /// A bare value, null, or an object of operators.
    func conditionSchema(_ limits: CallLimits) -> JSONValue {
        guard isComparable else {
            let absence: JSONValue = ["type": "boolean"]
            return [
                "anyOf": [
                    JSONSchema.null,
                    JSONSchema.object([
                        .init("eq", JSONSchema.null), .init("ne", JSONSchema.null), .init("is_null", absence),
                    ]),
                ]
            ]
        }
        let nullable = JSONSchema.nullable(comparedSchema)
        var operators: [JSONObject.Member] = [.init("eq", nullable), .init("ne", nullable)]
        if self != .boolean {
            for name in ["lt", "lte", "gt", "gte"] { operators.append(.init(name, orderedSchema)) }
        }
        for name in ["in", "nin"] { operators.append(.init(name, JSONSchema.array(of: nullable))) }
        if isText {
            for name in ["like", "ilike"] {
                operators.append(.init(name, Self.text(Patterns.likePattern, maxLength: limits.searchLength)))
            }
        }
        operators.append(.init("is_null", ["type": "boolean"]))
        return ["anyOf": [nullable, JSONSchema.object(operators)]]
    }

    /// The values that a field of this type may be compared with.
    private var comparedSchema: JSONValue {
        guard case .decimal(let precision, let scale) = self else { return givenSchema }
        // Validators cannot compute with so many digits, so only the bounds are described.
        let bound = "1e\(precision - scale)"
        return ["type": "number", "exclusiveMinimum": .number("-" + bound), "exclusiveMaximum": .number(bound)]
    }

    private var orderedSchema: JSONValue {
        if case .smallint = self { return Self.whole(Int(Int16.min)...Int(Int16.max)) }
        return comparedSchema
    }
}

// MARK: Columns

extension Column {
    var answeredSchema: JSONValue {
        let schema = allowedNumbers.map { JSONSchema.numbers($0, numberLabels) } ?? type.answeredSchema
        return isNullable ? JSONSchema.nullable(schema) : schema
    }

    /// A primary key.
    package static let identifierSchema = FieldType.whole(1...Int(Int64.max))

    /// - Parameter target: the entity that the column refers to, or nil.
    func givenSchema(referringTo target: String?) -> JSONValue {
        let schema = target == nil ? boundedSchema : Self.identifierSchema
        return (isNullable ? JSONSchema.nullable(schema) : schema)
            .adding("default", defaultValue)
            .adding("x-label", label.map { .string($0) })
            .adding("description", description.isEmpty ? nil : .string(description))
            .adding("examples", format?.example.map { [.string($0)] })
            .adding("x-format", format.map { .string($0.name) })
            .adding("x-references", target.map { .string($0) })
            .adding("x-file", file.map(\.description))
    }

    /// The schema of a member of an object that a call gives. Null stands for the default, if there is one.
    var memberSchema: JSONValue {
        let schema = givenSchema(referringTo: nil)
        return defaultValue == nil ? schema : JSONSchema.nullable(schema)
    }

    /// The schema of a parameter. The parameter's summary stands beside the schema. Null means the same as no value.
    var parameterSchema: JSONValue {
        (isRequired ? boundedSchema : JSONSchema.nullable(boundedSchema))
            .adding("default", defaultValue)
            .adding("x-label", label.map { .string($0) })
            .adding("description", format.map { .string($0.message) })
            .adding("examples", format?.example.map { [.string($0)] })
            .adding("x-format", format.map { .string($0.name) })
    }

    /// The summary of the column, and the conditions of its format that a schema cannot express.
    private var description: String {
        guard let format else { return summary }
        return summary.isEmpty ? format.message : "\(summary) \(format.message)"
    }

    private var boundedSchema: JSONValue {
        switch type {
        case .text(let maxLength):
            if let pattern = format?.pattern {
                let schema: JSONValue = ["type": "string"]
                return schema.adding("maxLength", maxLength.map(JSONValue.integer)).adding("pattern", .string(pattern))
            }
            return FieldType.text(isNullable ? Patterns.text : Patterns.visibleText, maxLength: maxLength)
        default:
            if let allowedNumbers { return JSONSchema.numbers(allowedNumbers, numberLabels) }
            if let acceptedWords, case .choice(let choices) = type {
                return JSONSchema.choices(choices.limited(to: acceptedWords))
            }
            guard minimum != nil || maximum != nil, case .object(let object) = type.givenSchema else {
                return type.givenSchema
            }
            return .object(
                JSONObject(
                    object.members.map { member in
                        switch member.name {
                        case "minimum": .init("minimum", minimum.map(JSONValue.integer) ?? member.value)
                        case "maximum": .init("maximum", maximum.map(JSONValue.integer) ?? member.value)
                        default: member
                        }
                    }))
        }
    }
}

extension FileRule {
    /// What a file may be that a value names; a client gives it with `PUT /files`.
    fileprivate var description: JSONValue {
        ["media_types": .array(kinds.map { .string($0.mediaType) }), "max_bytes": .integer(maxBytes)]
    }
}
