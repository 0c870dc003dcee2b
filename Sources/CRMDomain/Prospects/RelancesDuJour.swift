import DomainKit

extension CRM {
    /// `relances_du_jour.list {jour?}`: what is due that day, or was due before it, of prospects that are neither won nor lost.
    static let relancesDuJour = Entity(
        name: "relances_du_jour",
        source: .function(
            "relances_du_jour",
            [Column("jour", .date, label: "Jour", summary: "Jour\u{202F}; aujourd’hui s’il manque.")]),
        noun: Noun("relance du jour", plural: "relances du jour", feminine: true),
        columns: [
            .id,
            Column("prospect_id", .bigint, nullable: false, label: "Prospect", summary: "Prospect à relancer."),
            Column("relance_id", .bigint, nullable: false, label: "Relance", summary: "Relance prévue."),
            Column("responsable_id", .bigint, label: "Responsable", summary: "Utilisateur qui suit le prospect."),
            Column("date", .date, nullable: false, label: "Date", summary: "Jour prévu."),
            Column(
                "retard", .integer, nullable: false, label: "Jours de retard", summary: "Nombre de jours de retard."),
            Column("canal", .text(maxLength: nil), label: "Canal", summary: "Par quel moyen."),
            Column("note", .text(maxLength: nil), label: "Note", summary: "Ce qu’il faut dire."),
        ],
        relations: [
            Relation(
                "prospect", to: "prospects", .toOne(column: "prospect_id"), label: "Prospect",
                summary: "Qui est à relancer."),
            Relation(
                "relance", to: "relances", .toOne(column: "relance_id"), label: "Relance",
                summary: "La relance prévue."),
            Relation(
                "responsable", to: "users", .toOne(column: "responsable_id"), label: "Responsable",
                summary: "Qui suit le prospect."),
        ],
        search: nil,
        defaultOrder: [OrderTerm("date")],
        access: readOnly)
}
