import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// kernel.md, "The design's test": "method × role × own/foreign row through every path"; companies.md, "Nothing crosses". What
/// belongs to another subject, or to another company, is answered as if it did not exist.
@Suite struct ForeignRowTests {
    /// A system, and whom the rows belong to that a caller is not to reach.
    struct Case: Sendable, CustomTestStringConvertible {
        enum Owner: String, CaseIterable { case subject, company }

        let system: SystemUnderTest
        let owner: Owner
        var testDescription: String { "\(system.testDescription): another \(owner.rawValue)" }

        static let all = Owner.allCases.flatMap { owner in
            SystemUnderTest.all.map { Case(system: $0, owner: owner) }
        }
    }

    /// A table of which a role reaches some rows only.
    private struct OwnTable {
        let entity: Entity
        let schema: String
        let own: [Int]
        let foreign: Int
    }

    /// An id that no row has.
    private static let missing = 987_654_321

    private static func each(
        of test: Case, _ body: (ServedSystem, Role, RPCClient, [OwnTable]) async throws -> Void
    ) async throws {
        switch test.owner {
        case .subject: try await eachSubject(of: test.system, body)
        case .company: try await eachRole(of: test.system, body)
        }
    }

    private static func eachSubject(
        of system: SystemUnderTest, _ body: (ServedSystem, Role, RPCClient, [OwnTable]) async throws -> Void
    ) async throws {
        let served = try await ServedSystem.running(system)
        for role in system.roles where served.subjects[role] != nil {
            var tables: [OwnTable] = []
            for (entity, schema, _) in system.tables {
                guard case .own? = entity.access.reach(of: role, for: .read) else { continue }
                let own = try await served.ids(of: entity, in: schema, for: role)
                let foreign = try await served.ids(of: entity, in: schema).first { !own.contains($0) }
                tables.append(
                    OwnTable(
                        entity: entity, schema: schema, own: own,
                        foreign: try #require(foreign, "\(entity.name) has no row of another subject")))
                try #require(!own.isEmpty, "\(entity.name) has no row of the subject")
            }
            try await body(served, role, try await served.client(role), tables)
        }
    }

    /// Every role with every table of companies that it reads, beside a company with the same rows under the same ids. One row of
    /// each table has another id there.
    private static func eachRole(
        of system: SystemUnderTest, _ body: (ServedSystem, Role, RPCClient, [OwnTable]) async throws -> Void
    ) async throws {
        let served = try await ServedSystem.start(system)
        var own: [String: [Role: [Int]]] = [:]
        for (entity, schema, _) in system.tables {
            for role in system.roles where entity.access.allows(.read, to: role) {
                own[entity.name, default: [:]][role] = try await served.ids(of: entity, in: schema, for: role)
            }
        }
        try await served.addCompany()
        for role in system.roles {
            let tables = system.tables.filter { $0.entity.rows == .ofCompanies }.compactMap { entity, schema, _ in
                own[entity.name]?[role].map {
                    OwnTable(entity: entity, schema: schema, own: $0, foreign: ServedSystem.idElsewhere)
                }
            }
            try await body(served, role, try await served.client(role), tables)
        }
        #expect(try await served.server.stop() == 0)
    }

    @Test(arguments: Case.all)
    func `every call that names the row of another is answered as with an id that no row has`(
        test: Case
    ) async throws {
        let system = test.system
        try await Self.each(of: test) { served, role, client, tables in
            let description = try await ServiceDescription(of: served.server)
            for table in tables {
                let name = table.entity.name
                // Another test counts the version up.
                let rows =
                    "SELECT md5(string_agg((to_jsonb(t) - 'version' - 'updated_at')::text, ',' ORDER BY id)) "
                    + "FROM \(table.schema).\(name) t"
                let before = try await served.server.database.psql(rows)
                if let id = table.own.first {
                    let own = try await client.response("\(name).get", ["id": JSONValue(id)])
                    #expect(own.at("/result/id").int == id, "\(role.name) \(name).get: \(own.json)")
                }
                var calls = try await Self.calls(naming: table, in: system, as: role, served, client)
                for (method, params) in calls {
                    let isWrite = description.methods.contains { described in
                        described.name == method
                            && described.parameters.contains { $0["name"] == "idempotency_key" }
                    }
                    guard isWrite else { continue }
                    calls.append(
                        (
                            "transaction.run",
                            { id in ["calls": [["method": .string(method), "params": params(id)]]] }
                        ))
                }
                for (method, params) in calls {
                    let foreign = try await client.response(method, params(table.foreign))
                    let missing = try await client.response(method, params(Self.missing))
                    #expect(
                        Self.masked(foreign, table.foreign) == Self.masked(missing, Self.missing),
                        "\(role.name) \(method) \(params(table.foreign).json): \(foreign.json), and \(missing.json)")
                    // Not because the role may not call the method at all.
                    #expect(foreign.at("/error/code") != 403, "\(role.name) \(method): \(foreign.json)")
                }
                let after = try await served.server.database.psql(rows)
                #expect(after == before, "\(role.name) has changed \(name)")
            }
        }
    }

    @Test(arguments: Case.all)
    func `a command answers 404 with the parameter that names the row of another, before its function runs`(
        test: Case
    ) async throws {
        let system = test.system
        try await Self.each(of: test) { served, role, client, tables in
            for command in system.chosen.flatMap(\.commands) where command.roles[role] != nil {
                let example = try system.example(of: command.name)
                for table in tables {
                    for parameter in command.parameters
                    where command.namedEntities(by: parameter).contains(table.entity.name) {
                        let named = command.namedRecords(by: parameter, example[parameter.name] ?? .null)
                        for place in named.map(\.path) {
                            let params = example.setting(place, to: JSONValue(table.foreign))
                            let calls: [(method: String, params: JSONValue, path: String)] = [
                                (command.name, params, place),
                                (
                                    "transaction.run",
                                    ["calls": [["method": .string(command.name), "params": params]]],
                                    "/calls/0/params" + place
                                ),
                            ]
                            for call in calls {
                                let answer = try await client.response(call.method, call.params)
                                #expect(answer.at("/error/code") == 404, "\(role.name) \(answer.json)")
                                #expect(
                                    answer.at("/error/data/path") == .string(call.path),
                                    "\(role.name) \(call.method) \(call.params.json): \(answer.json)")
                            }
                        }
                    }
                }
            }
        }
    }

    /// The answer without the id of its request, and with the id that was asked for replaced.
    private static func masked(_ answer: JSONValue, _ id: Int) -> String {
        let requestID = answer.at("/error/data/request_id").text ?? "request_id"
        return answer.json.replacing(requestID, with: "…").replacing(String(id), with: "#")
    }

    private typealias NamingCall = (method: String, params: @Sendable (Int) -> JSONValue)

    /// The calls of `role` that name a row of the table.
    private static func calls(
        naming table: OwnTable, in system: SystemUnderTest, as role: Role, _ served: ServedSystem, _ client: RPCClient
    ) async throws -> [NamingCall] {
        let (entity, name) = (table.entity, table.entity.name)
        let rights = DeclaredRights(of: system.domains).callers
        var calls: [NamingCall] = []
        func add(_ method: String, _ params: @escaping @Sendable (Int) -> JSONValue) {
            guard case .roles(let roles)? = rights[method], roles.contains(role) else { return }
            calls.append((method, params))
        }
        for method in ["get", "history", "delete", "duplicate"] {
            add("\(name).\(method)") { ["id": JSONValue($0)] }
        }
        add("\(name).delete") { ["id": JSONValue($0), "if_version": 7] }
        add("\(name).update") { ["id": JSONValue($0), "values": [:]] }
        add("\(name).update") { ["id": JSONValue($0), "values": [:], "if_version": 7] }
        add("\(name).list") { ["where": ["id": JSONValue($0)], "count": true] }
        add("\(name).list") { ["where": ["id": ["in": [JSONValue($0)]]], "order_by": ["-id"]] }
        add("\(name).aggregate") { ["where": ["id": JSONValue($0)], "select": "{ count }"] }
        for domain in system.chosen {
            for loaded in domain.methods where loaded.entity == name {
                add("\(name).\(loaded.name)") { ["id": JSONValue($0)] }
            }
            for from in domain.entities where from.access.allows(.read, to: role) {
                let example: JSONValue = try system.exampleOfList(of: from)
                for relation in from.relations where relation.target == entity.name {
                    let path = relation.name
                    var conditions: [@Sendable (Int) -> JSONValue] = []
                    switch relation.kind {
                    case .toOne(let column):
                        conditions = [{ id in .merging([(path, .merging([("id", JSONValue(id))]))]) }]
                        if from.column(named: column)?.type == .bigint, from.access.reach(of: role, for: .read) != nil {
                            calls += try await references(
                                to: table, over: column, from: from, in: domain, as: role, served, client)
                        }
                    case .toMany:
                        conditions = ["some", "none"].map { word in
                            { .merging([(path, .merging([(word, ["id": JSONValue($0)])]))]) }
                        }
                    }
                    for condition in conditions {
                        add("\(from.name).list") { example.setting("/where", to: condition($0)) }
                        add("\(from.name).aggregate") {
                            example.setting("/where", to: condition($0)).setting("/select", to: "{ count }")
                        }
                    }
                }
            }
            for command in domain.commands where command.roles[role] != nil {
                let example = try system.example(of: command.name)
                let trial = try await client.response(command.name, example.setting("/dry_run", to: true))
                #expect(trial["result"] != nil, "\(role.name) \(command.name) of the fixture: \(trial.json)")
                for place in example.places(of: Set(table.own)) {
                    add(command.name) { example.setting(place, to: JSONValue($0)) }
                }
            }
        }
        return calls
    }

    /// Writes of a record that is to refer to a row of the table.
    private static func references(
        to table: OwnTable, over column: String, from: Entity, in domain: Domain, as role: Role, _ served: ServedSystem,
        _ client: RPCClient
    ) async throws -> [NamingCall] {
        guard !from.isView, let id = try await served.ids(of: from, in: domain.schema, for: role).first else {
            return []
        }
        var calls: [NamingCall] = []
        if from.access.allows(.update, to: role),
            from.writableColumns(for: .update).contains(where: { $0.name == column })
        {
            calls.append(
                (
                    "\(from.name).update",
                    { ["id": JSONValue(id), "values": .merging([(column, JSONValue($0))])] }
                ))
        }
        guard let reach = from.access.reach(of: role, for: .create), reach != .own(column),
            from.writableColumns(for: .create).contains(where: { $0.name == column })
        else { return calls }
        let record = try await client.call("\(from.name).get", ["id": JSONValue(id)])
        // Without the owner, which the server fills.
        let values = from.writableColumns(for: .create).filter { reach != .own($0.name) }
            .map { ($0.name, record[$0.name] ?? .null) }
        calls.append(
            (
                "\(from.name).create",
                { ["values": .merging(values + [(column, JSONValue($0))]), "dry_run": true] }
            ))
        return calls
    }

    @Test(arguments: Case.all)
    func `lists, aggregates, searches, relations and views show own rows only`(
        test: Case
    ) async throws {
        let system = test.system
        try await Self.each(of: test) { served, role, client, tables in
            for table in tables {
                let (entity, name) = (table.entity, table.entity.name)
                let page = try await client.call(
                    "\(name).list", ["first": 500, "select": "{ id }", "order_by": ["id"]])
                #expect(page["items"]?.array.compactMap { $0["id"]?.int } == table.own, "\(role.name) \(name).list")
                let counted = try await client.call("\(name).aggregate", ["select": "{ count }"])
                #expect(counted.json.contains(#""count":\#(table.own.count)"#), "\(role.name) \(name): \(counted.json)")
                if let column = entity.search?.columns.first {
                    let text = try await served.server.database.psql(
                        "SELECT \(column) FROM \(table.schema).\(name) WHERE id = \(table.foreign)")
                    let found = try await client.call("\(name).list", ["search": .string(text), "select": "{ id }"])
                    let ids = Set(found.at("/items").array.compactMap { $0["id"]?.int })
                    #expect(ids.isSubset(of: table.own), "\(role.name) \(name).list {search: \(text)}")
                }
                for domain in system.chosen {
                    for from in domain.entities where from.access.allows(.read, to: role) {
                        let example: JSONValue = try system.exampleOfList(of: from)
                        for relation in from.relations where relation.target == name {
                            let selection = "{ id \(relation.name) { id } }"
                            let items = try await client.call(
                                "\(from.name).list", example.setting("/select", to: .string(selection)))
                            let seen = items.at("/items").array.flatMap { item in
                                let related = item[relation.name] ?? .null
                                return (related.array + [related]).compactMap { $0["id"]?.int }
                            }
                            #expect(Set(seen).isSubset(of: table.own), "\(role.name) \(from.name) \(selection)")
                        }
                    }
                }
            }
            for view in system.chosen.flatMap(\.entities) where view.isView && test.owner == .subject {
                guard case .own(let column)? = view.access.reach(of: role, for: .read) else { continue }
                let params = try system.example(of: "\(view.name).list")
                    .setting("/select", to: .string("{ id owner: \(column) }"))
                let owners = try await client.call("\(view.name).list", params).at("/items").array
                #expect(!owners.isEmpty, "\(role.name) \(view.name).list of the fixture has no rows")
                #expect(
                    owners.allSatisfy { $0["owner"]?.int == served.subjects[role]?.own }, "\(role.name) \(view.name)")
            }
        }
    }

    @Test(arguments: SystemUnderTest.all)
    func `views and computed fields answer the same when another company has rows`(
        system: SystemUnderTest
    ) async throws {
        let served = try await ServedSystem.start(system)
        let client = try await served.client(.admin)
        func answers() async throws -> [String: String] {
            var answers: [String: String] = [:]
            for entity in system.chosen.flatMap(\.entities) where entity.access.allows(.read, to: .admin) {
                var params: JSONValue = try system.exampleOfList(of: entity)
                if !entity.derived.isEmpty {
                    let names = (["id"] + entity.derived.map(\.name)).joined(separator: " ")
                    params = params.setting("/select", to: .string("{ \(names) }"))
                }
                let answer = try await client.response("\(entity.name).list", params).at("/result").json
                // These are about the time of the call.
                answers[entity.name] = answer.replacing(/"(freshness_seconds|period_end)":[^,}]*/, with: "")
            }
            return answers
        }
        let before = try await answers()
        try await served.addCompany()
        let after = try await answers()
        for (name, answer) in before { #expect(after[name] == answer, "\(name)") }
        #expect(try await served.server.stop() == 0)
    }

    @Test(arguments: SystemUnderTest.all)
    func `changes.list tells of rows of the subject only`(system: SystemUnderTest) async throws {
        try await Self.eachSubject(of: system) { served, role, client, tables in
            for table in tables where table.entity.isInFeed && table.entity.column(named: "version") != nil {
                let name = table.entity.name
                let start = try await client.call("changes.list")["end_cursor"] ?? .null
                // The foreign row first: the feed has it before the own one.
                for id in [table.foreign, table.own[0]] {
                    try await served.server.database.psql(
                        "UPDATE \(table.schema).\(name) SET version = version WHERE id = \(id)")
                }
                var seen: [Int] = []
                try await eventually("the change of \(name) \(table.own[0]) is in the feed", within: .seconds(120)) {
                    let page = try await client.call(
                        "changes.list", ["after": start, "tables": [.string(name)], "first": 200])
                    seen = page.at("/items").array.compactMap { $0["id"]?.int }
                    return seen.contains(table.own[0])
                }
                #expect(Set(seen).isSubset(of: table.own), "\(role.name) changes of \(name): \(seen)")
            }
        }
    }
}

extension JSONValue {
    /// The JSON Pointers to the numbers in this value that are among `ids`.
    fileprivate func places(of ids: Set<Int>, at path: String = "") -> [String] {
        switch self {
        case .number: int.map(ids.contains) == true ? [path] : []
        case .array(let elements):
            elements.enumerated().flatMap { $1.places(of: ids, at: "\(path)/\($0)") }
        case .object(let object): object.members.flatMap { $0.value.places(of: ids, at: "\(path)/\($0.name)") }
        default: []
        }
    }
}
