import Foundation
import JSON
import Testing

/// Typography of every French message: the string literals of all files `Messages+French.swift` of the package.
@Suite struct FrenchMessageTests {
    private static let sources = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources")

    private struct Literal: Sendable {
        let place: String
        /// The text as it is at run time; an interpolation is a `$`.
        let text: String
    }

    private static func literals() throws -> [Literal] {
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var literals: [Literal] = []
        for case let file as URL in files where file.lastPathComponent == "Messages+French.swift" {
            let module = file.path.dropFirst(sources.path.count + 1)
            var scanner = LiteralScanner(try String(contentsOf: file, encoding: .utf8))
            literals += scanner.literals().map { Literal(place: "\(module):\($0.line)", text: $0.text) }
        }
        return literals
    }

    @Test func `no message has a straight apostrophe or a wrong space`() throws {
        let literals = try Self.literals()
        #expect(literals.count > 50)
        for literal in literals {
            #expect(Self.mistakes(in: literal.text) == [], "\(literal.place): \(literal.text)")
        }
    }

    @Test(arguments: [
        ("L'appel", "apostrophe"), ("Attention : là", ":"), ("Attention: là", ":"), ("Fin\u{A0}:", ":"),
        ("Quoi ?", "?"), ("Quoi\u{A0}?", "?"), ("Oui; non", ";"), ("«a\u{A0}»", "«"), ("«\u{A0}a »", "»"),
    ])
    func `a mistake is found`(text: String, mistake: String) {
        #expect(Self.mistakes(in: text) == [mistake])
    }

    @Test(arguments: [
        "L’appel a échoué\u{202F}: réessayez.", "«\u{A0}id\u{A0}»\u{202F}; 09:30", "Quoi\u{202F}?", "10\u{A0}s",
        "data.errors",
    ])
    func `a correct text has no mistakes`(text: String) {
        #expect(Self.mistakes(in: text) == [])
    }

    @Test func `the scanner reads the literals of Swift code`() {
        let code = #"""
            // "a comment"
            let a = "x \(name("y") ?? "z")\u{202F}: \"q\""
            let b = "\(a)" + ""
            """#
        var scanner = LiteralScanner(code)
        #expect(scanner.literals().map(\.text) == ["x $\u{202F}: \"q\"", "$", ""])
    }

    /// Names and code between « » follow the rules of their own language, as does JSON.
    private static func mistakes(in text: String) -> [String] {
        let scalars = Array(text.unicodeScalars)
        var isQuoted = false
        return scalars.indices.compactMap { index in
            let before = index > 0 ? scalars[index - 1] : nil
            let after = index + 1 < scalars.count ? scalars[index + 1] : nil
            let endsClause = (after == nil || after == " ") && !isQuoted
            switch scalars[index] {
            case "'": return "apostrophe"
            case ":" where endsClause && before != "\u{202F}" && before != "\"": return ":"
            case ";" where endsClause && before != "\u{202F}": return ";"
            case "!" where endsClause && before != "\u{202F}": return "!"
            case "?" where endsClause && before != "\u{202F}": return "?"
            case "«":
                isQuoted = true
                return after == "\u{A0}" ? nil : "«"
            case "»":
                isQuoted = false
                return before == "\u{A0}" ? nil : "»"
            default: return nil
            }
        }
    }
}

/// Finds the string literals of a Swift file. Literals inside an interpolation are code and are skipped.
private struct LiteralScanner {
    private let characters: [Character]
    private var index = 0
    private var line = 1

    init(_ text: String) {
        characters = Array(text)
    }

    mutating func literals() -> [(line: Int, text: String)] {
        var found: [(line: Int, text: String)] = []
        while let character = next() {
            if character == "/", peek() == "/" {
                while let character = peek(), !character.isNewline { index += 1 }
            } else if character == "\"" {
                found.append((line, literal()))
            }
        }
        return found
    }

    private func peek() -> Character? { index < characters.count ? characters[index] : nil }

    private mutating func next() -> Character? {
        guard index < characters.count else { return nil }
        defer { index += 1 }
        if characters[index].isNewline { line += 1 }
        return characters[index]
    }

    /// The rest of a literal after its opening quote.
    private mutating func literal() -> String {
        var text = ""
        while let character = next(), character != "\"" {
            text += character == "\\" ? escape() : String(character)
        }
        return text
    }

    private mutating func escape() -> String {
        switch next() {
        case "(":
            skipInterpolation()
            return "$"
        case "u":
            var digits = ""
            while let character = next(), character != "}" { digits.append(character) }
            return UInt32(digits.dropFirst(), radix: 16).flatMap(Unicode.Scalar.init).map(String.init) ?? ""
        case "n": return "\n"
        case let character?: return String(character)
        case nil: return ""
        }
    }

    private mutating func skipInterpolation() {
        var depth = 1
        while depth > 0, let character = next() {
            switch character {
            case "(": depth += 1
            case ")": depth -= 1
            case "\"": _ = literal()
            default: break
            }
        }
    }
}
