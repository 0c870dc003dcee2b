public import DomainKit

/// The journal: who changed which record, when, and what of it. The database writes it beside every change of a table
/// that `journal_keep` was called for; here it is a table to be read like any other.
///
/// The history of one record is the same table by `table_name` and `row_id`: the service derives `X.history` from it.
public enum Journal {
    public static let domain = Domain(name: "journal", entities: [journal])

    static let journal = Entity(
        name: "journal",
        noun: Noun("entrée du journal", plural: "entrées du journal", feminine: true),
        columns: [
            Column("id", .bigint, nullable: false, access: .readOnly, summary: "Identifiant."),
            Column("at", .timestamp, nullable: false, access: .readOnly, summary: "Quand."),
            Column(
                "table_name", .text(maxLength: nil), nullable: false, access: .readOnly, summary: "Dans quelle table."),
            Column(
                "row_id", .bigint, access: .readOnly,
                summary: "Identifiant de la fiche\u{A0}; null pour une table vidée d'un coup."),
            Column(
                "operation", .choice(["create", "update", "delete", "truncate"]), nullable: false, access: .readOnly,
                summary: "Ce qui a été fait."),
            Column(
                "actor", .json, nullable: false, access: .readOnly,
                summary: "Qui\u{A0}: id, email et username du compte tels qu'alors, null hors du service, et"
                    + " database_user, l'utilisateur de la base."),
            Column("request_id", .text(maxLength: nil), access: .readOnly, summary: "L'appel qui l'a fait."),
            Column(
                "before", .json, access: .readOnly,
                summary: "Les valeurs d'avant\u{A0}: pour une modification, celles qui ont changé."),
            Column(
                "after", .json, access: .readOnly,
                summary: "Les valeurs d'après\u{A0}: pour une modification, celles qui ont changé."),
        ],
        derived: [
            DerivedField("actor_id", .bigint, summary: "Identifiant du compte."),
            DerivedField("actor_email", .text(maxLength: nil), summary: "Adresse du compte, telle qu'alors."),
        ],
        search: nil,
        defaultOrder: [OrderTerm("id", descending: true)],
        // Nobody writes but the database. Of their own tables everyone reads the histories.
        access: Access(read: [.admin], create: [], update: [], delete: []))
}
