import DomainKit
public import JSON
public import NIOCore

extension ByteBuffer: JSONOutput {
    public mutating func append(_ byte: UInt8) { writeInteger(byte) }
    public mutating func append(_ bytes: UnsafeRawBufferPointer) { writeBytes(bytes) }
}

extension ByteBuffer {
    /// Writes `value` without white space, numbers with the digits they have.
    package mutating func writeJSON(_ value: JSONValue) { appendJSON(value) }

    /// Writes `text` as a JSON string, quotes included.
    package mutating func writeJSONString(_ text: String) { appendJSONString(text) }
}

extension JSONReader {
    /// The readable bytes of `buffer` as a document.
    /// - Parameter maxDepth: how many arrays and objects may stand inside one another, at most ``deepest``.
    package static func read(_ buffer: ByteBuffer, maxDepth: Int = 64) throws(JSONError) -> JSONDocument {
        let result = buffer.withUnsafeReadableBytes { bytes in
            Result { () throws(JSONError) in try read(bytes, maxDepth: maxDepth) }
        }
        return try result.get()
    }
}

extension ByteBuffer {
    /// Where the readable byte number `offset` stands in a text of UTF-8; columns count Unicode scalars.
    func position(ofByte offset: Int) -> TextPosition {
        let before = readableBytesView.prefix(offset)
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { before.index(after: $0) } ?? before.startIndex
        return TextPosition(
            line: before.count { $0 == UInt8(ascii: "\n") } + 1,
            column: before[start...].count { $0 & 0xC0 != 0x80 } + 1)
    }
}
