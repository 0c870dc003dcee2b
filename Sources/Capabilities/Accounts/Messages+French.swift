import Auth
import RPCServer

/// The French messages of the accounts. Their typography is that of the kernel’s.
extension AccountProblem {
    var message: String {
        switch self {
        case .wrongPassword: "Donnez votre mot de passe actuel\u{202F}: ce n’est pas celui-ci."
        case .emailTaken: "Donnez une autre adresse\u{202F}: celle-ci est déjà prise."
        case .company: "Donnez l’une de vos sociétés\u{202F}: vous n’avez pas accès à celle-ci."
        case .companyName: "Donnez un autre nom\u{202F}: une société s’appelle déjà ainsi."
        case .unreadableName:
            "Donnez un nom d’une seule ligne, sans caractères de commande ni espaces au début ou à la fin."
        case .period: "Donnez un dernier jour qui ne précède pas le premier."
        case .passwordOfPerson:
            "Retirez le mot de passe\u{202F}: la personne choisit le sien, par le lien qu’elle reçoit."
        case .setupToken: "Donnez le jeton affiché au dernier démarrage\u{202F}: celui-ci n’est pas ou plus valable."
        case .resetToken: "Demandez un nouveau lien\u{202F}: celui-ci a servi, a expiré ou n’est pas le bon."
        case .cookieInBatch: "Appelez cette méthode hors d’un lot\u{202F}: un lot ne lit ni ne pose de cookie."
        case .otherIdentifier: "Donnez ici le même identifiant que dans id."
        }
    }

    static let oneCompany =
        "Cette installation ne sert qu’une société\u{202F}: lancez d’abord «\u{A0}learntrack companies enable\u{A0}» sur le serveur."
    static let movedCompany = "Cette société a déménagé\u{202F}: elle continue ailleurs, et ne peut être rétablie ici."
    static let erasedCompany =
        "La suppression de cette société a commencé\u{202F}: relancez «\u{A0}learntrack companies erase\u{A0}» pour la terminer."
    static let withoutMailServer =
        "Aucun serveur de messagerie n’est réglé, et l’invitation part par courriel\u{202F}: qui exploite ce service règle SMTP_URL."
    static let notBase64URL = "Donnez des octets en base64url, sans «\u{A0}=\u{A0}»."
    static let foreignSite =
        "Cette page est d’un autre site\u{202F}: le cookie de connexion ne sert qu’aux pages de ce service."
}

extension AccessKeyError {
    var message: String {
        switch self {
        case .noSuchAccount: "Donnez l’identifiant d’un compte\u{202F}: celui-ci n’existe pas."
        case .inactiveAccount: "Réactivez d’abord ce compte."
        case .roleNotHeld: "Donnez un rôle du compte\u{202F}: il n’a pas celui-ci."
        case .severalSubjects: "Donnez la fiche que la clé représente\u{202F}: le compte a ce rôle pour plusieurs."
        case .subjectNotHeld: "Donnez une fiche du compte\u{202F}: il n’a pas ce rôle pour celle-ci."
        case .expired: "Donnez un instant à venir."
        }
    }
}

extension PasskeyError {
    var message: String {
        switch self {
        case .malformed: "Recommencez\u{202F}: ce n’est pas une clé d’accès telle qu’un navigateur la donne."
        case .challenge: "Recommencez\u{202F}: cette demande a expiré, ou a déjà servi."
        case .site: "Créez la clé d’accès depuis les pages de ce service."
        case .algorithm: "Utilisez un autre appareil\u{202F}: la clé d’accès doit signer par ES256."
        case .unverified: "Déverrouillez l’appareil pour créer la clé d’accès\u{202F}: il doit vous reconnaître."
        case .signature: "Recommencez\u{202F}: la signature n’est pas celle de cette clé d’accès."
        case .known: "Cet appareil a déjà une clé d’accès ici."
        case .full: "Retirez d’abord une clé d’accès\u{202F}: un compte en a vingt au plus."
        case .account: TokenError.revoked.message
        }
    }
}
