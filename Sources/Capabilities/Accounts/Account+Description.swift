import DomainKit
import JSON
import Outbox
import RPCServer

/// The results of the methods of accounts, for the description of the service.
extension ResultType {
    /// Tokens, and the account that they were issued to.
    static func session(_ account: Entity) -> Self {
        let text: JSONValue = ["type": "string"]
        return Self(
            "session",
            schema: JSONSchema.object(
                [
                    .init("access_token", text), .init("token_type", ["const": "Bearer"]),
                    .init("expires_in", ["type": "integer", "minimum": 1, "description": "En secondes."]),
                    .init(
                        "refresh_token",
                        text.adding("description", "Absent lorsque le cookie de la connexion le garde.")),
                    .init("company", company), .init("companies", companies), .init("operator", isOperator),
                    .init("user", JSONSchema.reference(account.recordSchemaName)),
                ],
                required: ["access_token", "token_type", "expires_in", "company", "companies", "user"]),
            example: [
                "access_token": "…", "token_type": "Bearer", "expires_in": 900, "refresh_token": "…",
                "company": exampleCompany, "companies": [exampleCompany], "user": account.exampleRecord,
            ])
    }

    /// What a link invites to.
    static var invitation: Self {
        let text: JSONValue = ["type": "string"]
        return Self(
            "invitation",
            schema: JSONSchema.object(
                [
                    .init(
                        "company",
                        JSONSchema.object(
                            [.init("id", Column.identifierSchema), .init("name", text)], required: ["id", "name"])),
                    .init("email", text),
                    .init(
                        "has_password",
                        ["type": "boolean", "description": "Faux\u{202F}: le compte reçoit son premier mot de passe."]),
                ], required: ["company", "email", "has_password"]),
            example: ["company": ["id": 2, "name": "Digue"], "email": "anne@exemple.fr", "has_password": true])
    }

    /// The company that an account has joined, and all of its companies.
    static var joinedCompany: Self {
        Self(
            "sociétés",
            schema: JSONSchema.object(
                [.init("company", company), .init("companies", companies)], required: ["company", "companies"]),
            example: ["company": exampleCompany, "companies": [exampleCompany]])
    }

    /// The account of the caller. Without a selection, its companies too.
    static func ownAccount(_ account: Entity) -> Self {
        Self(
            account.noun.singular,
            schema: JSONSchema.extended(
                account.recordSchema,
                by: [
                    .init("company", company), .init("companies", companies), .init("operator", isOperator),
                ]),
            example: account.exampleAnswer)
    }

    private static let companies: JSONValue = ["type": "array", "items": company]
    /// A company that an account is a member of, and its base role there.
    private static let company = JSONSchema.object(
        [
            .init("id", Column.identifierSchema), .init("name", ["type": "string"]),
            .init("role", ["type": "string"]),
            .init(
                "suspended",
                ["const": true, "description": "Présent quand l’accès de la société est suspendu."]),
            .init(
                "moved_to",
                ["type": "string", "description": "L’adresse où la société a déménagé, si elle l’a fait."]),
        ], required: ["id", "name", "role"])
    private static let isOperator: JSONValue = [
        "const": true, "description": "Présent pour un exploitant de l’installation, qui gère les sociétés.",
    ]
    private static let exampleCompany: JSONValue = ["id": 1, "name": "LearnTrack", "role": "admin"]

    /// The sign-ins of an account.
    static var signIns: Self {
        let instant = FieldType.timestamp.answeredSchema
        return .items(
            "connexions",
            JSONSchema.object(
                [
                    .init("id", FieldType.uuid.answeredSchema), .init("created_at", instant),
                    .init("last_used_at", instant), .init("user_agent", JSONSchema.nullable(["type": "string"])),
                    .init("current", ["type": "boolean"]),
                ], required: ["id", "created_at", "last_used_at", "user_agent", "current"]),
            example: [
                "id": .string(FieldType.exampleUUID), "created_at": "2026-01-05T08:30:00+00:00",
                "last_used_at": "2026-01-12T07:45:10+00:00", "user_agent": .null, "current": true,
            ])
    }

    /// The access keys of an account.
    static var accessKeys: Self { .items("clés d’accès", accessKey(), example: exampleAccessKey) }

    /// An access key, which only this result shows.
    static var newAccessKey: Self {
        let key = JSONSchema.nullable(["type": "string"]).adding(
            "description",
            "Montrée une seule fois\u{202F}: null pour un essai, ou pour un appel renvoyé sous sa clé d’idempotence.")
        return Self(
            "clé d’accès", schema: accessKey([.init("key", key)]), example: exampleAccessKey.adding("key", "lt_…"))
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

    private static let exampleAccessKey: JSONValue = [
        "id": 1, "account_id": 1, "role": "admin", "subject": .null, "name": "Lecteur de l’entrée",
        "expires_at": .null, "last_used_at": .null,
    ]
}
