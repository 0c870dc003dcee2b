/// Text as lines of ASCII that any server carries unchanged (RFC 2045, section 6.7), ended by CR LF.
enum QuotedPrintable {
    /// Characters of a line, the `=` of a soft line break not counted.
    private static let longest = 75

    static func encode(_ text: String) -> String {
        var encoded = ""
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            var length = 0
            let bytes = Array(line.utf8)
            for (index, byte) in bytes.enumerated() {
                let isLast = index == bytes.count - 1
                let piece = self.piece(byte, isLast: isLast)
                if length + piece.utf8.count > longest {
                    encoded += "=\r\n"
                    length = 0
                }
                encoded += piece
                length += piece.utf8.count
            }
            encoded += "\r\n"
        }
        return encoded
    }

    private static func piece(_ byte: UInt8, isLast: Bool) -> String {
        switch byte {
        case UInt8(ascii: "="): return hex(byte)
        // Servers cut spaces off the ends of lines.
        case UInt8(ascii: " "), UInt8(ascii: "\t"): return isLast ? hex(byte) : String(UnicodeScalar(byte))
        case 0x21...0x7E: return String(UnicodeScalar(byte))
        default: return hex(byte)
        }
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return byte < 16 ? "=0" + digits : "=" + digits
    }
}
