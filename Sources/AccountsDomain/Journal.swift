public import DomainKit
import JSON

/// The journal: who changed which record, when, and what the change was.
///
/// Triggers write an entry for every change of a table for which the migrations have called `kernel.journal_keep`. This domain
/// makes the table readable. The history of one record is the entries with its `table_name` and `row_id`: the server
/// derives the methods `X.history` from them.
public enum Journal {
    /// The domain as the server serves it.
    public static let domain = Domain(
        name: "journal", label: "Journal", schema: "public", roles: [.admin, .user], entities: [journal])

    /// One record for each change. Only triggers write it, and it is never changed.
    public static let journal = Entity(
        name: "journal",
        noun: Noun("entrée du journal", plural: "entrées du journal", feminine: true),
        columns: [
            .id,
            Column(
                "at", .timestamp, nullable: false, access: .readOnly, indexed: true, label: "Date et heure",
                summary: "Quand."),
            Column(
                "table_name", .text(maxLength: nil), nullable: false, access: .readOnly, label: "Table",
                summary: "Dans quelle table."),
            Column(
                "row_id", .bigint, access: .readOnly, label: "Fiche",
                summary: "Identifiant de la fiche\u{202F}; null pour une table vidée d’un coup."),
            Column(
                "operation",
                .choice([
                    "create": "Création", "update": "Modification", "delete": "Suppression", "truncate": "Vidage",
                ]), nullable: false, access: .readOnly, label: "Action", summary: "Ce qui a été fait."),
            Column(
                "actor", .json(.anyObject), nullable: false, access: .readOnly, label: "Auteur",
                summary: "Qui\u{202F}: id, email et username du compte tels qu’alors, null hors du service, et"
                    + " database_user, l’utilisateur de la base."),
            Column(
                "request_id", .text(maxLength: nil), access: .readOnly, label: "Appel", summary: "L’appel qui l’a fait."
            ),
            Column(
                "before", .json(.anyObject), access: .readOnly, label: "Avant",
                summary: "Les valeurs d’avant\u{202F}: pour une modification, celles qui ont changé."),
            Column(
                "after", .json(.anyObject), access: .readOnly, label: "Après",
                summary: "Les valeurs d’après\u{202F}: pour une modification, celles qui ont changé."),
        ],
        derived: [
            DerivedField("actor_id", .bigint, label: "Compte", summary: "Identifiant du compte."),
            DerivedField(
                "actor_email", .text(maxLength: nil), label: "Adresse du compte",
                summary: "Adresse du compte, telle qu’alors."),
        ],
        search: nil,
        defaultOrder: [OrderTerm("id", descending: true)],
        // Administrators read everything. A role reads the history of a table that it reads, by the methods X.history.
        access: Access(read: [.admin], create: [], update: [], delete: []))
}
