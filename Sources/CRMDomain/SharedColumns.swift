import DomainKit
import JSON

// Columns, derived fields and searches that several tables have in common.

extension Column {
    /// The most characters of texts of pages. Triggers refuse longer ones (`textes_longueur`), but for those that an earlier version
    /// of the service took.
    static let longText = 20_000

    static let address = [
        Column("rue", .text(maxLength: nil), label: "Rue", summary: "Numéro et nom de la voie."),
        Column("code_postal", .text(maxLength: 10), format: .postalCode, label: "Code postal"),
        Column("ville", .text(maxLength: 100), label: "Ville"),
    ]

    static let contact = [
        Column(
            "nom_contact", .text(maxLength: 150), label: "Nom du contact", summary: "Nom de la personne à contacter."),
        Column("email", .text(maxLength: 255), format: .email, label: "Adresse e-mail"),
        Column(
            "telephone", .text(maxLength: 20), format: .phone, label: "Téléphone",
            summary: "Numéro de téléphone, tel que saisi."),
    ]

    static let siret = Column("siret", .text(maxLength: 20), format: .siret, label: "SIRET", summary: "Numéro SIRET.")

    static let vatNumber = Column(
        "numero_tva", .text(maxLength: 20), format: .intraCommunityVAT, label: "Numéro de TVA",
        summary: "Numéro de TVA intracommunautaire.")

    /// An amount of money in euros.
    static func amount(_ name: String, label: String, summary: String? = nil) -> Column {
        Column(name, .decimal(precision: 10, scale: 2), minimum: 0, label: label, summary: summary)
    }

    /// A text that every record has, and that is not blank.
    static func requiredText(_ name: String, maxLength: Int, label: String, summary: String? = nil) -> Column {
        Column(name, .text(maxLength: maxLength), nullable: false, label: label, summary: summary)
    }
}

extension DerivedField {
    static let phoneLink = DerivedField(
        "telephone_uri", .text(maxLength: nil), label: "Lien d’appel", summary: "Lien d’appel, comme tel:+33612345678.")
    static let addressLine = DerivedField(
        "adresse", .text(maxLength: nil), label: "Adresse",
        summary: "Adresse sur une ligne\u{202F}; null quand elle est vide.")
    static let initials = DerivedField(
        "initiales", .text(maxLength: nil), nullable: false, label: "Initiales",
        summary: "Initiales en majuscules, accents gardés.")
    static let sessionCount = DerivedField(
        "nombre_sessions", .bigint, nullable: false, label: "Nombre de sessions",
        summary: "Nombre de sessions qui s’y rapportent.")
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
