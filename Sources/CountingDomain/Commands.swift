import DomainKit
import JSON

extension Counting {
    // MARK: Of devices. The device is the caller’s subject, and no parameter names it.

    /// `entries.record`: one event. An event that is there already is answered with its entry.
    static let record = Command(
        name: "entries.record", label: "Enregistrer un passage",
        summary: "Enregistre un passage\u{202F}; s’il l’est déjà, la réponse est le passage enregistré.",
        parameters: event + [gatewaySession],
        function: "counting.record", answers: .record(of: "entries"), roles: [.countingDevice],
        rules: [.inactiveDevice, .manualDeviceCalls])

    /// `entries.record_batch`: what a gateway has collected, in its order, all or nothing.
    static let recordBatch = Command(
        name: "entries.record_batch", label: "Enregistrer des passages",
        summary:
            "Enregistre des passages dans leur ordre, tous ou aucun\u{202F}; ceux qui le sont déjà ne comptent pas deux fois.",
        parameters: [
            gatewaySession,
            Column(
                "events", .json(.list(of: .object(event), count: 0...1000)), nullable: false, label: "Passages",
                summary: "Les passages."),
        ],
        function: "counting.record_batch",
        answers: .value(
            .object([
                number("recorded", label: "Passages enregistrés", summary: "Passages enregistrés par cet appel."),
                number("duplicates", label: "Passages déjà enregistrés", summary: "Passages qui l’étaient déjà."),
                number(
                    "late", label: "Passages en retard",
                    summary: "Passages arrivés après un numéro plus grand, et remis à leur place."),
                number("gaps", label: "Lacunes", summary: "Passages précédés de numéros manquants."),
                number("resets", label: "Nouvelles séries", summary: "Passages qui commencent une nouvelle série."),
                number("series", label: "Série en cours", summary: "Série en cours de l’appareil."),
                Column(
                    "last_sequence_number", .bigint, label: "Plus grand numéro",
                    summary: "Plus grand numéro de cette série\u{202F}; null si l’appareil n’a aucun passage."),
                number("current_count", label: "Personnes présentes", summary: "Personnes présentes dans le lieu."),
                Column("status", .occupancyStatus, nullable: false, label: "Statut", summary: "Statut du lieu."),
            ])),
        roles: [.countingDevice], rules: [.inactiveDevice, .manualDeviceCalls])

    /// `devices.heartbeat`: the device works, also when no one passes.
    static let heartbeat = Command(
        name: "devices.heartbeat", label: "Donner signe de vie", summary: "Dit que l’appareil fonctionne.",
        parameters: [gatewaySession],
        function: "counting.heartbeat", answers: .record(of: "devices"), roles: [.countingDevice],
        rules: [.inactiveDevice, .manualDeviceCalls])

    private static let event = [
        Column(
            "sequence_number", .bigint, nullable: false, minimum: 0, label: "Numéro",
            summary: "Numéro que l’appareil donne à l’évènement\u{202F}: un de plus à chacun."),
        delta,
        Column("gateway_timestamp", .timestamp, nullable: false, label: "Instant selon la passerelle"),
        Column("device_timestamp", .timestamp, label: "Instant selon l’appareil"),
    ]

    private static let delta = Column(
        "delta", .integer, nullable: false, oneOf: [-1, 1], reading: Column.directions, label: "Sens",
        summary: "Sens\u{202F}: 1 pour une entrée, -1 pour une sortie.")

    private static let gatewaySession = Column(
        "gateway_session_id", .text(maxLength: 64), nullable: false, label: "Session de la passerelle",
        summary: "Ce que la passerelle a choisi pour se reconnaître, le même jusqu’à son redémarrage.")

    private static func number(_ name: String, label: String, summary: String) -> Column {
        Column(name, .bigint, nullable: false, label: label, summary: summary)
    }

    // MARK: Of administrators

    /// `entries.override`: a correction by hand.
    static let override = Command(
        name: "entries.override", label: "Corriger le compte",
        summary: "Corrige le compte d’un lieu\u{202F}: ajoute des passages à la main, à l’instant présent.",
        parameters: [
            Column("location_id", .bigint, nullable: false, of: "locations", label: "Lieu"), delta, count,
        ],
        function: "counting.override", answers: .record(of: "counter_states"), selection: wholeState,
        roles: [.admin])

    /// `entries.simulate`: events of a simulator.
    static let simulate = Command(
        name: "entries.simulate", label: "Simuler des passages",
        summary: "Simule des passages à l’instant présent.",
        parameters: [
            Column("device_id", .bigint, nullable: false, of: "devices", label: "Simulateur"), delta, count,
        ],
        function: "counting.simulate", answers: .record(of: "counter_states"), selection: wholeState,
        roles: [.admin],
        rules: [
            Rule(
                constraint: "simulate_simulator", columns: ["device_id"], message: Messages.notASimulator, holds: nil),
            .inactiveDevice,
        ])

    /// The answer says how many people there are, which is no column.
    private static let wholeState =
        "{ \((counterStates.columns.map(\.name) + counterStates.derived.map(\.name)).joined(separator: " ")) }"

    private static let count = Column(
        "count", .integer, nullable: false, default: 1, minimum: 1, maximum: 1000, label: "Nombre", summary: "Combien.")

    /// `locations.end_day`: the counter of a location goes back to 0 before the day is over.
    static let endDay = Command(
        name: "locations.end_day", label: "Clore la journée",
        summary: "Clôt la journée en cours d’un lieu\u{202F}: relève ses chiffres, puis ramène le compte à 0.",
        parameters: [Column("id", .bigint, nullable: false, of: "locations", label: "Lieu")],
        function: "counting.end_day", answers: .record(of: "counter_snapshots"), roles: [.admin])

    /// `counter_snapshots.close_days`: what the server does each minute by itself.
    static let closeDays = Command(
        name: "counter_snapshots.close_days", label: "Clore les journées finies",
        summary: "Relève les chiffres des journées finies qui n’ont pas encore de clôture.",
        parameters: [], function: "counting.close_days",
        answers: .value(
            .object([number("closed", label: "Journées closes", summary: "Journées closes par cet appel.")])),
        roles: [.admin])

    /// Works new settings of a location into its history: of one location at a time, of any company.
    static let foldDays = Job(
        name: "locations.fold_days", label: "Report des réglages sur le passé", schedule: .every(seconds: 1),
        function: "counting.fold_days_by_and_by", for: .installation)

    static let closeDaysEachMinute = Job(
        name: "counter_snapshots.close_days", label: "Clôture des journées finies", schedule: .every(seconds: 60),
        function: "counting.close_days_each_minute")
}
