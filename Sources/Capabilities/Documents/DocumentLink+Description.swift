import DomainKit
import JSON
package import RPCServer

/// The results of methods that make documents, and of subscriptions, for the description of the service.
extension ResultType {
    /// A link to a document.
    package static var documentLink: Self {
        let name = "document_link"
        return Self(
            "lien", schema: JSONSchema.reference(name), example: documentLinkExample(expiresAt: "2026-01-05T08:45:00Z"),
            components: [
                .init(name, JSONSchema.object(documentLinkMembers, required: documentLinkMembers.map(\.name)))
            ])
    }

    /// A subscription, with its link, which only this result shows.
    static var newSubscription: Self {
        Self("abonnement", schema: newSubscriptionSchema, example: newSubscriptionExample)
    }

    /// The subscriptions of an account.
    ///
    /// - Parameter label: the member that names them.
    static func subscriptions(label: String) -> Self {
        .items("abonnements", subscriptionSchema(label: label), example: subscriptionExample(label: label))
    }

    private static var documentLinkMembers: [JSONObject.Member] {
        let expiry = JSONSchema.nullable(FieldType.timestamp.answeredSchema)
        return [
            .init("name", ["type": "string", "description": "Le nom du fichier."]),
            .init(
                "media_type",
                ["type": "string", "description": "Son format, tel que «\u{A0}application/pdf\u{A0}»."]),
            .init(
                "url",
                [
                    "type": "string",
                    "description": "Ouvre le document sans jeton\u{202F}: à ne donner qu’à qui peut le lire.",
                ]),
            .init(
                "expires_at",
                expiry.adding("description", "Jusqu’à quand il vaut\u{202F}; null, jusqu’à la fin de l’abonnement.")),
        ]
    }

    private static func documentLinkExample(expiresAt: JSONValue) -> JSONValue {
        [
            "name": "document.pdf", "media_type": "application/pdf", "url": "https://exemple.fr/documents/…",
            "expires_at": expiresAt,
        ]
    }

    private static var newSubscriptionSchema: JSONValue {
        let url = JSONSchema.nullable(["type": "string"]).adding(
            "description",
            "Montrée une seule fois\u{202F}: null pour un essai, ou pour un appel renvoyé sous sa clé d’idempotence.")
        let members =
            [.init("id", Column.identifierSchema)]
            + documentLinkMembers.map { $0.name == "url" ? .init("url", url) : $0 }
        return JSONSchema.object(members, required: members.map(\.name))
    }

    private static var newSubscriptionExample: JSONValue {
        let link = documentLinkExample(expiresAt: .null)
        return link.adding("id", 1)
    }

    private static func subscriptionSchema(label: String) -> JSONValue {
        let instant = FieldType.timestamp.answeredSchema
        let members: [JSONObject.Member] = [
            .init("id", Column.identifierSchema), .init("account_id", Column.identifierSchema),
            .init("role", ["type": "string"]), .init("subject", JSONSchema.nullable(["type": "integer"])),
            .init(label, JSONSchema.nullable(["type": "string"])), .init("params", ["type": "object"]),
            .init("created_at", instant), .init("last_used_at", JSONSchema.nullable(instant)),
        ]
        return JSONSchema.object(members, required: members.map(\.name))
    }

    private static func subscriptionExample(label: String) -> JSONValue {
        let subscription: JSONValue = [
            "id": 1, "account_id": 1, "role": "user", "subject": .null, "params": [:],
            "created_at": "2026-01-05T08:30:00+00:00", "last_used_at": .null,
        ]
        return subscription.adding(label, .null)
    }
}
