import DomainKit
import JSON
import QueryCompiler

extension ErrorKind {
    var dataSchemaName: String { "error_\(rawValue)" }

    /// The OpenRPC error object. OpenRPC has no member for a schema of `data`, so `data` itself contains the schema.
    var errorObject: JSONValue {
        [
            "code": .integer(code), "message": .string(meaning), "data": JSONSchema.reference(dataSchemaName),
        ]
    }

    private typealias DataMember = (member: JSONObject.Member, isAlways: Bool)

    /// The schema of `data`.
    ///
    /// - Parameters:
    ///   - rules: the rules of all methods.
    ///   - successors: those of all entities.
    func dataSchema(_ rules: [Rule] = [], successors: [Successor] = []) -> JSONValue {
        let text: JSONValue = ["type": "string"]
        if self == .conflict {
            let own = Self.conflicts.map { dataSchema(with: $0) }
            return ["anyOf": .array(own + ruleConflicts(rules))]
        }
        // A rule may have facts of its own.
        if self == .forbidden, rules.contains(where: { $0.effect == .forbidden }) {
            return JSONSchema.open(dataSchema(with: []))
        }
        let own: [DataMember] =
            switch self {
            case .parseError: [(.init("line", Self.position), true), (.init("column", Self.position), true)]
            case .invalidParams: [(.init("errors", JSONSchema.array(of: Self.problem)), true)]
            case .methodNotFound: [(.init("suggestion", text), false)]
            case .unauthenticated:
                [(.init("reason", JSONSchema.words(["missing", "invalid", "expired", "revoked"])), true)]
            case .forbidden:
                [
                    (.init("reason", JSONSchema.words(["suspended", "moved"])), false),
                    (
                        .init(
                            "moved_to",
                            ["type": "string", "description": "L’adresse du service où la société a déménagé."]),
                        false
                    ),
                ]
            case .limitExceeded:
                [
                    (
                        .init("limit", JSONSchema.words(["body", "json_depth", "batch", "selection_depth", "cost"])),
                        true
                    ),
                    (.init("max", ["type": "integer"]), false), (.init("price", ["type": "integer"]), false),
                    (.init("unit", JSONSchema.words(QueryLimitError.Unit.allCases.map(\.rawValue))), false),
                    (.init("path", text), false),
                ]
            case .rateLimited:
                [(.init("retry_after", ["type": "integer", "minimum": 0, "description": "En secondes."]), true)]
            case .notFound: Self.members(successors)
            case .unavailable: [(.init("retryable", ["const": true]), true)]
            default: []
            }
        return dataSchema(with: own)
    }

    private var pathMembers: [DataMember] {
        switch self {
        case .notFound: [Self.recordPath]
        case .forbidden, .conflict: [Self.callPath]
        default: []
        }
    }

    private func dataSchema(with own: [DataMember]) -> JSONValue {
        let own = own + pathMembers
        let members: [JSONObject.Member] =
            [.init("code", ["const": .string(rawValue)])] + own.map(\.member)
            + [.init("request_id", ["type": "string"])]
        let required = ["code"] + own.filter(\.isAlways).map(\.member.name) + ["request_id"]
        return JSONSchema.object(members, required: required)
    }

    /// One member for each name.
    private static func members(_ successors: [Successor]) -> [DataMember] {
        var names: Set<String> = []
        return successors.filter { names.insert($0.name).inserted }.map { successor in
            (.init(successor.name, ["type": "integer", "description": .string(successor.summary)]), false)
        }
    }

    private static let callPath = path("L’appel d’une transaction, comme un pointeur JSON\u{202F}: /calls/2.")
    private static let recordPath = path(
        "Le paramètre d’une commande qui désigne l’enregistrement, comme un pointeur JSON\u{202F}: /id, ou l’appel d’une"
            + " transaction\u{202F}: /calls/2, /calls/2/params/id.")

    private static func path(_ summary: String) -> DataMember {
        (.init("path", ["type": "string", "description": .string(summary)]), false)
    }

    private static let currentSummary =
        "L’enregistrement tel qu’il est, entier\u{202F}; si un appel précédent de la transaction l’a modifié, son id et la"
        + " version qu’il lui laisse."

    /// The members of a conflict depend on its reason.
    private static var conflicts: [[DataMember]] {
        func reason(_ word: String) -> DataMember { (.init("reason", ["const": .string(word)]), true) }
        return [
            [reason("unique"), (.init("errors", JSONSchema.array(of: problem)), false)],
            [reason("referenced"), (.init("count", ["type": "integer", "minimum": 1]), true)],
            [
                reason("version"),
                (
                    .init(
                        "current", ["type": "object", "description": .string(currentSummary)]), true
                ),
            ],
            [
                reason("idempotency"),
                (
                    .init(
                        "retryable",
                        ["const": true, "description": "L’appel de cette clé est encore en cours."]), false
                ),
            ],
            [reason("full"), (.init("max", ["type": "integer", "description": "Combien il peut y en avoir."]), true)],
        ]
    }

    /// The conflicts that rules lead to, one for each reason and its facts.
    private func ruleConflicts(_ rules: [Rule]) -> [JSONValue] {
        var schemas: [JSONValue] = []
        for rule in rules {
            guard case .conflict(let reason, let facts) = rule.effect else { continue }
            let described = facts.map { fact -> DataMember in
                (.init(fact.name, fact.answeredSchema.adding("description", .string(fact.summary))), fact.isRequired)
            }
            let schema = dataSchema(with: [(.init("reason", ["const": .string(reason)]), true)] + described)
            // A rule without declared facts may have any.
            let whole = facts.isEmpty ? JSONSchema.open(schema) : schema
            if !schemas.contains(whole) { schemas.append(whole) }
        }
        return schemas
    }

    /// An element of `data.errors`.
    private static let problem: JSONValue = {
        let text: JSONValue = ["type": "string"]
        return JSONSchema.object(
            [
                .init("path", ["type": "string", "description": "Un pointeur JSON dans les paramètres."]),
                .init("code", JSONSchema.words(Problem.Code.allCases.map(\.rawValue))), .init("message", text),
                .init("suggestion", text), .init("line", position), .init("column", position),
            ], required: ["path", "code", "message"])
    }()

    /// A line or a column, counted from 1.
    private static let position: JSONValue = ["type": "integer", "minimum": 1]
}
