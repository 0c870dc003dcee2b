import DomainKit

/// A small domain of books for the tests.
enum Sample {
    static let everyone = Access(
        read: [.user, .admin], create: [.user, .admin], update: [.user, .admin], delete: [.admin])

    static let books = Entity(
        name: "books",
        noun: Noun("livre", plural: "livres", feminine: false),
        columns: [
            Column("id", .bigint, nullable: false, access: .readOnly, summary: "Identifiant."),
            Column("title", .text(maxLength: 10), nullable: false, summary: "Titre."),
            Column("isbn", .text(maxLength: 13), format: isbn, summary: "ISBN."),
            Column("price", .decimal(precision: 6, scale: 2), minimum: 0, summary: "Prix."),
            Column("rating", .decimal(precision: 4, scale: 1), minimum: -5, summary: "Note."),
            Column("kind", .choice(["novel", "essay"]), nullable: false, hasDefault: true, summary: "Genre."),
            Column("shelf", .smallint(1...9), summary: "Rayon."),
            Column("lent", .date, summary: "Prêté le."),
            Column("returned", .date, summary: "Rendu le."),
            Column("author_id", .bigint, summary: "Auteur."),
            Column("version", .integer, nullable: false, access: .readOnly, summary: "Version."),
        ],
        derived: [DerivedField("age", .integer, summary: "Âge.")],
        relations: [Relation("author", to: "authors", .toOne(column: "author_id"), summary: "Qui l'a écrit.")],
        search: Search(normaliser: "plain", document: "words"),
        defaultOrder: [OrderTerm("title")],
        rules: [
            Rule(constraint: "books_returned_later", columns: ["lent", "returned"], message: "Rendez-le plus tard.") {
                ($0["lent"]?.text ?? "") <= ($0["returned"]?.text ?? "")
            }
        ],
        access: everyone)

    static let isbn = Format(name: "isbn", message: "Donnez 13 chiffres.") { $0.utf8.count == 13 }
}
