/// Checks that a text is a COPY statement before it is sent. The server's response would be too late: by then any other
/// statement has already run.
enum CopyStatement {
    /// - Throws: `.invalidParameter`.
    static func check(_ sql: String) throws(PostgresError) {
        guard !sql.utf8.contains(0) else {
            throw PostgresError(.invalidParameter, cause: "the statement contains a NUL character")
        }
        let word = afterSpaceAndComments(sql.utf8).prefix(5).map { $0 | 0x20 }
        let isCopy = word.starts(with: "copy".utf8) && (word.count < 5 || !isIdentifierPart(word[4]))
        guard isCopy else { throw PostgresError(.invalidParameter, cause: "the statement is not a COPY") }
    }

    private static func isIdentifierPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "$"), 0x7F,
            0x80...:
            true
        default: false
        }
    }

    private static func afterSpaceAndComments(_ text: String.UTF8View) -> Substring.UTF8View {
        var rest = text[...]
        while true {
            rest = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
            if rest.starts(with: "--".utf8) {
                rest = rest.drop { $0 != 0x0A && $0 != 0x0D }
            } else if rest.starts(with: "/*".utf8) {
                rest = afterComment(rest)
            } else {
                return rest
            }
        }
    }

    /// Block comments nest.
    private static func afterComment(_ text: Substring.UTF8View) -> Substring.UTF8View {
        var rest = text
        var depth = 0
        while !rest.isEmpty {
            if rest.starts(with: "/*".utf8) {
                depth += 1
                rest = rest.dropFirst(2)
            } else if rest.starts(with: "*/".utf8) {
                depth -= 1
                rest = rest.dropFirst(2)
                if depth == 0 { break }
            } else {
                rest = rest.dropFirst()
            }
        }
        return rest
    }
}

/// Encodes rows in the text format of COPY: values separated by tabs, rows ended by line feeds, `\N` for null.
///
/// ```swift
/// var encoder = CopyTextEncoder()
/// encoder.append(["7", "lamp\tgreen", nil])
/// let chunk = encoder.take()       // for `copyIn`; the encoder is empty again
/// ```
public struct CopyTextEncoder: Sendable {
    /// The encoded rows that have not been taken yet.
    public private(set) var bytes: [UInt8] = []

    /// Makes an empty encoder.
    public init() {}

    /// Appends one row and escapes its values.
    ///
    /// A NUL character in a value is not refused here but by the server, as a bad row.
    /// - Parameter row: the values in the order of the statement's columns; nil is null.
    public mutating func append(_ row: some Sequence<String?>) {
        var isFirst = true
        for value in row {
            if !isFirst { bytes.append(UInt8(ascii: "\t")) }
            isFirst = false
            if let value {
                for byte in value.utf8 { append(byte) }
            } else {
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(UInt8(ascii: "N"))
            }
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Returns the encoded rows and empties the encoder.
    public mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// Escaping byte by byte is safe: no byte of a multi-byte UTF-8 character equals one of these.
    private mutating func append(_ byte: UInt8) {
        let escape: UInt8
        switch byte {
        case UInt8(ascii: "\\"): escape = byte
        case UInt8(ascii: "\t"): escape = UInt8(ascii: "t")
        case UInt8(ascii: "\n"): escape = UInt8(ascii: "n")
        case UInt8(ascii: "\r"): escape = UInt8(ascii: "r")
        default: return bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(escape)
    }
}
