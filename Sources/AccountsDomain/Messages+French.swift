extension Accounts {
    enum Messages {
        static let lastAdministrator = "Nommez d’abord un autre administrateur actif\u{A0}: c’est le dernier."
        static let roleWithoutSubject = "Retirez subject\u{A0}: ce rôle ne représente aucune fiche."
        static let tooManyRoles = "Retirez d’abord un autre rôle\u{A0}: un compte en a 32 au plus."
    }
}
