import DomainKit
import JSON

extension Probe {
    static let states: Choices = ["fallow": "En friche", "planted": "Plantée", "resting": "Au repos"]

    static let plots = Entity(
        name: "plots",
        noun: Noun("parcelle", plural: "parcelles", feminine: true),
        columns: [
            .id,
            owner,
            Column(
                "number", .integer, nullable: false, access: .createOnly, minimum: 1, maximum: 999, label: "Numéro",
                summary: "Numéro, unique."),
            Column("name", .text(maxLength: 100), nullable: false, label: "Nom"),
            Column(
                "rotation", .integer, nullable: false, default: 3, oneOf: [2, 3, 4], label: "Rotation, en années",
                summary: "Années avant la même culture."),
            Column("labels", .json(.list(of: .text(maxLength: 30), count: 0...5)), label: "Mots clés"),
            Column("soil", .json(soil), label: "Terre", summary: "La terre."),
            Column("state", .choice(states), nullable: false, hasDefault: true, access: .readOnly, label: "État"),
            Column("garden_id", .bigint, nullable: false, access: .readOnly, label: "Jardin"),
        ] + Column.bookkeeping,
        relations: [
            ownerRelation,
            Relation("garden", to: "gardens", .toOne(column: "garden_id"), label: "Jardin"),
            Relation(
                "plantings", to: "plantings", .toMany(column: "plot_id"), label: "Plantations",
                summary: "Ce qui y pousse."),
            Relation(
                "observations", to: "observations", .toMany(column: "plot_id"), label: "Observations",
                summary: "Ce qu’on y a vu."),
        ],
        search: Search(function: "searchable", columns: ["name"]),
        defaultOrder: [OrderTerm("number")],
        rules: [
            Rule(
                constraint: "plots_state_order", columns: ["state"],
                message: "Une parcelle en friche est plantée, puis mise au repos, puis de nouveau en friche.",
                effect: .conflict(
                    reason: "state",
                    facts: [Column("state", .choice(states), nullable: false, summary: "L’état présent.")]),
                holds: nil)
        ],
        // The numbers stand on the plots, for everyone to see.
        disclosingConstraints: ["plots_number_key"],
        access: Access(read: everyOrOwn, create: everyOrOwn, update: everyOrOwn, delete: [.coordinator]))

    private static let soil = Shape.object([
        Column(
            "texture", .choice(["sand": "Sable", "loam": "Limon", "clay": "Argile"]), nullable: false, label: "Texture",
            summary: "Sable, limon ou argile."),
        Column("depth", .integer, nullable: false, default: 30, minimum: 5, maximum: 200, label: "Profondeur, en cm"),
        Column(
            "amendments",
            .json(
                .list(
                    of: .object([
                        Column("what", .text(maxLength: 40), nullable: false, label: "Produit", summary: "Quoi."),
                        Column(
                            "doses", .integer, nullable: false, oneOf: [1, 2, 5], label: "Doses", summary: "Combien."),
                    ]), count: 1...3)), label: "Amendements", summary: "Ce qu’on y a mis."),
    ])

    /// `plots.move`: the state changes by this command only. A trigger refuses what is out of order.
    static let movePlot = Command(
        name: "plots.move", label: "Changer d’état",
        summary: "Fait passer une parcelle à l’état suivant.",
        parameters: [
            Column("id", .bigint, nullable: false, of: "plots", label: "Parcelle"),
            Column("state", .choice(states), nullable: false, label: "Nouvel état", summary: "Le nouvel état."),
            Column("if_version", .integer, minimum: 1, label: "Version attendue", summary: "La version attendue."),
        ],
        function: "probe.move_plot", answers: .record(of: "plots"), roles: everyOrOwn)

    /// `plots.inspect`: answers a value, in which `id` is a text.
    static let inspectPlot = Command(
        name: "plots.inspect", label: "Préparer l’inspection",
        summary: "Prépare le passage de l’inspection.",
        parameters: [
            Column("id", .bigint, nullable: false, of: "plots", label: "Parcelle"),
            Column("if_version", .integer, minimum: 1, label: "Version attendue", summary: "La version attendue."),
        ],
        function: "probe.inspect_plot",
        answers: .value(
            .object([
                Column(
                    "id", .text(maxLength: 40), nullable: false, label: "Numéro du passage",
                    summary: "Le numéro du passage."),
                Column("state", .choice(states), nullable: false, label: "État", summary: "L’état de la parcelle."),
            ])), roles: everyOrOwn)

    /// `plots.label`: what stands on the sign of a plot.
    static let label = LoadedMethod(
        name: "label",
        entity: "plots",
        summary: "Le texte du panneau de la parcelle.",
        parameters: [
            Column(
                "with_gardener", .boolean, nullable: false, default: true, label: "Nom du jardinier",
                summary: "S’il y a le nom du jardinier.")
        ],
        members: [LoadedMethod.Member("text", summary: "Le texte.")],
        selection: "{ number name gardener { name } }"
    ) { plot, parameters in
        var number = ""
        if case .number(let digits)? = plot["number"] { number = digits }
        let name = plot["name"]?.text ?? ""
        let owner = plot["gardener"]?["name"]?.text ?? ""
        return ["text": .string("\(number) \(name)\(parameters["with_gardener"] == true ? " (\(owner))" : "")")]
    }

    private static let blocks = ObjectKinds(
        by: "kind", label: "Nature",
        common: [
            Column("id", .uuid, nullable: false, label: "Identifiant"),
            Column("place", .integer, nullable: false, minimum: 0, label: "Place"),
        ],
        [
            .init(
                "text", label: "Texte",
                [Column("text", .text(maxLength: 200), nullable: false, label: "Texte", summary: "Le texte.")]),
            .init(
                "count", label: "Comptage",
                [
                    Column("what", .text(maxLength: 40), nullable: false, label: "Quoi"),
                    Column("count", .integer, nullable: false, minimum: 1, label: "Combien"),
                    Column("text", .text(maxLength: 40), label: "Remarque"),
                ]),
            .init(
                "photo", label: "Photo",
                [
                    Column(
                        "photo", .bigint, nullable: false, file: FileRule([.png, .jpeg], maxBytes: 100_000),
                        label: "Photo"),
                    Column("text", .text(maxLength: 100), label: "Légende"),
                ]),
        ])

    /// Notes are added and stay as they are: there is no `version`.
    static let observations = Entity(
        name: "observations",
        noun: Noun("observation", plural: "observations", feminine: true),
        columns: [
            .id, owner,
            Column("plot_id", .bigint, nullable: false, access: .createOnly, label: "Parcelle"),
            Column(
                "mood", .integer, nullable: false, access: .createOnly, oneOf: [-1, 0, 1], label: "Impression",
                summary: "L’impression."),
            Column("text", .text(maxLength: 500), access: .createOnly, label: "Observation", summary: "Ce qu’on a vu."),
            Column(
                "blocks", .json(.list(of: .kinds(blocks), count: 0...20, unique: ["id", "place"])), access: .createOnly,
                label: "Contenu", summary: "Ce qu’on a noté, dans l’ordre."),
            Column("noted_at", .timestamp, nullable: false, access: .readOnly, label: "Notée le", summary: "Quand."),
        ],
        relations: [
            ownerRelation, Relation("plot", to: "plots", .toOne(column: "plot_id"), label: "Parcelle", summary: "Où."),
        ],
        search: nil,
        defaultOrder: [OrderTerm("id", descending: true)],
        access: Access(read: everyOrOwn, create: everyOrOwn, update: [], delete: []), isInJournal: false)
}
