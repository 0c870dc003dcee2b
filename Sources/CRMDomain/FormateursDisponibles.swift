import DomainKit
import JSON

extension CRM {
    /// `formateurs_disponibles.list {date, debut, fin, …}`: the trainers who are free then. Trainers who have taught the
    /// module come first, then those of the department, then those with few sessions that day and that week.
    static let formateursDisponibles = Entity(
        name: "formateurs_disponibles",
        source: .function(
            "formateurs_disponibles",
            [
                Column("date", .date, nullable: false, label: "Date", summary: "Jour de la session à pourvoir."),
                Column("debut", .time, nullable: false, label: "Début", summary: "Heure de début."),
                Column("fin", .time, nullable: false, label: "Fin", summary: "Heure de fin, après le début."),
                Column(
                    "sauf_session", .bigint, label: "Session exclue",
                    summary: "Session qui ne compte pas\u{202F}: celle que l’on déplace."),
                Column(
                    "code_postal", .text(maxLength: 10), format: .postalCode, label: "Code postal",
                    summary: "Code postal du lieu de la session."),
                Column("module", .text(maxLength: 500), label: "Module", summary: "Intitulé de la formation."),
            ]),
        noun: Noun("formateur disponible", plural: "formateurs disponibles", feminine: false),
        columns: [
            .id,
            Column(
                "formateur_id", .bigint, nullable: false, label: "Formateur",
                summary: "Formateur, dont c’est aussi l’identifiant."),
            Column(
                "sessions_du_jour", .bigint, nullable: false, label: "Sessions du jour",
                summary: "Nombre de ses sessions ce jour-là."),
            Column(
                "sessions_de_la_semaine", .bigint, nullable: false, label: "Sessions de la semaine",
                summary: "Nombre de ses sessions du lundi au dimanche de cette semaine."),
            Column(
                "derniere_session", .date, label: "Dernière session",
                summary: "Jour de sa dernière session jusque-là, ce jour compris."),
            Column(
                "meme_departement", .boolean, nullable: false, label: "Même département",
                summary: "Son code postal est du département de code_postal."),
            Column(
                "a_deja_enseigne", .boolean, nullable: false, label: "Module déjà enseigné",
                summary: "Il a animé une session de ce module, sans égard à la casse ni aux accents."),
        ],
        relations: [
            Relation(
                "formateur", to: "formateurs", .toOne(column: "formateur_id"), label: "Formateur",
                summary: "Qui est disponible.")
        ],
        search: nil,
        defaultOrder: [
            OrderTerm("a_deja_enseigne", descending: true), OrderTerm("meme_departement", descending: true),
            OrderTerm("sessions_du_jour"), OrderTerm("sessions_de_la_semaine"), OrderTerm("formateur.nom"),
            OrderTerm("formateur.prenom"),
        ],
        rules: [.finAfterDebut],
        access: readOnly)
}
