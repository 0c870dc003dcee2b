import DomainKit

extension CRM {
    /// `doublons.list {table}`: the pairs of clients, trainers or schools that look alike. What is the same comes first.
    static let doublons = Entity(
        name: "doublons",
        source: .function(
            "doublons",
            [
                Column(
                    "table", .choice(["clients": "Clients", "formateurs": "Formateurs", "ecoles": "Écoles"]),
                    nullable: false, label: "Fiches",
                    summary: "De quelle table.")
            ]),
        noun: Noun("doublon", plural: "doublons", feminine: false),
        columns: [
            .id,
            Column(
                "fiche_id", .bigint, nullable: false, label: "Première fiche",
                summary: "La plus ancienne des deux fiches."),
            Column("autre_id", .bigint, nullable: false, label: "Autre fiche", summary: "L’autre fiche."),
            Column(
                "raison",
                .choice([
                    "siret": "Même SIRET", "email": "Même adresse e-mail", "telephone": "Même téléphone",
                    "nom": "Noms semblables",
                ]), nullable: false, label: "Raison",
                summary: "Ce qu’elles ont en commun\u{202F}: le même SIRET, la même adresse e-mail, le même téléphone,"
                    + " ou un nom semblable\u{202F}; la première de ces raisons qui vaut."),
            Column(
                "score", .decimal(precision: 4, scale: 3), nullable: false, label: "Ressemblance",
                summary:
                    "De 0 à 1\u{202F}: 1 pour le même SIRET\u{202F}; la ressemblance des noms, au moins 0,6\u{202F};"
                    + " pour la même adresse ou le même téléphone, la moyenne de 1 et de cette ressemblance."),
            Column("client_id", .bigint, label: "Premier client", summary: "Le premier client."),
            Column("autre_client_id", .bigint, label: "Autre client", summary: "L’autre client."),
            Column("formateur_id", .bigint, label: "Premier formateur", summary: "Le premier formateur."),
            Column("autre_formateur_id", .bigint, label: "Autre formateur", summary: "L’autre formateur."),
            Column("ecole_id", .bigint, label: "Première école", summary: "La première école."),
            Column("autre_ecole_id", .bigint, label: "Autre école", summary: "L’autre école."),
        ],
        relations: [
            Relation(
                "client", to: "clients", .toOne(column: "client_id"), label: "Premier client",
                summary: "Le premier client."),
            Relation(
                "autre_client", to: "clients", .toOne(column: "autre_client_id"), label: "Autre client",
                summary: "L’autre client."),
            Relation(
                "formateur", to: "formateurs", .toOne(column: "formateur_id"), label: "Premier formateur",
                summary: "Le premier formateur."),
            Relation(
                "autre_formateur", to: "formateurs", .toOne(column: "autre_formateur_id"), label: "Autre formateur",
                summary: "L’autre formateur."),
            Relation(
                "ecole", to: "ecoles", .toOne(column: "ecole_id"), label: "Première école",
                summary: "La première école."),
            Relation(
                "autre_ecole", to: "ecoles", .toOne(column: "autre_ecole_id"), label: "Autre école",
                summary: "L’autre école."),
        ],
        search: nil,
        defaultOrder: [OrderTerm("score", descending: true)],
        access: readOnly)
}
