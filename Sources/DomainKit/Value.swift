/// A JSON value whose numbers keep the digits they were written with.
public enum Value: Sendable, Hashable {
    case null
    case bool(Bool)
    /// The number as it stood in the text: `1200.50`, `-3`, `1e9`.
    case number(String)
    case string(String)
    case array([Value])
    case object(Object)

    public subscript(key: String) -> Value? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    public var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    public var isNull: Bool { self == .null }
}

/// The members of a JSON object in the order they were written; names are distinct.
public struct Object: Sendable, Hashable {
    public struct Member: Sendable, Hashable {
        public let name: String
        public let value: Value

        public init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }
    }

    public var members: [Member]

    public init(_ members: [Member] = []) {
        self.members = members
    }

    public subscript(name: String) -> Value? {
        members.first { $0.name == name }?.value
    }

    public var isEmpty: Bool { members.isEmpty }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .number(String(value)) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: Value...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, Value)...) {
        self = .object(Object(elements.map { Object.Member($0.0, $0.1) }))
    }
    public init(nilLiteral: ()) { self = .null }
}

extension Object: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, Value)...) {
        self.init(elements.map { Member($0.0, $0.1) })
    }
}
