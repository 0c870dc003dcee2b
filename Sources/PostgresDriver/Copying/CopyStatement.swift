/// The check that a text is a COPY at all, before it is sent: any other statement would have been run by the time the
/// server's answer shows what it was.
enum CopyStatement {
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

    /// Such comments nest.
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
