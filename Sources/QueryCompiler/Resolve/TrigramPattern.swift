/// What a `like` or `ilike` pattern leaves in the searchable text of a record that matches it.
///
/// That text has no case and no accents, so that only the pattern's ASCII can be told of it; each stretch of that
/// stands there in lower case, and a trigram index finds it. What the pattern itself asks for stays to be checked.
enum TrigramPattern {
    /// A pattern that the searchable text matches too; nil when it would hold no three letters or digits in a row, which
    /// is what a trigram index begins with.
    static func of(_ pattern: String) -> String? {
        var stretches: [[UInt8]] = [[]]
        for byte in pattern.utf8 {
            let isSpecial = byte == UInt8(ascii: "%") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "\\")
            if isSpecial || byte >= 0x80 {
                // What is escaped could stay, but would have to be escaped again.
                if !(stretches.last ?? []).isEmpty { stretches.append([]) }
            } else {
                stretches[stretches.count - 1].append(byte.lowercasedASCII)
            }
        }
        let useful = stretches.filter(hasTrigram)
        guard !useful.isEmpty else { return nil }
        return "%" + useful.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "%") + "%"
    }

    private static func hasTrigram(_ stretch: [UInt8]) -> Bool {
        var run = 0
        for byte in stretch {
            run = byte.isLetterOrDigit ? run + 1 : 0
            if run == 3 { return true }
        }
        return false
    }
}

extension UInt8 {
    fileprivate var lowercasedASCII: UInt8 {
        self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
    }

    fileprivate var isLetterOrDigit: Bool {
        self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z") || self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9")
    }
}
