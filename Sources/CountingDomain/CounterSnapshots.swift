import DomainKit

extension Counting {
    /// The figures of a day as they were when it was closed. What arrives later changes none of them.
    static let counterSnapshots = Entity(
        name: "counter_snapshots",
        noun: Noun("clôture", plural: "clôtures", feminine: true),
        columns: [
            .id,
            Column("location_id", .bigint, nullable: false, access: .readOnly, label: "Lieu"),
            Column("operational_day", .date, nullable: false, access: .readOnly, label: "Journée d’exploitation"),
            Column("starts_at", .timestamp, nullable: false, access: .readOnly, label: "Début"),
            Column("ends_at", .timestamp, nullable: false, access: .readOnly, label: "Fin"),
            Column(
                "reason", .choice(["day_end": "Journée finie", "admin": "Close par un administrateur"]),
                nullable: false, access: .readOnly, label: "Motif",
                summary: "Motif\u{202F}: day_end si la journée était finie, admin si un administrateur l’a close."),
            Column(
                "closing_count", .bigint, nullable: false, access: .readOnly, label: "Présents à la fin",
                summary: "Personnes présentes à la fin."),
            Column("total_in", .bigint, nullable: false, access: .readOnly, label: "Entrées"),
            Column("total_out", .bigint, nullable: false, access: .readOnly, label: "Sorties"),
            Column(
                "peak_occupancy", .bigint, nullable: false, access: .readOnly, label: "Maximum",
                summary: "Plus grand nombre de personnes présentes."),
            Column(
                "average_occupancy", .average, nullable: false, access: .readOnly, label: "Moyenne",
                summary: "Nombre moyen de personnes présentes, selon le temps."),
            Column("user_id", .bigint, access: .readOnly, label: "Compte", summary: "Compte qui a clos la journée."),
        ] + Column.bookkeeping,
        relations: [.ownLocation, .user],
        search: nil,
        defaultOrder: [OrderTerm("starts_at", descending: true), OrderTerm("id", descending: true)],
        access: readOnly, isInFeed: true)
}

extension FieldType {
    /// An average number of people.
    static let average = FieldType.decimal(precision: 20, scale: 2)
}
