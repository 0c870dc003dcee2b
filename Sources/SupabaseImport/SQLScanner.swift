/// Finds its way through SQL text: words, names, literals, and where a statement ends.
struct SQLScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }

    func fault(_ what: String) -> SupabaseImportError {
        let line = bytes[..<min(position, bytes.count)].count { $0 == UInt8(ascii: "\n") } + 1
        return SupabaseImportError("line \(line): \(what)")
    }

    // MARK: Blanks and lines

    /// Skips spaces, line ends and comments.
    mutating func skipBlanks() {
        while let byte = peek() {
            if byte == UInt8(ascii: " ") || (9...13).contains(byte) {
                position += 1
            } else if byte == UInt8(ascii: "-"), peek(1) == UInt8(ascii: "-") {
                skipLine()
            } else if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                skipComment()
            } else {
                return
            }
        }
    }

    /// Skips the rest of the line.
    mutating func skipLine() { _ = line() }

    /// The rest of the line, without its end; nil where there is none.
    mutating func line() -> ArraySlice<UInt8>? {
        guard !isAtEnd else { return nil }
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        var line = bytes[position..<end]
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        position = end + 1
        return line
    }

    /// Skips a command of psql's own, such as `\restrict`; they take a line.
    mutating func skipPsqlCommand() -> Bool {
        guard peek() == UInt8(ascii: "\\") else { return false }
        skipLine()
        return true
    }

    // MARK: Words

    /// The next word in lower case; nil, and nothing taken, where something else stands.
    mutating func word() -> String? {
        skipBlanks()
        let start = position
        while let byte = peek(), Self.isLetter(byte) || (position > start && Self.isDigit(byte)) { position += 1 }
        return position == start ? nil : String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
    }

    /// Takes one sign, if it comes next.
    mutating func takes(_ sign: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard peek() == UInt8(ascii: sign) else { return false }
        position += 1
        return true
    }

    /// A name, quoted or not.
    mutating func identifier() throws(SupabaseImportError) -> String {
        skipBlanks()
        guard peek() == UInt8(ascii: "\"") else {
            guard let word = word() else { throw fault("a name is expected") }
            return word
        }
        return String(decoding: try quoted(by: UInt8(ascii: "\"")), as: UTF8.self)
    }

    /// A table's name with its schema.
    mutating func qualifiedName() throws(SupabaseImportError) -> String {
        var isOnly = false
        let start = self
        if word() == "only" { isOnly = true }
        if !isOnly { self = start }
        let first = try identifier()
        guard takes(".") else { return "public." + first }
        return first + "." + (try identifier())
    }

    /// A literal as pg_dump writes them, as Postgres's text of its value; nil for NULL.
    mutating func literal() throws(SupabaseImportError) -> String? {
        skipBlanks()
        let text: String
        if peek() == UInt8(ascii: "'") {
            text = String(decoding: try quoted(by: UInt8(ascii: "'")), as: UTF8.self)
        } else if peek() == UInt8(ascii: "E") || peek() == UInt8(ascii: "e"), peek(1) == UInt8(ascii: "'") {
            position += 1
            text = String(decoding: try quoted(by: UInt8(ascii: "'"), hasEscapes: true), as: UTF8.self)
        } else {
            let start = position
            while let byte = peek(),
                Self.isLetter(byte) || Self.isDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "+")
            {
                position += 1
            }
            text = String(decoding: bytes[start..<position], as: UTF8.self)
            guard let first = text.utf8.first else { throw fault("a value is expected") }
            if ["null", "default"].contains(text.lowercased()) { return nil }
            guard ["true", "false"].contains(text.lowercased()) || !Self.isLetter(first) else {
                throw fault("a plain value is expected, not '\(text)'")
            }
        }
        // `'2026-01-12'::date`
        while peek() == UInt8(ascii: ":"), peek(1) == UInt8(ascii: ":") {
            position += 2
            _ = try qualifiedName()
            while word() != nil {}
        }
        return text
    }

    // MARK: Statements

    /// Skips to behind the semicolon that ends the statement.
    mutating func skipStatement() throws(SupabaseImportError) {
        // Inside BEGIN ATOMIC … END semicolons end nothing.
        var isAtomic = false
        var depth = 0
        while !isAtEnd {
            if let word = word() {
                if word == "atomic" {
                    isAtomic = true
                    depth = 1
                } else if isAtomic, word == "case" {
                    depth += 1
                } else if isAtomic, word == "end" {
                    depth -= 1
                }
                continue
            }
            guard let byte = peek() else { return }
            if byte == UInt8(ascii: ";"), depth <= 0 {
                position += 1
                return
            }
            try skipPiece(byte)
        }
    }

    /// Skips the rest of a definition in brackets; true when a further one follows.
    mutating func skipDefinition() throws(SupabaseImportError) -> Bool {
        var depth = 0
        while true {
            while word() != nil {}
            guard let byte = peek() else { throw fault("the dump ends within a table") }
            if byte == UInt8(ascii: ","), depth == 0 {
                position += 1
                return true
            }
            if byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ")") {
                if depth == 0 {
                    position += 1
                    return false
                }
                depth -= 1
            }
            try skipPiece(byte)
        }
    }

    /// Skips one quoted text, or one character.
    private mutating func skipPiece(_ byte: UInt8) throws(SupabaseImportError) {
        switch byte {
        case UInt8(ascii: "'"):
            let isEscaped = position > 0 && (bytes[position - 1] | 0x20) == UInt8(ascii: "e")
            _ = try quoted(by: byte, hasEscapes: isEscaped)
        case UInt8(ascii: "\""): _ = try quoted(by: byte)
        case UInt8(ascii: "$"):
            if !(try skipDollarQuoted()) { position += 1 }
        default: position += 1
        }
    }

    /// `$$…$$` or `$tag$…$tag$`; false for a dollar that begins none.
    private mutating func skipDollarQuoted() throws(SupabaseImportError) -> Bool {
        var end = position + 1
        while end < bytes.count, Self.isLetter(bytes[end]) || Self.isDigit(bytes[end]), bytes[end] != UInt8(ascii: "$")
        {
            end += 1
        }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "$") else { return false }
        let tag = bytes[position...end]
        var place = end + 1
        while let dollar = bytes[place...].firstIndex(of: UInt8(ascii: "$")) {
            if bytes[dollar...].starts(with: tag) {
                position = dollar + tag.count
                return true
            }
            place = dollar + 1
        }
        throw fault("a quoted text has no end")
    }

    /// What stands between two quotes; a doubled one stands for itself.
    private mutating func quoted(by quote: UInt8, hasEscapes: Bool = false) throws(SupabaseImportError) -> [UInt8] {
        let start = position
        position += 1
        var text: [UInt8] = []
        while let byte = peek() {
            position += 1
            if byte == quote {
                guard peek() == quote else { return text }
                position += 1
                text.append(quote)
            } else if hasEscapes, byte == UInt8(ascii: "\\"), let next = peek() {
                position += 1
                switch next {
                case UInt8(ascii: "n"): text.append(10)
                case UInt8(ascii: "t"): text.append(9)
                case UInt8(ascii: "r"): text.append(13)
                default: text.append(next)
                }
            } else {
                text.append(byte)
            }
        }
        position = start
        throw fault("a quoted text has no end")
    }

    private mutating func skipComment() {
        var depth = 0
        repeat {
            if peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                depth += 1
                position += 2
            } else if peek() == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                depth -= 1
                position += 2
            } else {
                position += 1
            }
        } while depth > 0 && !isAtEnd
    }

    private func peek(_ ahead: Int = 0) -> UInt8? {
        position + ahead < bytes.count ? bytes[position + ahead] : nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "$")
    }
}
