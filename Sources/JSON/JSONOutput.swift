/// A buffer that JSON text is written to, as UTF-8.
///
/// The protocol and its extension are public and inlinable, unlike everything else here: that is what makes the compiler
/// specialise the escaper in other modules for their own buffers, which the writing of rows depends on.
public protocol JSONOutput {
    mutating func append(_ byte: UInt8)
    mutating func append(_ bytes: UnsafeRawBufferPointer)
    /// Appends `bytes`, of which none needs escaping, between quotes.
    mutating func appendQuoted(_ bytes: UnsafeRawBufferPointer)
}

extension JSONOutput {
    @inlinable public mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inlinable public mutating func appendQuoted(_ bytes: UnsafeRawBufferPointer) {
        append(UInt8(ascii: "\""))
        append(bytes)
        append(UInt8(ascii: "\""))
    }

    /// Appends the UTF-8 `bytes` as a JSON string, quotes included.
    @inlinable public mutating func appendJSONString(_ bytes: UnsafeRawBufferPointer) {
        let end = JSONRun.end(in: bytes, from: 0)
        guard end < bytes.count else { return appendQuoted(bytes) }
        append(UInt8(ascii: "\""))
        appendJSONEscaped(bytes, escapeAt: end)
        append(UInt8(ascii: "\""))
    }

    /// Appends `value` without white space, numbers with the digits they have.
    @inlinable public mutating func appendJSON(_ value: JSONValue) {
        switch value {
        case .null: append("null")
        case .bool(true): append("true")
        case .bool(false): append("false")
        case .number(var digits): digits.withUTF8 { append(UnsafeRawBufferPointer($0)) }
        case .string(let text): appendJSONString(text)
        case .array(let elements):
            append(UInt8(ascii: "["))
            var isFirst = true
            for element in elements {
                if !isFirst { append(UInt8(ascii: ",")) }
                isFirst = false
                appendJSON(element)
            }
            append(UInt8(ascii: "]"))
        case .object(let object):
            append(UInt8(ascii: "{"))
            var isFirst = true
            for member in object.members {
                if !isFirst { append(UInt8(ascii: ",")) }
                isFirst = false
                appendJSONString(member.name)
                append(UInt8(ascii: ":"))
                appendJSON(member.value)
            }
            append(UInt8(ascii: "}"))
        }
    }

    /// Appends `text` as a JSON string, quotes included.
    @inlinable public mutating func appendJSONString(_ text: String) {
        var text = text
        text.withUTF8 { appendJSONString(UnsafeRawBufferPointer($0)) }
    }

    /// - Parameter end: the index of the first byte that needs escaping.
    @inlinable mutating func appendJSONEscaped(_ bytes: UnsafeRawBufferPointer, escapeAt end: Int) {
        var start = 0
        var end = end
        while end < bytes.count {
            append(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            appendJSONEscape(of: bytes[end])
            start = end + 1
            end = JSONRun.end(in: bytes, from: start)
        }
        append(UnsafeRawBufferPointer(rebasing: bytes[start...]))
    }

    /// Appends the escape sequence of an ASCII character.
    @inlinable public mutating func appendJSONEscape(of byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x08: append("\\b")
        case 0x09: append("\\t")
        case 0x0A: append("\\n")
        case 0x0C: append("\\f")
        case 0x0D: append("\\r")
        default:
            append("\\u00")
            appendHexDigit(byte >> 4)
            appendHexDigit(byte & 0x0F)
        }
    }

    @inlinable mutating func appendHexDigit(_ value: UInt8) {
        append(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10)
    }
}

extension [UInt8]: JSONOutput {
    @inlinable public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        append(contentsOf: bytes)
    }
}

extension [UInt8] {
    /// `value` as JSON text, without white space.
    package init(json value: JSONValue) {
        self = []
        appendJSON(value)
    }
}

extension JSONValue {
    /// This value as JSON text, without white space.
    package var jsonText: String { String(decoding: [UInt8](json: self), as: UTF8.self) }
}
