import DomainKit
import JSON

/// A small domain with lists and objects, bounds, columns of creation, and rules of every effect.
enum Workshop {
    static let kits = Entity(
        name: "kits", noun: Noun("mallette", plural: "mallettes", feminine: true),
        columns: [
            .id,
            Column("code", .text(maxLength: 9), nullable: false, access: .createOnly, summary: "Code."),
            Column("contents", .json(contents), nullable: false, summary: "Contenu."),
            Column("images", .json(.list(of: .text(maxLength: 20), count: 0...2)), summary: "Images."),
            Column("settings", .json(nil), summary: "Réglages."),
            Column("delta", .integer, oneOf: [-1, 1], summary: "Sens."),
            Column("hour", .smallint(0...23), minimum: 6, maximum: 20, summary: "Heure."),
            Column("weight", .decimal(precision: 6, scale: 3), minimum: 0, maximum: 50, summary: "Poids."),
            Column("version", .integer, nullable: false, access: .readOnly, summary: "Version."),
        ],
        search: nil, defaultOrder: [OrderTerm("code")], rules: rules,
        access: Access(read: [.user, .admin], create: [.admin], update: [.admin], delete: [.admin]),
        isDuplicable: true)

    private static let contents = Shape.list(
        of: .object([
            Column("sku", .text(maxLength: 9), nullable: false, summary: "Article."),
            Column("quantity", .integer, nullable: false, default: 1, minimum: 1, summary: "Combien."),
            Column("note", .text(maxLength: 20), summary: "Remarque."),
        ]), count: 1...3)

    private static let rules = [
        Rule(
            constraint: "kits_lent", columns: ["contents"], message: "La mallette est prêtée.",
            effect: .conflict(
                reason: "lent",
                facts: [
                    Column("loan_id", .bigint, nullable: false, summary: "Le prêt."),
                    Column("until", .date, summary: "Jusqu’à."),
                ]), holds: nil),
        Rule(
            constraint: "kits_state", columns: [], message: "Dans cet état, c’est impossible.",
            effect: .conflict(reason: "state"), holds: nil),
        Rule(
            constraint: "kits_owner", columns: [], message: "La mallette est à un autre.", effect: .forbidden,
            holds: nil),
        Rule(constraint: "kits_known", columns: ["contents"], message: "Cet article n’existe pas.", holds: nil),
    ]

    static let label = LoadedMethod(
        name: "label", entity: "kits", summary: "Une étiquette.",
        parameters: [
            Column("copies", .integer, nullable: false, default: 1, minimum: 1, maximum: 9, summary: "Combien."),
            Column("lines", .json(.list(of: .text(maxLength: 5), count: 1...2)), summary: "Lignes."),
            Column("from", .date, nullable: false, summary: "Du."),
            Column("to", .date, summary: "Au."),
        ],
        rules: [
            Rule(constraint: "label_period", columns: ["from", "to"], message: "Donnez une fin après le début.") {
                ($0["from"]?.text ?? "") < ($0["to"]?.text ?? "")
            }
        ],
        selection: "{ code }",
        answer: { record, parameters in
            .object(
                JSONObject(
                    [.init("code", record["code"] ?? .null)]
                        + parameters.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) }))
        })

    static let domain = Domain(name: "workshop", entities: [kits], methods: [label])
}
