import DomainKit
import JSON

// Columns, derived fields and searches that several tables have in common.

extension Column {
    /// The most characters of texts of pages. Triggers refuse longer ones (`textes_longueur`), but for those that an earlier version
    /// of the service took.
    static let longText = 20_000

    static let address = [
        Column("rue", .text(maxLength: nil), summary: "Numéro et nom de la voie."),
        Column("code_postal", .text(maxLength: 10), format: .postalCode, summary: "Code postal."),
        Column("ville", .text(maxLength: 100), summary: "Ville."),
    ]

    static let contact = [
        Column("nom_contact", .text(maxLength: 150), summary: "Nom de la personne à contacter."),
        Column("email", .text(maxLength: 255), format: .email, summary: "Adresse e-mail."),
        Column("telephone", .text(maxLength: 20), format: .phone, summary: "Numéro de téléphone, tel que saisi."),
    ]

    static let siret = Column("siret", .text(maxLength: 20), format: .siret, summary: "Numéro SIRET.")

    static let vatNumber = Column(
        "numero_tva", .text(maxLength: 20), format: .intraCommunityVAT, summary: "Numéro de TVA intracommunautaire.")

    /// An amount of money in euros.
    static func amount(_ name: String, summary: String) -> Column {
        Column(name, .decimal(precision: 10, scale: 2), minimum: 0, summary: summary)
    }

    /// A text that every record has, and that is not blank.
    static func requiredText(_ name: String, maxLength: Int, summary: String) -> Column {
        Column(name, .text(maxLength: maxLength), nullable: false, summary: summary)
    }
}

extension DerivedField {
    static let phoneLink = DerivedField(
        "telephone_uri", .text(maxLength: nil), summary: "Lien d’appel, comme tel:+33612345678.")
    static let addressLine = DerivedField(
        "adresse", .text(maxLength: nil), summary: "Adresse sur une ligne\u{202F}; null quand elle est vide.")
    static let initials = DerivedField(
        "initiales", .text(maxLength: nil), nullable: false, summary: "Initiales en majuscules, accents gardés.")
    static let sessionCount = DerivedField(
        "nombre_sessions", .bigint, nullable: false, summary: "Nombre de sessions qui s’y rapportent.")
}

extension Search {
    /// The search of a table: the function `searchable` returns the searchable text of a row.
    static func crm(_ columns: [String]) -> Search {
        Search(function: "searchable", columns: columns)
    }
}

extension Successor {
    /// The record of a table that has absorbed another (`X.fusionner`).
    static func merged(_ table: String) -> Successor {
        Successor(
            "fusionne_dans", function: "public.\(table)_fusionne_dans",
            summary: "L’identifiant de la fiche qui a absorbé celle-ci.")
    }
}
