extension HTTPError {
    /// A short sentence for the person who wrote the client.
    package var message: String {
        switch self {
        case .notFound: "Rien à cette adresse\u{202F}; l’API répond à POST /rpc."
        case .methodNotAllowed(let allowed):
            "Méthode HTTP refusée à cette adresse\u{202F}; possible\u{202F}: \(allowed)."
        case .unsupportedMediaType: "Type de contenu refusé\u{202F}; envoyez du JSON en application/json."
        case .unsupportedContentCoding: "Corps compressé refusé\u{202F}; envoyez-le sans Content-Encoding."
        case .bodyTooLarge(let max): "Requête trop volumineuse\u{202F}; \(max) octets au plus."
        case .unauthenticated(_, let max):
            "Une requête de plus de \(max)\u{A0}octets demande un jeton d’accès valable."
        case .headersTooLarge: "En-têtes HTTP trop volumineux."
        case .malformed: "Requête HTTP illisible."
        case .requestTimeout: "La requête n’est pas arrivée en entier à temps."
        case .expectationFailed: "Attente refusée\u{202F}; seul «\u{A0}Expect: 100-continue\u{A0}» est possible."
        case .overloaded: "Trop de requêtes en cours\u{202F}; réessayez dans un instant."
        case .responseDropped:
            "Les appels ont été exécutés, mais leur réponse n’a pas trouvé de place\u{202F}: vérifiez leur effet."
        }
    }
}
