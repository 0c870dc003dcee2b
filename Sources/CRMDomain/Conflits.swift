import DomainKit
import JSON

extension CRM {
    /// `conflits.list {du, au}`: the pairs of sessions that overlap and have the same trainer. A conflict is shown, not
    /// forbidden.
    static let conflits = Entity(
        name: "conflits",
        source: .function("conflits", Column.period),
        noun: Noun("conflit", plural: "conflits", feminine: false),
        columns: [
            .id,
            Column(
                "session_id", .bigint, nullable: false, label: "Session", summary: "Session qui commence la première."),
            Column("autre_id", .bigint, nullable: false, label: "Autre session", summary: "Session qui la chevauche."),
            Column(
                "formateur_id", .bigint, nullable: false, label: "Formateur", summary: "Formateur qui anime les deux."),
            Column("date", .date, nullable: false, label: "Date", summary: "Jour des deux sessions."),
            Column(
                "minutes", .integer, nullable: false, label: "Chevauchement en minutes",
                summary: "Durée du chevauchement en minutes."),
        ],
        relations: [
            Relation(
                "session", to: "sessions", .toOne(column: "session_id"), label: "Session",
                summary: "Celle qui commence la première."),
            Relation(
                "autre", to: "sessions", .toOne(column: "autre_id"), label: "Autre session",
                summary: "Celle qui la chevauche."),
            Relation(
                "formateur", to: "formateurs", .toOne(column: "formateur_id"), label: "Formateur",
                summary: "Qui anime les deux."),
        ],
        search: nil,
        defaultOrder: [
            OrderTerm("date"), OrderTerm("session.debut"), OrderTerm("session_id"), OrderTerm("autre_id"),
        ],
        rules: [.auNotBeforeDu],
        access: readOnly)
}

extension Column {
    /// The parameters `du` and `au`, two days that both belong to the period.
    static let period = [
        Column("du", .date, nullable: false, label: "Premier jour"),
        Column(
            "au", .date, nullable: false, label: "Dernier jour",
            summary: "Dernier jour, compris\u{202F}; pas avant le premier."),
    ]
}

extension Rule {
    static let auNotBeforeDu = Rule(
        constraint: "au_pas_avant_du", columns: ["du", "au"], message: CRM.Messages.lastDayBeforeFirst,
        ascending: true
    ) { values in
        guard let du = values["du"]?.text.flatMap({ CalendarDate($0) }),
            let au = values["au"]?.text.flatMap({ CalendarDate($0) })
        else { return true }
        return du <= au
    }
}
