/// A text of SQL statements, divided as psql divides it: at semicolons outside strings, names, comments and parentheses.
struct SQLScript {
    /// Without the semicolons between them.
    let statements: [Substring]

    /// Nil for what only psql reads in the same way: its own commands, strings with backslashes, COPY, and functions with a body
    /// outside a string.
    init?(_ text: String) {
        let capital = text.uppercased()
        guard !text.contains("\\"), !capital.contains("COPY"), !capital.contains("ATOMIC") else { return nil }
        var scanner = Scanner(rest: text[...])
        while !scanner.rest.isEmpty { scanner.step() }
        scanner.endStatement()
        statements = scanner.statements
    }

    private struct Scanner {
        var rest: Substring
        var statements: [Substring] = []
        private var start: Substring.Index
        private var depth = 0
        /// Whether the statement contains more than spaces and comments.
        private var hasWords = false

        init(rest: Substring) {
            self.rest = rest
            start = rest.startIndex
        }

        mutating func endStatement() {
            if hasWords { statements.append(rest.base[start..<rest.startIndex]) }
            hasWords = false
        }

        mutating func step() {
            if rest.hasPrefix("--") { return skip { $0 == "\n" } }
            if rest.hasPrefix("/*") { return skipComment() }
            let character = rest.removeFirst()
            switch character {
            case ";" where depth == 0:
                rest = rest.base[rest.base.index(before: rest.startIndex)...]
                endStatement()
                rest = rest.dropFirst()
                start = rest.startIndex
                return
            // A doubled quote ends one string and begins another, which is as well for where the text ends.
            case "'", "\"": skipPast(String(character))
            case "$":
                let name = rest.prefix { $0 == "_" || $0.isLetter || $0.isNumber }
                if rest.dropFirst(name.count).first == "$", name.first?.isNumber != true {
                    rest = rest.dropFirst(name.count + 1)
                    skipPast("$\(name)$")
                }
            case "(": depth += 1
            case ")": depth -= 1
            default: if character.isWhitespace { return }
            }
            hasWords = true
        }

        private mutating func skip(until isEnd: (Character) -> Bool) {
            rest = rest.drop { !isEnd($0) }
        }

        private mutating func skipPast(_ end: String) {
            rest = rest.firstRange(of: end).map { rest[$0.upperBound...] } ?? rest[rest.endIndex...]
        }

        /// Comments nest.
        private mutating func skipComment() {
            var depth = 0
            repeat {
                if rest.hasPrefix("/*") {
                    depth += 1
                    rest = rest.dropFirst(2)
                } else if rest.hasPrefix("*/") {
                    depth -= 1
                    rest = rest.dropFirst(2)
                } else {
                    rest = rest.dropFirst()
                }
            } while depth > 0 && !rest.isEmpty
        }
    }
}
