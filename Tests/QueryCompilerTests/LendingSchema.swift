import DomainKit
import JSON
import QueryCompiler

/// A small domain in which readers see and change their own loans only, and no fines.
enum Lending {
    static let reader = Role("lending_reader", subject: "readers")

    static let books = Entity(
        name: "books", noun: Noun("livre", plural: "livres", feminine: false),
        columns: [
            .id, Column("title", .text(maxLength: 200), nullable: false, indexed: true, summary: ""),
            Column("lent_to_id", .bigint, summary: ""),
        ] + Column.bookkeeping,
        relations: [
            Relation("lent_to", to: "readers", .toOne(column: "lent_to_id"), summary: ""),
            Relation("loans", to: "loans", .toMany(column: "book_id"), summary: ""),
        ],
        search: nil, defaultOrder: [OrderTerm("title")],
        access: Access(read: [.admin, reader], create: [.admin], update: [.admin], delete: [.admin]))

    static let loans = Entity(
        name: "loans", noun: Noun("prêt", plural: "prêts", feminine: false),
        columns: [
            .id, Column("lent", .date, nullable: false, indexed: true, summary: ""),
            Column("note", .text(maxLength: 200), summary: ""),
            Column("book_id", .bigint, nullable: false, summary: ""),
            Column("reader_id", .bigint, nullable: false, summary: ""),
        ] + Column.bookkeeping,
        derived: [DerivedField("days", .integer, nullable: false, summary: "")],
        relations: [
            Relation("book", to: "books", .toOne(column: "book_id"), summary: ""),
            Relation("reader", to: "readers", .toOne(column: "reader_id"), summary: ""),
            Relation("fines", to: "fines", .toMany(column: "loan_id"), summary: ""),
        ],
        search: Search(function: "searchable", columns: ["note"]),
        defaultOrder: [OrderTerm("lent")],
        access: Access(read: own, create: own, update: own, delete: own), isDuplicable: true)

    static let readers = Entity(
        name: "readers", noun: Noun("lecteur", plural: "lecteurs", feminine: false),
        columns: [.id, Column("name", .text(maxLength: 200), nullable: false, summary: "")] + Column.bookkeeping,
        derived: [DerivedField("rank", .integer, nullable: false, summary: "")],
        relations: [Relation("loans", to: "loans", .toMany(column: "reader_id"), summary: "")],
        search: nil, defaultOrder: [OrderTerm("name")],
        access: Access(
            read: [.admin: .every, reader: .own("id")], create: [.admin], update: [.admin], delete: [.admin]))

    static let fines = Entity(
        name: "fines", noun: Noun("amende", plural: "amendes", feminine: true),
        columns: [
            .id, Column("amount", .integer, nullable: false, summary: ""),
            Column("loan_id", .bigint, nullable: false, summary: ""),
        ] + Column.bookkeeping,
        relations: [Relation("loan", to: "loans", .toOne(column: "loan_id"), summary: "")],
        search: nil, defaultOrder: [OrderTerm("loan.lent")],
        access: Access(read: [.admin], create: [.admin], update: [.admin], delete: [.admin]))

    static let domain = Domain(
        name: "lending", schema: "public", roles: [.admin, reader], entities: [books, loans, readers, fines])

    private static let own: Grants = [.admin: .every, reader: .own("reader_id")]
}
