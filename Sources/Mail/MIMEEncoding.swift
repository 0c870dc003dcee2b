/// Header text beyond ASCII as encoded words (RFC 2047): `=?UTF-8?B?…?=`. A word has at most 75 characters and does not
/// split a Unicode scalar.
enum EncodedWords {
    /// In bytes: they become sixty base64 characters, and the word adds twelve.
    private static let maxLength = 45

    /// `text` unchanged if it is short printable ASCII that readers do not take for encoded; otherwise encoded words, each
    /// on a line of its own. Control characters, including line ends, become spaces, so that a text cannot add a header.
    static func encode(_ text: String) -> String {
        let safe = String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
        if safe.utf8.allSatisfy({ $0 < 0x7F }), !safe.contains("=?"), safe.utf8.count <= 60 { return safe }
        var words: [[UInt8]] = [[]]
        for scalar in safe.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > maxLength { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?UTF-8?B?\(MIMEBase64.encode($0))?=" }.joined(separator: "\r\n ")
    }
}

/// Base64 with padding (RFC 2045, section 6.8), without line ends.
enum MIMEBase64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let value = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                let isPadding = place > group.count
                text.append(
                    isPadding ? UInt8(ascii: "=") : alphabet[Int(value >> UInt32(18 - 6 * place) & 0x3F)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// Text as lines of ASCII that every server transmits unchanged (RFC 2045, section 6.7), each ended by CR LF.
enum QuotedPrintable {
    /// The length of a line without the `=` of a soft line break.
    private static let maxLength = 75

    static func encode(_ text: String) -> String {
        var encoded = ""
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            var length = 0
            let bytes = Array(line.utf8)
            for (index, byte) in bytes.enumerated() {
                let isLast = index == bytes.count - 1
                let piece = self.piece(byte, isLast: isLast)
                if length + piece.utf8.count > maxLength {
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
        // Servers may remove spaces at the end of a line.
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
