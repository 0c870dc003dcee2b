import DomainKit

extension Format {
    /// Fourteen digits, spaces between them allowed, with a check sum.
    static let siret = Format(
        name: "siret",
        message:
            "Vérifiez ce numéro SIRET\u{A0}: 14 chiffres dont le dernier contrôle les autres, comme 732 829 320 00074.",
        pattern: "^[0-9](?:[ \\u00a0\\u202f]*[0-9]){13}$", example: "732 829 320 00074"
    ) { text in
        guard let first = text.unicodeScalars.first, first.isDigit, text.unicodeScalars.last?.isDigit == true,
            text.unicodeScalars.allSatisfy({ $0.isDigit || $0.isGroupingSpace })
        else { return false }
        let digits = text.utf8.filter(\.isDigit).map(\.digitValue)
        return digits.count == 14 && hasValidCheckSum(digits)
    }
}

/// Luhn's sum, except for the establishments of La Poste: all of them but its seat have a plain sum of their own.
private func hasValidCheckSum(_ digits: [Int]) -> Bool {
    let laPoste = [3, 5, 6, 0, 0, 0, 0, 0, 0]
    let seatOfLaPoste = laPoste + [0, 0, 0, 4, 8]
    if digits.starts(with: laPoste), digits != seatOfLaPoste {
        return digits.reduce(0, +) % 5 == 0
    }
    let sum = digits.enumerated().reduce(0) { sum, entry in
        // Of fourteen digits, the even offsets are the second, fourth … from the right.
        let weighted = entry.offset % 2 == 0 ? entry.element * 2 : entry.element
        return sum + (weighted > 9 ? weighted - 9 : weighted)
    }
    return sum % 10 == 0
}
