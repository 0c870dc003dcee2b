import DomainKit
import JSON
import RPCServer

/// `GET /events`, for the description of the service.
extension ChangeFeed {
    /// The header by which a client continues (WHATWG HTML, 9.2).
    static let lastEventID = "Last-Event-ID"

    /// The parameters of the query.
    enum QueryName: String, CaseIterable {
        case tables, after
    }

    /// - Parameter tables: the names of those that the feed has.
    static func operation(_ tables: [String]) -> HTTPOperation {
        HTTPOperation(
            path: "/events", summary: "Envoie les changements validés à mesure qu’ils le sont.", needsToken: true,
            mediaType: "text/event-stream",
            parameters: [
                .init(
                    name: QueryName.tables.rawValue, place: .query,
                    schema: JSONSchema.array(of: tables.isEmpty ? ["type": "string"] : JSONSchema.words(tables)),
                    summary: "Les tables suivies\u{202F}; sans cela, toutes celles qu’on peut lire."),
                .init(
                    name: QueryName.after.rawValue, place: .query, schema: ChangeCursor.schema,
                    summary: "La position après laquelle continuer\u{202F}; sans cela, la position actuelle."),
                .init(
                    name: lastEventID, place: .header, schema: ChangeCursor.schema,
                    summary: "Le dernier id reçu, quand un client se reconnecte\u{202F}; il l’emporte sur after."),
            ],
            events: ChangeEvent.Name.allCases.map { event in
                .init(name: event.rawValue, summary: event.summary, data: event.dataSchema)
            })
    }
}

extension ChangeCursor {
    static let schema: JSONValue = ["type": "string", "pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+$"]
}

extension ChangeEvent.Name {
    fileprivate var summary: String {
        switch self {
        case .ready: "Les changements après cette position suivent."
        case .change: "Un enregistrement a été créé, modifié ou supprimé."
        case .reset: "Des changements d’avant cette position peuvent manquer\u{202F}: ce qui est affiché est à relire."
        }
    }

    fileprivate var dataSchema: JSONValue {
        switch self {
        case .ready, .reset: JSONSchema.object([.init("id", ChangeCursor.schema)], required: ["id"])
        case .change: JSONSchema.reference(FeedChange.schemaName)
        }
    }
}
