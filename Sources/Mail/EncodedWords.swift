/// Header text beyond ASCII (RFC 2047): `=?UTF-8?B?…?=`, each word of 75 characters at most and of whole characters.
enum EncodedWords {
    /// Bytes of a word: sixty base64 characters and the twelve around them.
    private static let longest = 45

    /// `text` as it stands when it is printable ASCII that no reader takes for encoded; else in encoded words, each on
    /// a line of its own. Control characters, line ends among them, become spaces: no text makes a header of its own.
    static func of(_ text: String) -> String {
        let safe = String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
        if safe.utf8.allSatisfy({ $0 < 0x7F }), !safe.contains("=?"), safe.utf8.count <= 60 { return safe }
        var words: [[UInt8]] = [[]]
        for scalar in safe.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > longest { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?UTF-8?B?\(base64($0))?=" }.joined(separator: "\r\n ")
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func base64(_ bytes: [UInt8]) -> String {
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
