import Auth
import DomainKit

/// The French messages of documents. Their typography is that of the kernel’s.
extension DocumentLinkError {
    var message: String {
        switch self {
        case .unknown: "Ce lien n’est pas valable, ou son abonnement a pris fin."
        case .expired: "Demandez un nouveau lien\u{202F}: celui-ci a expiré."
        case .revoked: "Demandez un nouveau lien\u{202F}: l’accès qui a servi à créer celui-ci a pris fin."
        case .closed(.moved(let place)):
            "La société de ce document a déménagé\u{202F}: retrouvez-la à l’adresse \(place)."
        case .closed(.suspended):
            "L’accès de la société de ce document est suspendu\u{202F}: le lien servira de nouveau quand elle l’aura retrouvé."
        case .undecided: "Le service est momentanément indisponible\u{202F}: réessayez."
        }
    }
}

extension Problem {
    static let tooLongForLink = Problem(
        path: "", code: .tooLong, message: "Donnez des paramètres plus courts\u{202F}: le lien serait trop long.")
}
