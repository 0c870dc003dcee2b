import DomainKit
import JSON

extension CRM {
    /// The stages of a prospect. `prospects.avancer` moves it along the ways that `etapes_suivantes` has, an SQL function.
    static let etapes: Choices = [
        "a_contacter": "À contacter", "contacte": "Contacté", "proposition": "Proposition", "gagne": "Gagné",
        "perdu": "Perdu",
    ]

    static let prospects = Entity(
        name: "prospects",
        noun: Noun("prospect", plural: "prospects", feminine: false),
        columns: [
            .id,
            .requiredText("raison_sociale", maxLength: 255, label: "Raison sociale", summary: "Nom de l’entreprise."),
        ] + Column.contact + [
            Column("ville", .text(maxLength: 100), label: "Ville"),
            Column(
                "source", .text(maxLength: 100), label: "Source", summary: "Par où il est venu, comme salon ou site."),
            .amount("montant_estime", label: "Montant estimé", summary: "Chiffre d’affaires espéré, en euros."),
            Column(
                "probabilite", .smallint(0...100), label: "Probabilité", summary: "Chance de l’obtenir, en pour cent."),
            Column(
                "prochaine_relance", .date, label: "Prochaine relance",
                summary: "Jour de sa prochaine relance à faire\u{202F}; l’écrire déplace celle-ci ou en prévoit une,"
                    + " null les marque toutes faites."),
            Column(
                "responsable_id", .bigint, hasDefault: true, label: "Responsable",
                summary: "Utilisateur qui le suit\u{202F}; sans valeur, celui qui crée la fiche."),
            Column(
                "etape", .choice(etapes), nullable: false, default: "a_contacter", access: .readOnly, label: "Étape",
                summary: "Où il en est\u{202F}; prospects.avancer et prospects.convertir le changent."),
            Column(
                "motif", .text(maxLength: 500), access: .readOnly, label: "Motif",
                summary: "Raison du dernier changement d’étape\u{202F}; un prospect perdu en a une."),
            Column("client_id", .bigint, access: .readOnly, label: "Client", summary: "Client qu’il est devenu."),
        ] + Column.bookkeeping,
        derived: [
            .phoneLink,
            DerivedField(
                "etapes_suivantes", .json(.list(of: .choice(etapes), count: 0...etapes.words.count)), nullable: false,
                label: "Étapes suivantes",
                summary: "Les étapes où prospects.avancer peut le mener, la suite en premier."),
        ],
        relations: [
            Relation(
                "relances", to: "relances", .toMany(column: "prospect_id"), label: "Relances", summary: "Ses relances."),
            Relation(
                "client", to: "clients", .toOne(column: "client_id"), label: "Client",
                summary: "Le client qu’il est devenu."),
            Relation(
                "responsable", to: "users", .toOne(column: "responsable_id"), label: "Responsable",
                summary: "Qui le suit."),
        ],
        search: .crm(["raison_sociale", "ville", "nom_contact"]),
        defaultOrder: [OrderTerm("raison_sociale")],
        // Users give prospects to each other, without reading accounts.
        disclosingConstraints: ["prospects_responsable_id_fkey"],
        access: access(to: "prospects"),
        personal: [
            "raison_sociale": "Prospect effacé", "ville": nil, "nom_contact": nil, "email": nil, "telephone": nil,
        ])

    static let relances = Entity(
        name: "relances",
        noun: Noun("relance", plural: "relances", feminine: true),
        columns: [
            .id,
            Column("prospect_id", .bigint, nullable: false, label: "Prospect", summary: "Prospect à relancer."),
            Column("date", .date, nullable: false, label: "Date", summary: "Jour prévu."),
            Column(
                "canal",
                .choice([
                    "telephone": "Téléphone", "email": "E-mail", "rendez_vous": "Rendez-vous", "courrier": "Courrier",
                    "autre": "Autre",
                ]), nullable: false, default: "telephone", label: "Canal", summary: "Par quel moyen."),
            Column(
                "note", .text(maxLength: Column.longText), label: "Note",
                summary: "Ce qu’il faut dire, ou ce qui a été dit."),
            Column("faite", .boolean, nullable: false, default: false, label: "Faite", summary: "Elle a eu lieu."),
        ] + Column.bookkeeping,
        relations: [
            Relation(
                "prospect", to: "prospects", .toOne(column: "prospect_id"), label: "Prospect",
                summary: "Qui est à relancer.")
        ],
        search: nil,
        defaultOrder: [OrderTerm("date")],
        access: access(to: "relances"))
}

extension Rule {
    /// A trigger refuses every other way, also at psql.
    static let etapeSuivante = Rule(
        constraint: "prospects_etape_suivante", columns: ["etape"], message: CRM.Messages.otherStage,
        effect: .conflict(
            reason: "etape",
            facts: [
                Column("etape", .choice(CRM.etapes), summary: "Étape où il en est."),
                Column(
                    "suivantes", .json(.list(of: .choice(CRM.etapes), count: 0...CRM.etapes.words.count)),
                    nullable: false, summary: "Étapes où il peut aller."),
            ]),
        holds: nil)
}
