import DomainKit
import JSON
import QueryCompiler
import Testing

@testable import RPCServer

/// What `transaction.run` decides before it takes a database connection.
@Suite struct TransactionMethodTests {
    private func methods() -> [Method] {
        let roles = ServedRole.roles(of: Library.domain)
        let methods = Library.domain.entities.flatMap { EntityMethods(entity: $0, roles: roles).methods }
        return methods + [TransactionMethod(methods, [Library.domain]).method]
    }

    private func error(_ params: String, as role: Role = .admin) async throws -> JSONValue {
        let service = try TestService(methods: methods())
        let body = #"{"jsonrpc":"2.0","id":1,"method":"transaction.run","params":\#(params)}"#
        let answer = try #require(await service.answer(body, authorization: "Bearer \(role.name)"))
        return try #require(try JSONReader.read(answer).value["error"])
    }

    /// Path and code of each problem.
    private func problems(_ params: String) async throws -> [String] {
        guard case .array(let errors)? = try await error(params)["data"]?["errors"] else { return [] }
        return errors.map { "\($0["path"]?.text ?? "") \($0["code"]?.text ?? "")" }
    }

    private static let shelf = #"{"method":"shelves.create","params":{"values":{"name":"A"}},"as":"a"}"#

    @Test(arguments: [
        ("{}", ["/calls required"]), (#"{"calls":{}}"#, ["/calls type"]), (#"{"calls":[]}"#, ["/calls required"]),
        (#"{"calls":[1]}"#, ["/calls/0 type"]), (#"{"calls":[{}]}"#, ["/calls/0/method required"]),
        (#"{"calls":[{"method":"books.crate"}]}"#, ["/calls/0/method unknown"]),
        (#"{"calls":[{"method":"books.list"}]}"#, ["/calls/0/method rule"]),
        (#"{"calls":[{"method":"transaction.run","params":{"calls":[]}}]}"#, ["/calls/0/method rule"]),
        (#"{"calls":[{"method":"books.delete","params":[1]}]}"#, ["/calls/0/params type"]),
        (#"{"calls":[{"method":"books.delete","params":[]}]}"#, ["/calls/0/params/id required"]),
        (
            #"{"calls":[{"method":"books.delete","parms":{},"as":"9","params":{"id":0}}]}"#,
            ["/calls/0/parms unknown", "/calls/0/as format", "/calls/0/params/id out_of_range"]
        ),
        (#"{"calls":[\#(shelf),\#(shelf)]}"#, ["/calls/1/as duplicate"]),
        (
            #"{"calls":[{"method":"books.delete","params":{"id":1,"dry_run":true,"idempotency_key":"k"}}]}"#,
            ["/calls/0/params/dry_run unknown", "/calls/0/params/idempotency_key unknown"]
        ),
        (
            #"{"idempotency_key":" ","calls":[\#(shelf)]}"#, ["/idempotency_key required"]
        ),
    ])
    func `a mistake in the calls is a problem at its place`(params: String, expected: [String]) async throws {
        #expect(try await problems(params) == expected)
    }

    @Test func `the problems of all calls are reported together`() async throws {
        let found = try await problems(
            #"""
            {"calls":[{"method":"books.create","params":{"values":{"titel":"x"},"select":"{ y }"}},
                      {"method":"nope"}, \#(Self.shelf),
                      {"method":"books.update","params":{"id":"1","values":{"shelf_id":{"$ref":"b.id"}}}}]}
            """#)
        #expect(
            found == [
                "/calls/1/method unknown", "/calls/0/params/values/titel unknown",
                "/calls/0/params/values/title required",
                "/calls/0/params/select unknown", "/calls/3/params/values/shelf_id unknown", "/calls/3/params/id type",
            ])
    }

    @Test(arguments: [
        (#"{"id":1,"values":{"shelf_id":{"$ref":"a.id"}}}"#, []),
        (#"{"id":{"$ref":"a.id"},"values":{"shelf_id":{"$ref":"a.id"}}}"#, ["/calls/1/params/id rule"]),
        (#"{"id":1,"if_version":{"$ref":"a.version"}}"#, ["/calls/1/params/if_version type"]),
        (#"{"id":1,"values":{"title":{"$ref":"z.id"}}}"#, ["/calls/1/params/values/title type"]),
        (#"{"id":1,"values":{"shelf_id":{"$ref":"a.version"}}}"#, ["/calls/1/params/values/shelf_id unknown"]),
        (#"{"id":1,"values":{"title":{"$ref":"a.id"}}}"#, ["/calls/1/params/values/title type"]),
        (#"{"id":1,"values":{"pages":{"$ref":"a.id"}}}"#, ["/calls/1/params/values/pages type"]),
        (#"{"id":1,"if_version":{"$ref":"a.id"}}"#, ["/calls/1/params/if_version type"]),
        (#"{"id":1,"values":{"nope":{"$ref":"a.id"}}}"#, ["/calls/1/params/values/nope unknown"]),
        (
            #"{"id":1,"select":"{ shelf { books(where: {id: $x}) { id } } }","variables":{"x":{"$ref":"a.id"}}}"#,
            ["/calls/1/params/variables/x type"]
        ),
        (#"{"id":1,"values":{"shelf_id":{"$ref":"c.id"}}}"#, ["/calls/1/params/values/shelf_id rule"]),
        (#"{"id":1,"values":{"shelf_id":{"$ref":"b.id"}}}"#, ["/calls/1/params/values/shelf_id rule"]),
    ])
    func `a reference stands for an id only`(params: String, expected: [String]) async throws {
        let update = #"{"method":"books.update","params":\#(params),"as":"b"}"#
        let last = #"{"method":"books.delete","params":{"id":{"$ref":"b.id"}},"as":"c"}"#
        #expect(try await problems(#"{"calls":[\#(Self.shelf),\#(update),\#(last)]}"#) == expected)
    }

    @Test func `a reference names a record of the entity that its place refers to`() async throws {
        let create = #"{"method":"books.create","params":{"values":{"title":"t"}},"as":"b"}"#
        let update = #"{"method":"books.update","params":{"id":1,"values":{"shelf_id":{"$ref":"b.id"}}}}"#
        let error = try await error(#"{"calls":[\#(create),\#(update),\#(Self.shelf)]}"#)
        #expect(error["code"] == -32602)
        guard case .array(let problems)? = error["data"]?["errors"] else {
            Issue.record("there are no problems")
            return
        }
        #expect(problems.count == 1)
        #expect(problems.first?["path"] == "/calls/1/params/values/shelf_id")
        let message = problems.first?["message"]?.text ?? ""
        #expect(message.contains("une étagère") && message.contains("un livre"), "\(message)")
    }

    @Test func `fifty calls are planned and fifty-one are too many`() async throws {
        func calls(_ count: Int) -> String {
            let call = #"{"method":"books.delete","params":{"id":1}}"#
            return #"{"calls":[\#(Array(repeating: call, count: count).joined(separator: ","))]}"#
        }
        #expect(try await problems(calls(51)) == ["/calls too_long"])
        // The call is planned, and then there is no database.
        #expect(try await error(calls(50))["code"] == -32603)
    }

    @Test func `a call that the caller may not make is forbidden by name`() async throws {
        let error = try await error(#"{"calls":[{"method":"books.create"},{"method":"books.delete"}]}"#, as: .user)
        #expect(error["code"] == 403)
        #expect(error["data"]?["path"] == "/calls/1/method")
    }

    @Test func `the calls share the limit of costs`() throws {
        let call = Call(caller: .test(.admin), role: nil, context: CallContext(requestID: "r"))
        func cost(_ count: Int) throws -> CallCost {
            let one: JSONValue = [
                "method": "shelves.update",
                "params": ["id": 1, "select": "{ books(first: 500) { id } }"],
            ]
            let params: JSONObject = ["calls": .array(Array(repeating: one, count: count))]
            let method = try #require(methods().last)
            return try method.plan(.byName(params, duplicates: []), call).cost
        }
        #expect(try cost(1).rows > 500)
        #expect(try cost(40).rows == 40 * cost(1).rows)
    }
}
