import DomainKit
package import JSON

/// Builds schemas of JSON Schema draft-07.
package enum JSONSchema {
    package static let null: JSONValue = ["type": "null"]

    /// Every value but null.
    package static let anything: JSONValue = ["type": ["object", "array", "string", "number", "boolean"]]

    /// A reference to a schema of `components.schemas`.
    package static func reference(_ name: String) -> JSONValue {
        ["$ref": .string("#/components/schemas/\(name)")]
    }

    /// What `schema` accepts, and null.
    package static func nullable(_ schema: JSONValue) -> JSONValue {
        guard case .object(let object) = schema else { return ["anyOf": [schema, null]] }
        let types: [JSONValue]
        switch object["type"] {
        case .array(let names)?: types = names
        case .string(let name)?: types = [.string(name)]
        default: return ["anyOf": [schema, null]]
        }
        guard !types.contains("null") else { return schema }
        return .object(
            JSONObject(
                object.members.map { member in
                    switch (member.name, member.value) {
                    case ("type", _): .init("type", .array(types + ["null"]))
                    case ("enum", .array(let words)): .init("enum", .array(words + [.null]))
                    default: member
                    }
                }))
    }

    /// An object with these members and no others.
    package static func object(_ properties: [JSONObject.Member], required: [String] = []) -> JSONValue {
        let schema: JSONValue = ["type": "object"]
        return
            schema
            .adding("required", required.isEmpty ? nil : .array(required.map { .string($0) }))
            .adding("properties", .object(JSONObject(properties)))
            .adding("additionalProperties", false)
    }

    /// What an object schema accepts, with any further members.
    package static func open(_ schema: JSONValue) -> JSONValue {
        guard case .object(let object) = schema else { return schema }
        return .object(
            JSONObject(
                object.members.map { $0.name == "additionalProperties" ? .init($0.name, true) : $0 }))
    }

    /// An object schema with further members.
    package static func extended(_ schema: JSONValue, by properties: [JSONObject.Member]) -> JSONValue {
        guard case .object(let object) = schema else { return schema }
        return .object(
            JSONObject(
                object.members.map { member in
                    guard member.name == "properties", case .object(let own) = member.value else { return member }
                    return .init("properties", .object(JSONObject(own.members + properties)))
                }))
    }

    package static func array(of items: JSONValue) -> JSONValue {
        ["type": "array", "items": items]
    }

    /// An order by some of these names, each at most once. A leading `-` means descending.
    package static func order(by names: [String], atMost count: Int, _ description: String) -> JSONValue {
        let bothWays: [JSONValue] = names.map { name in
            ["not": ["allOf": [["contains": ["const": .string(name)]], ["contains": ["const": .string("-\(name)")]]]]]
        }
        return array(of: words(names + names.map { "-\($0)" })).adding("uniqueItems", true)
            .adding("maxItems", .integer(count)).adding("allOf", .array(bothWays)).adding(
                "description", .string(description))
    }

    /// One of the numbers, with what people read in the place of some.
    package static func numbers(_ numbers: [Int], _ labels: [Int: String] = [:]) -> JSONValue {
        let labelled = numbers.compactMap { number in
            labels[number].map { JSONObject.Member(String(number), .string($0)) }
        }
        let schema: JSONValue = ["type": "integer", "enum": .array(numbers.map { .integer($0) })]
        return schema.adding("x-labels", labelled.isEmpty ? Optional.none : .object(JSONObject(labelled)))
    }

    /// One of the words, with what people read in the place of each.
    static func choices(_ choices: Choices) -> JSONValue {
        let labels = choices.words.compactMap { word in
            choices.label(of: word).map { JSONObject.Member(word, .string($0)) }
        }
        return words(choices.words).adding("x-labels", labels.isEmpty ? nil : .object(JSONObject(labels)))
    }

    package static func words(_ words: [String]) -> JSONValue {
        ["type": "string", "enum": .array(words.map { .string($0) })]
    }
}

extension JSONValue {
    /// This object with a further member, or unchanged if `value` is nil.
    package func adding(_ name: String, _ value: JSONValue?) -> JSONValue {
        guard let value, case .object(let object) = self else { return self }
        return .object(JSONObject(object.members + [.init(name, value)]))
    }

    package static func integer(_ number: Int) -> JSONValue { .number(String(number)) }
}

/// Regular expressions for the texts that the server checks, in the part of ECMA-262 that other engines share.
package enum Patterns {
    /// A valid day of the Gregorian calendar, years 0001 to 9999.
    package static let date: String = {
        let long = "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
        let short = "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
        let february = "02-(?:0[1-9]|1[0-9]|2[0-8])"
        let leap = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
        return "(?!0000)(?:[0-9]{4}-(?:\(long)|\(short)|\(february))|\(leap)-02-29)"
    }()

    package static let time = "(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?"

    /// RFC 3339, within the limits of Postgres.
    package static let timestamp =
        "\(date)[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,6})?"
        + "(?:[Zz]|[+-](?:0[0-9]|1[0-5]):[0-5][0-9])"

    package static let uuid = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"

    /// Any text that Postgres can store.
    package static let text = "[^\\u0000]*"

    /// A text with at least one visible character.
    package static let visibleText = "\(text)[^\\u0000\(spaces)]\(text)"

    /// The name of a call in a transaction.
    package static let callName = "[A-Za-z_][A-Za-z0-9_]{0,30}"

    /// A pattern of LIKE. It must not end in a backslash that escapes no character.
    package static let likePattern = "(?:[^\\u0000\\\\]|\\\\[^\\u0000])*"

    /// The beginning of a selection: ignored tokens of GraphQL (white space, commas, comments), then a brace.
    package static let selection = "^(?:[\\t \\n\\r,\\ufeff]|#[^\\n\\r]*[\\n\\r])*\\{"

    package static let base64URL = "[A-Za-z0-9_-]+"

    /// Whole bytes in base64url: bits of the last letter that belong to no byte are not set.
    package static let bytes = "(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?"

    /// At most `count` words, separated by Unicode white space.
    package static func words(atMost count: Int) -> String {
        "[\(whiteSpace)]*(?:[^\(whiteSpace)]+[\(whiteSpace)]+){0,\(count - 1)}[^\(whiteSpace)]*"
    }

    private static let whiteSpace =
        "\\u0009-\\u000d\\u0020\\u0085\\u00a0\\u1680\\u2000\\u2001\\u2002-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"

    package static func whole(_ pattern: String) -> String { "^(?:\(pattern))$" }

    /// The invisible characters, as in `String.isBlank`. The first two of U+2000 stand outside the range: they are
    /// canonically equivalent to the next two, and some engines refuse such a range. Those above U+FFFF are left out, because
    /// engines do not agree on how a pattern names them.
    private static let spaces =
        "\\u0001-\\u0020\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f"
        + "\\u2000\\u2001\\u2002-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0"
        + "\\ufff0-\\ufff8"
}
