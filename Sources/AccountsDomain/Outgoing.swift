public import DomainKit

/// The outbox: the messages that leave the service, such as mails, and what became of them.
///
/// The commands of other domains enter them with `kernel.send`. This domain makes the table readable.
public enum Outgoing {
    /// The domain as the server serves it.
    public static let domain = Domain(
        name: "outgoing", label: "Envois", schema: "kernel", roles: [.admin, .user], entities: [outbox],
        commands: [retry, retryAll])

    /// One record for each message. Sent ones are removed after thirty days.
    public static let outbox = Entity(
        name: "outbox",
        noun: Noun("envoi", plural: "envois", feminine: false),
        columns: [
            .id,
            Column(
                "kind", .text(maxLength: nil), nullable: false, access: .readOnly, label: "Nature",
                summary: "Quelle sorte d’envoi."),
            Column(
                "record_id", .bigint, nullable: false, access: .readOnly, label: "Fiche",
                summary: "Identifiant de la fiche dont il parle."),
            Column(
                "key", .text(maxLength: nil), nullable: false, access: .readOnly, label: "Clé",
                summary: "Ce qui le distingue d’autres envois pour la même fiche\u{202F}; vide s’il n’y en a qu’un."),
            Column(
                "not_before", .timestamp, nullable: false, access: .readOnly, label: "Pas avant",
                summary: "Pas avant\u{202F}: quand il part."),
            Column(
                "attempts", .integer, nullable: false, access: .readOnly, label: "Essais",
                summary: "Combien de fois il a été pris."),
            Column(
                "failures", .integer, nullable: false, access: .readOnly, label: "Échecs",
                summary: "Combien d’essais ont échoué."),
            Column(
                "first_tried_at", .timestamp, access: .readOnly, label: "Premier essai", summary: "Le premier essai."),
            Column(
                "may_repeat", .boolean, nullable: false, access: .readOnly, label: "Double envoi possible",
                summary: "S’il a pu partir deux fois, avec le même identifiant."),
            Column(
                "last_error", .text(maxLength: nil), access: .readOnly, label: "Dernière erreur",
                summary: "Pourquoi un essai a échoué."),
            Column("cause", cause, access: .readOnly, label: "Cause", summary: Messages.cause),
            Column("sent_at", .timestamp, access: .readOnly, label: "Parti le", summary: "Quand il est parti."),
            Column(
                "gave_up_at", .timestamp, access: .readOnly, label: "Abandonné le", summary: "Quand il a été abandonné."
            ),
            Column(
                "created_at", .timestamp, nullable: false, access: .readOnly, label: "Demandé le",
                summary: "Quand il a été demandé."),
        ],
        search: nil,
        defaultOrder: [OrderTerm("id", descending: true)],
        access: Access(read: [.admin], create: [], update: [], delete: []),
        isInFeed: false)

    private static let cause = FieldType.choice(
        Choices(FailureCause.allCases.map { (word: $0.rawValue, label: $0.label) }))

    /// Sends a message again that has failed or was given up.
    static let retry = Command(
        name: "outbox.retry", label: "Renvoyer",
        summary:
            "Renvoie un envoi qui a échoué ou qui a été abandonné\u{202F}: il est de nouveau essayé pendant trois jours.",
        parameters: [Column("id", .bigint, nullable: false, of: "outbox", label: "Envoi", summary: "L’envoi.")],
        function: "kernel.outbox_retry", answers: .record(of: "outbox"), roles: [.admin],
        rules: [
            Rule(
                constraint: "outbox_sent", columns: ["id"], message: Messages.hasLeft,
                effect: .conflict(reason: "sent"), holds: nil),
            Rule(
                constraint: "outbox_waiting", columns: ["id"], message: Messages.hasNotFailed,
                effect: .conflict(reason: "waiting"), holds: nil),
        ])

    /// Sends all messages again that have failed or were given up, or some of them.
    static let retryAll = Command(
        name: "outbox.retry_all", label: "Tout renvoyer",
        summary: "Renvoie les envois qui ont échoué ou qui ont été abandonnés\u{202F}: tous, ou ceux que disent les"
            + " paramètres. Répond combien.",
        parameters: [
            Column("kind", .text(maxLength: 200), label: "Nature", summary: "Ceux de cette sorte."),
            Column("cause", cause, label: "Cause", summary: "Ceux dont le dernier échec tient à cela."),
            Column(
                "given_up", .boolean, label: "Abandonnés",
                summary: "Vrai\u{202F}: ceux qui ont été abandonnés\u{202F}; faux\u{202F}: ceux qui attendent encore."),
        ],
        function: "kernel.outbox_retry_all",
        answers: .value(
            .object([
                Column(
                    "count", .bigint, nullable: false, label: "Envois renvoyés", summary: "Combien d’envois repartent.")
            ])),
        roles: [.admin])
}
