import DomainKit
import JSON
import Testing

@testable import Bookshop

@Suite struct EntityTests {
    private let books = Bookshop.books

    @Test func `columns, derived fields and relations are found by name`() {
        #expect(books.column(named: "price")?.type == .decimal(precision: 6, scale: 2))
        #expect(books.derivedField(named: "gross_price")?.function == "gross_price")
        #expect(books.relation(named: "author")?.kind == .toOne(column: "author_id"))
        #expect(books.column(named: "gross_price") == nil)
        #expect(books.selectableNames.suffix(3) == ["version", "gross_price", "author"])
    }

    @Test func `columns that the database sets are not writable`() {
        #expect(
            books.writableColumns(for: .create).map(\.name)
                == ["title", "isbn", "price", "published", "reprinted", "author_id"])
    }

    @Test func `a column of creation is writable in a new record only, and required there`() {
        let code = Column("code", .text(maxLength: 9), nullable: false, access: .createOnly, summary: "Code.")
        let shelves = Entity(
            name: "shelves", noun: Noun("rayon", plural: "rayons", feminine: false), columns: [.id, code], search: nil,
            defaultOrder: [], access: Bookshop.access)
        #expect(shelves.writableColumns(for: .create).map(\.name) == ["code"])
        #expect(shelves.writableColumns(for: .duplicate).map(\.name) == ["code"])
        #expect(shelves.writableColumns(for: .update).isEmpty)
        let values = JSONObject([JSONObject.Member("code", "A")])
        #expect(shelves.problems(in: values, for: .create) == [])
        #expect(shelves.problems(in: JSONObject(), for: .create).map(\.code) == [.required])
        let refused = shelves.problems(in: values, for: .update)
        #expect(refused.map(\.path) == ["/values/code"])
        #expect(refused.map(\.code) == [.readOnly])
        #expect(refused.first?.message.contains("fixé à la création") == true)
    }

    @Test func `a column is required if it has neither a default nor null`() {
        #expect(books.columns.filter(\.isRequired).map(\.name) == ["title", "author_id"])
        #expect(!Column("kind", .choice(["novel"]), nullable: false, hasDefault: true, summary: "").isRequired)
    }

    @Test func `a role has the rights that are declared, and no others`() {
        #expect(Bookshop.access.allows(.delete, to: .admin))
        #expect(!Bookshop.access.allows(.delete, to: .user))
        #expect(Bookshop.access.roles(for: .read) == [.user, .admin, .reader])
    }

    @Test func `a domain finds its entities by name`() {
        #expect(Bookshop.domain.entity(named: "books")?.noun.plural == "livres")
        #expect(Bookshop.domain.entity(named: "loans") == nil)
    }
}
