import DomainKit

extension Counting {
    /// `counter_issues.list {location_id, …}`: what makes one doubt the figures of an interval, or act.
    static let counterIssues = Entity(
        name: "counter_issues",
        source: .function("counter_issues", Column.period),
        noun: Noun("anomalie", plural: "anomalies", feminine: true),
        columns: [
            .id,
            Column("location_id", .bigint, nullable: false, summary: "Lieu."),
            Column(
                "kind",
                .choice([
                    "missing_events", "sequence_reset", "clock_skew", "gateway_conflict", "overcrowding",
                    "stale_device",
                ]), nullable: false,
                summary:
                    "Nature\u{202F}: missing_events, des numéros manquent\u{202F}; sequence_reset, la numérotation a"
                    + " recommencé\u{202F}; clock_skew, une horloge est fausse\u{202F}; gateway_conflict, deux"
                    + " passerelles\u{202F}; overcrowding, trop de monde\u{202F}; stale_device, un appareil muet."
            ),
            Column("device_id", .bigint, summary: "Appareil\u{202F}; null pour overcrowding."),
            Column("starts_at", .timestamp, nullable: false, summary: "Début."),
            Column("ends_at", .timestamp, summary: "Fin\u{202F}; null si l’anomalie dure."),
            Column(
                "value", .bigint, nullable: false,
                summary: "Nombre d’évènements manquants, série, nombre de passages, affluence ou secondes, selon kind."),
            Column("detail", .text(maxLength: nil), summary: "Session de la passerelle, pour gateway_conflict."),
        ],
        relations: [.location, .device],
        search: nil,
        defaultOrder: [OrderTerm("id")],
        access: readOnly)
}
