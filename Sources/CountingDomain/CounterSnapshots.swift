import DomainKit

extension Counting {
    /// The figures of a day as they were when it was closed. What arrives later changes none of them.
    static let counterSnapshots = Entity(
        name: "counter_snapshots",
        noun: Noun("clôture", plural: "clôtures", feminine: true),
        columns: [
            .id,
            Column("location_id", .bigint, nullable: false, access: .readOnly, summary: "Lieu."),
            Column(
                "operational_day", .date, nullable: false, access: .readOnly, summary: "Journée d’exploitation."),
            Column("starts_at", .timestamp, nullable: false, access: .readOnly, summary: "Début."),
            Column("ends_at", .timestamp, nullable: false, access: .readOnly, summary: "Fin."),
            Column(
                "reason", .choice(["day_end", "admin"]), nullable: false, access: .readOnly,
                summary: "Motif\u{202F}: day_end si la journée était finie, admin si un administrateur l’a close."),
            Column(
                "closing_count", .bigint, nullable: false, access: .readOnly, summary: "Personnes présentes à la fin."),
            Column("total_in", .bigint, nullable: false, access: .readOnly, summary: "Entrées."),
            Column("total_out", .bigint, nullable: false, access: .readOnly, summary: "Sorties."),
            Column(
                "peak_occupancy", .bigint, nullable: false, access: .readOnly,
                summary: "Plus grand nombre de personnes présentes."),
            Column(
                "average_occupancy", .average, nullable: false, access: .readOnly,
                summary: "Nombre moyen de personnes présentes, selon le temps."),
            Column("user_id", .bigint, access: .readOnly, summary: "Compte qui a clos la journée."),
        ] + Column.bookkeeping,
        relations: [.location, .user],
        search: nil,
        defaultOrder: [OrderTerm("starts_at", descending: true), OrderTerm("id", descending: true)],
        access: readOnly, isInFeed: true)
}

extension FieldType {
    /// An average number of people.
    static let average = FieldType.decimal(precision: 20, scale: 2)
}
