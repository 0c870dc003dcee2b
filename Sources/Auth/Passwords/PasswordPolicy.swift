/// What is wrong with a new password.
package enum PasswordPolicyError: Error, Sendable, Equatable {
    case tooShort
    case tooLong
    case equalsEmail
    case tooCommon

    /// The French sentence for the person who chose it.
    package var message: String {
        switch self {
        case .tooShort: "Le mot de passe doit compter au moins \(PasswordPolicy.shortest) caractères."
        case .tooLong: "Le mot de passe ne doit pas dépasser \(PasswordPolicy.longest) caractères."
        case .equalsEmail: "Le mot de passe doit être différent de l'adresse e-mail."
        case .tooCommon: "Ce mot de passe est trop courant : choisissez-en un que personne d'autre n'utilise."
        }
    }
}

/// What a new password must be. Length counts, composition does not.
package enum PasswordPolicy {
    /// In Unicode scalars.
    package static let shortest = 10
    package static let longest = 200

    /// The first thing wrong with `password` for the account of `email`; nil when it will do.
    package static func violation(in password: String, email: String) -> PasswordPolicyError? {
        let length = password.unicodeScalars.count
        if length < shortest { return .tooShort }
        if length > longest { return .tooLong }
        if password.lowercased() == email.lowercased() { return .equalsEmail }
        if CommonPasswords.contains(password) { return .tooCommon }
        return nil
    }
}
