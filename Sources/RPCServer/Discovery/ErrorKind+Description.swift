import DomainKit

extension ErrorKind {
    /// When it is answered, in French.
    private var meaning: String {
        switch self {
        case .parseError: "Le corps de la requête n'est pas du JSON."
        case .invalidRequest: "Ce n'est pas une requête JSON-RPC 2.0."
        case .methodNotFound: "La méthode n'existe pas."
        case .invalidParams: "Les paramètres ont des erreurs\u{A0}: toutes sont dans data.errors."
        case .internalError: "Une erreur interne est survenue."
        case .unauthenticated: "Le jeton manque, n'est pas valable, a expiré ou a été révoqué."
        case .invalidCredentials: "L'adresse ou le mot de passe n'est pas le bon."
        case .forbidden: "Le rôle ne permet pas cet appel."
        case .notFound: "L'enregistrement n'existe pas."
        case .conflict: "L'état des données s'y oppose."
        case .limitExceeded: "L'appel dépasse une limite."
        case .rateLimited: "Trop d'essais\u{A0}: patientez."
        case .outcomeUnknown: "La liaison s'est rompue pendant l'enregistrement\u{A0}: vérifiez s'il a eu lieu."
        case .unavailable: "Le service est momentanément indisponible."
        case .timeout: "La réponse n'est pas venue à temps."
        }
    }

    var dataSchemaName: String { "error_\(rawValue)" }

    /// As an OpenRPC error object. It has no place for a schema but `data`.
    var errorObject: Value {
        [
            "code": .integer(code), "message": .string(meaning), "data": JSONSchema.reference(dataSchemaName),
        ]
    }

    private typealias DataMember = (member: Object.Member, isAlways: Bool)

    /// What `data` holds.
    var dataSchema: Value {
        let text: Value = ["type": "string"]
        if self == .conflict {
            return ["anyOf": .array(Self.conflicts.map { dataSchema(with: $0) })]
        }
        let own: [DataMember] =
            switch self {
            case .parseError: [(.init("line", Self.position), true), (.init("column", Self.position), true)]
            case .invalidParams: [(.init("errors", JSONSchema.array(of: Self.problem)), true)]
            case .methodNotFound: [(.init("suggestion", text), false)]
            case .unauthenticated:
                [(.init("reason", JSONSchema.words(["missing", "invalid", "expired", "revoked"])), true)]
            case .limitExceeded:
                [
                    (
                        .init("limit", JSONSchema.words(["body", "json_depth", "batch", "selection_depth", "cost"])),
                        true
                    ),
                    (.init("max", ["type": "integer"]), false), (.init("price", ["type": "integer"]), false),
                    (.init("path", text), false),
                ]
            case .rateLimited:
                [(.init("retry_after", ["type": "integer", "minimum": 0, "description": "En secondes."]), true)]
            case .unavailable: [(.init("retryable", ["const": true]), true)]
            default: []
            }
        return dataSchema(with: own)
    }

    private func dataSchema(with own: [DataMember]) -> Value {
        let members: [Object.Member] =
            [.init("code", ["const": .string(rawValue)])] + own.map(\.member)
            + [.init("request_id", ["type": "string"])]
        let required = ["code"] + own.filter(\.isAlways).map(\.member.name) + ["request_id"]
        return JSONSchema.object(members, required: required)
    }

    /// A conflict has what goes with its reason.
    private static var conflicts: [[DataMember]] {
        func reason(_ word: String) -> DataMember { (.init("reason", ["const": .string(word)]), true) }
        return [
            [reason("unique"), (.init("errors", JSONSchema.array(of: problem)), false)],
            [reason("referenced"), (.init("count", ["type": "integer", "minimum": 1]), true)],
            [
                reason("version"),
                (
                    .init(
                        "current", ["type": "object", "description": "L'enregistrement tel qu'il est, entier."]), true
                ),
            ],
            [reason("idempotency")],
        ]
    }

    /// An entry of `data.errors`.
    private static let problem: Value = {
        let text: Value = ["type": "string"]
        return JSONSchema.object(
            [
                .init("path", ["type": "string", "description": "Un pointeur JSON dans les paramètres."]),
                .init("code", JSONSchema.words(Problem.Code.allCases.map(\.rawValue))), .init("message", text),
                .init("suggestion", text), .init("line", position), .init("column", position),
            ], required: ["path", "code", "message"])
    }()

    /// A line or a column, counted from 1.
    private static let position: Value = ["type": "integer", "minimum": 1]
}
