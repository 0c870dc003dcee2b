package import DomainKit
public import JSON
public import NIOCore

extension ByteBuffer: JSONOutput {
    public mutating func append(_ byte: UInt8) { writeInteger(byte) }
    public mutating func append(_ bytes: UnsafeRawBufferPointer) { writeBytes(bytes) }
}

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
    package mutating func writeJSONString(_ text: String) { appendJSONString(text) }
}
