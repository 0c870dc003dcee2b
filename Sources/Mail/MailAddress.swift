/// A mail address, with or without a name: `LearnTrack <bonjour@exemple.fr>`.
package struct MailAddress: Sendable, Equatable {
    package let name: String?
    /// `local@domain`, without any character that could end a line or an address.
    package let address: String

    /// Reads `address` or `name <address>`. Nil if `text` is neither.
    package init?(_ text: String) {
        let text = text.trimmed
        var name: String?
        var address = text
        if text.hasSuffix(">"), let open = text.lastIndex(of: "<") {
            name = String(text[..<open]).trimmed
            address = String(text[text.index(after: open)...].dropLast())
        }
        if let quoted = name, quoted.count >= 2, quoted.hasPrefix("\""), quoted.hasSuffix("\"") {
            name = String(quoted.dropFirst().dropLast())
        }
        guard Self.isAddress(address), name?.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) ?? true
        else { return nil }
        self.name = name.flatMap { $0.isEmpty ? nil : $0 }
        self.address = address
    }

    /// The part after the `@`.
    package var domain: String { address.split(separator: "@").last.map(String.init) ?? "" }

    /// The text of the address in a header.
    var header: String {
        guard let name else { return address }
        let plain = name.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        let shown = plain ? "\"" + name.escapingQuotes + "\"" : EncodedWords.encode(name)
        return "\(shown) <\(address)>"
    }

    private static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let isSafe = text.unicodeScalars.allSatisfy { scalar in
            scalar.value > 0x20 && scalar.value != 0x7F && !"<>()[]\\,;:\"".unicodeScalars.contains(scalar)
                && !(0x80...0xA0).contains(scalar.value) && scalar.value != 0x2028 && scalar.value != 0x2029
        }
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && isSafe && text.utf8.count <= 320
    }
}

extension String {
    fileprivate var trimmed: String {
        var rest = self[...]
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return String(rest)
    }

    fileprivate var escapingQuotes: String {
        reduce(into: "") { text, character in
            if character == "\"" || character == "\\" { text.append("\\") }
            text.append(character)
        }
    }
}
