import AccountsDomain
import CRMDomain
import DomainKit
import Foundation
import JSON
import TestSupport
import Testing

@Suite struct FilterPropertyTests {
    @Test(arguments: ["sessions", "formateurs", "clients", "ecoles", "users"])
    func `a filter finds the rows that the same filter finds in memory`(table: String) async throws {
        let world = try await SmallWorld.running()
        let client = try await world.server.client()
        let entity = try Entity.named(table)
        var generator = FilterGenerator(world, seed: UInt64(table.utf8.reduce(0) { $0 * 31 + Int($1) }))
        let model = InMemoryFilter(world: world)
        var found = 0
        let count = randomCases(120)
        for start in stride(from: 0, to: count, by: 40) {
            let filters = (start..<min(start + 40, count)).map { _ in generator.filter(on: entity) }
            let answers = try await client.batch(
                filters.map {
                    ("\(table).list", ["where": $0, "select": "{ id }", "order_by": ["id"], "first": 500])
                })
            for (filter, answer) in zip(filters, answers) {
                let ids = answer.at("/result/items").array.compactMap { $0["id"]?.int }
                let expected = try model.rows(of: entity, where: filter)
                #expect(answer["result"] != nil && ids == expected, "\(filter.json): \(answer.json), not \(expected)")
                if !expected.isEmpty, expected.count < world.rows(table).count { found += 1 }
            }
        }
        // Filters that match every row or none would prove little.
        #expect(found > count / 10)
    }

    @Test(arguments: ["formateurs", "clients", "ecoles"])
    func `a filter means the same as an argument inside select`(table: String) async throws {
        let world = try await SmallWorld.running()
        let client = try await world.server.client()
        let sessions = try Entity.named("sessions")
        let key = table.dropLast() + "_id"
        var generator = FilterGenerator(world, seed: 7 + UInt64(table.utf8.count))
        let model = InMemoryFilter(world: world)
        let count = randomCases(40)
        for start in stride(from: 0, to: count, by: 40) {
            let filters = (start..<min(start + 40, count)).map { _ in generator.filter(on: sessions) }
            let answers = try await client.batch(
                filters.enumerated().map { index, filter in
                    let isVariable = index % 2 == 0
                    let text = isVariable ? "$w" : filter.graphQL
                    let select = "{ id sessions(where: \(text), order_by: [\"id\"], first: 100) { id } }"
                    return (
                        "\(table).list",
                        .merging(
                            [("select", .string(select)), ("first", 10)]
                                + (isVariable ? [("variables", ["w": filter])] : []))
                    )
                })
            for (filter, answer) in zip(filters, answers) {
                let matches = Set(try model.rows(of: sessions, where: filter))
                let items = answer.at("/result/items").array
                #expect(items.count == world.rows(table).count, "\(filter.json): \(answer.json)")
                for item in items {
                    let own = world.rows("sessions").filter { $0[String(key)] == item["id"] }.compactMap {
                        $0["id"]?.int
                    }
                    let ids = item["sessions"]?.array.compactMap { $0["id"]?.int }
                    #expect(ids == own.filter(matches.contains), "\(filter.json) of \(item["id"]?.json ?? "")")
                }
            }
        }
    }

    @Test func `on every field, an operator is accepted or rejected with its place and a remedy`() async throws {
        let world = try await SmallWorld.running()
        let client = try await world.server.client()
        let misfits: [JSONValue] = [.null, .bool(true), 1, .number("1.5"), "x", [], [.null], [:]]
        for entity in CRM.domain.entities.filter({ !$0.isView }) + Accounts.domain.entities {
            for field in entity.specs {
                for name in Operators.all {
                    let fitting = field.type.sample
                    let calls = (misfits + [fitting, [fitting, .null]]).map { value in
                        (
                            "\(entity.name).list",
                            ["where": [field.name: [name: value]], "select": "{ id }", "first": 1] as JSONValue
                        )
                    }
                    let answers = try await client.batch(calls)
                    var accepted = 0
                    for ((_, params), answer) in zip(calls, answers) {
                        if answer["result"] != nil {
                            accepted += 1
                            continue
                        }
                        #expect(answer.at("/error/code") == -32602, "\(params.json): \(answer.json)")
                        let problem = answer.at("/error/data/errors/0")
                        #expect(
                            problem["path"]?.text?.hasPrefix("/where/\(field.name)/\(name)") == true, "\(answer.json)")
                        #expect(problem["message"]?.text?.isEmpty == false)
                    }
                    let isSensible = Operators.sensible(for: field.type).contains(name)
                    #expect((accepted > 0) == isSensible, "\(entity.name).\(field.name) \(name)")
                }
            }
        }
    }
}

extension FieldType {
    /// A value of this type.
    fileprivate var sample: JSONValue {
        switch self {
        case .bigint, .integer, .smallint: 1
        case .decimal: .number("1.50")
        case .text: "x"
        case .choice(let choices): .string(choices.words[0])
        case .boolean: true
        case .date: "2020-01-01"
        case .time: "09:00"
        case .timestamp: "2026-01-01T10:00:00Z"
        case .uuid: "00000000-0000-4000-8000-000000000001"
        case .json: [:]
        }
    }
}

extension RPCClient {
    /// The response objects of several calls sent at once, in their order.
    func batch(_ calls: [(method: String, params: JSONValue)]) async throws -> [JSONValue] {
        let requests = calls.enumerated().map { index, call in
            JSONValue.object(
                JSONObject([
                    .init("jsonrpc", "2.0"), .init("id", JSONValue(index)), .init("method", .string(call.method)),
                    .init("params", call.params),
                ]))
        }
        let response = try await post(JSONValue.array(requests).json)
        guard response.status == 200 else { throw TestEnvironmentError("HTTP \(response.status): \(response.text)") }
        return try JSONValue.parse(response.body).array.sorted { ($0["id"]?.int ?? 0) < ($1["id"]?.int ?? 0) }
    }
}

extension JSONValue {
    /// This value as a GraphQL literal.
    fileprivate var graphQL: String {
        switch self {
        case .array(let elements): "[" + elements.map(\.graphQL).joined(separator: ", ") + "]"
        case .object(let object):
            "{" + object.members.map { "\($0.name): \($0.value.graphQL)" }.joined(separator: " ") + "}"
        default: json
        }
    }
}
