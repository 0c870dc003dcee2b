import DomainKit
import JSON
import TestSchema
import TestSupport
import Testing

/// Compares the document with the service: dozens of calls of every method, generated from its description alone.
@Suite struct DocumentedAcceptedTests {
    private static let calls = randomCases(32)
    private static let batch = 25

    /// Of the kernel's methods: which records may be the subject, and which tables can be followed, depends on the role, which
    /// no schema says.
    private static let dependent: [String: Set<String>] = [
        "account_roles.create": ["/values/subject required", "/values/subject not_found"],
        // No record has an id below 1, which the schemas of a loaded method do not say.
        "sessions.calendrier": calendar,
        "calendriers.abonner": calendar,
        "changes.list": Set((0..<10).map { "/tables/\($0) unknown" }),
    ]

    private static let calendar: Set = [
        "/formateur_id out_of_range", "/client_id out_of_range", "/ecole_id out_of_range",
    ]

    @Test(arguments: SystemUnderTest.all)
    func `params that the schema accepts are accepted, and a mistake in them is an error at its place`(
        system: SystemUnderTest
    ) async throws {
        let served = try await ServedSystem.start(system, ["--max-batch", "50"])
        let description = try await ServiceDescription(of: served.server)
        try await withThrowingTaskGroup(of: Void.self) { group in
            var running = 0
            for (index, method) in description.methods.enumerated() where system.examines(method: method.name) {
                // The params of a transaction's calls are those of other methods: DocumentedTransactionTests.
                guard !method.parameters.contains(where: { $0.at("/schema/x-calls") == true }) else { continue }
                // Refused to every role, whatever the params: OperatorTests.
                guard method.roles != ["operator"] else { continue }
                // A connection that waits long for its turn is closed as idle.
                if running == 4 { try await group.next() } else { running += 1 }
                group.addTask {
                    let role = system.roles.first { method.roles.contains($0.name) } ?? .admin
                    let client = try await served.client(role)
                    let known = try await served.known(to: role)
                    var sampler = ParamsSampler(
                        description, known: method.isDeleting ? [:] : known, seed: UInt64(index) + 20_261_121)
                    // A selection or filter of what the role cannot read is unknown to it; the description has those of all.
                    let readsAll = system.tables.allSatisfy { $0.entity.access.allows(.read, to: role) }
                    try await Self.check(method, description, client, &sampler, readsAll: readsAll)
                }
            }
            try await group.waitForAll()
        }
    }

    private static func check(
        _ method: MethodDescription, _ description: ServiceDescription, _ client: RPCClient,
        _ sampler: inout ParamsSampler, readsAll: Bool
    ) async throws {
        // A method without params has one call.
        let count = method.parameters.isEmpty ? 3 : calls
        var valid: [JSONValue] = []
        var mistaken: [(JSONValue, path: String)] = []
        while valid.count < count {
            let sample = try sampler.sample(of: method)
            for parameter in method.parameters {
                guard let value = sample.params[parameter["name"]?.text ?? ""] else { continue }
                let isValid = try description.validator.accepts(value, parameter["schema"] ?? .null)
                #expect(isValid, "\(method): the sampler keeps to \(parameter.json.prefix(300)): \(value.json)")
            }
            valid.append(method.parameters.isEmpty ? [:] : sample.params)
            if let mutation = try ParamsMutation(of: sample, for: method, description.validator, &sampler.random) {
                mistaken.append((mutation.params, mutation.path))
            }
        }
        #expect(mistaken.count * 2 > count, "\(method): enough mistakes")

        var accepted = 0
        for (params, answer) in zip(valid, try await answers(to: valid, of: method, client)) {
            #expect(try description.fault(in: answer, of: method) == nil, "\(method) \(params.json): \(answer.json)")
            guard answer.at("/error/code") == -32602 else {
                accepted += 1
                continue
            }
            let announced = announcedRefusals(of: method, description).union(dependent[method.name] ?? [])
            for problem in answer.at("/error/data/errors").array {
                let place = "\(problem["path"]?.text ?? "") \(problem["code"]?.text ?? "")"
                if !readsAll, place == "/select unknown" || place.hasPrefix("/where/") && place.hasSuffix(" unknown") {
                    continue
                }
                // A verified value is refused as a whole, or in one of its parts.
                let isPart = announced.contains {
                    $0.hasSuffix(" rule") && place.hasSuffix(" rule") && place.hasPrefix($0.dropLast(5) + "/")
                }
                let isListed = announced.contains(anyElement(place))
                #expect(
                    announced.contains(place) || isListed || isPart,
                    "\(method) \(params.json) is refused: \(problem.json)")
            }
        }
        let isVerified =
            method.parameters.contains {
                $0.at("/schema/x-verified") == true || $0.at("/schema/x-references") != nil
            } || dependent[method.name] != nil
            || !readsAll
        #expect(accepted * 3 > count * 2 || isVerified, "\(method): only \(accepted) of \(count) accepted")

        for (given, answer) in zip(mistaken, try await answers(to: mistaken.map(\.0), of: method, client)) {
            // Too many resets from one address are rejected before validation.
            if answer.at("/error/code") == 429 { continue }
            #expect(answer.at("/error/code") == -32602, "\(method) \(given.0.json), \(given.path): \(answer.json)")
            #expect(try description.fault(in: answer, of: method) == nil, "\(method) \(given.0.json): \(answer.json)")
            let paths = answer.at("/error/data/errors").array.compactMap { $0["path"]?.text }
            #expect(paths.contains(given.path), "\(method) \(given.0.json): \(given.path) in \(paths)")
        }
    }

    /// Whether the document announces this error for params that match their schemas: rules between members, references
    /// to missing records, wrong secrets.
    static func announcedRefusals(
        of method: MethodDescription, _ description: ServiceDescription
    ) -> Set<String> {
        var announced: Set<String> = []
        for rule in method.rules {
            for member in rule["members"]?.array ?? [] { announced.insert("/\(member.text ?? "") rule") }
        }
        /// The files that an object names, or the objects of a list, at any depth.
        func announceFiles(_ schema: JSONValue, at path: String) {
            if schema["x-file"] != nil { announced.insert("\(path) not_found") }
            for part in (schema["anyOf"]?.array ?? []) + (schema["oneOf"]?.array ?? []) {
                announceFiles(part, at: path)
            }
            if let items = schema["items"] { announceFiles(items, at: "\(path)/*") }
            if case .object(let members)? = schema["properties"] {
                for member in members.members { announceFiles(member.value, at: "\(path)/\(member.name)") }
            }
        }
        for parameter in method.parameters {
            let path = "/\(parameter["name"]?.text ?? "")"
            let schema = description.resolved(parameter["schema"] ?? .null)
            announceFiles(schema, at: path)
            // A rule that the database checks, or a text that the server parses.
            if schema["x-verified"] == true {
                announced.formUnion(["\(path) rule", "\(path) format", "\(path) not_found"])
            }
            // No record has an id below 1.
            if schema["x-references"] != nil { announced.formUnion(["\(path) not_found", "\(path) out_of_range"]) }
            for rule in schema["x-rules"]?.array ?? [] {
                for member in rule["members"]?.array ?? [] { announced.insert("\(path)/\(member.text ?? "") rule") }
            }
            if case .object(let properties)? = schema["properties"] {
                for member in properties.members
                where member.value["x-references"] != nil {
                    announced.insert("\(path)/\(member.name) not_found")
                }
            }
        }
        return announced
    }

    /// The place of a problem with `*` in the place of an element's number: `/values/blocks/*/photo not_found`.
    static func anyElement(_ place: String) -> String {
        place.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) == nil ? $0 : "*" }
            .joined(separator: "/")
    }

    private static func answers(
        to calls: [JSONValue], of method: MethodDescription, _ client: RPCClient
    ) async throws -> [JSONValue] {
        var answers: [JSONValue] = []
        for start in stride(from: 0, to: calls.count, by: batch) {
            let members = calls[start..<min(start + batch, calls.count)].enumerated().map { index, params in
                #"{"jsonrpc":"2.0","id":\#(start + index),"method":"\#(method.name)","params":\#(params.json)}"#
            }
            let response = try await client.post("[\(members.joined(separator: ","))]")
            let batch = try JSONValue.parse(response.body).array
            guard batch.map({ $0["id"] ?? .null }) == members.indices.map({ JSONValue(start + $0) }) else {
                throw TestEnvironmentError("\(method): \(response.text.prefix(300))")
            }
            answers += batch
        }
        return answers
    }
}
