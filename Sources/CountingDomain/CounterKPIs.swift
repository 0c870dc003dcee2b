import DomainKit

extension Counting {
    /// `counter_kpis.list {location_id, …}`: the figures of an interval beside those of the one before, in one record.
    static let counterKPIs = Entity(
        name: "counter_kpis",
        source: .function("counter_kpis", Column.period + [.granularity]),
        noun: Noun("indicateur de comptage", plural: "indicateurs de comptage", feminine: false),
        columns: [
            .id,
            Column("location_id", .bigint, nullable: false, label: "Lieu"),
            Column("period_start", .timestamp, nullable: false, label: "Début de la période"),
            Column(
                "period_end", .timestamp, nullable: false, label: "Fin de la période",
                summary: "Fin de la période, exclue."),
            Column(
                "granularity", .choice(Column.granularities), nullable: false, label: "Granularité",
                summary: "Pas de la période."),
            totalIn.column, totalOut.column, net.column, peakOccupancy.column,
            Column(
                "peak_at", .timestamp, nullable: false, label: "Instant du maximum",
                summary: "Premier instant où le lieu était le plus fréquenté."),
            Column(
                "peak_bucket", .timestamp, label: "Intervalle du maximum",
                summary: "Début de l’intervalle de cet instant\u{202F}; null si le lieu était vide."),
            peakFlow.column,
            Column(
                "peak_flow_bucket", .timestamp, label: "Intervalle le plus passant",
                summary: "Début du premier intervalle qui a autant de passages\u{202F}; null sans passage."),
            averageOccupancy.column,
            Column(
                "closing_count", .bigint, nullable: false, label: "Présents à la fin",
                summary: "Personnes présentes juste avant la fin."),
            Column(
                "previous_start", .timestamp, nullable: false, label: "Début (période précédente)",
                summary: "Début de la période précédente."),
            Column(
                "previous_end", .timestamp, nullable: false, label: "Fin (période précédente)",
                summary: "Fin de la période précédente, exclue."),
        ] + comparedFigures.map(\.previous) + comparedFigures.map(\.change),
        relations: [.location],
        search: nil,
        defaultOrder: [OrderTerm("id")],
        access: readOnly)

    private static let comparedFigures = [totalIn, totalOut, net, peakOccupancy, peakFlow, averageOccupancy]

    private static let totalIn = ComparedFigure(name: "total_in", label: "Entrées")
    private static let totalOut = ComparedFigure(name: "total_out", label: "Sorties")
    private static let net = ComparedFigure(name: "net", label: "Solde", summary: "Entrées moins sorties")
    private static let peakOccupancy = ComparedFigure(
        name: "peak_occupancy", label: "Maximum",
        summary: "Plus grand nombre de personnes présentes, celui du début compris")
    private static let peakFlow = ComparedFigure(
        name: "peak_flow", label: "Maximum de passages", summary: "Plus grand nombre de passages dans un intervalle")
    private static let averageOccupancy = ComparedFigure(
        name: "average_occupancy", type: .average, label: "Moyenne",
        summary: "Nombre moyen de personnes présentes, selon le temps")
}

/// A figure that has a column for the interval, one for the interval before, and one for the difference.
private struct ComparedFigure {
    let name: String
    var type = FieldType.bigint
    let label: String
    /// What it is, without a full stop; nil: the label says it all.
    var summary: String?

    var column: Column {
        Column(name, type, nullable: false, label: label, summary: "\(summary ?? label).")
    }

    var previous: Column {
        Column(
            "previous_\(name)", type, nullable: false, label: "\(label) (période précédente)",
            summary: "\(summary ?? label) (période précédente).")
    }

    var change: Column {
        Column(
            "change_\(name)", type, nullable: false, label: "\(label) (différence)",
            summary: "\(summary ?? label) (différence avec la période précédente).")
    }
}
