package import NIOCore

/// Reads a JSON text strictly as RFC 8259 has it; numbers keep the digits they were written with.
///
/// Refused besides plain mistakes: lone surrogates, invalid UTF-8, raw control characters, a byte order mark, and
/// anything but white space after the value.
package enum JSONReader {
    /// No configuration goes deeper than this, so that reading never runs out of stack.
    package static let deepest = 512

    /// The readable bytes of `buffer` as a document.
    /// - Parameter maxDepth: how many arrays and objects may stand inside one another, at most ``deepest``.
    package static func read(_ buffer: ByteBuffer, maxDepth: Int = 64) throws(JSONFault) -> JSONDocument {
        let result = buffer.withUnsafeReadableBytes { bytes in
            Result { () throws(JSONFault) in try read(bytes, maxDepth: maxDepth) }
        }
        return try result.get()
    }

    package static func read(_ text: String, maxDepth: Int = 64) throws(JSONFault) -> JSONDocument {
        try read(ByteBuffer(string: text), maxDepth: maxDepth)
    }

    package static func read(
        _ bytes: UnsafeRawBufferPointer, maxDepth: Int = 64
    ) throws(JSONFault) -> JSONDocument {
        var scanner = JSONScanner(bytes, maxDepth: min(maxDepth, deepest))
        return try scanner.document()
    }
}
