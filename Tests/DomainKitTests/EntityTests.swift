import DomainKit
import Testing

@Suite struct `An entity tells what it has` {
    @Test func `Names are found, whatever kind they are of`() {
        let books = Sample.books
        #expect(books.column(named: "price")?.type == .decimal(precision: 6, scale: 2))
        #expect(books.derivedField(named: "age")?.function == "age")
        #expect(books.relation(named: "author")?.kind == .toOne(column: "author_id"))
        #expect(books.column(named: "age") == nil)
        #expect(books.selectableNames.suffix(3) == ["version", "age", "author"])
        #expect(!books.writableColumns.contains { ["id", "version"].contains($0.name) })
    }

    @Test func `Only what has no default and no null is required`() {
        #expect(Sample.books.columns.filter(\.isRequired).map(\.name) == ["title"])
    }

    @Test func `Rights are those given, and no others`() {
        #expect(Sample.everyone.allows(.delete, to: .admin))
        #expect(!Sample.everyone.allows(.delete, to: .user))
        #expect(Sample.everyone.roles(for: .read) == [.user, .admin])
    }

    @Test func `A domain finds its entities by name`() {
        let domain = Domain(name: "library", entities: [Sample.books])
        #expect(domain.entity(named: "books")?.noun.plural == "livres")
        #expect(domain.entity(named: "authors") == nil)
    }
}

@Suite struct `A value is JSON with its digits` {
    @Test func `Literals are values, members are in order`() {
        let value: Value = ["b": 1, "a": [true, nil, "x"]]
        #expect(value["a"] == .array([.bool(true), .null, .string("x")]))
        #expect(value["b"] == .number("1"))
        #expect(value["c"] == nil)
        guard case .object(let object) = value else {
            Issue.record("no object")
            return
        }
        #expect(object.members.map(\.name) == ["b", "a"])
        #expect(Value.number("1") != .number("1.0"))
    }

    @Test(arguments: [
        ("a", "/v/a"), ("a/b", "/v/a~1b"), ("a~b", "/v/a~0b"), ("~1", "/v/~01"), ("", "/v/"), ("é", "/v/é"),
    ])
    func `Pointers escape what they must`(token: String, path: String) {
        #expect("/v".appendingPointer(token) == path)
    }
}
