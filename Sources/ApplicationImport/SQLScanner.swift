/// Splits SQL text into words, names, literals and statements.
struct SQLScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }

    /// An error with the number of the current line.
    func error(_ message: String) -> ApplicationImportError {
        let line = bytes[..<min(position, bytes.count)].count { $0 == UInt8(ascii: "\n") } + 1
        return ApplicationImportError("line \(line): \(message)")
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

    /// The rest of the line without its end. Nil at the end of the text.
    mutating func line() -> ArraySlice<UInt8>? {
        guard !isAtEnd else { return nil }
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        var line = bytes[position..<end]
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        position = end + 1
        return line
    }

    /// Skips a psql command, such as `\restrict`, which extends to the end of its line.
    mutating func skipPsqlCommand() -> Bool {
        guard peek() == UInt8(ascii: "\\") else { return false }
        skipLine()
        return true
    }

    // MARK: Words

    /// Takes the next word, in lower case. Returns nil, and takes no character, if the next token is not a word.
    mutating func word() -> String? {
        skipBlanks()
        let start = position
        while let byte = peek(), Self.isLetter(byte) || (position > start && Self.isDigit(byte)) { position += 1 }
        return position == start ? nil : String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
    }

    /// Takes a character if it comes next.
    mutating func takes(_ character: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard peek() == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Takes a name, quoted or not.
    mutating func identifier() throws(ApplicationImportError) -> String {
        skipBlanks()
        guard peek() == UInt8(ascii: "\"") else {
            guard let word = word() else { throw error("expected a name") }
            return word
        }
        return String(decoding: try quoted(by: UInt8(ascii: "\"")), as: UTF8.self)
    }

    /// Takes the name of a table. The result has its schema, which is `public` if none is written.
    mutating func qualifiedName() throws(ApplicationImportError) -> String {
        var isOnly = false
        let start = self
        if word() == "only" { isOnly = true }
        if !isOnly { self = start }
        let first = try identifier()
        guard takes(".") else { return "public." + first }
        return first + "." + (try identifier())
    }

    /// Takes a literal of the forms that pg_dump writes. Returns the text form of its value, nil for NULL.
    mutating func literal() throws(ApplicationImportError) -> String? {
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
            guard let first = text.utf8.first else { throw error("expected a value") }
            if ["null", "default"].contains(text.lowercased()) { return nil }
            guard ["true", "false"].contains(text.lowercased()) || !Self.isLetter(first) else {
                throw error("expected a plain value, not '\(text)'")
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

    /// Skips the rest of the statement and its semicolon.
    mutating func skipStatement() throws(ApplicationImportError) {
        // Within BEGIN ATOMIC … END a semicolon does not end the statement.
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

    /// Skips the rest of a column definition. Returns whether another one follows.
    mutating func skipDefinition() throws(ApplicationImportError) -> Bool {
        var depth = 0
        while true {
            while word() != nil {}
            guard let byte = peek() else { throw error("the dump ends within a table") }
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
    private mutating func skipPiece(_ byte: UInt8) throws(ApplicationImportError) {
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

    /// Skips `$$…$$` or `$tag$…$tag$`. Returns false for a dollar sign that does not begin one.
    private mutating func skipDollarQuoted() throws(ApplicationImportError) -> Bool {
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
        throw error("a quoted text is not closed")
    }

    /// Takes a quoted text. A doubled quote within it means one quote.
    private mutating func quoted(by quote: UInt8, hasEscapes: Bool = false) throws(ApplicationImportError) -> [UInt8] {
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
        throw error("a quoted text is not closed")
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
