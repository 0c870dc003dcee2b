import DomainKit

extension Role {
    /// A reader, who has an account and stands for one record of `readers`.
    static let reader = Role("bookshop_reader", subject: "readers", label: "Lecteur")
}

extension Bookshop {
    /// Administrators write them. A reader reads their own record.
    static let readers = Entity(
        name: "readers",
        noun: Noun("lecteur", plural: "lecteurs", feminine: false),
        columns: [
            .id,
            Column("name", .text(maxLength: 100), nullable: false, label: "Nom"),
        ] + Column.bookkeeping,
        relations: [
            Relation("wishes", to: "wishes", .toMany(column: "reader_id"), label: "Souhaits", summary: "Ses souhaits.")
        ],
        search: nil,
        defaultOrder: [OrderTerm("name")],
        access: Access(
            read: [.admin: .every, .reader: .own("id")], create: [.admin], update: [.admin], delete: [.admin]))

    /// The books that a reader would like to have.
    static let wishes = Entity(
        name: "wishes",
        noun: Noun("souhait", plural: "souhaits", feminine: false),
        columns: [
            .id,
            Column("reader_id", .bigint, nullable: false, label: "Lecteur"),
            Column("book_id", .bigint, nullable: false, label: "Livre"),
        ] + Column.bookkeeping,
        relations: [
            Relation(
                "reader", to: "readers", .toOne(column: "reader_id"), label: "Lecteur", summary: "Qui le souhaite."),
            Relation("book", to: "books", .toOne(column: "book_id"), label: "Livre", summary: "Le livre souhaité."),
        ],
        search: nil,
        defaultOrder: [OrderTerm("id")],
        access: Access(read: ownWishes, create: ownWishes, update: [], delete: ownWishes))

    private static let ownWishes: Grants = [.admin: .every, .reader: .own("reader_id")]
}
