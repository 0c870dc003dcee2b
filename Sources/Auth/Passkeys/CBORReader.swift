/// A value of CBOR (RFC 8949), as far as authenticators write it: no tags, no fractions, no items of indefinite length.
enum CBORValue: Sendable, Equatable {
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    case map([CBORMember])
    case bool(Bool)
    case null

    /// The value of a member of a map; nil if there is none, or this is no map.
    subscript(key: CBORValue) -> CBORValue? {
        guard case .map(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    subscript(name: String) -> CBORValue? { self[.text(name)] }
}

struct CBORMember: Sendable, Equatable {
    let key: CBORValue
    let value: CBORValue
}

/// The bytes are not CBOR as an authenticator writes it.
struct CBORError: Error {}

/// Reads CBOR that a client has sent. Nothing that it reads takes more memory than the bytes do, times a constant.
struct CBORReader {
    private static let maxDepth = 4
    /// The parts of the longest item that an authenticator writes are fewer by far.
    private static let maxItems = 64

    private(set) var rest: ArraySlice<UInt8>
    private var items = 0

    /// - Parameter bytes: at least one item.
    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Reads one item; what follows it is left.
    mutating func readItem() throws(CBORError) -> CBORValue { try readItem(depth: 0) }

    private mutating func readItem(depth: Int) throws(CBORError) -> CBORValue {
        items += 1
        guard depth <= Self.maxDepth, items <= Self.maxItems, let initial = rest.popFirst() else { throw CBORError() }
        let (major, information) = (initial >> 5, initial & 0x1F)
        if major == 7 {
            switch information {
            case 20: return .bool(false)
            case 21: return .bool(true)
            case 22: return .null
            default: throw CBORError()
            }
        }
        let argument = try readArgument(information)
        switch major {
        case 0: return .integer(try Self.signed(argument))
        case 1: return .integer(-1 - (try Self.signed(argument)))
        case 2: return .bytes(Array(try take(argument)))
        case 3:
            guard let text = String(validating: try take(argument), as: UTF8.self) else { throw CBORError() }
            return .text(text)
        case 4:
            var elements: [CBORValue] = []
            for _ in 0..<(try count(argument)) { elements.append(try readItem(depth: depth + 1)) }
            return .array(elements)
        case 5: return .map(try readMembers(try count(argument), depth))
        default: throw CBORError()
        }
    }

    private mutating func readMembers(_ count: Int, _ depth: Int) throws(CBORError) -> [CBORMember] {
        var members: [CBORMember] = []
        for _ in 0..<count {
            let key = try readItem(depth: depth + 1)
            guard !members.contains(where: { $0.key == key }) else { throw CBORError() }
            members.append(CBORMember(key: key, value: try readItem(depth: depth + 1)))
        }
        return members
    }

    /// The number behind an initial byte.
    private mutating func readArgument(_ information: UInt8) throws(CBORError) -> UInt64 {
        guard information >= 24 else { return UInt64(information) }
        guard information <= 27 else { throw CBORError() }
        return try take(1 << UInt64(information - 24)).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func take(_ count: UInt64) throws(CBORError) -> ArraySlice<UInt8> {
        guard count <= UInt64(rest.count) else { throw CBORError() }
        let taken = rest.prefix(Int(count))
        rest = rest.dropFirst(Int(count))
        return taken
    }

    /// The number of elements of an array or map. Each takes a byte at least.
    private func count(_ argument: UInt64) throws(CBORError) -> Int {
        guard argument <= UInt64(rest.count) else { throw CBORError() }
        return Int(argument)
    }

    private static func signed(_ argument: UInt64) throws(CBORError) -> Int64 {
        guard let number = Int64(exactly: argument) else { throw CBORError() }
        return number
    }
}
