import Auth
import DomainKit
import JSON

/// The French messages of this module. Typography: ’ for an apostrophe, U+202F before a colon, U+00A0 before a unit and inside « »,
/// U+202F before a semicolon, an exclamation mark and a question mark.
extension EnvelopeError {
    var message: String {
        switch self {
        case .notJSON(let position):
            "Le corps de la requête n’est plus du JSON à partir de la ligne \(position.line), colonne"
                + " \(position.column)."
        case .tooDeep(let max): "Le JSON est trop profond\u{202F}: \(max) niveaux au plus."
        case .batchTooLarge(let count, let max): "Le lot compte \(count) requêtes\u{202F}: \(max) au plus."
        case .emptyBatch: invalid("le lot est vide")
        case .notAnObject: invalid("une requête est un objet")
        case .duplicateMember(let name): invalid("le membre \(name.quotedInFrench) y figure deux fois")
        case .version: invalid("\("jsonrpc".quotedInFrench) vaut \("2.0".quotedInFrench)")
        case .identifier: invalid("\("id".quotedInFrench) est un nombre, un texte ou null")
        case .method: invalid("\("method".quotedInFrench) est un texte")
        case .params: invalid("\("params".quotedInFrench) est un objet, ou absent")
        }
    }

    private func invalid(_ reason: String) -> String { "Ce n’est pas une requête JSON-RPC 2.0\u{202F}: \(reason)." }
}

extension MethodError {
    var message: String { "La méthode \(name.shortened.quotedInFrench) n’existe pas." }
}

extension TokenError {
    package var message: String {
        switch self {
        case .missing: "Connectez-vous\u{202F}: cet appel demande un jeton d’accès."
        case .invalid: "Reconnectez-vous\u{202F}: ce jeton n’est pas valable."
        case .expired: "Renouvelez votre jeton\u{202F}: il a expiré."
        case .revoked: "Reconnectez-vous\u{202F}: cette connexion a pris fin."
        case .expiredKey: "Demandez une nouvelle clé d’accès\u{202F}: celle-ci a expiré."
        case .revokedKey: "Demandez une nouvelle clé d’accès\u{202F}: celle-ci a été révoquée."
        }
    }
}

extension AuthorisationError {
    var message: String { Self.message }
    fileprivate static let message = "Votre rôle ne permet pas cet appel."
}

extension ParameterProblem {
    var message: String {
        switch self {
        case .byPosition: "Donnez les paramètres par leur nom, dans un objet."
        case .unknown(let name, let suggestion):
            "Le paramètre \(name.quotedInFrench) n’existe pas\u{202F}: "
                + (suggestion.map { "utilisez \($0.quotedInFrench)." } ?? "retirez-le.")
        case .givenTwice: "Ne donnez ce membre qu’une fois\u{202F}: son nom figure deux fois dans le même objet."
        case .missing(let name): "Donnez \(name.quotedInFrench)\u{202F}: ce paramètre est obligatoire."
        case .null: "Donnez une valeur\u{202F}: ce champ ne peut pas être vide."
        case .nullCharacter: "Retirez le caractère nul (U+0000) de ce texte."
        case .notAnObject: "Donnez un objet."
        case .notAList: "Donnez une liste."
        case .noElements: "Donnez au moins un élément."
        case .tooManyElements(let max): "Donnez \(max) éléments au plus."
        }
    }
}

extension TransactionProblem {
    var message: String {
        switch self {
        case .unknownMethod(let name, let suggestion):
            "La méthode \(name.quotedInFrench) n’existe pas\u{202F}: "
                + (suggestion.map { "utilisez \($0.quotedInFrench)." } ?? "retirez cet appel.")
        case .notAWrite(let name):
            "Appelez \(name.quotedInFrench) à part\u{202F}: une transaction n’exécute que des écritures."
        case .otherRole(let name):
            "Appelez \(name.quotedInFrench) à part\u{202F}: aucun de vos rôles ne permet tous ces appels ensemble."
        case .malformedName:
            "Donnez un nom d’au plus 31 lettres sans accent, chiffres ou «\u{A0}_\u{A0}», qui ne commence pas par un chiffre."
        case .nameTaken(let name):
            "Donnez un autre nom\u{202F}: un appel précédent s’appelle déjà \(name.quotedInFrench)."
        case .malformedReference: "Donnez une référence sous la forme {\"$ref\": \"nom.id\"}, sans autre membre."
        case .unknownName(let name, let suggestion):
            "Aucun appel ne s’appelle \(name.quotedInFrench)\u{202F}: "
                + (suggestion.map { "utilisez \($0.quotedInFrench)." }
                    ?? "donnez ce nom par «\u{A0}as\u{A0}» à un appel précédent.")
        case .ownName(let name):
            "Référez-vous à un appel précédent\u{202F}: \(name.quotedInFrench) est le nom de celui-ci."
        case .laterCall(let name):
            "Placez l’appel \(name.quotedInFrench) avant celui-ci\u{202F}: une référence porte sur un appel précédent."
        case .unknownMember(let name):
            "Donnez \((name + ".id").quotedInFrench)\u{202F}: une référence ne porte que sur l’identifiant."
        case .writesNoRecord(let name):
            "Référez-vous à un autre appel\u{202F}: \(name.quotedInFrench) n’écrit pas un enregistrement."
        case .otherEntity(let name, let given, let expected):
            "Référez-vous à \(expected)\u{202F}: l’appel \(name.quotedInFrench) porte sur \(given)."
        case .misplacedReference: "Donnez une valeur\u{202F}: une référence ne tient lieu que d’un identifiant."
        }
    }
}

extension IdempotencyConflict {
    var message: String {
        switch self {
        case .running: "L’appel de cette clé est encore en cours\u{202F}: renvoyez-le dans un instant."
        case .otherParams: "Cette clé a servi à un autre appel\u{202F}: donnez-en une nouvelle."
        }
    }
}

extension [Problem] {
    /// The sentence for all problems of the params together.
    var message: String {
        if let first, count == 1 { return first.message }
        if count >= 100 { return "Corrigez les erreurs des paramètres, dont voici les premières." }
        return "Corrigez les \(count) erreurs signalées dans les paramètres."
    }
}

extension ExecutionError {
    var message: String {
        switch self {
        case .notFound(let noun, _, _): "\(noun.withDemonstrative) n’existe pas."
        case .versionConflict: "L’enregistrement a changé entre-temps\u{202F}: repartez de son état actuel."
        case .changedBefore:
            "Un appel précédent de la transaction a modifié l’enregistrement\u{202F}: donnez la version qu’il lui laisse, ou"
                + " omettez-la."
        case .notUnique(let problem): problem?.message ?? "Donnez une autre valeur\u{202F}: celle-ci est déjà prise."
        case .referenced(let count, let nouns):
            "Suppression impossible\u{202F}: \(Self.referrers(count, nouns)) y \(count == 1 ? "fait" : "font") référence."
        case .invalidValues(let problems): problems.message
        case .conflict(_, let message, _), .forbidden(let message, _): message
        case .closed(.moved(let place)):
            "Cette société a déménagé\u{202F}: retrouvez-la à l’adresse \(place)."
        case .closed(.suspended):
            "L’accès de cette société est suspendu\u{202F}: entrez dans une autre, ou adressez-vous à l’exploitant du service."
        case .idempotency(let conflict): conflict.message
        case .inCall(_, let error): error.message
        case .invalidCredentials: "L’adresse ou le mot de passe n’est pas le bon."
        case .invalidPasskey: "Cette clé d’accès n’ouvre pas de connexion ici."
        case .rateLimited(let seconds): "Trop d’essais\u{202F}: patientez \(seconds)\u{A0}s."
        case .overloaded(let seconds):
            "Trop d’appels de ce compte sont en attente\u{202F}: réessayez dans \(seconds)\u{A0}s."
        case .unauthenticated(let error): error.message
        case .tooLarge(let error): error.message
        case .refusedByDatabase: AuthorisationError.message
        case .unavailable: "Le service est momentanément indisponible\u{202F}: réessayez."
        case .notConfigured(let message): message
        case .locked: "Un autre changement retient cet enregistrement\u{202F}: réessayez dans un instant."
        case .timeout: "La réponse n’est pas venue à temps."
        case .cancelled: "L’appel a été abandonné."
        case .outcomeUnknown: "La liaison s’est rompue pendant l’enregistrement\u{202F}: vérifiez s’il a eu lieu."
        case .unexpected: "Une erreur interne est survenue."
        }
    }

    private static func referrers(_ count: Int, _ nouns: [Noun]) -> String {
        if nouns.count == 1, let noun = nouns.first { return "\(count) \(count == 1 ? noun.singular : noun.plural)" }
        return count == 1 ? "1 enregistrement" : "\(count) enregistrements"
    }
}

extension ResponseSizeError {
    var message: String {
        let limit = "\(max >> 20)\u{A0}Mio"
        let remedy = "demandez moins de lignes ou de champs"
        return isWritten
            ? "L’enregistrement a été fait, mais la réponse dépasserait \(limit)\u{202F}: \(remedy)."
            : "La réponse dépasserait \(limit)\u{202F}: \(remedy)."
    }
}

extension ErrorKind {
    /// When this error is returned, for the description of the service.
    var meaning: String {
        switch self {
        case .parseError: "Le corps de la requête n’est pas du JSON."
        case .invalidRequest: "Ce n’est pas une requête JSON-RPC 2.0."
        case .methodNotFound: "La méthode n’existe pas."
        case .invalidParams: "Les paramètres ont des erreurs\u{202F}: toutes sont dans data.errors."
        case .internalError: "Une erreur interne est survenue."
        case .unauthenticated: "Le jeton manque, n’est pas valable, a expiré ou a été révoqué."
        case .invalidCredentials: "L’adresse ou le mot de passe n’est pas le bon."
        case .forbidden: "Le rôle ne permet pas cet appel, ou la société est suspendue ou a déménagé."
        case .notFound: "L’enregistrement n’existe pas."
        case .conflict: "L’état des données s’y oppose."
        case .limitExceeded: "L’appel dépasse une limite."
        case .rateLimited: "Trop d’essais ou d’appels en attente\u{202F}: patientez."
        case .outcomeUnknown: "La liaison s’est rompue pendant l’enregistrement\u{202F}: vérifiez s’il a eu lieu."
        case .unavailable: "Le service est momentanément indisponible."
        case .timeout: "La réponse n’est pas venue à temps."
        }
    }
}

extension Noun {
    /// A record of an entity that is not known.
    static let record = Noun("enregistrement", plural: "enregistrements", feminine: false)

    /// `une fiche`, `un livre`.
    var one: String { "\(isFeminine ? "une" : "un") \(singular)" }
    /// `Une fiche`, `Un livre`.
    var oneCapitalised: String { "\(isFeminine ? "Une" : "Un") \(singular)" }
    /// `une autre`, `un autre`.
    var another: String { "\(isFeminine ? "une" : "un") autre" }
    /// `d’une fiche`, `d’un livre`.
    var ofOne: String { "d’\(one)" }

    /// `Cette fiche`, `Ce livre`, `Cet agent`.
    fileprivate var withDemonstrative: String {
        let startsWithVowel = singular.unicodeScalars.first.map("aeiouyhàâéèêëîïôù".unicodeScalars.contains) ?? false
        let demonstrative = isFeminine ? "Cette" : startsWithVowel ? "Cet" : "Ce"
        return "\(demonstrative) \(singular)"
    }
}

extension String {
    /// At most 100 characters of this text, for a sentence.
    fileprivate var shortened: String {
        unicodeScalars.count <= 100 ? self : String(unicodeScalars.prefix(100)) + "…"
    }
}
