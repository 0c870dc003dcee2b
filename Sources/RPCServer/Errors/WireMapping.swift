import Auth
import DomainKit
import QueryCompiler

/// The one place that decides how each failure looks from outside.
extension WireError {
    init(_ failure: CallFailure) {
        switch failure {
        case .envelope(let fault): self.init(fault)
        case .method(let fault): self.init(fault)
        case .authentication(let fault): self.init(fault)
        case .authorisation:
            self.init(.forbidden, "Votre rôle ne permet pas cet appel.")
        case .params(let problems): self.init(problems)
        case .limit(let limit): self.init(limit)
        case .execution(let fault): self.init(fault)
        }
    }

    private init(_ fault: EnvelopeFault) {
        switch fault {
        case .notJSON(let position):
            self.init(
                .parseError,
                "Le corps de la requête n'est plus du JSON à partir de la ligne \(position.line), colonne"
                    + " \(position.column).", .number("line", position.line), .number("column", position.column))
        case .tooDeep(let max):
            self.init(
                .limitExceeded, "Le JSON est trop profond\u{A0}: \(max) niveaux au plus.",
                .text("limit", "json_depth"), .number("max", max))
        case .batchTooLarge(let count, let max):
            self.init(
                .limitExceeded, "Le lot compte \(count) requêtes\u{A0}: \(max) au plus.",
                .text("limit", "batch"), .number("max", max))
        case .emptyBatch: self.init(malformed: "le lot est vide")
        case .notAnObject: self.init(malformed: "une requête est un objet")
        case .duplicateMember(let name): self.init(malformed: "le membre \(name.quotedInFrench) y figure deux fois")
        case .version: self.init(malformed: "\("jsonrpc".quotedInFrench) vaut \("2.0".quotedInFrench)")
        case .identifier: self.init(malformed: "\("id".quotedInFrench) est un nombre, un texte ou null")
        case .method: self.init(malformed: "\("method".quotedInFrench) est un texte")
        case .params: self.init(malformed: "\("params".quotedInFrench) est un objet, ou absent")
        }
    }

    private init(malformed remedy: String) {
        self.init(.invalidRequest, "Ce n'est pas une requête JSON-RPC 2.0\u{A0}: \(remedy).")
    }

    private init(_ fault: MethodFault) {
        self.init(
            .methodNotFound, "La méthode \(fault.name.shortened.quotedInFrench) n'existe pas.",
            fault.suggestion.map { .text("suggestion", $0) })
    }

    private init(_ fault: AuthenticationFault) {
        switch fault {
        case .refused(let refusal): self.init(refusal)
        case .undecided(let fault): self.init(fault)
        }
    }

    private init(_ refusal: TokenError) {
        let message =
            switch refusal {
            case .missing: "Connectez-vous\u{A0}: cet appel demande un jeton d'accès."
            case .invalid: "Reconnectez-vous\u{A0}: ce jeton n'est pas valable."
            case .expired: "Renouvelez votre jeton\u{A0}: il a expiré."
            case .revoked: "Reconnectez-vous\u{A0}: cette connexion a pris fin."
            }
        self.init(.unauthenticated, message, .text("reason", refusal.rawValue))
    }

    private init(_ problems: [Problem]) {
        let message =
            if problems.count == 1, let problem = problems.first {
                problem.message
            } else if problems.count >= 100 {
                "Corrigez les erreurs des paramètres, dont voici les premières."
            } else {
                "Corrigez les \(problems.count) erreurs signalées dans les paramètres."
            }
        self.init(.invalidParams, message, .problems(problems))
    }

    private init(_ limit: QueryLimitError) {
        self.init(
            .limitExceeded, limit.message, .text("limit", limit.name), limit.cost.map { .number("price", $0) },
            .number("max", limit.max), limit.path.map { .text("path", $0) })
    }

    private init(_ fault: ExecutionFault) {
        switch fault {
        case .notFound(let noun):
            self.init(.notFound, "\(noun.withDemonstrative) n'existe pas.")
        case .versionConflict(let current):
            self.init(
                .conflict, "L'enregistrement a changé entre-temps\u{A0}: repartez de son état actuel.",
                .text("reason", "version"), .record("current", current))
        case .notUnique(let problem):
            self.init(
                .conflict, problem?.message ?? "Donnez une autre valeur\u{A0}: celle-ci est déjà prise.",
                .text("reason", "unique"), problem.map { .problems([$0]) })
        case .referenced(let count, let nouns):
            self.init(
                .conflict, Self.stillReferenced(count, by: nouns), .text("reason", "referenced"),
                .number("count", count))
        case .invalidValues(let problems): self.init(problems)
        case .invalidCredentials:
            self.init(.invalidCredentials, "L'adresse ou le mot de passe n'est pas le bon.")
        case .rateLimited(let seconds):
            self.init(
                .rateLimited, "Trop d'essais\u{A0}: patientez \(seconds)\u{A0}s.",
                .number("retry_after", seconds))
        case .unauthenticated(let refusal): self.init(refusal)
        case .refusedByDatabase(let cause):
            self.init(.forbidden, "Votre rôle ne permet pas cet appel.", cause: cause)
        case .unavailable(let cause):
            self.init(
                .unavailable, "Le service est momentanément indisponible\u{A0}: réessayez.",
                .flag("retryable", true), cause: cause)
        case .timeout:
            self.init(.timeout, "La réponse n'est pas venue à temps.")
        case .cancelled:
            // Clients go away all the time: no fault to be logged.
            self.init(.timeout, "L'appel a été abandonné.")
        case .outcomeUnknown(let cause):
            self.init(
                .outcomeUnknown,
                "La liaison s'est rompue pendant l'enregistrement\u{A0}: vérifiez s'il a eu lieu.", cause: cause)
        case .unexpected(let cause):
            self.init(.internalError, "Une erreur interne est survenue.", cause: cause)
        }
    }

    private static func stillReferenced(_ count: Int, by nouns: [Noun]) -> String {
        let referrers =
            if nouns.count == 1, let noun = nouns.first {
                "\(count) \(count == 1 ? noun.singular : noun.plural)"
            } else {
                count == 1 ? "1 enregistrement" : "\(count) enregistrements"
            }
        return "Suppression impossible\u{A0}: \(referrers) y \(count == 1 ? "fait" : "font") référence."
    }
}

extension Noun {
    /// `Cette session`, `Ce client`, `Cet agent`.
    fileprivate var withDemonstrative: String {
        let startsWithVowel = singular.unicodeScalars.first.map("aeiouyhàâéèêëîïôù".unicodeScalars.contains) ?? false
        let demonstrative = isFeminine ? "Cette" : startsWithVowel ? "Cet" : "Ce"
        return "\(demonstrative) \(singular)"
    }
}

extension String {
    /// At most 100 characters of it, for sentences.
    fileprivate var shortened: String {
        unicodeScalars.count <= 100 ? self : String(unicodeScalars.prefix(100)) + "…"
    }
}
