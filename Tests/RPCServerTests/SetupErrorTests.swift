import DomainKit
import JSON
import Testing

@testable import RPCServer

/// What an author declares that cannot be served.
@Suite struct SetupErrorTests {
    private static let nothing = Access(read: [.admin], create: [], update: [], delete: [])

    private static func entity(
        _ name: String, _ columns: [Column] = [], derived: [DerivedField] = [], relations: [Relation] = [],
        access: Access = nothing, isSingle: Bool = false, isDuplicable: Bool = false
    ) -> Entity {
        Entity(
            name: name, noun: Noun("fiche", plural: "fiches", feminine: true), columns: [.id] + columns,
            derived: derived, relations: relations, search: nil, defaultOrder: [OrderTerm("id")], access: access,
            isSingle: isSingle, isDuplicable: isDuplicable)
    }

    private static func serve(_ entities: [Entity], _ commands: [Command] = []) async throws {
        _ = try await Bookshop.service(Domain(name: "shop", entities: entities, commands: commands))
    }

    @Test func `no role makes or deletes the only record`() async throws {
        for access in [
            Access(read: [.admin], create: [.admin], update: [], delete: []),
            Access(read: [.admin], create: [], update: [], delete: [.admin]),
        ] {
            await #expect(throws: RPCService.SetupError.severalOfSingle("settings")) {
                try await Self.serve([Self.entity("settings", access: access, isSingle: true)])
            }
        }
        await #expect(throws: RPCService.SetupError.severalOfSingle("settings")) {
            try await Self.serve([Self.entity("settings", isSingle: true, isDuplicable: true)])
        }
        try await Self.serve([Self.entity("settings", isSingle: true)])
    }

    @Test func `who creates records that refer to the only one may make it`() async throws {
        let creating = Access(read: [.admin, .user], create: [.admin, .user], update: [], delete: [])
        let shelf = Self.entity(
            "shelves", [Column("settings_id", .bigint, nullable: false, access: .readOnly)],
            relations: [Relation("settings", to: "settings", .toOne(column: "settings_id"))], access: creating)
        let settings = Self.entity(
            "settings", access: Access(read: [.admin, .user], create: [], update: [], delete: []), isSingle: true)
        func open(_ roles: Grants) -> Command {
            Command(
                name: "settings.open", summary: "", parameters: [], function: "shop.settings_open",
                answers: .record(of: "settings"), roles: roles)
        }
        let error = RPCService.SetupError.unopened("shelves", role: "user", command: "settings.open")
        await #expect(throws: error) { try await Self.serve([shelf, settings], [open([.admin])]) }
        try await Self.serve([shelf, settings], [open([.admin, .user])])
    }

    @Test func `a file is named by an object or the objects of a list, by one rule`() async throws {
        let rule = FileRule([.png], maxBytes: 1_000)
        func photo(_ rule: FileRule = rule) -> Column { Column("photo", .bigint, file: rule) }
        func blocks(_ shape: Shape) -> Entity { Self.entity("notes", [Column("blocks", .json(shape))]) }
        let kinds = ObjectKinds(
            by: "kind", label: "Nature",
            [
                .init("one", label: "Une", [photo()]),
                .init("other", label: "Autre", [photo(FileRule([.png], maxBytes: 2_000))]),
            ])
        let deep = Shape.object([Column("inner", .json(.object([photo()])))])
        for shape in [.list(of: .kinds(kinds), count: 0...5), deep, .list(of: deep, count: 0...5)] as [Shape] {
            await #expect(throws: RPCService.SetupError.self) { try await Self.serve([blocks(shape)]) }
        }
        for shape in [.object([photo()]), .list(of: .object([photo()]), count: 0...5)] as [Shape] {
            try await Self.serve([blocks(shape)])
        }
    }

    @Test func `a figure is about a relation to many, and columns that calls read`() async throws {
        let poem = Self.entity(
            "poems",
            [Column("poet_id", .bigint), Column("price", .integer), Column("secret", .integer, access: .writeOnly)],
            relations: [Relation("poet", to: "poets", .toOne(column: "poet_id"))])
        func poets(_ figure: DerivedField) -> Entity {
            Self.entity(
                "poets", derived: [figure], relations: [Relation("poems", to: "poems", .toMany(column: "poet_id"))])
        }
        for figure: DerivedField in [
            .count("total", of: "novels", label: "Total"),
            .sum("total", .bigint, of: "poems", column: "pages", label: "Total"),
            .sum("total", .bigint, of: "poems", column: "secret", label: "Total"),
            .count("total", of: "poems", where: ["price": "dear"], label: "Total"),
        ] {
            await #expect(throws: RPCService.SetupError.self, "\(figure)") {
                try await Self.serve([poem, poets(figure)])
            }
        }
        try await Self.serve([poem, poets(.sum("total", .bigint, of: "poems", column: "price", label: "Total"))])
    }
}
