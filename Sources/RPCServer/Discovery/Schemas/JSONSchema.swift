import DomainKit

/// Schemas of JSON Schema draft-07, as the values they are written as.
enum JSONSchema {
    static let null: Value = ["type": "null"]

    /// A schema of `components.schemas`.
    static func reference(_ name: String) -> Value {
        ["$ref": .string("#/components/schemas/\(name)")]
    }

    /// What `schema` takes, and null.
    static func nullable(_ schema: Value) -> Value {
        guard case .object(let object) = schema, case .string(let type)? = object["type"] else {
            return ["anyOf": [schema, null]]
        }
        return .object(
            Object(
                object.members.map { member in
                    switch (member.name, member.value) {
                    case ("type", _): .init("type", [.string(type), "null"])
                    case ("enum", .array(let words)): .init("enum", .array(words + [.null]))
                    default: member
                    }
                }))
    }

    /// An object with these members and no others.
    static func object(_ properties: [Object.Member], required: [String] = []) -> Value {
        let schema: Value = ["type": "object"]
        return
            schema
            .adding("required", required.isEmpty ? nil : .array(required.map { .string($0) }))
            .adding("properties", .object(Object(properties)))
            .adding("additionalProperties", false)
    }

    static func array(of items: Value) -> Value {
        ["type": "array", "items": items]
    }

    /// Some of these names, each once at most, `-` before for descending.
    static func order(by names: [String], atMost count: Int, _ description: String) -> Value {
        let bothWays: [Value] = names.map { name in
            ["not": ["allOf": [["contains": ["const": .string(name)]], ["contains": ["const": .string("-\(name)")]]]]]
        }
        return array(of: words(names + names.map { "-\($0)" })).adding("uniqueItems", true)
            .adding("maxItems", .integer(count)).adding("allOf", .array(bothWays)).adding(
                "description", .string(description))
    }

    static func words(_ words: [String]) -> Value {
        ["type": "string", "enum": .array(words.map { .string($0) })]
    }
}

extension Value {
    /// This object with one more member; as it is when there is no value for it.
    func adding(_ name: String, _ value: Value?) -> Value {
        guard let value, case .object(let object) = self else { return self }
        return .object(Object(object.members + [.init(name, value)]))
    }

    static func integer(_ number: Int) -> Value { .number(String(number)) }
}
