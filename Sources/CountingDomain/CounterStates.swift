import DomainKit

extension Counting {
    /// What the counter of a location shows now: one record a location, with its id. Each command changes it once, so that
    /// the change feed says when to look.
    static let counterStates = Entity(
        name: "counter_states",
        noun: Noun("état de compteur", plural: "états de compteurs", feminine: false),
        columns: [
            .id,
            Column("location_id", .bigint, nullable: false, access: .readOnly, summary: "Lieu."),
            Column(
                "last_device_seen_at", .timestamp, access: .readOnly,
                summary: "Quand un appareil a appelé pour la dernière fois."),
            Column(
                "gateway_session_id", .text(maxLength: 64), access: .readOnly,
                summary: "Session de la passerelle qui tient le lieu, ou l’a tenu en dernier."),
            Column("gateway_seen_at", .timestamp, access: .readOnly, summary: "Dernier appel de cette passerelle."),
            Column(
                "gateway_conflict_at", .timestamp, access: .readOnly,
                summary: "Dernier appel d’une autre passerelle pendant qu’elle tenait le lieu."),
        ] + Column.bookkeeping,
        derived: [
            DerivedField("last_event_at", .timestamp, summary: "Instant du dernier passage."),
            DerivedField("current_count", .bigint, nullable: false, summary: "Personnes présentes."),
            DerivedField(
                "status", .choice(["ok", "warning", "full"]), nullable: false,
                summary:
                    "Statut\u{202F}: full à partir de la capacité, warning à partir de 80\u{A0}% de celle-ci, sinon ok."
            ),
            DerivedField(
                "occupancy_percent", .decimal(precision: 20, scale: 1), nullable: false,
                summary: "Personnes présentes en pour cent de la capacité."),
            DerivedField(
                "remaining", .bigint, nullable: false, summary: "Personnes que le lieu peut encore recevoir."),
            DerivedField("freshness_seconds", .bigint, summary: "Secondes entières depuis le dernier passage."),
            DerivedField(
                "is_online", .boolean, nullable: false,
                summary: "Vrai\u{202F}: un appareil a appelé assez récemment."),
            DerivedField(
                "gateway_conflict", .boolean, nullable: false,
                summary: "Vrai\u{202F}: deux passerelles viennent de se disputer le lieu."),
        ],
        relations: [.location],
        search: nil,
        defaultOrder: [OrderTerm("id")],
        access: readOnly, isInFeed: true)
}
