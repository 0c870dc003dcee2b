import DomainKit

extension Counting {
    /// `counter_charts.list {location_id, …}`: every bucket of an interval, empty ones too.
    static let counterCharts = Entity(
        name: "counter_charts",
        source: .function("counter_charts", Column.period + [.granularity]),
        noun: Noun("point de courbe", plural: "points de courbe", feminine: false),
        columns: [
            .id,
            Column("location_id", .bigint, nullable: false, label: "Lieu"),
            Column("bucket_start", .timestamp, nullable: false, label: "Début"),
            Column("bucket_end", .timestamp, nullable: false, label: "Fin", summary: "Fin, exclue."),
            Column(
                "operational_day", .date, nullable: false, label: "Journée d’exploitation",
                summary: "Journée d’exploitation du début."),
            Column("total_in", .bigint, nullable: false, label: "Entrées"),
            Column("total_out", .bigint, nullable: false, label: "Sorties"),
            Column("net", .bigint, nullable: false, label: "Solde", summary: "Entrées moins sorties."),
            Column("flow", .bigint, nullable: false, label: "Passages", summary: "Passages, dans les deux sens."),
            Column(
                "peak_occupancy", .bigint, nullable: false, label: "Maximum",
                summary: "Plus grand nombre de personnes présentes, celui du début compris."),
            Column(
                "average_occupancy", .average, nullable: false, label: "Moyenne",
                summary: "Nombre moyen de personnes présentes, selon le temps."),
            Column(
                "closing_count", .bigint, nullable: false, label: "Présents à la fin",
                summary: "Personnes présentes juste avant la fin."),
        ],
        relations: [.location],
        search: nil,
        defaultOrder: [OrderTerm("id")],
        rules: [
            Rule(
                constraint: "counter_charts_buckets", columns: ["granularity"],
                message:
                    "Choisissez un pas plus long ou une période plus courte\u{202F}: 10\u{202F}000 points au plus.",
                holds: nil)
        ],
        access: readOnly)
}
