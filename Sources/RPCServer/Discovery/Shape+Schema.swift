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
        case .kinds(let kinds): ["anyOf": .array(kinds.kinds.map { kinds.givenSchema(of: $0) })]
        case .list(let element, let count, let unique):
            JSONSchema.array(of: element.givenSchema)
                .adding("x-unique", unique.isEmpty ? nil : .array(unique.map { .string($0) }))
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
        case .kinds(let kinds): kinds.answeredSchema
        case .list(let element, _, _): JSONSchema.array(of: element.answeredSchema)
        case .scalar(let column): column.answeredSchema
        }
    }

    /// The least that a call may give, with one element in each list.
    var example: JSONValue {
        switch self {
        case .object(let members):
            .object(JSONObject(members.filter(\.isRequired).map { .init($0.name, $0.example(hour: 9)) }))
        case .anyObject: [:]
        case .kinds(let kinds): kinds.example
        case .list(let element, let count, _):
            .array(Array(repeating: element.example, count: max(count.lowerBound, min(1, count.upperBound))))
        case .scalar(let column): column.example(hour: 9)
        }
    }
}

extension ObjectKinds {
    fileprivate func givenSchema(of kind: Kind) -> JSONValue {
        let members = self.members(of: kind)
        // What was answered may be given again.
        let foreign = names.filter { name in !members.contains { $0.name == name } }
        let object = JSONSchema.object(
            members.map { given in
                .init(
                    given.name, given == member ? ["const": .string(kind.word)] : given.memberSchema)
            } + foreign.map { .init($0, ["type": "null"]) }, required: members.filter(\.isRequired).map(\.name))
        return object.adding("title", .string(kind.label))
    }

    /// The members of all kinds. Those that only some kinds have may be null.
    fileprivate var answeredSchema: JSONValue {
        let own = kinds.flatMap(\.members)
        let members = names.compactMap { name -> JSONObject.Member? in
            if let column = ([member] + common).first(where: { $0.name == name }) {
                return .init(name, column.answeredMember)
            }
            return own.first { $0.name == name }.map { .init(name, JSONSchema.nullable($0.answeredMember)) }
        }
        return JSONSchema.object(members, required: names)
    }

    fileprivate var example: JSONValue {
        guard let kind = kinds.first else { return [:] }
        return .object(
            JSONObject(
                names.map { name in
                    if name == member.name { return .init(name, .string(kind.word)) }
                    let column = (common + kind.members).first { $0.name == name && $0.isRequired }
                    return .init(name, column?.example(hour: 9) ?? .null)
                }))
    }
}

extension Column {
    fileprivate var answeredMember: JSONValue {
        answeredSchema.adding("x-label", label.map { .string($0) }).adding("description", .string(summary))
    }
}

extension JSONSchema {
    /// An object with these members in a result: every member that is neither nullable nor has a default.
    static func answeredObject(_ members: [Column]) -> JSONValue {
        object(
            members.map { .init($0.name, $0.answeredMember) },
            required: members.filter(\.isRequired).map(\.name))
    }
}
