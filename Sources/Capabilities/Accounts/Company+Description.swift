import DomainKit
import JSON
import RPCServer

/// The results of the methods of companies, for the description of the service.
extension ResultType {
    /// A company after its administrator has renamed it.
    static var namedCompany: Self {
        Self(
            "société",
            schema: JSONSchema.object(
                [.init("id", Column.identifierSchema), .init("name", ["type": "string"])], required: ["id", "name"]),
            example: ["id": 1, "name": "École de voile de la Digue"])
    }

    /// A company as an operator sees it.
    static var companySummary: Self { Self("société", schema: summarySchema, example: summaryExample) }

    static var companySummaries: Self { .items("sociétés", summarySchema, example: summaryExample) }

    /// What each company has used in a period.
    static var companyUsage: Self { .items("usages", usageSchema, example: usageExample) }

    private static var summarySchema: JSONValue {
        let members: [JSONObject.Member] = [
            .init("id", Column.identifierSchema), .init("name", ["type": "string"]),
            .init("members", count("Ses membres, invités et désactivés compris.")),
            .init("created_at", FieldType.timestamp.answeredSchema), .init("suspended", ["type": "boolean"]),
        ]
        return JSONSchema.object(members, required: members.map(\.name))
    }

    private static var usageSchema: JSONValue {
        let members: [JSONObject.Member] = [
            .init("id", Column.identifierSchema), .init("name", ["type": "string"]),
            .init("members", count("Ses membres actifs, arrivés au plus tard le dernier jour.")),
            .init("sign_ins", count("Les connexions ouvertes pendant la période.")),
            .init("records", count("Ses enregistrements, à présent.")),
            .init("documents", count("Les documents ouverts par un lien pendant la période.")),
            .init("signatures", count("Les signatures données pendant la période.")),
            .init("messages", count("Les messages partis pendant la période.")),
            .init("bytes", count("La taille de ses fichiers, à présent, en octets.")),
        ]
        return JSONSchema.object(members, required: members.map(\.name))
    }

    private static func count(_ summary: String) -> JSONValue {
        ["type": "integer", "minimum": 0, "description": .string(summary)]
    }

    private static let summaryExample: JSONValue = [
        "id": 1, "name": "École de voile de la Digue", "members": 12, "created_at": "2026-01-05T08:30:00+00:00",
        "suspended": false,
    ]

    private static let usageExample: JSONValue = [
        "id": 1, "name": "École de voile de la Digue", "members": 12, "sign_ins": 230, "records": 4_120,
        "documents": 96, "signatures": 31, "messages": 410, "bytes": 18_400_000,
    ]
}
