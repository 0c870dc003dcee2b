extension Accounts {
    enum Messages {
        static let lastAdministrator = "Nommez d’abord un autre administrateur actif\u{202F}: c’est le dernier."
        static let addressOfPerson =
            "Laissez l’adresse\u{202F}: c’est celle de la personne, dans toutes ses sociétés."
        static let supabaseOfPerson =
            "Retirez cet identifiant\u{202F}: le compte Supabase est celui de la personne, dans toutes ses sociétés."
        static let removesSelf = "Demandez à un autre administrateur de vous retirer de cette société."
        static let isInactive = "Réactivez d’abord ce compte."
        static let hasPassword =
            "Ce compte a déjà un mot de passe\u{202F}: envoyez-lui un lien pour en choisir un nouveau."
        static let roleWithoutSubject = "Retirez subject\u{202F}: ce rôle ne représente aucune fiche."
        static let tooManyRoles = "Retirez d’abord un autre rôle\u{202F}: un compte en a 32 au plus."
    }
}

extension Outgoing {
    enum Messages {
        static let cause =
            "À quoi tient l’échec\u{202F}: connection, le serveur ne répond pas\u{202F}; encryption, pas de chiffrement ou un"
            + " certificat refusé\u{202F}; server, le serveur ne prend rien\u{202F}; login, il refuse l’identifiant\u{202F};"
            + " sender, il refuse l’expéditeur\u{202F}; settings, un réglage\u{202F}; message, il refuse cet envoi\u{202F};"
            + " les autres, le service lui-même."
        static let hasLeft = "Cet envoi est déjà parti."
        static let hasNotFailed = "Attendez\u{202F}: cet envoi n’a pas échoué, ou il est en train de partir."
    }
}

extension ScheduledJobs {
    enum Messages {
        static let jobRuns = "Attendez\u{202F}: cette tâche est en cours."
    }
}
