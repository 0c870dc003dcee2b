extension PasswordPolicyError {
    /// A French sentence for the person who chose the password.
    package var message: String {
        switch self {
        case .tooShort: "Le mot de passe doit compter au moins \(PasswordPolicy.minLength) caractères."
        case .tooLong: "Le mot de passe ne doit pas dépasser \(PasswordPolicy.maxLength) caractères."
        case .equalsEmail: "Le mot de passe doit être différent de l’adresse e-mail."
        case .tooCommon:
            "Ce mot de passe est trop courant\u{202F}: choisissez-en un que personne d’autre n’utilise."
        }
    }
}
