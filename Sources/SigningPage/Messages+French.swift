/// The French texts of the page. Typography: ’ for an apostrophe, U+202F before a colon, U+00A0 inside « », U+202F before a
/// semicolon and an exclamation mark.
enum Messages {
    static func title(_ document: String) -> String { "Signer\u{202F}: \(document)" }

    static let heading = "Document à signer"

    static func welcome(_ invitation: SigningPage.Invitation) -> String {
        let subject = invitation.subject ?? "ce document"
        let asked = "\(invitation.head.name ?? "On") vous demande de signer \(subject)."
        return "Bonjour \(invitation.signatory). \(asked) Lisez le document, puis signez-le. "
            + "Ce lien est valable jusqu’au \(invitation.deadline)."
    }

    static let open = "Ouvrir le document (PDF)"
    static let openSigned = "Ouvrir le document signé (PDF)"
    static let document = "Le document à signer"
    static let name = "Votre nom"
    static let signature = "Votre signature"
    static let hint =
        "Dessinez-la dans le cadre, au doigt ou à la souris. Si vous ne pouvez pas dessiner, laissez-le vide\u{202F}: votre nom"
        + " vaut alors signature."
    static let pad = "Cadre où dessiner votre signature"
    static let clear = "Effacer le dessin"
    static let typed = "Votre nom, tel que vous l’écrivez ci-dessus, vaut signature."
    static let submit = "Signer le document"
    static let kept = "Ce qui est conservé"
    static let evidence =
        "Votre nom, votre dessin, la phrase acceptée, la date et l’heure, l’adresse réseau et le navigateur d’où vous signez, et l’empreinte"
        + " SHA-256 du document présenté\u{202F}:"
    static let signed = "Document signé"
    static let thanks = "Merci, votre signature est enregistrée"
    static let othersMissing =
        "D’autres personnes doivent encore signer. Vous recevrez le document signé par e-mail quand toutes l’auront fait."
    static let complete = "Tout le monde a signé. Vous recevez aussi le document signé par e-mail."
}

extension SigningPage.Refusal {
    var title: String {
        switch self {
        case .unknown: "Ce lien n’ouvre aucun document"
        case .late: "Ce lien n’est plus valable"
        case .cancelled: "Cette demande est annulée"
        case .used: "Ce lien a déjà servi"
        case .suspended: "Ce lien ne sert pas pour le moment"
        case .unavailable: "Réessayez dans un instant"
        }
    }

    var explanation: String {
        switch self {
        case .unknown: "Vérifiez que l’adresse est celle de votre e-mail, en entier, ou demandez un autre lien."
        case .late: "Son délai est passé. Demandez un autre lien à la personne qui vous a écrit."
        case .cancelled: "La personne qui vous a demandé de signer ce document l’a annulée. Vous n’avez rien à faire."
        case .used(let moment): "Vous avez signé ce document le \(moment). Vous n’avez plus rien à faire."
        case .suspended:
            "L’accès de la société qui vous a écrit est suspendu. Gardez ce lien\u{202F}: il servira de nouveau quand elle l’aura"
                + " retrouvé. Rien de ce que vous avez signé n’est perdu."
        case .unavailable:
            // Also after a signature that may have been kept: the link says so when it is opened again.
            "Le service ne répond pas en ce moment. Rouvrez le lien de votre e-mail\u{202F}: la page dira si vous avez signé."
        }
    }
}
