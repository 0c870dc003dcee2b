/// The properties of the first vCard in a text, of the versions 2.1 (with quoted-printable and charsets), 3.0 or 4.0.
struct VCard {
    struct Property {
        /// In capitals and without its group: `TEL` of `item1.TEL`.
        let name: String
        /// The values of all parameters, in capitals: those of `TYPE`, and the bare ones of version 2.1.
        let flags: Set<String>
        /// The value, decoded but for the escapes of its version.
        let value: String
    }

    private(set) var properties: [Property] = []
    /// The lines that are no properties, and those after the first card.
    private(set) var otherLines: [String] = []
    /// Whether commas and line feeds are escaped: from version 3.0 on.
    private(set) var escapesAll = true

    static func isVCard(_ text: String) -> Bool {
        text.split(whereSeparator: \.isNewline).first { !$0.trimmed.isEmpty }?.drop { $0 == "\u{FEFF}" }.trimmed
            .uppercased() == "BEGIN:VCARD"
    }

    init(_ text: String) {
        var isOver = false
        for line in Self.unfolded(text) {
            guard let property = Self.property(line) else {
                otherLines.append(line)
                continue
            }
            if isOver {
                if !["BEGIN", "END", "VERSION"].contains(property.name) { otherLines.append(line) }
                continue
            }
            switch property.name {
            case "BEGIN": break
            case "END": isOver = true
            case "VERSION": escapesAll = property.value.trimmed != "2.1"
            default: properties.append(property)
            }
        }
    }

    /// The lines, each in one piece: a line that begins with white space continues the one before, and so does the one after
    /// a quoted-printable line that ends with `=`.
    private static func unfolded(_ text: String) -> [String] {
        var lines: [String] = []
        var continuesQuoted = false
        for line in text.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline) {
            if continuesQuoted {
                lines[lines.count - 1].removeLast()
                lines[lines.count - 1] += line.drop { $0 == " " || $0 == "\t" }
            } else if let first = line.first, first == " " || first == "\t", !lines.isEmpty {
                lines[lines.count - 1] += line.dropFirst()
            } else {
                lines.append(String(line.drop { $0 == "\u{FEFF}" }))
            }
            let last = lines[lines.count - 1]
            continuesQuoted =
                line.last == "=" && last.prefix { $0 != ":" }.uppercased().contains("QUOTED-PRINTABLE")
        }
        return lines
    }

    private static func property(_ line: String) -> Property? {
        // Parameters may have colons between quotation marks.
        var isQuoted = false
        guard
            let colon = line.firstIndex(where: { character in
                if character == "\"" { isQuoted.toggle() }
                return character == ":" && !isQuoted
            })
        else { return nil }
        let head = line[..<colon].split(separator: ";", omittingEmptySubsequences: false)
        let name = head[0].split(separator: ".").last.map { $0.trimmed.uppercased() } ?? ""
        guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }) else {
            return nil
        }
        var flags: Set<String> = []
        var charset = "UTF-8"
        for parameter in head.dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1).map { $0.trimmed.uppercased() }
            guard let value = parts.last else { continue }
            if parts.count == 2, parts[0] == "CHARSET" { charset = value }
            for flag in value.split(whereSeparator: { $0 == "," || $0 == "\"" }) { flags.insert(flag.trimmed) }
        }
        var value = String(line[line.index(after: colon)...])
        if flags.contains("QUOTED-PRINTABLE") { value = text(of: quotedPrintable(value), charset: charset) }
        return Property(name: name, flags: flags, value: value)
    }

    /// The parts between `separator`, without escapes.
    func parts(_ value: String, separator: Character) -> [String] {
        var parts = [""]
        var isEscaped = false
        for character in value {
            if isEscaped {
                isEscaped = false
                switch character {
                case "n",
                    "N" where escapesAll:
                    parts[parts.count - 1].append("\n")
                case ";", ",", "\\", ":": parts[parts.count - 1].append(character)
                default: parts[parts.count - 1].append("\\\(character)")
                }
            } else if character == "\\" {
                isEscaped = true
            } else if character == separator {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts.map(\.trimmed)
    }

    /// The value as one text, without escapes.
    func text(_ value: String) -> String { parts(value, separator: "\u{0}")[0] }

    // MARK: Encodings

    private static func quotedPrintable(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "="), index + 2 < bytes.count,
                let value = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
            {
                decoded.append(value)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return decoded
    }

    /// Text of UTF-8, ISO 8859-1, ISO 8859-15 or Windows-1252. Bytes that are no UTF-8 are read as Windows-1252, which old
    /// phones write without saying so.
    private static func text(of bytes: [UInt8], charset: String) -> String {
        if charset == "UTF-8" || charset == "UTF8", let text = String(validating: bytes, as: UTF8.self) { return text }
        let isLatin9 = charset == "ISO-8859-15"
        return String(
            String.UnicodeScalarView(
                bytes.map { byte in
                    if isLatin9, let scalar = latin9[byte] { return scalar }
                    if (0x80...0x9F).contains(byte) { return windows1252[Int(byte) - 0x80] }
                    return Unicode.Scalar(byte)
                }))
    }

    /// Where ISO 8859-15 differs from ISO 8859-1.
    private static let latin9: [UInt8: Unicode.Scalar] = [
        0xA4: "€", 0xA6: "Š", 0xA8: "š", 0xB4: "Ž", 0xB8: "ž", 0xBC: "Œ", 0xBD: "œ", 0xBE: "Ÿ",
    ]

    /// Windows-1252 from 0x80 to 0x9F. Five places are empty.
    private static let windows1252 = Array(
        "€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ".unicodeScalars)
}
