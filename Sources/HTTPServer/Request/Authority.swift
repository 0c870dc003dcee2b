/// The value of `Host` and `:authority`, and what a target in the form of a URL has before its path.
enum Authority {
    /// Whether `value` is a host with or without a port. A name and password before the host are forbidden (RFC 9113, 8.3.1), and so
    /// is what a URL has behind it.
    static func isValid(_ value: Substring) -> Bool {
        let host: Substring
        let port: Substring
        if value.utf8.first == UInt8(ascii: "[") {
            guard let end = value.lastIndex(of: "]") else { return false }
            host = value[value.index(after: value.startIndex)..<end]
            port = value[value.index(after: end)...]
            guard host.utf8.allSatisfy({ isInAddress($0) }) else { return false }
        } else {
            let end = value.firstIndex(of: ":") ?? value.endIndex
            host = value[..<end]
            port = value[end...]
            guard host.utf8.allSatisfy({ isInName($0) }) else { return false }
        }
        return !host.isEmpty && isPort(port)
    }

    /// Nothing, or a colon and perhaps a number (RFC 3986, 3.2.3).
    private static func isPort(_ text: Substring) -> Bool {
        guard text.utf8.first == UInt8(ascii: ":") else { return text.isEmpty }
        let digits = text.utf8.dropFirst()
        guard digits.count <= 5, digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return false }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 65_535
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
            true
        default: punctuation.contains(byte)
        }
    }

    /// Of an address of version 6, with its zone.
    private static func isInAddress(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ":") || isInName(byte) }

    private static let punctuation = Set("-._~%!$&'()*+,;=".utf8)
}
