import DomainKit
import JSON

extension Probe {
    static let gardeners = Entity(
        name: "gardeners",
        noun: Noun("jardinier", plural: "jardiniers", feminine: false),
        columns: [
            .id,
            Column("name", .text(maxLength: 100), nullable: false, label: "Nom"),
            Column(
                "email", .text(maxLength: 200), format: .email, label: "Adresse e-mail",
                summary: "Adresse e-mail, unique."),
            Column(
                "is_suspended", .boolean, nullable: false, default: false, label: "Suspendu",
                summary: "S’il ne peut pas réserver la serre."),
            Column(
                "suspended_until", .timestamp, access: .readOnly, label: "Suspendu jusqu’au", summary: "Jusqu’à quand."),
            Column(
                "welcomed_at", .timestamp, access: .readOnly, label: "Bienvenue envoyée le",
                summary: "Quand le mot de bienvenue est parti."),
            Column(
                "hook_answer", .text(maxLength: nil), access: .readOnly, label: "Réponse",
                summary: "Ce qu’il a répondu."),
            Column(
                "welcome_failure", .text(maxLength: nil), access: .readOnly, label: "Erreur d’envoi",
                summary: "Pourquoi le mot de bienvenue n’est pas parti."),
        ] + Column.bookkeeping,
        derived: [
            .count("plots_in_use", of: "plots", where: ["state": ["planted", "resting"]], label: "Parcelles occupées"),
            .sum(
                "years", .bigint, of: "plots", column: "rotation", unless: ["name": .null], label: "Années de rotation"),
            .least("first_number", .integer, of: "plots", column: "number", label: "Premier numéro"),
            .greatest("last_name", .text(maxLength: 100), of: "plots", column: "name", label: "Dernier nom"),
        ],
        relations: [
            Relation(
                "plots", to: "plots", .toMany(column: "gardener_id"), label: "Parcelles", summary: "Ses parcelles.")
        ],
        search: Search(function: "searchable", columns: ["name"]),
        defaultOrder: [OrderTerm("name")],
        access: Access(
            read: [.coordinator: .every, .gardener: .own("id")], create: [.coordinator], update: [.coordinator],
            delete: [.coordinator]))

    /// `gardeners.import`: the card is parsed in Swift, and the function takes an object.
    static let importCard = Command(
        name: "gardeners.import", label: "Importer une carte",
        summary: "Crée la fiche d’un jardinier à partir de sa carte de visite.",
        parameters: [
            Column(
                "card", .text(maxLength: 2000), nullable: false, label: "Carte de visite",
                summary: "Une vCard, avec FN et EMAIL.")
        ],
        parsed: [
            ParsedParameter(
                "card", as: .json(nil), message: "Donnez une vCard, de BEGIN:VCARD à END:VCARD, avec une ligne FN."
            ) { card in
                let lines = (card.text ?? "").split(whereSeparator: \.isNewline)
                guard lines.first == "BEGIN:VCARD", lines.last == "END:VCARD",
                    let name = lines.first(where: { $0.hasPrefix("FN:") })?.dropFirst(3),
                    name.contains(where: \.isLetter)
                else { return nil }
                let email = lines.first { $0.hasPrefix("EMAIL:") }?.dropFirst(6)
                return .object([
                    "name": .string(String(name)), "email": email.map { .string(String($0)) } ?? .null,
                ])
            }
        ],
        function: "probe.import_card", answers: .record(of: "gardeners"), roles: [.coordinator])

    /// Ends suspensions whose time is over.
    static let release = Job(
        name: "gardeners.release", label: "Fin des suspensions", schedule: .every(seconds: 1),
        function: "probe.release")

    /// `gardeners.welcome`: the mail is entered in the outbox, in the transaction of the call.
    static let welcome = Command(
        name: "gardeners.welcome", label: "Souhaiter la bienvenue",
        summary: "Souhaite la bienvenue à un jardinier.",
        parameters: [
            Column("id", .bigint, nullable: false, label: "Jardinier"),
            Column("after", .timestamp, label: "Pas avant"),
        ],
        function: "probe.welcome", answers: .record(of: "gardeners"), roles: [.coordinator])

    static let welcomeMail = Notice(
        name: "gardeners.welcome", entity: "gardeners",
        loads: [
            .record("{ name email }"),
            .rows(of: "plots", "{ number }", atMost: 10) { parameters in
                ["where": ["gardener_id": ["eq": parameters["id"] ?? .null]], "order_by": ["number"]]
            },
        ], sent: "probe.welcome_sent", failed: "probe.welcome_failed"
    ) { loaded in
        // The gardener may have lost the address since.
        guard let address = loaded[0]["email"]?.text else { return [] }
        let name = loaded[0]["name"]?.text ?? ""
        var plots = 0
        if case .array(let rows) = loaded[1] { plots = rows.count }
        return [
            .mail(
                to: address, subject: "Bienvenue au jardin, \(name)",
                text: "Bonjour \(name),\n\nVos parcelles\u{202F}: \(plots).\n",
                html: "<p>Bonjour,</p><p>Vos parcelles\u{202F}: \(plots).</p>")
        ]
    }

    /// A request to the gardener's own program. No role may read its address.
    static let ping = Notice(
        name: "gardeners.ping", entity: "gardeners", loads: [.record("{ name }")], functions: ["probe.hook_of"],
        sent: "probe.ping_sent",
        failed: "probe.welcome_failed"
    ) { loaded in
        guard let url = loaded[1].text else { return [] }
        let text = "« Bonjour » \(loaded[0]["name"]?.text ?? "")"
        return [.request(method: "POST", url: url, headers: [:], body: ["text": .string(text)])]
    }

    /// The last time that a gardener was there. The feed has nothing of it: it changes all the time.
    static let presences = Entity(
        name: "presences",
        noun: Noun("présence", plural: "présences", feminine: true),
        columns: [
            .id, Column("gardener_id", .bigint, nullable: false, label: "Jardinier", summary: "Qui."),
            Column(
                "seen_at", .timestamp, nullable: false, label: "Dernière présence",
                summary: "Quand, pour la dernière fois."),
        ],
        relations: [
            Relation(
                "gardener", to: "gardeners", .toOne(column: "gardener_id"), isPart: true, label: "Jardinier",
                summary: "Qui.")
        ],
        search: nil,
        defaultOrder: [OrderTerm("gardener_id")],
        access: Access(read: everyOrOwn, create: [], update: [], delete: [.coordinator]),
        isInJournal: false, isInFeed: false)

    static let notePresence = Command(
        name: "presences.note", label: "Noter sa présence", summary: "Note que le jardinier est là.", parameters: [],
        function: "probe.note_presence", answers: .nothing, roles: [.gardener])
}
