import DomainKit
import JSON

extension Probe {
    /// What can be sown. Every gardener reads the list.
    static let crops = Entity(
        name: "crops",
        noun: Noun("culture", plural: "cultures", feminine: true),
        columns: [
            .id, Column("code", .text(maxLength: 20), nullable: false, label: "Code", summary: "Code, unique."),
            Column("name", .text(maxLength: 100), nullable: false, label: "Nom"),
            Column(
                "supplier_key", .text(maxLength: 40), access: .writeOnly, label: "Clé du fournisseur",
                summary: "Clé du compte chez le fournisseur, que personne ne relit."),
        ] + Column.bookkeeping,
        search: nil,
        defaultOrder: [OrderTerm("code")],
        access: Access(read: everyRole, create: [.coordinator], update: [.coordinator], delete: [.coordinator]),
        isDuplicable: true)

    /// A planting refers to its plot together with the gardener, because a foreign key sees the rows of others.
    static let plantings = Entity(
        name: "plantings",
        noun: Noun("plantation", plural: "plantations", feminine: true),
        columns: [
            .id, owner,
            Column("plot_id", .bigint, nullable: false, access: .createOnly, label: "Parcelle"),
            Column("crop_id", .bigint, nullable: false, label: "Culture"),
            Column("quantity", .integer, nullable: false, default: 1, minimum: 1, label: "Nombre de plants"),
            Column("planted", .date, label: "Date"),
        ] + Column.bookkeeping,
        relations: [
            ownerRelation, Relation("plot", to: "plots", .toOne(column: "plot_id"), label: "Parcelle", summary: "Où."),
            Relation("crop", to: "crops", .toOne(column: "crop_id"), label: "Culture", summary: "Quoi."),
            Relation(
                "harvests", to: "harvests", .toMany(column: "planting_id"), label: "Récoltes",
                summary: "Ce qu’on en a récolté."),
        ],
        search: nil,
        defaultOrder: [OrderTerm("id")],
        access: Access(read: everyOrOwn, create: everyOrOwn, update: everyOrOwn, delete: everyOrOwn))

    /// `plots.sow`: several plantings at once, or none.
    static let sow = Command(
        name: "plots.sow", label: "Semer",
        summary: "Sème plusieurs cultures sur une parcelle.",
        parameters: [
            Column("id", .bigint, nullable: false, of: "plots", label: "Parcelle"),
            Column(
                "lines",
                .json(
                    .list(
                        of: .object([
                            Column(
                                "crop", .text(maxLength: 20), nullable: false, label: "Culture",
                                summary: "Code de la culture."),
                            Column(
                                "quantity", .integer, nullable: false, default: 1, minimum: 1, maximum: 1000,
                                label: "Nombre de plants"),
                        ]), count: 1...20)), nullable: false, label: "Semis", summary: "Ce qu’on sème."),
        ],
        function: "probe.sow", answers: .records(of: "plantings", atMost: 20), roles: everyOrOwn,
        rules: [
            Rule(
                constraint: "sow_known_crop", columns: ["lines"], message: "Donnez le code d’une culture.", holds: nil)
        ])

    static let harvests = Entity(
        name: "harvests",
        noun: Noun("récolte", plural: "récoltes", feminine: true),
        columns: [
            .id,
            Column(
                "gardener_id", .bigint, nullable: false, access: .readOnly, label: "Jardinier", summary: "À qui c’est."),
            Column("planting_id", .bigint, nullable: false, access: .readOnly, label: "Plantation"),
            Column("kilos", .decimal(precision: 8, scale: 2), nullable: false, access: .readOnly, label: "Kilogrammes"),
            Column("day", .date, nullable: false, access: .readOnly, label: "Jour"),
        ],
        relations: [
            ownerRelation,
            Relation(
                "planting", to: "plantings", .toOne(column: "planting_id"), isPart: true, label: "Plantation",
                summary: "De quelle plantation."),
        ],
        search: nil,
        defaultOrder: [OrderTerm("id")],
        access: Access(read: everyOrOwn, create: [], update: [], delete: []))

    /// `plantings.harvest`: each item has its outcome. One that is refused keeps no other from being noted, so the function
    /// itself looks for the plantings of the gardener.
    static let harvest = Command(
        name: "plantings.harvest", label: "Noter des récoltes",
        summary: "Note plusieurs récoltes\u{202F}; chacune a sa réponse.",
        parameters: [
            Column("day", .date, nullable: false, label: "Jour"),
            Column(
                "items",
                .json(
                    .list(
                        of: .object([
                            Column("planting_id", .bigint, nullable: false, label: "Plantation"),
                            Column(
                                "kilos", .decimal(precision: 8, scale: 2), nullable: false, minimum: 0,
                                label: "Kilogrammes"),
                        ]), count: 1...50)), nullable: false, label: "Récoltes", summary: "Les récoltes."),
        ],
        function: "probe.harvest",
        answers: .value(
            .list(
                of: .object([
                    Column("planting_id", .bigint, nullable: false, label: "Plantation"),
                    Column(
                        "outcome",
                        .choice([
                            "noted": "Notée", "unknown": "Plantation inconnue", "too_much": "Quantité trop grande",
                        ]), nullable: false, label: "Résultat", summary: "Ce qu’il en est."),
                    Column("harvest_id", .bigint, label: "Récolte", summary: "La récolte, si elle est notée."),
                ]), count: 0...50)),
        roles: everyRole)

    /// `yields.list {since, until?, at_least?}`: what each plot has given in a period.
    static let yields = Entity(
        name: "yields",
        source: .function(
            "yields",
            [
                Column("since", .date, nullable: false, label: "Premier jour"),
                Column(
                    "until", .date, label: "Dernier jour", summary: "Dernier jour\u{202F}; aujourd’hui s’il manque."),
                Column(
                    "at_least", .decimal(precision: 8, scale: 2), nullable: false, default: 0, minimum: 0,
                    label: "Minimum, en kilogrammes", summary: "Les parcelles qui ont donné autant de kilogrammes."),
            ]),
        noun: Noun("rendement", plural: "rendements", feminine: false),
        columns: [
            .id, Column("plot_id", .bigint, nullable: false, label: "Parcelle"),
            Column("gardener_id", .bigint, nullable: false, label: "Jardinier", summary: "À qui elle est."),
            Column("kilos", .decimal(precision: 10, scale: 2), nullable: false, label: "Kilogrammes"),
            Column("harvest_count", .bigint, nullable: false, label: "Nombre de récoltes"),
        ],
        relations: [
            ownerRelation, Relation("plot", to: "plots", .toOne(column: "plot_id"), label: "Parcelle", summary: "Où."),
        ],
        search: nil,
        defaultOrder: [OrderTerm("kilos", descending: true)],
        rules: [
            Rule(
                constraint: "yields_until_not_before_since", columns: ["since", "until"],
                message: "Donnez un dernier jour qui ne précède pas le premier.", ascending: true
            ) { values in
                guard let since = values["since"]?.text.flatMap({ CalendarDate($0) }),
                    let until = values["until"]?.text.flatMap({ CalendarDate($0) })
                else { return true }
                return since <= until
            }
        ],
        access: Access(read: everyOrOwn, create: [], update: [], delete: []))
}
