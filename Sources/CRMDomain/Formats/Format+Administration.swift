import DomainKit

extension Format {
    /// The number of a French establishment: fourteen digits, the last of them a check digit; spaces may separate them.
    static let siret = Format(
        name: "siret", message: CRM.Messages.siret,
        pattern: "^[0-9](?:[ \\u00a0\\u202f]*[0-9]){13}$", example: "732 829 320 00074"
    ) { text in
        guard let first = text.unicodeScalars.first, first.isDigit, text.unicodeScalars.last?.isDigit == true,
            text.unicodeScalars.allSatisfy({ $0.isDigit || $0.isGroupingSpace })
        else { return false }
        let digits = text.utf8.filter(\.isDigit).map(\.digitValue)
        return digits.count == 14 && hasValidChecksum(digits)
    }

    /// The number under which a training organisation is declared: eleven digits.
    static let nda = Format(
        name: "nda", message: CRM.Messages.nda, pattern: "^[0-9]{11}$", example: "11755555555"
    ) { text in
        text.utf8.count == 11 && text.utf8.allSatisfy(\.isDigit)
    }

    /// A postcode: five digits in France; abroad up to ten letters, digits, spaces and hyphens.
    static let postalCode = Format(
        name: "code_postal", message: CRM.Messages.postalCode,
        pattern: "^[A-Za-z0-9](?:[A-Za-z0-9 -]{0,8}[A-Za-z0-9])?$", example: "75002"
    ) { text in
        let bytes = Array(text.utf8)
        guard bytes.count <= 10, let first = bytes.first, let last = bytes.last else { return false }
        return first.isLetterOrDigit && last.isLetterOrDigit
            && bytes.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "-") }
    }
}

/// Luhn's checksum. The establishments of La Poste, except its seat, have a plain sum instead.
private func hasValidChecksum(_ digits: [Int]) -> Bool {
    let laPoste = [3, 5, 6, 0, 0, 0, 0, 0, 0]
    let seatOfLaPoste = laPoste + [0, 0, 0, 4, 8]
    if digits.starts(with: laPoste), digits != seatOfLaPoste {
        return digits.reduce(0, +) % 5 == 0
    }
    let sum = digits.enumerated().reduce(0) { sum, entry in
        // Luhn doubles every second digit from the right. Of fourteen digits these are the ones at even offsets.
        let weighted = entry.offset % 2 == 0 ? entry.element * 2 : entry.element
        return sum + (weighted > 9 ? weighted - 9 : weighted)
    }
    return sum % 10 == 0
}

// Classes of ASCII characters. The constraints of the migrations spell out the same.
extension UInt8 {
    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
    var isLetter: Bool { (self | 0x20) >= UInt8(ascii: "a") && (self | 0x20) <= UInt8(ascii: "z") }
    var isLetterOrDigit: Bool { isLetter || isDigit }
    /// The value of an ASCII digit, 0 to 9.
    var digitValue: Int { Int(self) - Int(UInt8(ascii: "0")) }
}

extension Unicode.Scalar {
    var isDigit: Bool { ("0"..."9").contains(self) }
    /// Whether it is a space that people type or paste between groups of digits: plain, no-break or narrow no-break.
    var isGroupingSpace: Bool { self == " " || self == "\u{A0}" || self == "\u{202F}" }
}
