import DomainKit
import JSON

extension CRM {
    /// `sessions.share` (SHARE-01 … 05): a session as a French text for one audience, in one format.
    static let shareMethod = LoadedMethod(
        name: "share",
        entity: "sessions",
        summary: "Un texte prêt à coller pour partager une session, avec les seuls prix que son lecteur peut voir.",
        parameters: [
            Column(
                "format", .choice(ShareFormat.choices), nullable: false,
                default: .string(ShareFormat.text.rawValue), label: "Format", summary: "Où le texte sera collé."),
            Column(
                "audience", .choice(Audience.choices), nullable: false,
                default: .string(Audience.formateur.rawValue), label: "Destinataire",
                summary: "Qui le lira\u{202F}; interne est réservé aux administrateurs."),
        ],
        members: [
            LoadedMethod.Member("title", summary: "L’intitulé de la session."),
            LoadedMethod.Member("text", summary: "Le texte à coller."),
            LoadedMethod.Member("subject", always: false, summary: "L’objet d’un courriel."),
            LoadedMethod.Member("url", always: false, summary: "Ce qui ouvre un message tout écrit."),
        ],
        selection: """
            {
              module date debut fin duree_minutes modalite lieu
              tarif_client tarif_sous_traitant frais_rembourser marge ref_contrat
              formateur { email telephone_uri }
              client { email telephone_uri }
            }
            """,
        allows: { role, parameters in
            audience(in: parameters) != .interne || role == .admin
        },
        answer: { record, parameters in
            let session = SharedSession(record, for: audience(in: parameters))
            let format = parameters["format"]?.text.flatMap(ShareFormat.init(rawValue:)) ?? .text
            return format.write(session).value
        })

    private static func audience(in parameters: [String: JSONValue]) -> Audience {
        parameters["audience"]?.text.flatMap(Audience.init(rawValue:)) ?? .formateur
    }
}

/// Who will read a shared session.
enum Audience: String, CaseIterable {
    /// The trainer that the organisation looks for or informs. The default.
    case formateur
    /// The client who buys the session.
    case client
    /// The organisation's own administrators.
    case interne

    /// The words in calls with their labels.
    static let choices = Choices(allCases.map { (word: $0.rawValue, label: $0.label) })

    private var label: String {
        switch self {
        case .formateur: "Formateur"
        case .client: "Client"
        case .interne: "Interne"
        }
    }
}

/// Where a shared session is pasted.
enum ShareFormat: String, CaseIterable {
    case text, discord, email, sms

    /// The words in calls with their labels.
    static let choices = Choices(allCases.map { (word: $0.rawValue, label: $0.label) })

    private var label: String {
        switch self {
        case .text: "Texte"
        case .discord: "Discord"
        case .email: "E-mail"
        case .sms: "SMS"
        }
    }

    func write(_ session: SharedSession) -> ShareText {
        switch self {
        case .text: session.plainText()
        case .discord: session.discord()
        case .email: session.email()
        case .sms: session.sms()
        }
    }
}

/// The result of `sessions.share`.
struct ShareText {
    /// The title of the session.
    let title: String
    /// The text to paste.
    let text: String
    /// The subject of an e-mail.
    var subject: String?
    /// A URL that opens a message with everything filled in.
    var url: String?
}

extension ShareText {
    fileprivate var value: JSONValue {
        var members = [JSONObject.Member("title", .string(title)), JSONObject.Member("text", .string(text))]
        if let subject { members.append(JSONObject.Member("subject", .string(subject))) }
        if let url { members.append(JSONObject.Member("url", .string(url))) }
        return .object(JSONObject(members))
    }
}
