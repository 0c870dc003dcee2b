import DomainKit

extension Counting {
    /// What the counter of a location shows now: one record a location, with its id. Each command changes it once, so that
    /// the change feed says when to look.
    static let counterStates = Entity(
        name: "counter_states",
        noun: Noun("état de compteur", plural: "états de compteurs", feminine: false),
        columns: [
            .id,
            Column("location_id", .bigint, nullable: false, access: .readOnly, label: "Lieu"),
            Column(
                "last_device_seen_at", .timestamp, access: .readOnly, label: "Dernier appel d’un appareil",
                summary: "Quand un appareil a appelé pour la dernière fois."),
            Column(
                "gateway_session_id", .text(maxLength: 64), access: .readOnly, label: "Session de la passerelle",
                summary: "Session de la passerelle qui tient le lieu, ou l’a tenu en dernier."),
            Column(
                "gateway_seen_at", .timestamp, access: .readOnly, label: "Dernier appel de la passerelle",
                summary: "Dernier appel de cette passerelle."),
            Column(
                "gateway_conflict_at", .timestamp, access: .readOnly, label: "Dernier conflit de passerelles",
                summary: "Dernier appel d’une autre passerelle pendant qu’elle tenait le lieu."),
        ] + Column.bookkeeping,
        derived: [
            DerivedField("last_event_at", .timestamp, label: "Dernier passage", summary: "Instant du dernier passage."),
            DerivedField("current_count", .bigint, nullable: false, label: "Personnes présentes"),
            DerivedField(
                "status", .occupancyStatus, nullable: false, label: "Statut",
                summary:
                    "Statut\u{202F}: full à partir de la capacité, warning à partir de 80\u{A0}% de celle-ci, sinon ok."
            ),
            DerivedField(
                "occupancy_percent", .decimal(precision: 20, scale: 1), nullable: false, label: "Occupation, en %",
                summary: "Personnes présentes en pour cent de la capacité."),
            DerivedField(
                "remaining", .bigint, nullable: false, label: "Places libres",
                summary: "Personnes que le lieu peut encore recevoir."),
            DerivedField(
                "freshness_seconds", .bigint, label: "Secondes sans passage",
                summary: "Secondes entières depuis le dernier passage."),
            DerivedField(
                "is_online", .boolean, nullable: false, label: "En ligne",
                summary: "Vrai\u{202F}: un appareil a appelé assez récemment."),
            DerivedField(
                "gateway_conflict", .boolean, nullable: false, label: "Deux passerelles à la fois",
                summary: "Vrai\u{202F}: deux passerelles viennent de se disputer le lieu."),
        ],
        relations: [.ownLocation],
        search: nil,
        defaultOrder: [OrderTerm("id")],
        access: readOnly, isInFeed: true)
}

extension FieldType {
    /// How full a location is.
    static let occupancyStatus = FieldType.choice([
        "ok": "Places libres", "warning": "Bientôt complet", "full": "Complet",
    ])
}
