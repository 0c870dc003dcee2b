import DomainKit

extension Format {
    /// A telephone number: a French one, or an international one that begins with `+` or `00`, with the spaces and signs
    /// that people write between its digits.
    static let phone = Format(
        name: "telephone", message: CRM.Messages.phone, pattern: PhonePattern.whole,
        example: "06 12 34 56 78"
    ) { text in
        isPunctuatedLikeAPhoneNumber(text) && isDiallable(dialledCharacters(of: text))
    }
}

/// Whether the text consists of digits, single or in parentheses, with separators between them, after at most one `+`.
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

/// The digits of a number, and its `+`. The first `(0)` of an international number is omitted: it is dialled only within
/// the country.
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

/// The numbers that ``Format/phone`` accepts, as a regular expression of ECMA-262.
private enum PhonePattern {
    private static let space = " \\u00a0\\u202f"
    /// Digits, single or in parentheses, with separators between them.
    private static let shape =
        "\\+?(?:\\([0-9]+\\)|[0-9])(?:[\(space)./-]*(?:\\([0-9]+\\)|[0-9]))*"
    private static let gap = "[\(space)./()-]*"
    /// What may stand between the digits of an international number: also one `(0)`, which is dialled only within the
    /// country.
    private static let wideGap = "(?:[\(space)./)-]|\\((?!0\\))|\\(0\\))*"

    private static let national = "\(gap)0\(gap)[1-9](?:\(gap)[0-9]){8}"
    private static let french = "3\(wideGap)3\(wideGap)[1-9](?:\(wideGap)[0-9]){8}"
    private static let foreign = "(?!3\(wideGap)3)[1-9](?:\(wideGap)[0-9]){6,14}"
    private static let international =
        "(?!.*\\(0\\).*\\(0\\))(?:\\+|\(gap)0\(gap)0)\(wideGap)(?:\(french)|\(foreign))"

    static let whole = "^(?=\(shape)$)(?:\(national)|\(international))\(gap)$"
}
