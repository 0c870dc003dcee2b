/// The id of a sign-in: a random UUID (version 4) in lower case, as Postgres writes it.
enum SignInID {
    static func make() -> String {
        var bytes = RandomBytes.make(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return text(of: bytes)
    }

    /// The text of sixteen bytes.
    static func text(of bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            if byte < 16 { text += "0" }
            text += String(byte, radix: 16)
        }
        return text
    }

    /// The sixteen bytes of an id. Nil if `text` is not 36 lower-case characters in their groups.
    static func bytes(of text: String) -> [UInt8]? {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
        let digits = Array(groups.joined().utf8)
        guard digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { index in
            value(of: digits[index]) << 4 | value(of: digits[index + 1])
        }
    }

    static func isValid(_ text: String) -> Bool { bytes(of: text) != nil }

    private static func value(of digit: UInt8) -> UInt8 {
        digit < 0x3A ? digit - 0x30 : digit - 0x57
    }
}
