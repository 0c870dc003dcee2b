import DomainKit

extension Counting {
    /// `counter_issues.list {location_id, …}`: what makes one doubt the figures of an interval, or act.
    static let counterIssues = Entity(
        name: "counter_issues",
        source: .function("counter_issues", Column.period),
        noun: Noun("anomalie", plural: "anomalies", feminine: true),
        columns: [
            .id,
            Column("location_id", .bigint, nullable: false, label: "Lieu"),
            Column(
                "kind",
                .choice([
                    "missing_events": "Passages manquants", "sequence_reset": "Compteur reparti de zéro",
                    "clock_skew": "Horloge fausse", "gateway_conflict": "Deux passerelles à la fois",
                    "overcrowding": "Capacité dépassée", "stale_device": "Compteur silencieux",
                ]), nullable: false, label: "Nature",
                summary:
                    "Nature\u{202F}: missing_events, des numéros manquent\u{202F}; sequence_reset, la numérotation a"
                    + " recommencé\u{202F}; clock_skew, une horloge est fausse\u{202F}; gateway_conflict, deux"
                    + " passerelles\u{202F}; overcrowding, trop de monde\u{202F}; stale_device, un appareil muet."
            ),
            Column("device_id", .bigint, label: "Appareil", summary: "Appareil\u{202F}; null pour overcrowding."),
            Column("starts_at", .timestamp, nullable: false, label: "Début"),
            Column("ends_at", .timestamp, label: "Fin", summary: "Fin\u{202F}; null si l’anomalie dure."),
            Column(
                "value", .bigint, nullable: false, label: "Valeur",
                summary: "Nombre d’évènements manquants, série, nombre de passages, affluence ou secondes, selon kind."),
            Column(
                "detail", .text(maxLength: nil), label: "Session de la passerelle",
                summary: "Session de la passerelle, pour gateway_conflict."),
        ],
        relations: [.location, .device],
        search: nil,
        defaultOrder: [OrderTerm("id")],
        access: readOnly)
}
