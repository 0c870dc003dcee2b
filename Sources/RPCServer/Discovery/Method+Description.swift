import DomainKit
import JSON
import QueryCompiler

extension Method {
    /// This method as an OpenRPC method object.
    func description(_ limits: Limits) -> JSONValue {
        let group = name.prefix { $0 != "." }
        let description: JSONValue = [
            "name": .string(name), "summary": .string(summary), "tags": [["name": .string(String(group))]],
            "paramStructure": "by-name", "params": .array(requiredFirst.map { $0.contentDescriptor(limits) }),
            "result": ["name": .string(result.name), "schema": result.schema],
            // Not references to `components`: generators of clients do not resolve those to errors.
            "errors": .array(describedErrors.map(\.errorObject)),
            "examples": [example], "x-roles": .array(roleNames.map { .string($0) }),
        ]
        return description.adding("x-entity", entity.map { .string($0.name) })
            .adding("x-rules", rulesOfParameters.isEmpty ? nil : .array(rulesOfParameters.map(\.description)))
            .adding("x-conflicts", reasons.isEmpty ? nil : .array(reasons.map { .string($0) }))
    }

    /// The parameters, required ones first as OpenRPC demands.
    private var requiredFirst: [any DeclaredParameter] {
        parameters.filter(\.isRequired) + parameters.filter { !$0.isRequired }
    }

    /// The names of the roles that may call the method, the most powerful last; empty if everyone may.
    private var roleNames: [String] {
        let roles: [Role] =
            switch rights {
            case .anyone, .anyoneOrSignedIn: []
            case .signedIn: Role.base
            case .roles(let roles): roles.map(\.role)
            }
        return roles.reversed().map(\.name)
    }

    /// The rules between parameters, which no schema of one parameter can express.
    private var rulesOfParameters: [Rule] {
        let names = Set(parameters.map(\.name))
        return rules.filter { $0.effect == .invalid && !$0.columns.isEmpty && names.isSuperset(of: $0.columns) }
    }

    /// The reasons of the conflicts that the method's rules lead to.
    private var reasons: [String] {
        rules.compactMap { rule in
            if case .conflict(let reason, _) = rule.effect { reason } else { nil }
        }
    }

    /// The entity of the records in the result, or else of the record that the parameters name.
    var entity: Entity? {
        let selection = parameters.lazy.compactMap { $0 as? QueryParameter }.first(where: \.isSelection)
        return selection?.entity ?? parameters.lazy.compactMap(\.entity).first
    }

    /// The errors that a call of the method may end in, apart from those of every request.
    private var describedErrors: [ErrorKind] {
        var errors: Set<ErrorKind> = [.invalidParams, .internalError]
        // An open method that looks at the header refuses one without valid credentials.
        if rights.knowCaller("") { errors.insert(.unauthenticated) }
        if case .roles = rights { errors.insert(.forbidden) }
        if !acceptsAccessKeys { errors.insert(.forbidden) }
        for parameter in parameters { errors.formUnion(parameter.errors) }
        errors.formUnion(result.errors)
        errors.formUnion(self.errors)
        errors.formUnion(rules.compactMap(\.errorKind))
        return ErrorKind.allCases.filter(errors.contains)
    }
}

extension Rule {
    /// The kind of the error of a violation; nil for a problem of the params.
    fileprivate var errorKind: ErrorKind? {
        switch effect {
        case .invalid: nil
        case .conflict: .conflict
        case .forbidden: .forbidden
        }
    }
}

extension DeclaredParameter {
    fileprivate func contentDescriptor(_ limits: Limits) -> JSONValue {
        [
            "name": .string(name), "summary": .string(summary), "required": .bool(isRequired),
            "schema": schema(limits),
        ]
    }
}

extension Method.Result {
    /// The French name of the result in the document.
    var name: String {
        switch self {
        case .record(let entity): entity.noun.singular
        case .records(let entity): entity.noun.plural
        case .page: "page"
        case .groups: "groupes"
        case .deletion: "suppression"
        case .session: "session"
        case .signIns: "connexions"
        case .passkeyOptions: "options"
        case .passkey: "clé d’accès"
        case .passkeys: "clés d’accès"
        case .results: "résultats"
        case .accessKeys: "clés d’accès"
        case .newAccessKey: "clé d’accès"
        case .changes: "changements"
        case .texts: "textes"
        case .documentLink: "lien"
        case .newSubscription: "abonnement"
        case .subscriptions: "abonnements"
        case .ended: "suppression"
        case .serviceDescription: "document OpenRPC"
        case .value, .object: "réponse"
        case .empty: "vide"
        }
    }

    var schema: JSONValue {
        switch self {
        case .record(let entity): JSONSchema.reference(entity.recordSchemaName)
        case .records(let entity):
            JSONSchema.object(
                [.init("items", JSONSchema.array(of: JSONSchema.reference(entity.recordSchemaName)))],
                required: ["items"])
        case .page(let entity): Self.page(of: JSONSchema.reference(entity.recordSchemaName))
        case .groups: Self.groups
        case .deletion: Self.deletionSchema
        case .session(let entity): Self.session(of: JSONSchema.reference(entity.recordSchemaName))
        case .signIns: Self.signInList
        case .passkeyOptions: Self.passkeyOptionsSchema
        case .passkey: Self.passkeySchema
        case .passkeys: Self.passkeyListSchema
        case .results:
            JSONSchema.object(
                [
                    .init(
                        "results",
                        JSONSchema.array(of: .object(JSONObject()))
                            .adding("description", "Le résultat de chaque appel, dans leur ordre."))
                ], required: ["results"])
        case .accessKeys:
            JSONSchema.object([.init("items", JSONSchema.array(of: Self.accessKey()))], required: ["items"])
        case .newAccessKey:
            Self.accessKey([
                .init(
                    "key",
                    JSONSchema.nullable(["type": "string"]).adding(
                        "description",
                        "Montrée une seule fois\u{202F}: null pour un essai, ou pour un appel renvoyé sous sa clé d’idempotence."
                    ))
            ])
        case .changes: Self.changesSchema
        case .texts(let members): Self.texts(members)
        case .documentLink: JSONSchema.reference(Self.documentLinkSchemaName)
        case .newSubscription: Self.newSubscriptionSchema
        case .subscriptions(let label): Self.subscriptionsSchema(label: label)
        case .ended: Self.deletionSchema
        case .serviceDescription: ["type": "object", "required": ["openrpc", "info", "methods"]]
        case .value(let shape): shape.answeredSchema
        case .object: ["type": "object"]
        case .empty: JSONSchema.object([])
        }
    }

    /// The errors that follow from the type of the result.
    var errors: Set<ErrorKind> {
        switch self {
        case .deletion: [.conflict, .outcomeUnknown, .rateLimited, .unavailable, .timeout]
        case .record, .records, .page, .groups, .session, .signIns, .passkeyOptions, .passkey, .passkeys, .results,
            .accessKeys, .newAccessKey, .changes,
            .texts, .documentLink, .newSubscription, .subscriptions, .ended, .value, .object, .empty:
            [.rateLimited, .unavailable, .timeout]
        case .serviceDescription: []
        }
    }

    private static let deletionSchema = JSONSchema.object(
        [.init("id", Column.identifierSchema), .init("deleted", ["const": true])], required: ["id", "deleted"])

    private static func page(of record: JSONValue) -> JSONValue {
        JSONSchema.object(
            [
                .init("items", JSONSchema.array(of: record)),
                .init("end_cursor", JSONSchema.nullable(["type": "string"])),
                .init("has_next_page", ["type": "boolean"]),
                .init("total", ["type": "integer", "minimum": 0]),
            ], required: ["items", "end_cursor", "has_next_page"])
    }

    private static var groups: JSONValue {
        let group: JSONValue = [
            "type": "object",
            "description": "Les clés de group_by sous leur propre nom, puis ce que select demande.",
        ]
        return JSONSchema.object(
            [.init("items", JSONSchema.array(of: group)), .init("has_next_page", ["type": "boolean"])],
            required: ["items", "has_next_page"])
    }

    private static var signInList: JSONValue {
        let instant = FieldType.timestamp.answeredSchema
        let signIn = JSONSchema.object(
            [
                .init("id", FieldType.uuid.answeredSchema), .init("created_at", instant),
                .init("last_used_at", instant), .init("user_agent", JSONSchema.nullable(["type": "string"])),
                .init("current", ["type": "boolean"]),
            ], required: ["id", "created_at", "last_used_at", "user_agent", "current"])
        return JSONSchema.object([.init("items", JSONSchema.array(of: signIn))], required: ["items"])
    }

    private static func accessKey(_ further: [JSONObject.Member] = []) -> JSONValue {
        let instant = JSONSchema.nullable(FieldType.timestamp.answeredSchema)
        let members: [JSONObject.Member] =
            [
                .init("id", Column.identifierSchema), .init("account_id", Column.identifierSchema),
                .init("role", ["type": "string"]), .init("subject", JSONSchema.nullable(["type": "integer"])),
                .init("name", ["type": "string"]), .init("expires_at", instant), .init("last_used_at", instant),
            ] + further
        return JSONSchema.object(members, required: members.map(\.name))
    }

    private static func texts(_ members: [LoadedMethod.Member]) -> JSONValue {
        JSONSchema.object(
            members.map { .init($0.name, ["type": "string", "description": .string($0.summary)]) },
            required: members.filter(\.isAlways).map(\.name))
    }

    private static func session(of account: JSONValue) -> JSONValue {
        let text: JSONValue = ["type": "string"]
        return JSONSchema.object(
            [
                .init("access_token", text), .init("token_type", ["const": "Bearer"]),
                .init("expires_in", ["type": "integer", "minimum": 1, "description": "En secondes."]),
                .init(
                    "refresh_token",
                    text.adding("description", "Absent lorsque le cookie de la connexion le garde.")),
                .init("user", account),
            ], required: ["access_token", "token_type", "expires_in", "user"])
    }
}
