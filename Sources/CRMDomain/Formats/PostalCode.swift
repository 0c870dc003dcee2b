import DomainKit

extension Format {
    /// Five digits, or what other countries write: up to ten letters, digits, spaces and hyphens.
    static let postalCode = Format(
        name: "code_postal",
        message:
            "Donnez un code postal, comme 75002, ou celui d'un autre pays en 10 caractères au plus, comme SW1A 1AA.",
        pattern: "^[A-Za-z0-9](?:[A-Za-z0-9 -]{0,8}[A-Za-z0-9])?$", example: "75002"
    ) { text in
        let bytes = Array(text.utf8)
        guard bytes.count <= 10, let first = bytes.first, let last = bytes.last else { return false }
        return first.isLetterOrDigit && last.isLetterOrDigit
            && bytes.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "-") }
    }
}
