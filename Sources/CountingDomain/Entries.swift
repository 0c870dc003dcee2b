import DomainKit

extension Counting {
    /// One person who came in or went out. Entries are added by commands, or by psql. No call writes one directly; the events
    /// that come later complete `missing_before`.
    static let entries = Entity(
        name: "entries",
        noun: Noun("passage", plural: "passages", feminine: false),
        columns: [
            .id,
            Column("location_id", .bigint, nullable: false, access: .readOnly, label: "Lieu"),
            Column("device_id", .bigint, nullable: false, access: .readOnly, label: "Appareil"),
            Column(
                "user_id", .bigint, access: .readOnly, label: "Compte",
                summary: "Compte qui l’a saisi\u{202F}; null d’un compteur."),
            Column("timestamp", .timestamp, nullable: false, access: .readOnly, label: "Instant retenu"),
            Column(
                "delta", .integer, nullable: false, access: .readOnly, oneOf: [-1, 1], reading: Column.directions,
                label: "Sens",
                summary: "Sens\u{202F}: 1 pour une entrée, -1 pour une sortie."),
            Column(
                "source", .deviceKind, nullable: false, access: .readOnly, label: "Genre de l’appareil",
                summary: "Nature de l’appareil."),
            Column(
                "series", .integer, nullable: false, access: .readOnly, label: "Série",
                summary: "Série de numéros, à partir de 1."),
            Column(
                "sequence_number", .bigint, nullable: false, access: .readOnly, minimum: 0, label: "Numéro",
                summary: "Numéro dans la série."),
            Column("device_timestamp", .timestamp, access: .readOnly, label: "Instant selon l’appareil"),
            Column("gateway_timestamp", .timestamp, access: .readOnly, label: "Instant selon la passerelle"),
            Column(
                "timestamp_source", .choice(["device": "Appareil", "gateway": "Passerelle", "server": "Serveur"]),
                nullable: false, access: .readOnly, label: "Horloge retenue", summary: "Horloge de l’instant retenu."),
            Column("gateway_session_id", .text(maxLength: 64), access: .readOnly, label: "Session de la passerelle"),
            Column(
                "missing_before", .bigint, nullable: false, access: .readOnly, label: "Numéros manquants",
                summary: "Combien de numéros manquent juste avant celui-ci."),
            Column(
                "sequence_reset", .boolean, nullable: false, access: .readOnly, label: "Compteur reparti de zéro",
                summary: "Vrai\u{202F}: l’appareil a recommencé sa numérotation."),
            Column(
                "clock_skew", .boolean, nullable: false, access: .readOnly, label: "Horloge fausse",
                summary: "Vrai\u{202F}: une horloge donnée n’a pas été crue."),
            Column(
                "gateway_conflict", .boolean, nullable: false, access: .readOnly, label: "Deux passerelles à la fois",
                summary: "Vrai\u{202F}: une autre passerelle tenait le lieu."),
        ] + Column.bookkeeping,
        relations: [.location, .device, .user],
        search: nil,
        defaultOrder: [OrderTerm("timestamp", descending: true), OrderTerm("id", descending: true)],
        access: Access(
            read: [.admin: .every, .countingViewer: .every, .countingDevice: .own("device_id")], create: [],
            update: [], delete: []))
}

extension Relation {
    static let user = Relation("user", to: "users", .toOne(column: "user_id"), label: "Compte", summary: "Le compte.")
}

extension Column {
    /// What people read of a passage.
    static let directions = [-1: "Sortie", 1: "Entrée"]
}
