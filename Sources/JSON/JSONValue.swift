/// A JSON value. Its numbers keep the digits with which they were written.
///
/// ```swift
/// let book: JSONValue = ["title": "Germinal", "price": .number("7.90"), "author": nil]
/// book["title"]?.text  // "Germinal"
/// ```
public enum JSONValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number as it is written: `1200.50`, `-3`, `1e9`.
    case number(String)
    /// A string, without its escapes.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)

    /// The member of this name; nil if there is none, or if the value is not an object.
    public subscript(key: String) -> JSONValue? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    /// The text of a string; nil for other values.
    public var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// Whether the value is `null`.
    public var isNull: Bool { self == .null }
}

/// The members of a JSON object, in the order in which they are written. Their names are distinct.
public struct JSONObject: Sendable, Hashable {
    /// A member: a name and its value.
    public struct Member: Sendable, Hashable {
        /// The name.
        public let name: String
        /// The value.
        public let value: JSONValue

        /// Creates a member from its name and value.
        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The members in their order.
    public var members: [Member]

    /// Creates an object. The names of `members` differ.
    public init(_ members: [Member] = []) {
        self.members = members
    }

    /// The value of the member of this name; nil if there is none. The time is proportional to the number of members.
    public subscript(name: String) -> JSONValue? {
        members.first { $0.name == name }?.value
    }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .number(String(value)) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { JSONObject.Member($0.0, $0.1) }))
    }
    public init(nilLiteral: ()) { self = .null }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.map { Member($0.0, $0.1) })
    }
}
