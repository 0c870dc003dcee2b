import DomainKit
import JSON

/// A small domain to derive methods from.
enum Library {
    static let books = Entity(
        name: "books", noun: Noun("livre", plural: "livres", feminine: false),
        columns: [
            Column("id", .bigint, nullable: false, hasDefault: true, access: .readOnly, summary: ""),
            Column("title", .text(maxLength: 20), nullable: false, summary: ""),
            Column("pages", .integer, summary: ""),
            Column("shelf_id", .bigint, summary: ""),
            Column("version", .integer, nullable: false, hasDefault: true, access: .readOnly, summary: ""),
        ],
        relations: [Relation("shelf", to: "shelves", .toOne(column: "shelf_id"), summary: "")],
        search: Search(function: "words"), defaultOrder: [OrderTerm("title")],
        access: Access(read: [.user, .admin], create: [.user, .admin], update: [.user, .admin], delete: [.admin]),
        isDuplicable: true)

    static let shelves = Entity(
        name: "shelves", noun: Noun("étagère", plural: "étagères", feminine: true),
        columns: [
            Column("id", .bigint, nullable: false, hasDefault: true, access: .readOnly, summary: ""),
            Column("name", .text(maxLength: 20), nullable: false, summary: ""),
        ],
        relations: [Relation("books", to: "books", .toMany(column: "shelf_id"), summary: "")],
        search: Search(function: "words"), defaultOrder: [OrderTerm("name")],
        access: Access(read: [.admin], create: [.admin], update: [.admin], delete: []))

    static let praise = LoadedMethod(
        name: "praise", entity: "books", summary: "",
        parameters: [Column("tone", .choice(["warm", "wild"]), nullable: false, default: "warm", summary: "")],
        selection: "{ title }",
        allows: { role, parameters in parameters["tone"] != "wild" || role == .admin },
        answer: { record, parameters in ["text": record["title"] ?? .null, "tone": parameters["tone"] ?? .null] })

    static let domain = Domain(name: "library", schema: "public", entities: [books, shelves], methods: [praise])
}
