import DomainKit
import JSON
import QueryCompiler
import TestSchema
import Testing

@testable import RPCServer

/// What a loaded method reads.
@Suite struct LoadPlannerTests {
    private static let titles = LoadedMethod(
        name: "titles", entity: "books", summary: "",
        parameters: [Column("longer_than", .integer, nullable: false, summary: "")],
        loads: [
            .rows(of: "books", "{ title }", atMost: 3) { parameters in
                ["where": ["pages": ["gt": parameters["longer_than"] ?? .null]], "order_by": ["-pages"]]
            }
        ]
    ) { loaded, _ in ["titles": loaded[0]] }

    private let roles = ServedRole.roles(of: Library.domain)

    private func plan(_ loads: [Load], id: String? = nil, _ parameters: [String: JSONValue] = [:]) throws
        -> [CallPlan.PlannedLoad]
    {
        let planner = try #require(roles.first).planner
        return try LoadPlanner(loads, of: Library.books, in: Library.domain).plan(id: id, parameters, planner)
    }

    @Test func `a method has the parameter id if it loads the record of a call`() throws {
        let listing = try #require(try Self.titles.method(in: Library.domain, for: roles))
        #expect(listing.parameters.map(\.name) == ["longer_than"])
        let praise = try #require(try Library.praise.method(in: Library.domain, for: roles))
        #expect(praise.parameters.map(\.name) == ["id", "tone"])
    }

    @Test func `a parameter that names a record is the id of one that exists in the domain`() throws {
        func serve(_ type: FieldType, of target: String) throws -> Method {
            let method = LoadedMethod(
                name: "shelf", entity: "books", summary: "",
                parameters: [Column("like", type, of: target, summary: "")],
                loads: []
            ) { _, _ in [:] }
            return try #require(try method.method(in: Library.domain, for: roles))
        }
        #expect(try serve(.bigint, of: "books").errors.contains(.notFound))
        #expect(throws: RPCService.SetupError.noSuchEntity("boxes")) { try serve(.bigint, of: "boxes") }
        #expect(throws: RPCService.SetupError.noRecordID(parameter: "like", command: "books.shelf")) {
            try serve(.integer, of: "books")
        }
    }

    @Test func `rows are those of the list that the params of the call describe, and so are those of further pages`()
        throws
    {
        let planned = try plan(Self.titles.loads, ["longer_than": 100])
        guard case .rows(let rows)? = planned.first, planned.count == 1 else {
            Issue.record("not one load of rows")
            return
        }
        #expect(rows.atMost == 3)
        #expect(rows.first.first == 3)
        #expect(rows.first.query.parameters == ["100", "4"])
        let cursor = rows.first.cursor.encode(columnTexts: rows.first.cursor.columns.map { _ in "200" })
        let next = try rows.next(cursor)
        #expect(next.query.parameters.contains("100"))
        #expect(next.query.parameters.contains("200"))
    }

    @Test(arguments: [(1, 1), (500, 500), (501, 1_000), (1_200, 1_500)])
    func `rows cost what all of their pages do`(count: Int, price: Int) throws {
        let load = Load.rows(of: "books", "{ title }", atMost: count) { _ in [:] }
        let cost = try plan([load])[0].cost
        #expect(cost.rows == price)
        #expect(try plan([load, load]).reduce(CallCost()) { $0.adding($1.cost) }.rows == 2 * price)
    }

    @Test func `a method that loads more rows than a call may cost is refused`() throws {
        let load = Load.rows(of: "books", "{ title }", atMost: 60_000) { _ in [:] }
        var budget = RequestBudget(CallLimits())
        let cost = try plan([load])[0].cost
        #expect(throws: QueryLimitError.self) { try budget.charge(cost) }
    }

    @Test func `a file is one that a column names in a record which is loaded before it`() throws {
        let wrong: [([Load], String)] = [
            ([.record("{ title }"), .file("title", of: "books")], "title"),
            ([.record("{ title }"), .file("cover", of: "books")], "cover"), ([.file("title", of: "books")], "title"),
        ]
        for (loads, column) in wrong {
            #expect(throws: RPCService.SetupError.noFile(column: column, entity: "books")) {
                try plan(loads, id: "1")
            }
        }
    }

    @Test(
        arguments: [
            ("{ title cover }", true), ("{ ...Sheet } fragment Sheet on books { cover }", true),
            ("{ cover: cover }", true), ("{ title }", false), ("{ picture: cover }", false),
            ("{ cover: title }", false), ("{ ...Sheet } fragment Sheet on books { ...Sheet title }", false),
        ])
    func `a file is one that the earlier load selects under the name of its column`(
        selection: String, isSelected: Bool
    ) throws {
        let books = Entity(
            name: "books", noun: Noun("livre", plural: "livres", feminine: false),
            columns: [
                .id, Column("title", .text(maxLength: 20), summary: ""),
                Column("cover", .bigint, file: FileRule([.png], maxBytes: 1_000), summary: ""),
            ], search: nil, defaultOrder: [OrderTerm("id")],
            access: Access(read: [.user], create: [], update: [], delete: []))
        let domain = Domain(name: "library", entities: [books])
        for load in [Load.record(selection), .rows(of: "books", selection, atMost: 1)] {
            do throws(RPCService.SetupError) {
                _ = try LoadPlanner([load, .file("cover", of: "books")], of: books, in: domain)
                #expect(isSelected)
            } catch {
                #expect(error == .noFile(column: "cover", entity: "books"))
                #expect(!isSelected)
            }
        }
    }

    @Test func `a load must name an entity of the domain that all callers may read`() throws {
        #expect(throws: RPCService.SetupError.noSuchEntity("boxes")) {
            try plan([.rows(of: "boxes", "{ id }", atMost: 1)])
        }
        // Shelves are read by administrators only, books by users too.
        #expect(throws: RPCService.SetupError.unreadableLoad(role: "user", entity: "shelves")) {
            try plan([.rows(of: "shelves", "{ id }", atMost: 1)])
        }
    }
}
