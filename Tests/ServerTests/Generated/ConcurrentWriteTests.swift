import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// kernel.md, "The design's test": "every command twice at once, and twice with one key", and so every other write of an
/// entity.
@Suite struct ConcurrentWriteTests {
    /// A write that succeeds on the rows of the fixtures.
    private struct Write {
        let method: String
        let params: JSONValue
        let role: Role

        /// The method, and whether the write expects a version.
        var kind: String { "\(method) \(params["if_version"] != nil)" }
    }

    /// What a second write of the same may be refused with: params that no longer hold, a missing record, a conflict.
    private static let refusals: Set = [-32602, 403, 404, 409]

    @Test(arguments: SystemUnderTest.all)
    func `every write at once from two connections is done or refused, and with one key done once`(
        system: SystemUnderTest
    ) async throws {
        let served = try await ServedSystem.start(system)
        let writes = try await Self.writes(of: served)
        #expect(writes.count >= system.examined.commands.count + system.examinedTables.count)
        // Two at once meet in the database, whoever sends them: one role of each write will do, and with more cases each.
        var tried: Set<String> = []
        let chosen = writes.filter { tried.insert($0.kind).inserted || isThorough }
        for (number, write) in chosen.enumerated() {
            let connections = [try await served.client(write.role), try await served.client(write.role)]

            // Alone, for what its effect is.
            try await served.reset()
            var start = try await Self.lastChange(served)
            let alone = try await connections[0].response(write.method, write.params)
            #expect(alone["result"] != nil, "\(write.role.name) \(write.method) \(write.params.json): \(alone.json)")
            let effect = try await Self.effect(since: start, served)

            try await served.reset()
            let twice = try await Self.atOnce(write.method, write.params, connections)
            #expect(twice.contains { $0["result"] != nil }, "\(write.method): \(twice.map(\.json))")
            for answer in twice where answer["result"] == nil {
                let code = try #require(answer.at("/error/code").int)
                #expect(Self.refusals.contains(code), "\(write.method): \(answer.json)")
            }

            try await served.reset()
            start = try await Self.lastChange(served)
            let keyed = write.params.setting("/idempotency_key", to: .string("key \(number)"))
            let once = try await Self.atOnce(write.method, keyed, connections)
            let results = once.compactMap { $0["result"] }
            let first = try #require(results.first, "\(write.method): \(once.map(\.json))")
            for answer in once where answer["result"] == nil {
                // The other call still ran.
                #expect(answer.at("/error/code") == 409, "\(write.method): \(answer.json)")
                #expect(answer.at("/error/data/reason") == "idempotency", "\(write.method): \(answer.json)")
            }
            let again = try await connections[1].response(write.method, keyed)
            #expect(results.allSatisfy { $0 == first }, "\(write.method): \(once.map(\.json))")
            #expect(again["result"] == first, "\(write.method): \(again.json), and before \(first.json)")
            let kept = try await Self.effect(since: start, served)
            #expect(kept == effect, "\(write.method) with a key: \(kept), alone \(effect)")
        }
        let deadlocks = try await served.server.database.psql(
            "SELECT pg_stat_force_next_flush(); SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
        )
        #expect(deadlocks.split(separator: "\n").last == "0", "deadlocks: \(deadlocks)")
    }

    private static func atOnce(
        _ method: String, _ params: JSONValue, _ connections: [RPCClient]
    ) async throws -> [JSONValue] {
        try await withThrowingTaskGroup(of: JSONValue.self) { group in
            for connection in connections { group.addTask { try await connection.response(method, params) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    // MARK: Effects

    private static func lastChange(_ served: ServedSystem) async throws -> String {
        try await served.server.database.psql("SELECT coalesce(max(id), 0) FROM journal")
    }

    /// How many changes of which kind the journal has, and whether one transaction made them.
    private static func effect(since start: String, _ served: ServedSystem) async throws -> String {
        try await served.server.database.psql(
            """
            SELECT table_name, operation, count(*), count(DISTINCT xmin::text) FROM journal
            WHERE id > \(start) AND table_name <> 'users' GROUP BY 1, 2 ORDER BY 1, 2
            """)
    }

    // MARK: Writes

    private static func writes(of served: ServedSystem) async throws -> [Write] {
        let system = served.system
        let description = try await ServiceDescription(of: served.server)
        var writes: [Write] = []
        let domain = system.examined
        for command in domain.commands {
            let params = try system.example(of: command.name)
            for role in domain.roles where command.roles[role] != nil {
                writes.append(Write(method: command.name, params: params, role: role))
            }
        }
        for (entity, schema, _) in system.examinedTables {
            for role in domain.roles {
                let ids = try await served.ids(of: entity, in: schema, for: role)
                guard let id = ids.first else { continue }
                if entity.access.allows(.create, to: role) {
                    writes.append(
                        Write(
                            method: "\(entity.name).create",
                            params: try await creation(of: entity, as: role, description, served), role: role))
                }
                if entity.access.allows(.update, to: role) {
                    let client = try await served.client(role)
                    let record = try await client.call("\(entity.name).get", ["id": JSONValue(id)])
                    // The values that it has, which is a change of its version alone.
                    let reach = entity.access.reach(of: role, for: .update)
                    let values = entity.writableColumns(for: .update).filter { reach != .own($0.name) }
                        .map { ($0.name, record[$0.name] ?? .null) }
                    let params: JSONValue = ["id": JSONValue(id), "values": .merging(values)]
                    writes.append(Write(method: "\(entity.name).update", params: params, role: role))
                    // Of two at once with the same expected version, one is done.
                    if let version = record["version"] {
                        writes.append(
                            Write(
                                method: "\(entity.name).update", params: params.setting("/if_version", to: version),
                                role: role))
                    }
                }
                if let deletable = try await deletable(entity, ids, as: role, served) {
                    writes.append(
                        Write(method: "\(entity.name).delete", params: ["id": JSONValue(deletable)], role: role))
                }
            }
        }
        return writes
    }

    /// The first record that nothing refers to, as far as a dry run tells.
    private static func deletable(
        _ entity: Entity, _ ids: [Int], as role: Role, _ served: ServedSystem
    ) async throws -> Int? {
        guard entity.access.allows(.delete, to: role) else { return nil }
        let client = try await served.client(role)
        for id in ids {
            let trial = try await client.response(
                "\(entity.name).delete", ["id": JSONValue(id), "dry_run": true])
            if trial["result"] != nil { return id }
            let code = try #require(trial.at("/error/code").int)
            #expect(refusals.contains(code), "\(entity.name).delete: \(trial.json)")
        }
        return nil
    }

    /// The first params made up from the description that a dry run accepts.
    private static func creation(
        of entity: Entity, as role: Role, _ description: ServiceDescription, _ served: ServedSystem
    ) async throws -> JSONValue {
        let name = "\(entity.name).create"
        let method = try #require(description.methods.first { $0.name == name })
        var sampler = ParamsSampler(
            description, known: try await served.known(to: role), role: role, seed: 20_261_122)
        let client = try await served.client(role)
        var answer = JSONValue.null
        for _ in 0..<200 {
            let sample = try sampler.sample(of: method).params
            let params = sample.setting("/dry_run", to: nil).setting("/idempotency_key", to: nil)
                .setting("/select", to: "{ id }").setting("/variables", to: nil)
                .setting("/values", to: (sample["values"] ?? [:]).withoutOwner(of: entity, role))
            answer = try await client.response(name, params.setting("/dry_run", to: true))
            if answer["result"] != nil { return params }
        }
        throw TestEnvironmentError("\(role.name): no params of \(name) were accepted; the last answer: \(answer.json)")
    }
}

extension JSONValue {
    /// Values of a new record without the owner, if the server fills it.
    fileprivate func withoutOwner(of entity: Entity, _ role: Role) -> JSONValue {
        guard case .own(let column)? = entity.access.reach(of: role, for: .create) else { return self }
        return setting("/\(column)", to: nil)
    }
}
