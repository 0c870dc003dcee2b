/// Reads a JSON text strictly as RFC 8259 has it; numbers keep the digits they were written with.
///
/// Refused besides plain mistakes: lone surrogates, invalid UTF-8, raw control characters, a byte order mark, and
/// anything but white space after the value.
package enum JSONReader {
    /// No configuration goes deeper than this, so that reading never runs out of stack.
    package static let deepest = 512

    package static func read(_ text: String, maxDepth: Int = 64) throws(JSONError) -> JSONDocument {
        var text = text
        let result = text.withUTF8 { bytes in
            Result { () throws(JSONError) in try read(UnsafeRawBufferPointer(bytes), maxDepth: maxDepth) }
        }
        return try result.get()
    }

    package static func read(
        _ bytes: UnsafeRawBufferPointer, maxDepth: Int = 64
    ) throws(JSONError) -> JSONDocument {
        var scanner = JSONScanner(bytes, maxDepth: min(maxDepth, deepest))
        return try scanner.document()
    }
}
