import DomainKit
import JSON

extension CRM {
    /// What a training teaches, to whom and how: what an agreement says of it besides its day and its price (article D. 6353-1 of
    /// the Code du travail).
    static let programmes = Entity(
        name: "programmes",
        noun: Noun("programme", plural: "programmes", feminine: false),
        columns: [
            .id,
            .requiredText(
                "intitule", maxLength: 500, label: "Intitulé",
                summary:
                    "Intitulé de la formation\u{202F}; aucun autre programme n’a le même, à la casse et aux accents près."
            ),
            Column(
                "objectifs", .text(maxLength: 10_000), label: "Objectifs",
                summary: "Objectifs de la formation, un par ligne."),
            Column("public", .text(maxLength: 10_000), label: "Public", summary: "À qui elle s’adresse."),
            Column(
                "prerequis", .text(maxLength: 10_000), label: "Prérequis",
                summary: "Ce qu’il faut savoir ou avoir pour la suivre."),
            Column(
                "contenu", .text(maxLength: 10_000), label: "Contenu", summary: "Son contenu, une partie par ligne."),
            Column(
                "moyens", .text(maxLength: 10_000), label: "Moyens pédagogiques et techniques",
                summary: "Moyens pédagogiques, techniques et d’encadrement."),
            Column(
                "suivi_evaluation", .text(maxLength: 10_000), label: "Suivi et évaluation",
                summary: "Comment son exécution est suivie et ses résultats évalués."),
            Column(
                "sanction", .text(maxLength: 10_000), label: "Sanction",
                summary: "Ce qui la sanctionne, comme une attestation."),
            Column(
                "duree_conseillee", .decimal(precision: 7, scale: 2), minimum: 0, label: "Durée conseillée",
                summary: "Durée conseillée, en heures."),
        ] + Column.bookkeeping,
        derived: [.sessionCount],
        relations: [
            Relation(
                "sessions", to: "sessions", .toMany(column: "programme_id"), label: "Sessions",
                summary: "Ses sessions.")
        ],
        search: .crm(["intitule", "objectifs", "contenu"]),
        defaultOrder: [OrderTerm("intitule")],
        access: access(to: "programmes"))

    /// `programmes.rattacher`: the programmes of sessions that are older than these.
    static let rattacherProgrammes = Command(
        name: "programmes.rattacher", label: "Rattacher les sessions",
        summary:
            "Donne aux sessions sans programme celui dont l’intitulé est leur module\u{202F}; 5\u{202F}000 au plus par appel.",
        parameters: [
            Column(
                "id", .bigint, of: "programmes", label: "Programme",
                summary: "Un programme\u{202F}; sans lui, les sessions de tous les programmes.")
        ],
        function: "public.programmes_rattacher",
        answers: .value(
            .object([
                Column(
                    "rattachees", .integer, nullable: false, label: "Sessions rattachées",
                    summary: "Sessions qui ont reçu un programme."),
                Column(
                    "reste", .boolean, nullable: false, label: "Il en reste",
                    summary: "Vrai\u{202F}: il en reste, pour un autre appel."),
            ])), roles: [.admin])
}
