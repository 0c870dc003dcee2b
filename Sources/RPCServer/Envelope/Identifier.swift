import NIOCore

/// What a client calls a request; the answer carries the same, digit for digit.
enum Identifier: Sendable, Hashable {
    case null
    /// The number's text as it was written: `1`, `1.0` and `1e0` are three identifiers.
    case number(String)
    case string(String)
}

extension ByteBuffer {
    mutating func writeIdentifier(_ identifier: Identifier) {
        switch identifier {
        case .null: writeStaticString("null")
        case .number(let digits): writeString(digits)
        case .string(let text): writeJSONString(text)
        }
    }
}
