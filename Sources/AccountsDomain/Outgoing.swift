public import DomainKit

/// The outbox: the messages that leave the service, such as mails, and what became of them.
///
/// The commands of other domains enter them with `kernel.send`. This domain makes the table readable.
public enum Outgoing {
    /// The domain as the server serves it.
    public static let domain = Domain(name: "outgoing", schema: "kernel", roles: [.admin, .user], entities: [outbox])

    /// One record for each message. Sent ones are removed after thirty days.
    public static let outbox = Entity(
        name: "outbox",
        noun: Noun("envoi", plural: "envois", feminine: false),
        columns: [
            .id,
            Column("kind", .text(maxLength: nil), nullable: false, access: .readOnly, summary: "Quelle sorte d’envoi."),
            Column(
                "record_id", .bigint, nullable: false, access: .readOnly,
                summary: "Identifiant de la fiche dont il parle."),
            Column(
                "key", .text(maxLength: nil), nullable: false, access: .readOnly,
                summary: "Ce qui le distingue d’autres envois pour la même fiche\u{202F}; vide s’il n’y en a qu’un."),
            Column(
                "not_before", .timestamp, nullable: false, access: .readOnly,
                summary: "Pas avant\u{202F}: quand il part."
            ),
            Column("attempts", .integer, nullable: false, access: .readOnly, summary: "Combien de fois il a été pris."),
            Column("failures", .integer, nullable: false, access: .readOnly, summary: "Combien d’essais ont échoué."),
            Column("first_tried_at", .timestamp, access: .readOnly, summary: "Le premier essai."),
            Column(
                "may_repeat", .boolean, nullable: false, access: .readOnly,
                summary: "S’il a pu partir deux fois, avec le même identifiant."),
            Column("last_error", .text(maxLength: nil), access: .readOnly, summary: "Pourquoi un essai a échoué."),
            Column("sent_at", .timestamp, access: .readOnly, summary: "Quand il est parti."),
            Column("gave_up_at", .timestamp, access: .readOnly, summary: "Quand il a été abandonné."),
            Column("created_at", .timestamp, nullable: false, access: .readOnly, summary: "Quand il a été demandé."),
        ],
        search: nil,
        defaultOrder: [OrderTerm("id", descending: true)],
        access: Access(read: [.admin], create: [], update: [], delete: []),
        isInFeed: false)
}
