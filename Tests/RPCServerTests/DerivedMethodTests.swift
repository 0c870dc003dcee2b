import DomainKit
import JSON
import NIOCore
import NIOHTTP1
import QueryCompiler
import Testing

@testable import RPCServer

@Suite struct DerivedMethodTests {
    private let roles = ServedRole.roles(of: Library.domain)

    @Test func `an entity has the methods that its access table permits to some role`() {
        let books = EntityMethods(entity: Library.books, roles: roles).methods
        #expect(
            books.map(\.name) == [
                "books.list", "books.get", "books.aggregate", "books.create", "books.update", "books.delete",
                "books.duplicate",
            ])
        #expect(books.first { $0.name == "books.delete" }?.roles == [.admin])
        #expect(books.first { $0.name == "books.duplicate" }?.roles == [.admin, .user])
        let shelves = EntityMethods(entity: Library.shelves, roles: roles).methods
        #expect(
            shelves.map(\.name) == [
                "shelves.list", "shelves.get", "shelves.aggregate", "shelves.create", "shelves.update",
            ])
        #expect(shelves.allSatisfy { $0.roles == [.admin] })
    }

    @Test func `the history of records has the rights of reading them, and the journal has none`() throws {
        let planner = Planner(domains: [Bookshop.domain])
        let roles = ServedRole.roles(of: Bookshop.domain)
        func history(of entity: Entity) -> Method? {
            HistoryMethod(entity: entity, journal: Bookshop.journal, roles: roles, planner: planner).method
        }
        #expect(history(of: Bookshop.books)?.name == "books.history")
        #expect(history(of: Bookshop.books)?.roles == [.admin, .user])
        #expect(history(of: Bookshop.journal) == nil)
        let words = EntityMethods(entity: Bookshop.journal, roles: roles).methods
        #expect(words.map(\.name) == ["journal.list", "journal.get", "journal.aggregate"])
        #expect(!words.contains { $0.parameters.contains { $0.name == "search" } })
    }

    @Test func `the planner knows every declared parameter`() throws {
        // The planner reports the params that it does not know.
        for method in try methods() {
            let nulls = JSONObject(method.parameters.map { JSONObject.Member($0.name, .null) })
            let call = try Call.test(method, .admin)
            let outcome = Result { () throws(CallError) in
                try method.plan(.byName(nulls, duplicates: []), call)
            }
            guard case .failure(.params(let problems)) = outcome else { continue }
            #expect(!problems.contains { $0.code == .unknown }, "\(method.name): \(problems)")
        }
    }

    @Test func `all problems of the params are reported together, each once`() async throws {
        let problems = try await problems(
            of: "books.create", #"{"valuse":1,"values":{"titel":"a","pages":1.5},"select":"{ titel }"}"#)
        #expect(
            problems == [
                "/valuse unknown", "/values/titel unknown", "/values/pages type", "/values/title required",
                "/select unknown",
            ])
    }

    @Test func `an aggregate requires a selection`() async throws {
        #expect(try await problems(of: "books.aggregate", "{}") == ["/select required"])
        #expect(
            try await problems(of: "books.aggregate", #"{"select":null,"group_by":["titel"]}"#)
                == ["/select type", "/group_by/0 unknown"])
        // The call is planned, and then there is no database.
        #expect(try await code(of: "books.aggregate", #"{"select":"{ count }"}"#, as: .user) == -32603)
    }

    @Test func `a loaded method checks its choices`() async throws {
        #expect(try await problems(of: "books.praise", #"{"tone":"warn"}"#) == ["/id required", "/tone format"])
        #expect(try await problems(of: "books.praise", #"{"id":"1","tone":1}"#) == ["/id type", "/tone type"])
        #expect(try await problems(of: "books.praise", #"{"id":null,"tone":null}"#) == ["/id type"])
        #expect(try await problems(of: "books.praise", #"{"id":1,"select":"{ id }"}"#) == ["/select unknown"])
    }

    @Test func `a loaded method may refuse a role`() async throws {
        #expect(try await code(of: "books.praise", #"{"id":1,"tone":"wild"}"#, as: .user) == 403)
        // The call is planned, and then there is no database.
        #expect(try await code(of: "books.praise", #"{"id":1,"tone":"wild"}"#, as: .admin) == -32603)
    }

    @Test(arguments: ["shelves.list", "shelves.get", "shelves.create", "shelves.update", "books.delete"])
    func `a method that the access table does not permit is forbidden`(method: String) async throws {
        #expect(try await code(of: method, "{}", as: .user) == 403)
        #expect(try await code(of: method, #"{"id":1,"values":{"name":"a"}}"#, as: .admin) != 403)
    }

    @Test func `two methods of one name are an error of the setup`() throws {
        let once = try methods()
        #expect(throws: RPCService.SetupError.duplicateMethod("books.list")) { try MethodRegistry(once + once) }
    }

    // MARK: Calls

    private func methods() throws -> [Method] {
        try Library.domain.entities.flatMap { EntityMethods(entity: $0, roles: roles).methods }
            + Library.domain.methods.compactMap { try $0.method(in: Library.domain, for: roles) }
    }

    private func error(of method: String, _ params: String, as role: Role) async throws -> JSONValue {
        let service = try TestService(methods: try methods())
        let body = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#
        let answer = try #require(await service.answer(body, authorization: "Bearer \(role.name)"))
        return try #require(try JSONReader.read(answer).value["error"])
    }

    private func code(of method: String, _ params: String, as role: Role) async throws -> Int? {
        guard case .number(let digits) = try await error(of: method, params, as: role)["code"] else { return nil }
        return Int(digits)
    }

    /// Path and code of each problem.
    private func problems(of method: String, _ params: String) async throws -> [String] {
        guard case .array(let errors) = try await error(of: method, params, as: .admin)["data"]?["errors"] else {
            return []
        }
        return errors.map { "\($0["path"]?.text ?? "") \($0["code"]?.text ?? "")" }
    }
}

extension Method {
    /// The roles that may call the method, the most powerful first; nil if it has no roles.
    fileprivate var roles: [Role]? {
        guard case .roles(let roles) = rights else { return nil }
        return roles.map(\.role)
    }
}
