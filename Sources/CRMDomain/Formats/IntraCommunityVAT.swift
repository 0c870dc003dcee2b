import DomainKit

extension Format {
    /// A VAT number: the two letters of a state of the European Union, then the number as that state writes it, in capitals
    /// and without spaces.
    static let intraCommunityVAT = Format(
        name: "numero_tva",
        message: CRM.Messages.intraCommunityVAT,
        pattern: "^(?:\(patterns.joined(separator: "|")))$",
        example: "FR40303265045"
    ) { text in
        let bytes = Array(text.utf8)
        guard bytes.count > 2, let forms = formsByState[String(decoding: bytes.prefix(2), as: UTF8.self)] else {
            return false
        }
        return forms.contains { isWhole(bytes[2...], $0) }
    }
}

/// A part of a VAT number.
private enum Piece: Sendable {
    case digits(ClosedRange<Int>)
    /// One of these characters.
    case one(of: String)
    case word(String)

    static func digits(_ count: Int) -> Piece { .digits(count...count) }

    /// The part as a regular expression. No character of the sets has a meaning within brackets.
    var pattern: String {
        switch self {
        case .digits(let counts):
            "[0-9]{\(counts.count == 1 ? "\(counts.lowerBound)" : "\(counts.lowerBound),\(counts.upperBound)")}"
        case .one(let characters): "[\(characters)]"
        case .word(let word): word
        }
    }

    private static let capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    static let letter = Piece.one(of: capitals)
    static let letterOrDigit = Piece.one(of: capitals + "0123456789")
    /// The key of a French number: no O and no I, which look like digits.
    static let frenchKey = Piece.one(of: "ABCDEFGHJKLMNPQRSTUVWXYZ0123456789")
}

/// For each state, the forms of the numbers after its two letters.
private let formsByState: [String: [[Piece]]] = [
    "AT": [[.word("U"), .digits(8)]],
    "BE": [[.one(of: "01"), .digits(9)]],
    "BG": [[.digits(9...10)]],
    "CY": [[.digits(8), .letter]],
    "CZ": [[.digits(8...10)]],
    "DE": [[.digits(9)]],
    "DK": [[.digits(8)]],
    "EE": [[.digits(9)]],
    "EL": [[.digits(9)]],
    "ES": [[.letter, .digits(7), .letterOrDigit], [.digits(8), .letter]],
    "FI": [[.digits(8)]],
    "FR": [[.frenchKey, .frenchKey, .digits(9)]],
    "HR": [[.digits(11)]],
    "HU": [[.digits(8)]],
    "IE": [
        [.digits(7), .letter], [.digits(7), .letter, .letter],
        [.digits(1), .one(of: "ABCDEFGHIJKLMNOPQRSTUVWXYZ+*"), .digits(5), .letter],
    ],
    "IT": [[.digits(11)]],
    "LT": [[.digits(9)], [.digits(12)]],
    "LU": [[.digits(8)]],
    "LV": [[.digits(11)]],
    "MT": [[.digits(8)]],
    "NL": [[.digits(9), .word("B"), .digits(2)]],
    "PL": [[.digits(10)]],
    "PT": [[.digits(9)]],
    "RO": [[.digits(2...10)]],
    "SE": [[.digits(12)]],
    "SI": [[.digits(8)]],
    "SK": [[.digits(10)]],
    // Northern Ireland, which trades goods under the Union's rules. Authorities and hospitals have short numbers.
    "XI": [
        [.digits(9)], [.digits(12)], [.word("GD"), .one(of: "01234"), .digits(2)],
        [.word("HA"), .one(of: "56789"), .digits(2)],
    ],
]

/// For each state, a regular expression of its numbers.
private let patterns = formsByState.sorted { $0.key < $1.key }.map { state, forms in
    let alternatives = forms.map { $0.map(\.pattern).joined() }
    return state + (alternatives.count == 1 ? alternatives[0] : "(?:\(alternatives.joined(separator: "|")))")
}

/// Whether `bytes` is exactly the sequence of `pieces`.
private func isWhole(_ bytes: ArraySlice<UInt8>, _ pieces: [Piece]) -> Bool {
    var rest = bytes
    for piece in pieces {
        switch piece {
        case .digits(let counts):
            // Greedy, which is right because no form has digits after a part of variable length.
            let digits = rest.prefix(counts.upperBound).prefix { $0.isDigit }
            guard digits.count >= counts.lowerBound else { return false }
            rest = rest[digits.endIndex...]
        case .one(let characters):
            guard let byte = rest.popFirst(), characters.utf8.contains(byte) else { return false }
        case .word(let word):
            guard rest.starts(with: word.utf8) else { return false }
            rest = rest.dropFirst(word.utf8.count)
        }
    }
    return rest.isEmpty
}
