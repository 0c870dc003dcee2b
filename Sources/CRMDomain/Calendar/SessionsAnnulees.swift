import DomainKit

extension CRM {
    /// `sessions_annulees.list`: the sessions that were deleted lately, which calendars show as cancelled.
    static let sessionsAnnulees = Entity(
        name: "sessions_annulees",
        source: .function("sessions_annulees", []),
        noun: Noun("session annulée", plural: "sessions annulées", feminine: true),
        columns: [
            .id,
            Column(
                "session_id", .bigint, nullable: false, label: "Session",
                summary: "Son identifiant avant sa suppression."),
            Column(
                "module", .text(maxLength: nil), nullable: false, label: "Module", summary: "Intitulé de la formation."),
            Column("date", .date, nullable: false, label: "Date", summary: "Jour de la session."),
            Column("debut", .time, nullable: false, label: "Début", summary: "Heure de début."),
            Column("fin", .time, nullable: false, label: "Fin", summary: "Heure de fin."),
            Column(
                "modalite", .choice(modalites), nullable: false, label: "Modalité",
                summary: "Présentiel (P) ou distanciel (D)."),
            Column("lieu", .text(maxLength: nil), label: "Lieu", summary: "Adresse."),
            Column("formateur_id", .bigint, label: "Formateur", summary: "Formateur qui l’animait."),
            Column("client_id", .bigint, label: "Client", summary: "Client qui l’achetait."),
            Column("ecole_id", .bigint, label: "École", summary: "École pour laquelle elle avait lieu."),
            Column("version", .integer, nullable: false, label: "Version", summary: "Sa dernière version."),
            Column("created_at", .timestamp, nullable: false, label: "Création", summary: "Date de création."),
            Column(
                "annulee_le", .timestamp, nullable: false, label: "Annulée le", summary: "Quand elle a été supprimée."),
        ],
        search: nil,
        defaultOrder: [OrderTerm("annulee_le", descending: true)],
        access: readOnly)
}
