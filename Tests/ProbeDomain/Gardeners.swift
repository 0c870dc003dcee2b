import DomainKit
import JSON

extension Probe {
    static let gardeners = Entity(
        name: "gardeners",
        noun: Noun("jardinier", plural: "jardiniers", feminine: false),
        columns: [
            .id,
            Column("name", .text(maxLength: 100), nullable: false, summary: "Nom."),
            Column("email", .text(maxLength: 200), format: .email, summary: "Adresse e-mail, unique."),
            Column(
                "is_suspended", .boolean, nullable: false, default: false,
                summary: "S’il ne peut pas réserver la serre."),
        ] + Column.bookkeeping,
        relations: [
            Relation("plots", to: "plots", .toMany(column: "gardener_id"), summary: "Ses parcelles.")
        ],
        search: Search(document: "recherche", columns: ["name"]),
        defaultOrder: [OrderTerm("name")],
        access: Access(
            read: [.coordinator: .every, .gardener: .own("id")], create: [.coordinator], update: [.coordinator],
            delete: [.coordinator]))

    /// `gardeners.import`: the card is parsed in Swift, and the function takes an object.
    static let importCard = Command(
        name: "gardeners.import",
        summary: "Crée la fiche d’un jardinier à partir de sa carte de visite.",
        parameters: [
            Column("card", .text(maxLength: 2000), nullable: false, summary: "Une vCard, avec FN et EMAIL.")
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

    /// The last time that a gardener was there. The feed has nothing of it: it changes all the time.
    static let presences = Entity(
        name: "presences",
        noun: Noun("présence", plural: "présences", feminine: true),
        columns: [
            .id, Column("gardener_id", .bigint, nullable: false, summary: "Qui."),
            Column("seen_at", .timestamp, nullable: false, summary: "Quand, pour la dernière fois."),
        ],
        relations: [ownerRelation],
        search: nil,
        defaultOrder: [OrderTerm("gardener_id")],
        access: Access(read: everyOrOwn, create: [], update: [], delete: [.coordinator]),
        isInFeed: false)

    static let notePresence = Command(
        name: "presences.note", summary: "Note que le jardinier est là.", parameters: [],
        function: "probe.note_presence", answers: .nothing, roles: [.gardener: .own("gardener_id")])
}
