import Bookshop
import DomainKit
import Testing

/// By which fields people know a record.
@Suite struct TitleTests {
    private static func entity(
        _ name: String, _ columns: [Column], relations: [Relation] = [], title: String? = nil, searched: [String] = []
    ) -> Entity {
        Entity(
            name: name, noun: Noun("fiche", plural: "fiches", feminine: true), columns: [.id] + columns,
            relations: relations, title: title,
            search: searched.isEmpty ? nil : Search(function: "searchable", columns: searched), defaultOrder: [],
            access: Access(read: [.user], create: [], update: [], delete: []))
    }

    private static let texts = [
        Column("isbn", .text(maxLength: 13)), Column("kind", .choice(["a", "b"]), nullable: false),
        Column("title", .text(maxLength: 100), nullable: false), Column("note", .text(maxLength: nil)),
    ]

    private static func paths(_ entity: Entity, _ others: [Entity] = [], readable: Set<String>? = nil) -> [String] {
        let domain = Domain(name: "shop", entities: [entity] + others)
        return [domain].titlePaths(of: entity, readable: readable ?? Set(domain.entities.map(\.name)))
    }

    @Test func `the declared title comes first, then a searched text, then a text that every record has`() {
        #expect(Self.paths(Self.entity("books", Self.texts, title: "isbn", searched: ["note"])) == ["isbn"])
        #expect(Self.paths(Self.entity("books", Self.texts, searched: ["note"])) == ["note"])
        #expect(Self.paths(Self.entity("books", Self.texts)) == ["title"])
        #expect(Self.paths(Self.entity("books", [Column("isbn", .text(maxLength: 13))])) == ["id"])
    }

    @Test func `a record without a text is known by those that it refers to, as far as they are readable`() {
        let wish = Self.entity(
            "wishes",
            [
                Column("reader_id", .bigint, nullable: false), Column("book_id", .bigint, nullable: false),
                Column("gift_id", .bigint),
            ],
            relations: [
                Relation("reader", to: "readers", .toOne(column: "reader_id")),
                Relation("book", to: "books", .toOne(column: "book_id")),
                Relation("gift", to: "books", .toOne(column: "gift_id")),
            ])
        let others = [Self.entity("readers", Self.texts), Self.entity("books", Self.texts)]
        #expect(Self.paths(wish, others) == ["reader.title", "book.title"])
        #expect(Self.paths(wish, others, readable: ["wishes", "books"]) == ["book.title"])
        #expect(Self.paths(wish, others, readable: ["wishes"]) == ["id"])
    }

    @Test func `entities that refer to each other end at the id`() {
        func linked(_ name: String, to other: String) -> Entity {
            Self.entity(
                name, [Column("other_id", .bigint, nullable: false)],
                relations: [Relation("other", to: other, .toOne(column: "other_id"))])
        }
        #expect(Self.paths(linked("a", to: "b"), [linked("b", to: "a")]) == ["other.other.id"])
        #expect(Self.paths(linked("a", to: "a")) == ["id"])
    }
}
