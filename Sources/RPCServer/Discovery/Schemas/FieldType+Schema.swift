import DomainKit

extension FieldType {
    /// What a value of this type may be where one is given; null is the caller's to add.
    var givenSchema: Value {
        switch self {
        case .bigint: Self.whole(Int(Int64.min)...Int(Int64.max))
        case .integer: Self.whole(Int(Int32.min)...Int(Int32.max))
        case .smallint(let range): Self.whole(range)
        case .decimal(let precision, let scale): Self.decimal(digits: precision - scale, scale: scale)
        case .text(let maxLength): Self.text(Patterns.text, maxLength: maxLength)
        case .choice(let words): JSONSchema.words(words)
        case .boolean: ["type": "boolean"]
        case .date: ["type": "string", "format": "date", "pattern": .string(Patterns.whole(Patterns.date))]
        case .time: ["type": "string", "pattern": .string(Patterns.whole(Patterns.time))]
        case .timestamp:
            ["type": "string", "format": "date-time", "pattern": .string(Patterns.whole(Patterns.timestamp))]
        case .uuid: ["type": "string", "format": "uuid", "pattern": .string(Patterns.whole(Patterns.uuid))]
        case .json: JSONSchema.null
        }
    }

    /// What a value of this type looks like in an answer. Nothing is asked of it that clients would have to compute
    /// in binary fractions.
    var answeredSchema: Value {
        switch self {
        case .bigint, .integer: ["type": "integer"]
        case .smallint(let range): Self.whole(range)
        case .decimal: ["type": "number"]
        case .text: ["type": "string"]
        case .choice(let words): JSONSchema.words(words)
        case .boolean: ["type": "boolean"]
        case .date: ["type": "string", "format": "date"]
        case .time: ["type": "string", "pattern": "^[0-9]{2}:[0-9]{2}:[0-9]{2}$"]
        case .timestamp: ["type": "string", "format": "date-time"]
        case .uuid: ["type": "string", "format": "uuid"]
        case .json: ["type": "object"]
        }
    }

    static func whole(_ range: ClosedRange<Int>) -> Value {
        ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
    }

    static func text(_ pattern: String, maxLength: Int? = nil) -> Value {
        let schema: Value = ["type": "string"]
        return schema.adding("maxLength", maxLength.map(Value.integer))
            .adding("pattern", .string(Patterns.whole(pattern)))
    }

    /// A number of at most so many digits before the point and after it.
    private static func decimal(digits: Int, scale: Int) -> Value {
        let fraction = scale == 0 ? "" : "." + String(repeating: "9", count: scale)
        let largest = String(repeating: "9", count: digits) + fraction
        let step = scale == 0 ? "1" : "0." + String(repeating: "0", count: scale - 1) + "1"
        return [
            "type": "number", "minimum": .number("-" + largest), "maximum": .number(largest),
            "multipleOf": .number(step),
        ]
    }
}
