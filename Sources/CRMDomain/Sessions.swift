import DomainKit
import JSON

extension CRM {
    /// How a session takes place.
    static let modalites: Choices = ["P": "Présentiel", "D": "Distanciel"]

    static let sessions = Entity(
        name: "sessions",
        noun: Noun("session", plural: "sessions", feminine: true),
        columns: [
            .id,
            .requiredText("module", maxLength: 500, label: "Module", summary: "Intitulé de la formation."),
            Column("date", .date, nullable: false, label: "Date", summary: "Jour de la session."),
            Column("debut", .time, nullable: false, label: "Début", summary: "Heure de début."),
            Column("fin", .time, nullable: false, label: "Fin", summary: "Heure de fin, après le début."),
            Column(
                "modalite", .choice(modalites), nullable: false, label: "Modalité",
                summary: "Présentiel (P) ou distanciel (D)."),
            Column(
                "lieu", .text(maxLength: nil), label: "Lieu",
                summary: "Adresse\u{202F}; «\u{A0}À distance\u{A0}» quand elle manque à une session à distance."),
            .amount("tarif_client", label: "Tarif client", summary: "Tarif facturé au client, en euros."),
            .amount("tarif_sous_traitant", label: "Tarif sous-traitant", summary: "Tarif payé au formateur, en euros."),
            .amount(
                "frais_rembourser", label: "Frais à rembourser",
                summary: "Frais de déplacement à rembourser, en euros."),
            // A reference is that of one session.
            Column("ref_contrat", .text(maxLength: 100), duplicated: false, label: "Référence du contrat"),
            Column("ecole_id", .bigint, label: "École", summary: "École pour laquelle la session a lieu."),
            Column("client_id", .bigint, label: "Client", summary: "Client qui achète la session."),
            Column("formateur_id", .bigint, label: "Formateur", summary: "Formateur qui anime la session."),
            Column(
                "programme_id", .bigint, label: "Programme",
                summary:
                    "Programme de la session\u{202F}; sans valeur à la création, ou avec un autre module, celui qui a cet intitulé."
            ),
            Column("effectif", .smallint(1...9999), label: "Effectif", summary: "Nombre de stagiaires."),
        ] + Column.bookkeeping,
        derived: [
            DerivedField(
                "marge", .decimal(precision: 12, scale: 2), label: "Marge",
                summary: "Tarif client moins tarif sous-traitant et frais\u{202F}; null sans tarif client."),
            DerivedField("duree_minutes", .integer, nullable: false, label: "Durée en minutes"),
            DerivedField(
                "statut", .choice(["a_venir": "À venir", "en_cours": "En cours", "terminee": "Terminée"]),
                nullable: false, prefilter: "statut_possible", label: "Statut",
                summary: "Où en est la session à l’heure qu’il est."),
            DerivedField(
                "en_conflit", .boolean, nullable: false, label: "En conflit",
                summary: "Son formateur a ce jour-là une autre session qui la chevauche."),
        ],
        relations: [
            Relation(
                "formateur", to: "formateurs", .toOne(column: "formateur_id"), label: "Formateur",
                summary: "Qui anime la session."),
            Relation(
                "client", to: "clients", .toOne(column: "client_id"), label: "Client",
                summary: "Qui achète la session."),
            Relation(
                "ecole", to: "ecoles", .toOne(column: "ecole_id"), label: "École",
                summary: "Pour qui la session a lieu."),
            Relation(
                "programme", to: "programmes", .toOne(column: "programme_id"), label: "Programme",
                summary: "Ce qui y est enseigné."),
        ],
        // The searchable text has the names of the trainer and the client, too.
        search: .crm(["module", "ref_contrat", "lieu"]),
        defaultOrder: [OrderTerm("date", descending: true), OrderTerm("debut")],
        rules: [.finAfterDebut, .noOverlap],
        access: access(to: "sessions"),
        isDuplicable: true)
}

extension Rule {
    /// Holds where `organisme.conflits_interdits` is true. Other sessions decide, so only the database can check it.
    static let noOverlap = Rule(
        constraint: "sessions_chevauchement", columns: ["formateur_id", "date", "debut", "fin"],
        message: CRM.Messages.overlap,
        effect: .conflict(
            reason: "overlap",
            facts: [
                Column("session", .bigint, nullable: false, summary: "L’autre session."),
                Column("module", .text(maxLength: 500), nullable: false, summary: "Son intitulé."),
                Column("date", .date, nullable: false, summary: "Son jour."),
                Column("debut", .time, nullable: false, summary: "Son heure de début."),
                Column("fin", .time, nullable: false, summary: "Son heure de fin."),
            ]),
        holds: nil)

    static let finAfterDebut = Rule(
        constraint: "sessions_fin_apres_debut", columns: ["debut", "fin"],
        message: CRM.Messages.endNotAfterStart, ascending: true
    ) { values in
        guard let debut = values["debut"]?.text.flatMap({ ClockTime($0) }),
            let fin = values["fin"]?.text.flatMap({ ClockTime($0) })
        else { return true }
        return debut < fin
    }
}
