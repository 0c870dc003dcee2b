import DomainKit
import JSON
import Outbox
import RPCServer

/// The results of the methods of passkeys, for the description of the service.
extension ResultType {
    /// What a browser needs to make a passkey, or to sign in with one.
    static var passkeyOptions: Self {
        Self("options", schema: passkeyOptionsSchema, example: passkeyOptionsExample)
    }

    static var passkey: Self { Self("clé d’accès", schema: passkeySchema, example: passkeyExample) }

    /// The passkeys of an account.
    static var passkeys: Self { .items("clés d’accès", passkeySchema, example: passkeyExample) }

    /// The options for a browser: one of the two members is null.
    private static var passkeyOptionsSchema: JSONValue {
        let text: JSONValue = ["type": "string"]
        let bytes: JSONValue = ["type": "string", "description": "En base64url."]
        let milliseconds: JSONValue = ["type": "integer", "description": "En millisecondes."]
        func object(_ members: [JSONObject.Member]) -> JSONValue {
            JSONSchema.object(members, required: members.map(\.name))
        }
        let known = object([
            .init("type", ["const": "public-key"]), .init("id", bytes),
            .init("transports", JSONSchema.array(of: text)),
        ])
        let create = object([
            .init("rp", object([.init("id", text), .init("name", text)])),
            .init("user", object([.init("id", bytes), .init("name", text), .init("displayName", text)])),
            .init("challenge", bytes),
            .init(
                "pubKeyCredParams",
                JSONSchema.array(
                    of: object([.init("type", ["const": "public-key"]), .init("alg", ["type": "integer"])]))),
            .init("timeout", milliseconds), .init("excludeCredentials", JSONSchema.array(of: known)),
            .init(
                "authenticatorSelection",
                object([
                    .init("residentKey", ["const": "required"]), .init("requireResidentKey", ["const": true]),
                    .init("userVerification", ["const": "required"]),
                ])),
            .init("attestation", ["const": "none"]),
        ])
        let get = object([
            .init("challenge", bytes), .init("timeout", milliseconds), .init("rpId", text),
            .init("allowCredentials", JSONSchema.array(of: known)), .init("userVerification", ["const": "required"]),
        ])
        return object([
            .init(
                "create",
                JSONSchema.nullable(create).adding("description", "Pour navigator.credentials.create, avec un compte.")
            ),
            .init(
                "get", JSONSchema.nullable(get).adding("description", "Pour navigator.credentials.get, sans compte.")),
        ])
    }

    private static var passkeySchema: JSONValue {
        let instant = FieldType.timestamp.answeredSchema
        let members: [JSONObject.Member] = [
            .init("id", Column.identifierSchema), .init("name", ["type": "string"]), .init("created_at", instant),
            .init("last_used_at", JSONSchema.nullable(instant)),
        ]
        return JSONSchema.object(members, required: members.map(\.name))
    }

    private static let passkeyExample: JSONValue = [
        "id": 1, "name": "Téléphone de Claire", "created_at": "2026-01-05T08:30:00+00:00", "last_used_at": .null,
    ]

    private static let passkeyOptionsExample: JSONValue = [
        "create": .null,
        "get": [
            "challenge": "…", "timeout": 300_000, "rpId": "learntrack.exemple.fr", "allowCredentials": [],
            "userVerification": "required",
        ],
    ]
}
