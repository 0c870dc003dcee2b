import DomainKit
import JSON
import Testing

/// security.md, Rights: "every method × every role × batch or single: exactly the table in domain.md: generated test over
/// all methods". kernel.md: over all served domains.
@Suite struct MethodRightsTests {
    /// Invalid params: an error in every method that the caller may call, and ignored in all others.
    private static let params: JSONValue = ["zq_inconnu": 1]

    /// A caller, with the error code of the decision that precedes the validation of params.
    private struct Expectation {
        let rights: DeclaredRights
        let caller: Role?
        let hasKey: Bool

        func code(of method: String) throws -> Int {
            switch try #require(rights.callers[method], "the domains do not declare \(method)") {
            case .anyone: return -32602
            case .signedIn(let withKeys): return caller == nil ? 401 : hasKey && !withKeys ? 403 : -32602
            case .roles(let roles):
                guard let caller else { return 401 }
                return roles.contains(caller) ? -32602 : 403
            }
        }
    }

    private static func each(
        of system: SystemUnderTest, _ body: (RPCClient, [String], Expectation) async throws -> Void
    ) async throws {
        let served = try await ServedSystem.running(system)
        let methods = try await ServiceDescription(of: served.server).methods.map(\.name)
        let rights = DeclaredRights(of: system.domains)
        for caller in system.roles.map(Optional.some) + [nil] {
            try await body(
                try await served.client(caller), methods,
                Expectation(rights: rights, caller: caller, hasKey: caller.map(served.hasKey) ?? false))
        }
    }

    @Test(arguments: SystemUnderTest.all)
    func `each method is open to exactly the callers that its domain declares`(system: SystemUnderTest) async throws {
        try await Self.each(of: system) { client, methods, expected in
            for method in methods {
                let error = try await client.refusal(method, Self.params)
                let code = try expected.code(of: method)
                #expect(error["code"]?.int == code, "\(expected.caller?.name ?? "anonymous") \(method): \(error.json)")
                if error["code"] == 403 { #expect(error.at("/data/code") == "forbidden") }
                if error["code"] == 401 { #expect(error.at("/data/reason") == "missing") }
            }
        }
    }

    @Test(arguments: SystemUnderTest.all)
    func `each method in a batch is open to exactly the callers that its domain declares`(
        system: SystemUnderTest
    ) async throws {
        try await Self.each(of: system) { client, methods, expected in
            for start in stride(from: 0, to: methods.count, by: 50) {
                let names = Array(methods[start..<min(start + 50, methods.count)])
                let calls = names.enumerated().map { index, name in
                    #"{"jsonrpc":"2.0","id":\#(index),"method":"\#(name)","params":\#(Self.params.json)}"#
                }
                let answers = try JSONValue.parse(try await client.post("[\(calls.joined(separator: ","))]").body).array
                #expect(answers.count == names.count)
                for answer in answers {
                    let name = names[try #require(answer["id"]?.int)]
                    let code = try expected.code(of: name)
                    #expect(
                        answer.at("/error/code").int == code,
                        "\(expected.caller?.name ?? "anonymous") \(name): \(answer.json)")
                }
            }
        }
    }

    @Test(arguments: SystemUnderTest.all)
    func `exactly the methods that the domains declare are served`(system: SystemUnderTest) async throws {
        let served = try await ServedSystem.running(system)
        let methods = Set(try await ServiceDescription(of: served.server).methods.map(\.name))
        #expect(methods.symmetricDifference(DeclaredRights(of: system.domains).callers.keys) == [])
        let client = try await served.client(nil)
        for entity in system.domains.flatMap(\.entities) {
            #expect(try await client.refusal("\(entity.name).nope")["code"] == -32601)
        }
    }

    @Test func `LearnTrack declares the rights of its specification`() throws {
        let declared = DeclaredRights(of: SystemUnderTest.learnTrack.domains).callers
        for (method, callers) in declared {
            let specified = try #require(
                SpecifiedRights.callers(of: method), "the specification does not say who may call \(method)")
            switch callers {
            case .anyone: #expect(specified == .anyone, "\(method)")
            case .signedIn: #expect(specified == .roles(Set(Role.base)), "\(method)")
            case .roles(let roles): #expect(specified == .roles(roles), "\(method)")
            }
        }
        for (entity, roles) in SpecifiedRights.table {
            for (operation, allowed) in roles where !allowed.isEmpty {
                let method = operation == .read ? "list" : operation.rawValue
                #expect(declared["\(entity).\(method)"] == .roles(allowed), "\(entity).\(method)")
            }
        }
    }
}
