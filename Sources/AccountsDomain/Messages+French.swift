extension Accounts {
    enum Messages {
        static let lastAdministrator = "Nommez d’abord un autre administrateur actif\u{A0}: c’est le dernier."
    }
}
