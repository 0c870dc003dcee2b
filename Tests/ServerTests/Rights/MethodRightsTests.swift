import DomainKit
import JSON
import Testing

/// security.md, Rights: "every method × every role × batch or single: exactly the table in domain.md: generated test over
/// all methods".
@Suite struct MethodRightsTests {
    /// Invalid params: an error in every method that the caller may call, and ignored in all others.
    private static let params: JSONValue = ["zq_inconnu": 1]

    private func methods() async throws -> [String] {
        let document = try await TestServer.running().client(nil).call("rpc.discover")
        return document.at("/methods").array.compactMap { $0["name"]?.text }
    }

    /// The error code of the decision that precedes the validation of params.
    private func expected(_ method: String, _ caller: Role?) throws -> Int {
        let callers = try #require(SpecifiedRights.callers(of: method), "nobody has said who may call \(method)")
        guard case .roles(let roles) = callers else { return -32602 }
        guard let caller else { return 401 }
        return roles.contains(caller) ? -32602 : 403
    }

    private func client(of caller: Role?) async throws -> RPCClient {
        let server = try await TestServer.running()
        guard let caller else { return try await server.client(nil) }
        return try await server.client(caller == .admin ? TestServer.admin : TestServer.user)
    }

    @Test(arguments: [.admin, .user, nil] as [Role?])
    func `each method is open to exactly the callers of the table`(caller: Role?) async throws {
        let client = try await client(of: caller)
        for method in try await methods() {
            let error = try await client.refusal(method, Self.params)
            #expect(error["code"]?.int == (try expected(method, caller)), "\(method): \(error.json)")
            if error["code"] == 403 { #expect(error.at("/data/code") == "forbidden") }
            if error["code"] == 401 { #expect(error.at("/data/reason") == "missing") }
        }
    }

    @Test(arguments: [.admin, .user, nil] as [Role?])
    func `each method in a batch is open to exactly the callers of the table`(caller: Role?) async throws {
        let client = try await client(of: caller)
        let methods = try await methods()
        for start in stride(from: 0, to: methods.count, by: 50) {
            let names = Array(methods[start..<min(start + 50, methods.count)])
            let calls = names.enumerated().map { index, name in
                #"{"jsonrpc":"2.0","id":\#(index),"method":"\#(name)","params":\#(Self.params.json)}"#
            }
            let answers = try JSONValue.parse(try await client.post("[\(calls.joined(separator: ","))]").body).array
            #expect(answers.count == names.count)
            for answer in answers {
                let name = names[try #require(answer["id"]?.int)]
                #expect(answer.at("/error/code").int == (try expected(name, caller)), "\(name): \(answer.json)")
            }
        }
    }

    @Test func `exactly the operations that the table allows to some role are methods`() async throws {
        let methods = Set(try await methods())
        #expect(methods.count > 40)
        let suffixes: [(String, Operation)] = [
            ("list", .read), ("get", .read), ("create", .create), ("update", .update), ("delete", .delete),
        ]
        for (entity, _) in SpecifiedRights.table {
            for (suffix, operation) in suffixes {
                let isThere = methods.contains("\(entity).\(suffix)")
                #expect(isThere != SpecifiedRights.roles(for: operation, on: entity).isEmpty, "\(entity).\(suffix)")
            }
            #expect(methods.contains("\(entity).history") == (entity != "journal"))
        }
        #expect(try await TestServer.running().client(nil).refusal("sessions.nope")["code"] == -32601)
    }
}
