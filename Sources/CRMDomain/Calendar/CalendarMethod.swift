import DomainKit
import JSON

extension CRM {
    /// `sessions.calendrier` (SESS-07): the sessions of a trainer, a client or a school, or all, as a calendar.
    static let calendarMethod = LoadedMethod(
        name: "calendrier",
        entity: "sessions",
        summary: "Un calendrier (ICS) des sessions, sans prix\u{202F}; les 2\u{202F}000 dernières au plus.",
        parameters: [
            Column("formateur_id", .bigint, of: "formateurs", label: "Formateur", summary: "Celles d’un formateur."),
            Column("client_id", .bigint, of: "clients", label: "Client", summary: "Celles d’un client."),
            Column("ecole_id", .bigint, of: "ecoles", label: "École", summary: "Celles d’une école."),
            Column("du", .date, label: "Premier jour"),
            Column("au", .date, label: "Dernier jour", summary: "Dernier jour, compris\u{202F}; pas avant le premier."),
        ],
        rules: [.auNotBeforeDu],
        loads: [
            .rows(of: "sessions", SessionCalendar.selection, atMost: 2_000) { parameters in
                ["where": condition(parameters), "order_by": ["-date", "-debut", "-id"]]
            },
            .rows(of: "sessions_annulees", SessionCalendar.cancelledSelection, atMost: 500) { parameters in
                ["where": condition(parameters), "order_by": ["-annulee_le", "-id"]]
            },
            .timeZone,
        ],
        document: .calendar
    ) { loaded, parameters in
        SessionCalendar(loaded[0], cancelled: loaded[1], in: loaded[2], parameters).fileName
    } render: { loaded, parameters in
        DocumentContent(SessionCalendar(loaded[0], cancelled: loaded[1], in: loaded[2], parameters).bytes)
    }

    /// `calendriers.abonner`, `list` and `delete`: a calendar that other programs fetch at intervals.
    static let calendarSubscriptions = Subscriptions(
        name: "calendriers", subscribe: "abonner", document: "sessions.calendrier", label: "nom",
        noun: Noun("abonnement", plural: "abonnements", feminine: false))

    /// The condition of a list of sessions, those that the parameters select.
    private static func condition(_ parameters: [String: JSONValue]) -> JSONValue {
        let equal = ["formateur_id", "client_id", "ecole_id"].compactMap { name in
            parameters[name].flatMap { $0.isNull ? nil : JSONObject.Member(name, $0) }
        }
        let bounds = [("gte", "du"), ("lte", "au")].compactMap { (comparison, name) in
            parameters[name].flatMap { $0.isNull ? nil : JSONObject.Member(comparison, $0) }
        }
        let days = bounds.isEmpty ? [] : [JSONObject.Member("date", .object(JSONObject(bounds)))]
        return .object(JSONObject(equal + days))
    }
}
