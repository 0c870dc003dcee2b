import DomainKit

extension Bookshop {
    static let authors = Entity(
        name: "authors",
        noun: Noun("auteur", plural: "auteurs", feminine: false),
        columns: [
            .id,
            Column("name", .text(maxLength: 100), nullable: false, label: "Nom"),
        ] + Column.bookkeeping,
        derived: [
            .count("book_count", of: "books", label: "Nombre de livres"),
            .greatest("last_published", .date, of: "books", column: "published", label: "Dernière parution"),
        ],
        relations: [
            Relation("books", to: "books", .toMany(column: "author_id"), label: "Livres", summary: "Ses livres.")
        ],
        search: nil,
        defaultOrder: [OrderTerm("name")],
        access: access)
}
