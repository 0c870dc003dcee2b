import DomainKit

extension Format {
    /// A French number or an international one with `+` or `00`, punctuated as people punctuate them.
    static let phone = Format(
        name: "telephone",
        message: "Donnez un numéro de téléphone complet, comme 06 12 34 56 78 ou +32 2 123 45 67.",
        pattern: PhonePattern.whole, example: "06 12 34 56 78"
    ) { text in
        isPunctuatedLikeAPhoneNumber(text) && isDiallable(dialledCharacters(of: text))
    }
}

/// `+` at most at the start; digits, singly or in parentheses, with separators only between them.
private func isPunctuatedLikeAPhoneNumber(_ text: String) -> Bool {
    var scalars = text.unicodeScalars[...]
    if scalars.first == "+" { scalars.removeFirst() }
    var isAtStart = true
    while !scalars.isEmpty {
        if !isAtStart {
            scalars = scalars.drop { $0.isGroupingSpace || $0 == "." || $0 == "/" || $0 == "-" }
        }
        isAtStart = false
        guard let next = scalars.popFirst() else { return false }
        if next == "(" {
            let inside = scalars.prefix { $0.isDigit }
            scalars = scalars[inside.endIndex...]
            guard !inside.isEmpty, scalars.popFirst() == ")" else { return false }
        } else if !next.isDigit {
            return false
        }
    }
    return !isAtStart
}

/// Digits and `+` alone, without the `(0)` that an international number carries for readers at home.
private func dialledCharacters(of text: String) -> [UInt8] {
    var bytes = Array(text.utf8)
    if text.hasPrefix("+") || text.hasPrefix("00"), let trunk = bytes.firstRange(of: Array("(0)".utf8)) {
        bytes.removeSubrange(trunk)
    }
    return bytes.filter { $0.isDigit || $0 == UInt8(ascii: "+") }
}

private func isDiallable(_ number: [UInt8]) -> Bool {
    let zero = UInt8(ascii: "0")
    let international: ArraySlice<UInt8>
    if number.first == UInt8(ascii: "+") {
        international = number.dropFirst()
    } else if number.starts(with: [zero, zero]) {
        international = number.dropFirst(2)
    } else {
        return number.count == 10 && number[0] == zero && number[1] != zero
    }
    guard international.allSatisfy(\.isDigit), let first = international.first, first != zero else { return false }
    if international.starts(with: Array("33".utf8)) {
        return international.count == 11 && international[international.startIndex + 2] != zero
    }
    return (7...15).contains(international.count)
}
