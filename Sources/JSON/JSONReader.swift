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

/// What a JSON text says.
package struct JSONDocument: Sendable, Hashable {
    package let value: JSONValue
    /// The names that occur a second time in one object, as JSON Pointers from the root of the text, in the order of
    /// the text. `value` keeps the first of the two members.
    package let duplicates: [String]

    package init(value: JSONValue, duplicates: [String] = []) {
        self.value = value
        self.duplicates = duplicates
    }
}

/// Why a text is not a JSON document this server reads.
package enum JSONError: Error, Sendable, Hashable {
    /// Not RFC 8259; `offset` counts the bytes that were read before it showed.
    case syntax(offset: Int)
    /// Arrays and objects nested deeper than allowed; `offset` is that of the bracket that was one too many.
    case depth(offset: Int)
}

/// A place in a text. Lines and columns count from 1, columns in Unicode scalars.
public struct TextPosition: Sendable, Hashable {
    public let line: Int
    public let column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}
