import DomainKit
import JSON

extension Bookshop {
    static let books = Entity(
        name: "books",
        noun: Noun("livre", plural: "livres", feminine: false),
        columns: [
            .id,
            Column("title", .text(maxLength: 200), nullable: false, label: "Titre"),
            Column("isbn", .text(maxLength: 13), format: .isbn, unique: true, label: "ISBN"),
            Column(
                "price", .decimal(precision: 6, scale: 2), minimum: 0, label: "Prix hors taxes",
                summary: "Prix hors taxes, en euros."),
            Column("published", .date, label: "Date de parution"),
            Column("reprinted", .date, label: "Dernière réimpression", summary: "Date de la dernière réimpression."),
            Column("author_id", .bigint, nullable: false, label: "Auteur"),
            Column(
                "reader", .text(maxLength: 100), access: .readOnly, label: "Prêté à", summary: "À qui il est prêté."),
        ] + Column.bookkeeping,
        derived: [
            DerivedField(
                "gross_price", .decimal(precision: 8, scale: 2), label: "Prix avec taxes",
                summary: "Prix avec taxes, en euros.")
        ],
        relations: [
            Relation("author", to: "authors", .toOne(column: "author_id"), label: "Auteur", summary: "Qui l’a écrit.")
        ],
        search: Search(function: "searchable", columns: ["title"]),
        defaultOrder: [OrderTerm("title")],
        rules: [.reprintedAfterPublished],
        access: access)
}

extension Format {
    static let isbn = Format(
        name: "isbn", message: "Donnez les 13 chiffres de l’ISBN, comme 9782253004226.",
        pattern: "^[0-9]{13}$", example: "9782253004226"
    ) { text in
        text.utf8.count == 13 && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension Rule {
    static let reprintedAfterPublished = Rule(
        constraint: "books_reprinted_after_published", columns: ["published", "reprinted"],
        message: "Donnez une date de réimpression après celle de parution.", ascending: true
    ) { values in
        guard let published = values["published"]?.text.flatMap({ CalendarDate($0) }),
            let reprinted = values["reprinted"]?.text.flatMap({ CalendarDate($0) })
        else { return true }
        return published < reprinted
    }
}
