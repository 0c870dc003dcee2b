import DomainKit

extension Format {
    /// The number under which a training organisation is declared: eleven digits.
    static let nda = Format(
        name: "nda", message: "Donnez les 11 chiffres du numéro de déclaration d'activité, comme 11755555555.",
        pattern: "^[0-9]{11}$", example: "11755555555"
    ) { text in
        text.utf8.count == 11 && text.utf8.allSatisfy(\.isDigit)
    }
}
