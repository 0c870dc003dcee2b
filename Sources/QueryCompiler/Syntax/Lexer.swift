import DomainKit
import JSON

/// A lexical token of GraphQL.
struct Token: Equatable {
    enum Kind: Equatable {
        /// One of `! $ & ( ) : = @ [ ] { | }`.
        case punctuator(UInt8)
        /// `...`
        case spread
        case name(String)
        case number(String)
        case string(String)
        case end
    }

    let kind: Kind
    let position: TextPosition

    static func punctuator(_ character: Unicode.Scalar) -> Kind {
        .punctuator(UInt8(ascii: character))
    }
}

/// Splits a `select` text into tokens. It skips what GraphQL ignores: whitespace, commas, comments and a byte order mark.
struct Lexer {
    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    /// Counted in Unicode scalars, from 1.
    private var column = 1

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    private var position: TextPosition { .init(line: line, column: column) }

    private func peek(_ offset: Int = 0) -> UInt8? {
        index + offset < bytes.count ? bytes[index + offset] : nil
    }

    /// Skips one byte that is not part of a line end.
    private mutating func advance() {
        // A continuation byte of UTF-8 shares the column of its first byte.
        if bytes[index] & 0xC0 != 0x80 { column += 1 }
        index += 1
    }

    private mutating func advance(by count: Int) {
        for _ in 0..<count { advance() }
    }

    /// Skips `\n`, `\r` or `\r\n`. Each is one line end.
    private mutating func advanceLine() {
        if bytes[index] == .carriageReturn, peek(1) == .newline { index += 1 }
        index += 1
        line += 1
        column = 1
    }

    mutating func next() throws(SelectionError) -> Token {
        skipIgnored()
        let start = position
        guard let byte = peek() else { return Token(kind: .end, position: start) }
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "("), UInt8(ascii: ")"),
            UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            advance()
            return Token(kind: .punctuator(byte), position: start)
        case UInt8(ascii: "."):
            guard peek(1) == byte, peek(2) == byte else {
                throw SelectionError(.strayPeriod, at: start)
            }
            advance(by: 3)
            return Token(kind: .spread, position: start)
        case UInt8(ascii: "\""):
            let text = peek(1) == byte && peek(2) == byte ? try blockString(from: start) : try string(from: start)
            return Token(kind: .string(text), position: start)
        case _ where byte.isNameStart:
            let first = index
            while let byte = peek(), byte.isNamePart { advance() }
            return Token(kind: .name(String(decoding: bytes[first..<index], as: UTF8.self)), position: start)
        case _ where byte.isDigit || byte == UInt8(ascii: "-"):
            return Token(kind: .number(try number(from: start)), position: start)
        default:
            throw SelectionError(.strayCharacter(currentScalar), at: start)
        }
    }

    private mutating func skipIgnored() {
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: ","): advance()
            case .newline, .carriageReturn: advanceLine()
            case UInt8(ascii: "#"):
                while let byte = peek(), byte != .newline, byte != .carriageReturn { advance() }
            case 0xEF where peek(1) == 0xBB && peek(2) == 0xBF: advance(by: 3)
            default: return
            }
        }
    }

    /// The scalar at the index, as an error names it. Control characters are spelled `U+0000`.
    private var currentScalar: String {
        var end = index + 1
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        let text = String(decoding: bytes[index..<end], as: UTF8.self)
        guard let scalar = text.unicodeScalars.first, scalar.value < 0x20 || scalar.value == 0x7F else { return text }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    // MARK: Numbers

    private mutating func number(from start: TextPosition) throws(SelectionError) -> String {
        let first = index
        if peek() == UInt8(ascii: "-") { advance() }
        if peek() == UInt8(ascii: "0") {
            advance()
            if let byte = peek(), byte.isDigit {
                throw SelectionError(.leadingZero, at: start)
            }
        } else {
            try digits(from: start)
        }
        if peek() == UInt8(ascii: ".") {
            advance()
            try digits(from: start)
        }
        if let byte = peek(), byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            advance()
            if let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { advance() }
            try digits(from: start)
        }
        if let byte = peek(), byte.isNameStart || byte == UInt8(ascii: ".") {
            throw SelectionError(.unseparatedNumber, at: position)
        }
        return String(decoding: bytes[first..<index], as: UTF8.self)
    }

    private mutating func digits(from start: TextPosition) throws(SelectionError) {
        guard let byte = peek(), byte.isDigit else {
            throw SelectionError(.incompleteNumber, at: start)
        }
        while let byte = peek(), byte.isDigit { advance() }
    }

    // MARK: Strings

    private mutating func string(from start: TextPosition) throws(SelectionError) -> String {
        advance()
        var content: [UInt8] = []
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                advance()
                return String(decoding: content, as: UTF8.self)
            case .newline, .carriageReturn:
                throw SelectionError(.lineEndInString, at: start)
            case UInt8(ascii: "\\"):
                content.append(contentsOf: String(Character(try escape())).utf8)
            default:
                content.append(byte)
                advance()
            }
        }
        throw SelectionError(.unclosedString, at: start)
    }

    private mutating func escape() throws(SelectionError) -> Unicode.Scalar {
        let start = position
        advance()
        guard let byte = peek() else { throw SelectionError(.unclosedString, at: start) }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            advance()
            return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return simpleEscape("\u{8}")
        case UInt8(ascii: "f"): return simpleEscape("\u{c}")
        case UInt8(ascii: "n"): return simpleEscape("\n")
        case UInt8(ascii: "r"): return simpleEscape("\r")
        case UInt8(ascii: "t"): return simpleEscape("\t")
        case UInt8(ascii: "u"):
            advance()
            return try unicodeEscape(from: start)
        default:
            throw SelectionError(.unknownEscape(currentScalar), at: start)
        }
    }

    private mutating func simpleEscape(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        advance()
        return scalar
    }

    /// `\u00E9`, a surrogate pair `\uD83D\uDE00`, or `\u{1F600}`.
    private mutating func unicodeEscape(from start: TextPosition) throws(SelectionError) -> Unicode.Scalar {
        let invalid = SelectionError(.invalidUnicodeEscape, at: start)
        if peek() == UInt8(ascii: "{") {
            advance()
            var value: UInt32 = 0
            var count = 0
            // Leading zeros are allowed, up to eight digits in all.
            while let digit = peek()?.hexValue, count < 8 {
                value = value << 4 | UInt32(digit)
                count += 1
                advance()
            }
            guard count > 0, peek() == UInt8(ascii: "}"), let scalar = Unicode.Scalar(value) else { throw invalid }
            advance()
            return scalar
        }
        guard let first = fourHexDigits() else { throw invalid }
        guard first & 0xFC00 == 0xD800 else {
            guard let scalar = Unicode.Scalar(first) else { throw invalid }
            return scalar
        }
        guard peek() == UInt8(ascii: "\\"), peek(1) == UInt8(ascii: "u") else { throw invalid }
        advance(by: 2)
        guard let second = fourHexDigits(), second & 0xFC00 == 0xDC00,
            let scalar = Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF))
        else { throw invalid }
        return scalar
    }

    private mutating func fourHexDigits() -> UInt32? {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = peek()?.hexValue else { return nil }
            value = value << 4 | UInt32(digit)
            advance()
        }
        return value
    }

    private mutating func blockString(from start: TextPosition) throws(SelectionError) -> String {
        advance(by: 3)
        var raw: [UInt8] = []
        let quote = UInt8(ascii: "\"")
        while let byte = peek() {
            if byte == quote, peek(1) == quote, peek(2) == quote {
                advance(by: 3)
                return BlockString.value(of: raw)
            }
            if byte == UInt8(ascii: "\\"), peek(1) == quote, peek(2) == quote, peek(3) == quote {
                raw.append(contentsOf: [quote, quote, quote])
                advance(by: 4)
            } else if byte == .newline || byte == .carriageReturn {
                raw.append(.newline)
                advanceLine()
            } else {
                raw.append(byte)
                advance()
            }
        }
        throw SelectionError(.unclosedString, at: start)
    }
}

/// The value of a `"""block string"""`: GraphQL's BlockStringValue().
private enum BlockString {
    /// - Parameter raw: the text between the quotes, with `\n` as its only line end.
    static func value(of raw: [UInt8]) -> String {
        var lines = raw.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // The first line follows the opening quotes, so its indentation is not counted.
        let indent = lines.dropFirst().compactMap(indentation).min() ?? 0
        for index in lines.indices.dropFirst() {
            lines[index] = lines[index].dropFirst(indent)
        }
        while let first = lines.first, indentation(first) == nil { lines.removeFirst() }
        while let last = lines.last, indentation(last) == nil { lines.removeLast() }
        return String(decoding: Array(lines.joined(separator: [UInt8(ascii: "\n")])), as: UTF8.self)
    }

    /// The number of leading blanks; nil for a blank line.
    private static func indentation(_ line: ArraySlice<UInt8>) -> Int? {
        line.firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }.map { $0 - line.startIndex }
    }
}

extension UInt8 {
    fileprivate static let newline = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")

    fileprivate var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    fileprivate var isNameStart: Bool {
        self | 0x20 >= UInt8(ascii: "a") && self | 0x20 <= UInt8(ascii: "z") || self == UInt8(ascii: "_")
    }

    fileprivate var isNamePart: Bool { isNameStart || isDigit }

    fileprivate var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
