import DomainKit

extension Counting {
    /// `counter_kpis.list {location_id, …}`: the figures of an interval beside those of the one before, in one record.
    static let counterKPIs = Entity(
        name: "counter_kpis",
        source: .function("counter_kpis", Column.period + [.granularity]),
        noun: Noun("indicateur de comptage", plural: "indicateurs de comptage", feminine: false),
        columns: [
            .id,
            Column("location_id", .bigint, nullable: false, summary: "Lieu."),
            Column("period_start", .timestamp, nullable: false, summary: "Début de la période."),
            Column("period_end", .timestamp, nullable: false, summary: "Fin de la période, exclue."),
            Column("granularity", .choice(Column.granularities), nullable: false, summary: "Pas de la période."),
            totalIn.column, totalOut.column, net.column, peakOccupancy.column,
            Column(
                "peak_at", .timestamp, nullable: false, summary: "Premier instant où le lieu était le plus fréquenté."),
            Column(
                "peak_bucket", .timestamp,
                summary: "Début de l’intervalle de cet instant\u{202F}; null si le lieu était vide."),
            peakFlow.column,
            Column(
                "peak_flow_bucket", .timestamp,
                summary: "Début du premier intervalle qui a autant de passages\u{202F}; null sans passage."),
            averageOccupancy.column,
            Column("closing_count", .bigint, nullable: false, summary: "Personnes présentes juste avant la fin."),
            Column("previous_start", .timestamp, nullable: false, summary: "Début de la période précédente."),
            Column("previous_end", .timestamp, nullable: false, summary: "Fin de la période précédente, exclue."),
        ] + comparedFigures.map(\.previous) + comparedFigures.map(\.change),
        relations: [.location],
        search: nil,
        defaultOrder: [OrderTerm("id")],
        access: readOnly)

    private static let comparedFigures = [totalIn, totalOut, net, peakOccupancy, peakFlow, averageOccupancy]

    private static let totalIn = ComparedFigure(name: "total_in", summary: "Entrées")
    private static let totalOut = ComparedFigure(name: "total_out", summary: "Sorties")
    private static let net = ComparedFigure(name: "net", summary: "Entrées moins sorties")
    private static let peakOccupancy = ComparedFigure(
        name: "peak_occupancy", summary: "Plus grand nombre de personnes présentes, celui du début compris")
    private static let peakFlow = ComparedFigure(
        name: "peak_flow", summary: "Plus grand nombre de passages dans un intervalle")
    private static let averageOccupancy = ComparedFigure(
        name: "average_occupancy", type: .average, summary: "Nombre moyen de personnes présentes, selon le temps")
}

/// A figure that has a column for the interval, one for the interval before, and one for the difference.
private struct ComparedFigure {
    let name: String
    var type = FieldType.bigint
    let summary: String

    var column: Column { Column(name, type, nullable: false, summary: "\(summary).") }

    var previous: Column {
        Column("previous_\(name)", type, nullable: false, summary: "\(summary) (période précédente).")
    }

    var change: Column {
        Column("change_\(name)", type, nullable: false, summary: "\(summary) (différence avec la période précédente).")
    }
}
