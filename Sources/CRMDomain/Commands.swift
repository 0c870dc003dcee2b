import DomainKit

extension CRM {
    static let commands = [
        merge(clients), merge(formateurs, further: [.noOverlap]), merge(ecoles), decaler, repeter,
        attribuerReference, annoncer, ouvrirOrganisme, rattacherProgrammes,
    ]

    /// `X.fusionner`: one record of `entity` absorbs another one.
    ///
    /// - Parameter rules: those of the sessions that move with it.
    private static func merge(_ entity: Entity, further rules: [Rule] = []) -> Command {
        let (one, it) = entity.noun.isFeminine ? ("l’une", "celle") : ("l’un", "celui")
        return Command(
            name: "\(entity.name).fusionner", label: "Fusionner",
            summary: "Réunit deux \(entity.noun.plural)\u{202F}: \(one) absorbe l’autre, avec ses sessions.",
            parameters: [
                Column(
                    "garde", .bigint, nullable: false, of: entity.name, label: "Fiche qui reste",
                    summary: "L’identifiant de \(it) qui reste."),
                Column(
                    "absorbe", .bigint, nullable: false, of: entity.name, label: "Fiche qui disparaît",
                    summary: "L’identifiant de \(it) qui disparaît."),
                Column(
                    "values", .json(entity.changes), label: "Valeurs",
                    summary:
                        "Des valeurs pour \(it) qui reste, null compris\u{202F}; sans elles, ce qui y manque vient de l’autre."
                ),
            ],
            function: "public.\(entity.name)_fusionner", answers: .record(of: entity.name), roles: [.admin],
            rules: [
                Rule(
                    constraint: "\(entity.name)_fusionner_deux", columns: ["garde", "absorbe"],
                    message: Messages.sameRecord
                ) { values in
                    values["garde"] != values["absorbe"]
                }
            ] + rules)
    }

    /// `sessions.decaler`: a session at another date or hour.
    private static let decaler = Command(
        name: "sessions.decaler", label: "Décaler",
        summary:
            "Décale une session\u{202F}; avec un nouveau début seul, elle garde sa durée. Sans select, la réponse dit"
            + " aussi si elle est en_conflit.",
        parameters: [
            Column("id", .bigint, nullable: false, of: "sessions", label: "Session", summary: "L’identifiant."),
            Column("date", .date, label: "Nouvelle date", summary: "Le nouveau jour."),
            Column("debut", .time, label: "Nouveau début", summary: "La nouvelle heure de début."),
            Column("fin", .time, label: "Nouvelle fin", summary: "La nouvelle heure de fin."),
            Column(
                "if_version", .integer, label: "Version attendue",
                summary: "La version attendue\u{202F}; toute autre est un conflit."),
        ],
        function: "public.sessions_decaler", answers: .record(of: "sessions"),
        selection: "{ \(sessions.columns.map(\.name).joined(separator: " ")) en_conflit }", roles: [.user, .admin],
        rules: [
            .finAfterDebut,
            Rule(
                constraint: "sessions_decaler_minuit", columns: ["debut"], message: Messages.endAfterMidnight,
                holds: nil
            ),
        ])

    /// `sessions.repeter`: copies of a session at other dates.
    private static let repeter = Command(
        name: "sessions.repeter", label: "Répéter",
        summary:
            "Copie une session à d’autres dates\u{202F}: toutes, ou aucune. Les copies n’ont pas de référence de contrat.",
        parameters: [
            Column("id", .bigint, nullable: false, of: "sessions", label: "Session", summary: "L’identifiant."),
            Column(
                "dates", .json(.list(of: .date, count: 1...60)), nullable: false, label: "Dates",
                summary: "Les dates des copies, chacune une fois."),
        ],
        function: "public.sessions_repeter", answers: .records(of: "sessions", atMost: 60), roles: [.user, .admin],
        rules: [
            Rule(
                constraint: "sessions_repeter_dates", columns: ["dates"], message: Messages.dateTwice, holds: nil),
            Rule(
                constraint: "sessions_repeter_nombre", columns: ["dates"], message: Messages.oneToSixtyDates, holds: nil
            ),
        ])

    /// `sessions.attribuer_reference`: the next reference of a contract.
    private static let attribuerReference = Command(
        name: "sessions.attribuer_reference", label: "Attribuer une référence",
        summary:
            "Donne à une session la référence de contrat suivante de l’année de sa date, CT-2026-014 par exemple\u{202F};"
            + " celle qu’elle a déjà reste.",
        parameters: [
            Column("id", .bigint, nullable: false, of: "sessions", label: "Session", summary: "L’identifiant."),
            Column(
                "if_version", .integer, label: "Version attendue",
                summary: "La version attendue\u{202F}; toute autre est un conflit."),
        ],
        function: "public.sessions_attribuer_reference", answers: .record(of: "sessions"), roles: [.user, .admin])
}
