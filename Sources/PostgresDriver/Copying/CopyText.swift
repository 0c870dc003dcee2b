/// Rows in the text format of COPY: values between tabs, rows between line feeds, `\N` for null.
///
/// ```swift
/// var text = CopyText()
/// text.append(["7", "lamp\tgreen", nil])
/// let bytes = text.take()          // a chunk for `copyIn`; the encoder goes on empty
/// ```
public struct CopyText: Sendable {
    /// What was appended and not taken yet.
    public private(set) var bytes: [UInt8] = []

    /// An encoder that has nothing yet.
    public init() {}

    /// Appends a row; nil is null. A NUL inside a value is refused by the server, as everywhere.
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

    /// Hands out what was appended.
    public mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// No byte of a character of several bytes is one of these, so characters need not be told apart.
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
