import DomainKit
import JSON
import TestSupport
import Testing

@testable import Bookshop

/// `rpc.domains`: what programs learn of the domains that make screens of them.
@Suite struct DeclaredDomainsTests {
    private static let request = #"{"jsonrpc":"2.0","id":1,"method":"rpc.domains"}"#

    private static func domains(in answer: String) throws -> JSONValue {
        try #require(try JSONReader.read(answer).value["result"]?["domains"], "\(answer)")
    }

    private static func domains(_ shop: ServedBookshop, as role: Role) async throws -> JSONValue {
        try domains(in: try await shop.answer(request, as: role))
    }

    private static func bookshop(_ shop: ServedBookshop, as role: Role) async throws -> JSONValue {
        try #require(named("bookshop", in: try await domains(shop, as: role)))
    }

    private static func bookshop(_ shop: ServedBookshop, token: String) async throws -> JSONValue {
        try #require(named("bookshop", in: try domains(in: try await shop.answer(request, token: token))))
    }

    private static func named(_ name: String, in list: JSONValue?) -> JSONValue? {
        guard case .array(let items)? = list else { return nil }
        return items.first { $0["name"]?.text == name }
    }

    private static func names(_ list: JSONValue?) -> [String] {
        guard case .array(let items)? = list else { return [] }
        return items.compactMap { $0["name"]?.text }
    }

    @Test func `an entity says what its records are called, and what the caller may do`() async throws {
        try await ServedBookshop.with { shop in
            let domain = try await Self.bookshop(shop, as: .admin)
            #expect(domain["label"] == "Librairie")
            #expect(
                Self.names(domain["entities"]) == ["authors", "books", "publications", "readers", "wishes", "settings"])
            let books = try #require(Self.named("books", in: domain["entities"]))
            #expect(books["singular"] == "livre")
            #expect(books["plural"] == "livres")
            #expect(books["feminine"] == false)
            #expect(books["title"] == ["title"])
            #expect(books["order"] == ["title"])
            #expect(books["search"] == true)
            #expect(books["view"] == nil)
            #expect(
                books["methods"] == ["list", "get", "aggregate", "create", "update", "delete", "history"])
            let user = try await Self.bookshop(shop, as: .user)
            #expect(Self.named("books", in: user["entities"])?["methods"] == ["list", "get", "aggregate", "history"])
        }
    }

    @Test func `fields, relations and commands have what forms need`() async throws {
        try await ServedBookshop.with { shop in
            let domain = try await Self.bookshop(shop, as: .admin)
            let books = try #require(Self.named("books", in: domain["entities"]))
            #expect(
                Self.named("title", in: books["columns"])
                    == [
                        "name": "title", "label": "Titre", "type": "text", "max_length": 200, "required": true,
                        "writes": ["create", "update"],
                    ])
            let isbn = try #require(Self.named("isbn", in: books["columns"]))
            #expect(isbn["unique"] == true)
            #expect(isbn["format"]?["message"] == "Donnez les 13 chiffres de l’ISBN, comme 9782253004226.")
            #expect(isbn["format"]?["pattern"] == "^[0-9]{13}$")
            let price = try #require(Self.named("price", in: books["columns"]))
            #expect(price["type"] == "decimal")
            #expect(price["scale"] == 2)
            #expect(price["minimum"] == 0)
            #expect(Self.named("author_id", in: books["columns"])?["target"] == "authors")
            #expect(Self.named("reader", in: books["columns"])?["writes"] == nil)
            #expect(Self.named("gross_price", in: books["derived"])?["label"] == "Prix avec taxes")
            #expect(
                books["relations"]
                    == [["name": "author", "label": "Auteur", "target": "authors", "column": "author_id"]])
            let authors = try #require(Self.named("authors", in: domain["entities"]))
            #expect(Self.named("books", in: authors["relations"])?["many"] == true)
            let lend = try #require(Self.named("books.lend", in: domain["commands"]))
            #expect(lend["label"] == "Prêter")
            #expect(lend["entity"] == "books")
            #expect(lend["record"] == "id")
            #expect(lend["answers"] == ["record": "books"])
            #expect(Self.named("reader", in: lend["parameters"])?["label"] == "Lecteur")
            let publications = try #require(Self.named("publications", in: domain["entities"]))
            #expect(publications["view"] == true)
            #expect(Self.named("since", in: publications["parameters"])?["required"] == true)
        }
    }

    @Test func `a caller learns of no entity, relation and command that they may not use`() async throws {
        try await ServedBookshop.with { shop in
            let admin = try await Self.bookshop(shop, as: .admin)
            let user = try await Self.bookshop(shop, as: .user)
            #expect(Self.names(user["entities"]) == ["authors", "books", "publications", "settings"])
            #expect(Self.names(try await Self.domains(shop, as: .user)) == ["bookshop"])
            let wishes = Self.named("wishes", in: admin["entities"])
            #expect(wishes?["title"] == ["reader.name", "book.title"])
            // Readers are among those who may not lend.
            #expect(Self.names(admin["commands"]) == ["books.lend", "settings.open"])
            let reader = try await Self.bookshop(shop, token: try await Self.readerKey(shop))
            #expect(Self.names(reader["entities"]) == ["authors", "books", "readers", "wishes", "settings"])
            #expect(Self.names(reader["commands"]) == [])
            let own = Self.named("wishes", in: reader["entities"])
            // The server fills in whose wish it is.
            let given = try #require(Self.named("reader_id", in: wishes?["columns"]))
            #expect(given["required"] == true)
            #expect(given["writes"] == ["create", "update"])
            let filled = try #require(Self.named("reader_id", in: own?["columns"]))
            #expect(filled["required"] == nil)
            #expect(filled["writes"] == nil)
            #expect(own?["methods"] == ["list", "get", "aggregate", "create", "delete", "history"])
        }
    }

    /// The key of a reader, which acts in that role alone.
    private static func readerKey(_ shop: ServedBookshop) async throws -> String {
        func call(_ method: String, _ params: String) async throws -> JSONValue {
            let request = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#
            return try #require(try JSONReader.read(try await shop.answer(request, as: .admin)).value["result"])
        }
        let reader = try await call("readers.create", #"{"values":{"name":"Jeanne"},"select":"{ id }"}"#)
        guard case .number(let subject)? = reader["id"] else { throw TestEnvironmentError("the reader has no id") }
        _ = try await call(
            "account_roles.create",
            #"{"values":{"account_id":1,"role":"bookshop_reader","subject":\#(subject)}}"#)
        let key = try await call(
            "auth.create_access_key", #"{"account_id":1,"role":"bookshop_reader","name":"Essai"}"#)
        return try #require(key["key"]?.text)
    }

    @Test func `without a token there is no answer`() async throws {
        try await ServedBookshop.with { shop in
            let answer = try await shop.answer(Self.request, token: "")
            #expect(try JSONReader.read(answer).value["error"]?["data"]?["code"] == "unauthenticated")
        }
    }
}
