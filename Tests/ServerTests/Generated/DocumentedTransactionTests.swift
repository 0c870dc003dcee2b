import DomainKit
import JSON
import TestSchema
import TestSupport
import Testing

/// `transaction.run` with calls whose params are generated from the descriptions of their methods.
@Suite struct DocumentedTransactionTests {
    @Test(arguments: SystemUnderTest.all)
    func `calls with documented params are accepted, and a mistake in one is an error at its place among the calls`(
        system: SystemUnderTest
    ) async throws {
        let served = try await ServedSystem.running(system)
        let description = try await ServiceDescription(of: served.server)
        let transaction = try #require(description.methods.first { $0.name == "transaction.run" })
        // A role with a subject does not give the owner of a record, which the document does not say.
        for role in system.roles where served.subjects[role] == nil {
            let methods = Self.writes(of: role, description)
            guard !methods.isEmpty else { continue }
            let client = try await served.client(role)
            var sampler = ParamsSampler(
                description, known: try await served.known(to: role), role: role, seed: 20_261_122)
            var (accepted, mistaken) = (0, 0)
            for _ in 0..<60 {
                let chosen = (0..<Int.random(in: 1...3, using: &sampler.random)).compactMap { _ in
                    methods.randomElement(using: &sampler.random)
                }
                let samples = try chosen.map { try sampler.sample(of: $0) }
                let calls = zip(chosen, samples).map { method, sample in
                    ["method": .string(method.name), "params": sample.params] as JSONValue
                }
                let params: JSONValue = ["calls": .array(calls), "dry_run": true]
                let answer = try await client.response("transaction.run", params)
                #expect(try description.fault(in: answer, of: transaction) == nil, "\(params.json): \(answer.json)")
                let isRefused = answer.at("/error/code") == -32602
                if !isRefused { accepted += 1 }
                // What is not unique is a conflict, at a place, too.
                for problem in isRefused ? answer.at("/error/data/errors").array : [] {
                    let place = problem["path"]?.text ?? ""
                    let isAnnounced = chosen.enumerated().contains { index, method in
                        Self.announces("\(place) \(problem["code"]?.text ?? "")", of: method, at: index, description)
                    }
                    #expect(isAnnounced, "\(params.json) is refused: \(problem.json)")
                }

                let index = Int.random(in: chosen.indices, using: &sampler.random)
                guard
                    let mistake = try ParamsMutation(
                        of: samples[index], for: chosen[index], description.validator, &sampler.random)
                else { continue }
                mistaken += 1
                let place = "/calls/\(index)/params"
                let error = try await client.refusal("transaction.run", params.setting(place, to: mistake.params))
                #expect(error["code"] == -32602, "\(chosen[index]) \(mistake.params.json): \(error.json)")
                let paths = error.at("/data/errors").array.compactMap { $0["path"]?.text }
                #expect(paths.contains(place + mistake.path), "\(place)\(mistake.path) in \(paths)")
            }
            #expect(accepted > 10 && mistaken > 20, "\(role.name): \(accepted) accepted, \(mistaken) mistaken")
        }
    }

    /// Whether the document of a call's method announces this refusal.
    private static func announces(
        _ refusal: String, of method: MethodDescription, at index: Int, _ description: ServiceDescription
    ) -> Bool {
        let prefix = "/calls/\(index)/params"
        guard refusal.hasPrefix(prefix) else { return false }
        let own = String(refusal.dropFirst(prefix.count))
        return DocumentedAcceptedTests.announcedRefusals(of: method, description).contains { announced in
            own == announced || DocumentedAcceptedTests.anyElement(own) == announced
                || announced.hasSuffix(" rule") && own.hasSuffix(" rule")
                    && own.hasPrefix(announced.dropLast(5) + "/")
        }
    }

    /// The methods that write and that a caller in this role may call, without the parameters that a transaction has for all
    /// of its calls.
    private static func writes(of role: Role, _ description: ServiceDescription) -> [MethodDescription] {
        let terms: Set = ["idempotency_key", "dry_run"]
        let methods = description.document.at("/methods").array
        let schema = methods.lazy.flatMap { $0.at("/params").array }.map { $0.at("/schema") }
            .first { $0["x-calls"] == true }
        let callable = Set((schema ?? .null).at("/items/properties/method/enum").array)
        return methods.compactMap { method in
            guard callable.contains(method["name"] ?? .null) else { return nil }
            let parameters = method.at("/params").array
            let own = parameters.filter { !terms.contains($0["name"]?.text ?? "") }
            let described = MethodDescription(method.setting("/params", to: .array(own)))
            guard own.count < parameters.count, described.roles.contains(role.name), described.entity != "account_roles"
            else { return nil }
            return described
        }
    }
}
