public import DomainKit

/// The documents that were sent to people to sign, and how far the signing is.
///
/// The methods of a domain's signatures write them. This domain makes the tables readable.
public enum Signing {
    /// The domain as the server serves it.
    public static let domain = Domain(
        name: "signing", label: "Signatures", schema: "kernel", roles: [.admin, .user],
        entities: [signatures, signatories])

    private static let readers = Access(read: [.user, .admin], create: [], update: [], delete: [])

    /// One record for each document.
    public static let signatures = Entity(
        name: "signatures",
        noun: Noun("document à signer", plural: "documents à signer", feminine: false),
        columns: [
            .id,
            Column(
                "kind", .text(maxLength: nil), nullable: false, access: .readOnly, label: "Nature",
                summary: "La première moitié des méthodes qui s’en occupent."),
            Column(
                "method", .text(maxLength: nil), nullable: false, access: .readOnly, label: "Méthode",
                summary: "La méthode qui a produit le document."),
            Column(
                "params", .json(.anyObject), nullable: false, access: .readOnly, label: "Paramètres",
                summary: "Ses paramètres."),
            Column(
                "name", .text(maxLength: nil), nullable: false, access: .readOnly, label: "Nom du fichier",
                summary: "Le nom du fichier."),
            Column(
                "subject", .text(maxLength: nil), access: .readOnly, label: "Objet",
                summary: "Ce dont il s’agit, en quelques mots."),
            Column(
                "sha256", .text(maxLength: nil), nullable: false, access: .readOnly, label: "Empreinte SHA-256",
                summary: "L’empreinte SHA-256 des octets présentés aux signataires."),
            Column(
                "status", .choice(["waiting": "En attente", "signed": "Signé", "cancelled": "Annulé"]), nullable: false,
                access: .readOnly, label: "État",
                summary: "Où il en est\u{202F}: en attente de signatures, signé par tous ou annulé."),
            Column(
                "account_id", .bigint, nullable: false, access: .readOnly, label: "Compte",
                summary: "Le compte qui l’a demandé."),
            Column(
                "expires_at", .timestamp, nullable: false, access: .readOnly, label: "Valable jusqu’au",
                summary: "Jusqu’à quand ses liens permettent de signer."),
            Column(
                "completed_at", .timestamp, access: .readOnly, label: "Signé le",
                summary: "Quand le dernier signataire a signé."),
            Column(
                "cancelled_at", .timestamp, access: .readOnly, label: "Annulé le", summary: "Quand il a été annulé."),
            Column(
                "final_sha256", .text(maxLength: nil), access: .readOnly, label: "Empreinte du document signé",
                summary: "L’empreinte SHA-256 du document signé, avec sa page de preuve."),
            Column(
                "created_at", .timestamp, nullable: false, access: .readOnly, label: "Demandé le",
                summary: "Quand il a été demandé."),
        ],
        derived: [
            DerivedField(
                "expired", .boolean, nullable: false, label: "Expiré",
                summary: "Si ses liens ont expiré avant que tous aient signé."),
            DerivedField(
                "record_id", .bigint, indexed: true, label: "Fiche",
                summary: "L’identifiant de la fiche dont la méthode a fait le document."),
        ],
        relations: [
            Relation(
                "signatories", to: "signatories", .toMany(column: "signature_id"), label: "Signataires",
                summary: "Qui doit le signer.")
        ],
        title: "name", search: nil, defaultOrder: [OrderTerm("id", descending: true)], access: readers,
        // No role writes them, only their own methods do, and journal and feed would leave them out.
        isInJournal: true, isInFeed: true)

    /// One record for each person who is asked to sign a document. The network address and the browser of a signatory are in
    /// the table and on the page of evidence only.
    public static let signatories = Entity(
        name: "signatories",
        noun: Noun("signataire du document", plural: "signataires des documents", feminine: false),
        columns: [
            .id,
            Column(
                "signature_id", .bigint, nullable: false, access: .readOnly, label: "Document",
                summary: "Le document à signer."),
            Column(
                "name", .text(maxLength: 150), nullable: false, access: .readOnly, label: "Nom", summary: "Son nom."),
            Column(
                "email", .text(maxLength: 255), nullable: false, access: .readOnly, label: "Adresse e-mail",
                summary: "L’adresse qui a reçu le lien."),
            Column(
                "capacity", .text(maxLength: nil), access: .readOnly, label: "Signe pour",
                summary: "Pour qui il signe, si l’appel l’a dit."),
            Column(
                "mailed_at", .timestamp, access: .readOnly, label: "Lien envoyé le", summary: "Quand le lien est parti."
            ),
            Column(
                "mail_error", .text(maxLength: nil), access: .readOnly, label: "Erreur d’envoi",
                summary: "Pourquoi le lien n’est pas parti."),
            Column(
                "reminded_at", .timestamp, access: .readOnly, label: "Dernière relance", summary: "La dernière relance."
            ),
            Column(
                "reminders", .smallint(0...10), nullable: false, access: .readOnly, label: "Relances",
                summary: "Combien de fois il a été relancé."),
            Column(
                "opened_at", .timestamp, access: .readOnly, label: "Ouvert le",
                summary: "Quand une personne s’est servie pour la première fois de la page du lien."),
            Column("signed_at", .timestamp, access: .readOnly, label: "Signé le", summary: "Quand il a signé."),
            Column(
                "signed_name", .text(maxLength: 150), access: .readOnly, label: "Nom à la signature",
                summary: "Le nom donné à la signature."),
            Column(
                "consent", .text(maxLength: nil), access: .readOnly, label: "Phrase acceptée",
                summary: "La phrase qu’il a acceptée."),
        ],
        relations: [
            Relation(
                "signature", to: "signatures", .toOne(column: "signature_id"), isPart: true, label: "Document",
                summary: "Le document à signer.")
        ],
        search: nil, defaultOrder: [OrderTerm("id")], access: readers,
        // No role writes them, only their own methods do, and journal and feed would leave them out.
        isInJournal: true, isInFeed: true)
}
