import DomainKit
import JSON

extension Counting {
    /// A counter at a door, one that administrators simulate, or the one that stands for corrections by hand.
    static let devices = Entity(
        name: "devices",
        noun: Noun("appareil", plural: "appareils", feminine: false),
        columns: [
            .id,
            Column("location_id", .bigint, nullable: false, label: "Lieu"),
            Column("name", .text(maxLength: 200), nullable: false, label: "Nom"),
            Column(
                "kind", .deviceKind, nullable: false, default: "hardware",
                access: .createOnly, accepts: ["hardware", "simulator"], label: "Nature",
                summary:
                    "Compteur ou simulateur\u{202F}; le serveur crée lui-même l’appareil des corrections d’un lieu."),
            Column(
                "is_active", .boolean, nullable: false, default: true, label: "En service",
                summary: "Non\u{202F}: il ne compte plus."),
        ] + Column.bookkeeping,
        derived: [
            DerivedField(
                "series", .integer, nullable: false, label: "Série en cours", summary: "Série en cours, à partir de 1."),
            DerivedField(
                "last_sequence_number", .bigint, label: "Plus grand numéro",
                summary: "Plus grand numéro de cette série\u{202F}; null sans passage."),
            DerivedField(
                "last_event_at", .timestamp, label: "Dernier passage", summary: "Instant de son dernier passage."),
            DerivedField(
                "last_heartbeat_at", .timestamp, label: "Dernier signe de vie",
                summary: "Quand il a donné signe de vie pour la dernière fois."),
            DerivedField(
                "last_seen_at", .timestamp, label: "Dernier appel", summary: "Quand il a appelé pour la dernière fois."),
            DerivedField(
                "is_stale", .boolean, nullable: false, label: "Silencieux",
                summary: "Vrai\u{202F}: il est actif, et muet depuis plus longtemps que ce que son lieu admet."),
        ],
        relations: [
            .location,
            Relation(
                "entries", to: "entries", .toMany(column: "device_id"), label: "Passages", summary: "Ses passages."),
        ],
        search: nil,
        defaultOrder: [OrderTerm("name")],
        rules: [
            Rule(constraint: "devices_kind_manual", columns: ["kind"], message: Messages.manualDevice, holds: nil),
            Rule(
                constraint: "devices_manual_location", columns: ["location_id"], message: Messages.manualDeviceStays,
                holds: nil),
            Rule(
                constraint: "devices_manual_active", columns: ["is_active"], message: Messages.manualDeviceIsActive,
                holds: nil),
            Rule(
                constraint: "devices_manual_key", columns: ["kind"], message: Messages.oneManualDevice, holds: nil),
        ],
        // It shows no caller anything: no call creates a manual device but the first override of a location.
        disclosingConstraints: ["devices_manual_key"],
        access: Access(
            read: [.admin: .every, .countingViewer: .every, .countingDevice: .own("id")], create: [.admin],
            update: [.admin], delete: [.admin]))
}

extension FieldType {
    /// What a device is.
    static let deviceKind = FieldType.choice([
        "hardware": "Compteur", "simulator": "Simulateur", "manual": "Corrections à la main",
    ])
}

extension Relation {
    static let device = Relation(
        "device", to: "devices", .toOne(column: "device_id"), label: "Appareil", summary: "L’appareil.")
}

extension Rule {
    /// A device that is out of service reports nothing, and is not simulated either.
    static let inactiveDevice = Rule(
        constraint: "devices_inactive", columns: [], message: Counting.Messages.inactiveDevice,
        effect: .conflict(reason: "inactive_device"), holds: nil)

    /// The device that has the corrections by hand makes no calls.
    static let manualDeviceCalls = Rule(
        constraint: "devices_manual_calls", columns: [], message: Counting.Messages.manualDeviceCalls,
        effect: .conflict(reason: "manual_device"), holds: nil)
}
