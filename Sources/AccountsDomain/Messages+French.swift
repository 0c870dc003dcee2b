extension Accounts {
    enum Messages {
        static let lastAdministrator = "Nommez d’abord un autre administrateur actif\u{202F}: c’est le dernier."
        static let roleWithoutSubject = "Retirez subject\u{202F}: ce rôle ne représente aucune fiche."
        static let tooManyRoles = "Retirez d’abord un autre rôle\u{202F}: un compte en a 32 au plus."
    }
}
