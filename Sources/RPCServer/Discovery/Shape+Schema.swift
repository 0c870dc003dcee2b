import DomainKit
import JSON

extension Shape {
    /// The schema of a value that a call gives.
    var givenSchema: JSONValue {
        switch self {
        case .object(let members):
            JSONSchema.object(
                members.map { .init($0.name, $0.memberSchema) }, required: members.filter(\.isRequired).map(\.name))
        case .anyObject: ["type": "object"]
        case .list(let element, let count):
            JSONSchema.array(of: element.givenSchema)
                .adding("minItems", count.lowerBound > 0 ? .integer(count.lowerBound) : nil)
                .adding("maxItems", .integer(count.upperBound))
        case .scalar(let column): column.givenSchema(referringTo: nil)
        }
    }

    /// The schema of a value in a result. Values that were stored before a bound was declared have it, too.
    var answeredSchema: JSONValue {
        switch self {
        case .object(let members): JSONSchema.answeredObject(members)
        case .anyObject: ["type": "object"]
        case .list(let element, _): JSONSchema.array(of: element.answeredSchema)
        case .scalar(let column): column.answeredSchema
        }
    }

    /// The least that a call may give, with one element in each list.
    var example: JSONValue {
        switch self {
        case .object(let members):
            .object(JSONObject(members.filter(\.isRequired).map { .init($0.name, $0.example(hour: 9)) }))
        case .anyObject: [:]
        case .list(let element, let count):
            .array(Array(repeating: element.example, count: max(count.lowerBound, min(1, count.upperBound))))
        case .scalar(let column): column.example(hour: 9)
        }
    }
}

extension JSONSchema {
    /// An object with these members in a result: every member that is neither nullable nor has a default.
    static func answeredObject(_ members: [Column]) -> JSONValue {
        object(
            members.map { member in
                let schema = member.answeredSchema.adding("x-label", member.label.map { .string($0) })
                return .init(member.name, schema.adding("description", .string(member.summary)))
            },
            required: members.filter(\.isRequired).map(\.name))
    }
}
