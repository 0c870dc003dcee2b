package import DomainKit
package import NIOCore

extension ByteBuffer {
    /// Writes `value` without white space, numbers with the digits they have.
    package mutating func writeJSON(_ value: Value) {
        switch value {
        case .null: writeStaticString("null")
        case .bool(true): writeStaticString("true")
        case .bool(false): writeStaticString("false")
        case .number(let digits): writeString(digits)
        case .string(let text): writeJSONString(text)
        case .array(let elements):
            writeInteger(UInt8(ascii: "["))
            var isFirst = true
            for element in elements {
                if !isFirst { writeInteger(UInt8(ascii: ",")) }
                isFirst = false
                writeJSON(element)
            }
            writeInteger(UInt8(ascii: "]"))
        case .object(let object):
            writeInteger(UInt8(ascii: "{"))
            var isFirst = true
            for member in object.members {
                if !isFirst { writeInteger(UInt8(ascii: ",")) }
                isFirst = false
                writeJSONString(member.name)
                writeInteger(UInt8(ascii: ":"))
                writeJSON(member.value)
            }
            writeInteger(UInt8(ascii: "}"))
        }
    }

    /// Writes `text` as a JSON string, quotes included.
    package mutating func writeJSONString(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            writeInteger(UInt8(ascii: "\""))
            writeJSONEscaped(UnsafeRawBufferPointer(bytes))
            writeInteger(UInt8(ascii: "\""))
        }
    }

    /// Writes UTF-8 `bytes` with what JSON wants escaped escaped, without quotes around.
    package mutating func writeJSONEscaped(_ bytes: UnsafeRawBufferPointer) {
        var start = 0
        while start < bytes.count {
            let end = JSONRun.end(in: bytes, from: start)
            if start < end { writeBytes(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) }
            guard end < bytes.count else { return }
            writeJSONEscape(of: bytes[end])
            start = end + 1
        }
    }

    private mutating func writeJSONEscape(of byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): writeStaticString("\\\"")
        case UInt8(ascii: "\\"): writeStaticString("\\\\")
        case 0x08: writeStaticString("\\b")
        case 0x09: writeStaticString("\\t")
        case 0x0A: writeStaticString("\\n")
        case 0x0C: writeStaticString("\\f")
        case 0x0D: writeStaticString("\\r")
        default:
            writeStaticString(byte < 0x10 ? "\\u000" : "\\u001")
            let low = byte & 0x0F
            writeInteger(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
        }
    }
}
