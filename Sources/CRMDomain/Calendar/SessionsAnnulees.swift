import DomainKit

extension CRM {
    /// `sessions_annulees.list`: the sessions that were deleted lately, which calendars show as cancelled.
    static let sessionsAnnulees = Entity(
        name: "sessions_annulees",
        source: .function("sessions_annulees", []),
        noun: Noun("session annulée", plural: "sessions annulées", feminine: true),
        columns: [
            .id,
            Column("session_id", .bigint, nullable: false, summary: "Son identifiant avant sa suppression."),
            Column("module", .text(maxLength: nil), nullable: false, summary: "Intitulé de la formation."),
            Column("date", .date, nullable: false, summary: "Jour de la session."),
            Column("debut", .time, nullable: false, summary: "Heure de début."),
            Column("fin", .time, nullable: false, summary: "Heure de fin."),
            Column("modalite", .choice(["P", "D"]), nullable: false, summary: "Présentiel (P) ou distanciel (D)."),
            Column("lieu", .text(maxLength: nil), summary: "Adresse."),
            Column("formateur_id", .bigint, summary: "Formateur qui l’animait."),
            Column("client_id", .bigint, summary: "Client qui l’achetait."),
            Column("ecole_id", .bigint, summary: "École pour laquelle elle avait lieu."),
            Column("version", .integer, nullable: false, summary: "Sa dernière version."),
            Column("created_at", .timestamp, nullable: false, summary: "Date de création."),
            Column("annulee_le", .timestamp, nullable: false, summary: "Quand elle a été supprimée."),
        ],
        search: nil,
        defaultOrder: [OrderTerm("annulee_le", descending: true)],
        access: readOnly)
}
