import DomainKit
import JSON
import Testing

/// The labels of a declaration in the OpenRPC document, where clients and screens read them.
@Suite struct DescribedLabelsTests {
    @Test func `columns, relations, commands, parameters and words have their labels`() async throws {
        try await ServedBookshop.with { shop in
            let answer = try await shop.answer(#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#, as: .user)
            let document = try #require(try JSONReader.read(answer).value["result"])
            let books = try #require(document["components"]?["schemas"]?["books"]?["properties"])
            #expect(books["title"]?["x-label"] == "Titre")
            #expect(books["author"]?["x-label"] == "Auteur")
            let created = document["components"]?["schemas"]?["books_create"]?["properties"]
            #expect(created?["title"]?["x-label"] == "Titre")
            let lend = try #require(Self.method("books.lend", of: document))
            #expect(lend["x-label"] == "Prêter")
            #expect(Self.schema("id", of: lend)?["x-label"] == "Livre")
            let cite = try #require(Self.method("books.cite", of: document))
            #expect(Self.schema("style", of: cite)?["x-labels"]?["short"] == "Sans l’année")
        }
    }

    private static func method(_ name: String, of document: JSONValue) -> JSONValue? {
        guard case .array(let methods)? = document["methods"] else { return nil }
        return methods.first { $0["name"]?.text == name }
    }

    private static func schema(_ parameter: String, of method: JSONValue) -> JSONValue? {
        guard case .array(let params)? = method["params"] else { return nil }
        return params.first { $0["name"]?.text == parameter }?["schema"]
    }
}
