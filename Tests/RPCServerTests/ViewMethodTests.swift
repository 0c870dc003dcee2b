import DomainKit
import JSON
import Testing

@testable import RPCServer

/// The methods of views, and the views that cannot be served.
@Suite struct ViewMethodTests {
    private static let parameters = [
        Column("from", .date, nullable: false, summary: "Du."), Column("to", .date, summary: "Au."),
    ]

    private static func view(
        parameters: [Column] = parameters, columns: [Column] = [.id, Column("book_id", .bigint, summary: "Livre.")],
        relations: [Relation] = [Relation("book", to: "books", .toOne(column: "book_id"), summary: "Le livre.")],
        access: Access = Access(read: [.user, .admin], create: [], update: [], delete: [])
    ) -> Entity {
        Entity(
            name: "sales", source: .function("sales", parameters),
            noun: Noun("vente", plural: "ventes", feminine: true), columns: columns, relations: relations, search: nil,
            defaultOrder: [], access: access)
    }

    private static func domain(_ entities: Entity..., methods: [LoadedMethod] = []) -> Domain {
        Domain(name: "shop", schema: "public", entities: entities, methods: methods)
    }

    @Test func `a view has the methods list and aggregate, which take its parameters before their own`() async throws {
        let service = try await Bookshop.service(Self.domain(Self.view()))
        guard case .array(let described)? = service.description.value["methods"] else {
            Issue.record("no methods")
            return
        }
        let own = described.filter { $0["name"]?.text?.hasPrefix("sales.") == true }
        #expect(own.compactMap { $0["name"]?.text } == ["sales.list", "sales.aggregate"])
        for method in own {
            guard case .array(let parameters)? = method["params"] else { continue }
            #expect(parameters.first?["name"] == "from")
            #expect(parameters.first?["required"] == true)
            #expect(parameters.contains { $0["name"] == "to" && $0["required"] == false })
        }
    }

    static let unserved: [(domain: Domain, error: ViewError)] = [
        (
            domain(view(access: Access(read: [.admin], create: [.admin], update: [], delete: []))), .writable
        ),
        (domain(view(columns: [Column("book_id", .bigint, summary: "")])), .noID),
        (
            domain(view(relations: [Relation("books", to: "books", .toMany(column: "author_id"), summary: "")])),
            .toManyRelation("books")
        ),
        (domain(view(parameters: [Column("first", .integer, summary: "")])), .takenParameter("first")),
        (domain(view(parameters: [Column("group_by", .integer, summary: "")])), .takenParameter("group_by")),
        (
            domain(
                view(),
                Entity(
                    name: "tills", noun: Noun("caisse", plural: "caisses", feminine: true),
                    columns: [.id, Column("sale_id", .bigint, summary: "")],
                    relations: [Relation("sale", to: "sales", .toOne(column: "sale_id"), summary: "")], search: nil,
                    defaultOrder: [], access: Access(read: [.admin], create: [], update: [], delete: []))),
            .relationToView("sale", entity: "tills")
        ),
        (
            domain(
                view(),
                methods: [
                    LoadedMethod(name: "print", entity: "sales", summary: "", parameters: [], selection: "{ id }") {
                        record, _ in record
                    }
                ]), .loaded(method: "print")
        ),
    ]

    @Test(arguments: unserved)
    func `a view that cannot be served is an error at start`(domain: Domain, error: ViewError) async {
        await #expect(throws: RPCService.SetupError.invalidView("sales", error)) { try await Bookshop.service(domain) }
    }
}
