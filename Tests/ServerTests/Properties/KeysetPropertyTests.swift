import CRMDomain
import DomainKit
import Foundation
import JSON
import QueryCompiler
import TestPostgres
import TestSupport
import Testing

@Suite struct KeysetPropertyTests {
    /// Sort keys of sessions that no test in this suite changes.
    private static let keys =
        [
            "formateur.nom", "formateur.nombre_sessions", "formateur.specialite", "client.ca_total",
            "client.raison_sociale", "ecole.ville",
        ]

    /// One to four distinct keys, each in either direction.
    private func order(of entity: Entity, _ random: inout SeededGenerator) -> [String] {
        let names = entity.specs.map(\.name) + (entity.name == "sessions" ? Self.keys : [])
        return names.shuffled(using: &random).prefix(random.number(1...4)).map { (random.chance(0.5) ? "-" : "") + $0 }
    }

    /// All ids of a list, page by page.
    private func pages(
        _ client: RPCClient, _ entity: Entity, _ order: [String], first: Int, meanwhile: () async throws -> Void = {}
    ) async throws -> [Int] {
        var ids: [Int] = []
        var after: JSONValue = .null
        for _ in 0..<1_000 {
            let page = try await client.call(
                "\(entity.name).list",
                [
                    "order_by": .array(order.map { .string($0) }), "first": JSONValue(first), "after": after,
                    "select": "{ id }",
                ])
            ids += page["items"]?.array.compactMap { $0["id"]?.int } ?? []
            guard page["has_next_page"] == true else { return ids }
            after = page["end_cursor"] ?? .null
            try await meanwhile()
        }
        throw TestEnvironmentError("paging does not end")
    }

    @Test(arguments: ["sessions", "formateurs", "clients", "users"])
    func `every order returns each row once, in the order that a sort in memory gives`(table: String) async throws {
        let world = try await SmallWorld.running()
        let client = try await world.server.client()
        let entity = try Entity.named(table)
        var random = SeededGenerator(seed: 11 + UInt64(table.utf8.count))
        let model = InMemoryOrder(world: world)
        for _ in 0..<randomCases(table == "sessions" ? 40 : 15) {
            let order = order(of: entity, &random)
            let ids = try await pages(client, entity, order, first: random.number(1...30))
            #expect(ids == (try model.ids(of: entity, by: order)), "\(order)")
        }
    }

    @Test func `pages neither repeat nor skip a row that stays while others are inserted and deleted`() async throws {
        // A separate database, because other tests would see the rows that are inserted and deleted.
        let world = try await SmallWorld.start()
        let client = try await world.server.client()
        let writer = try await world.server.client()
        let sessions = try Entity.named("sessions")
        let stay = InMemoryOrder(world: world)
        var random = SeededGenerator(seed: 3)
        for _ in 0..<randomCases(12) {
            let order = order(of: sessions, &random)
            var numbers = random
            var guests: [Int] = []
            var visits = 0
            let ids = try await pages(client, sessions, order, first: random.number(2...15)) {
                // Rows that are inserted faster than pages are read would keep the test from ending.
                visits += 1
                guard visits <= 12 else { return }
                // Without trainer, client or school, so that their numbers and turnovers stay the same.
                for _ in 0..<2 {
                    let day = 1 + numbers.number(0...27)
                    let values = Fixtures.session(
                        module: numbers.pick(["été", "a", "zzz", "Swift_1"]),
                        [
                            (
                                "date",
                                .string("20\(numbers.pick(["18", "20", "24", "30"]))-01-\(day < 10 ? "0" : "")\(day)")
                            ),
                            ("tarif_client", numbers.pick([.null, 100, 7, 900])),
                            ("modalite", numbers.pick(["P", "D"])),
                        ])
                    let made = try await writer.call(
                        "sessions.create", ["values": .merging(values), "select": "{ id }"])
                    guests.append(made["id"]?.int ?? 0)
                }
                if guests.count > 3 {
                    _ = try await writer.call("sessions.delete", ["id": JSONValue(guests.removeFirst())])
                }
            }
            #expect(Set(ids).count == ids.count, "\(order) repeats")
            let expected = try stay.ids(of: sessions, by: order)
            #expect(ids.filter(Set(expected).contains) == expected, "\(order)")
            for id in guests { _ = try await writer.call("sessions.delete", ["id": JSONValue(id)]) }
        }
        #expect(try await world.server.stop() == 0)
    }

    @Test func `a damaged or foreign cursor is an error at /after`() async throws {
        let world = try await SmallWorld.running()
        let client = try await world.server.client()
        let sessions = try Entity.named("sessions")
        var random = SeededGenerator(seed: 5)
        var cursors: [(order: [String], cursor: String)] = []
        for _ in 0..<6 {
            let order = order(of: sessions, &random)
            let page = try await client.call(
                "sessions.list", ["order_by": .array(order.map { .string($0) }), "first": 3, "select": "{ id }"])
            cursors.append((order, try #require(page["end_cursor"]?.text)))
        }
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ é'\";")
        var calls: [(method: String, params: JSONValue)] = []
        for (order, cursor) in cursors {
            let orderBy = JSONValue.array(order.map { .string($0) })
            var wrong: [JSONValue] = [1, true, [], [:], ["x"], "", .string(cursor + "A"), .string(cursor + cursor)]
            for _ in 0..<randomCases(30) {
                var damaged = Array(cursor)
                switch random.number(0...2) {
                case 0: damaged[random.number(0...damaged.count - 1)] = random.pick(letters)
                case 1: damaged.removeLast(random.number(1...damaged.count - 1))
                default: damaged.swapAt(random.number(0...damaged.count - 1), random.number(0...damaged.count - 1))
                }
                if damaged != Array(cursor) { wrong.append(.string(String(damaged))) }
            }
            // A valid cursor, of another order.
            wrong += cursors.filter { $0.order != order }.map { .string($0.cursor) }
            calls += wrong.map { ("sessions.list", ["order_by": orderBy, "after": $0, "select": "{ id }"]) }
        }
        for start in stride(from: 0, to: calls.count, by: 50) {
            let some = Array(calls[start..<min(start + 50, calls.count)])
            for ((_, params), answer) in zip(some, try await client.batch(some)) {
                #expect(answer.at("/error/code") == -32602, "\(params.json): \(answer.json)")
                #expect(answer.at("/error/data/errors/0/path") == "/after", "\(answer.json)")
            }
        }
    }

    @Test func `a cursor with forged values is accepted as values or is an error at /after`() async throws {
        let world = try await SmallWorld.running()
        let client = try await world.server.client()
        let sessions = try Entity.named("sessions")
        let planner = Planner(domains: [CRM.domain], sortCollation: "francais")
        var random = SeededGenerator(seed: 9)
        let texts: [String?] = [
            nil, "", "1", "-1", "9223372036854775807", "9223372036854775808", "1e5", "NaN", "1.5", "true", "x", "é",
            "'; DROP TABLE sessions; --", "$1", "\u{0}", "2020-01-01", "infinity", "0001-01-01", "24:00:00", "09:00:00",
            "\"2026-01-01T10:00:00+00:00\"", "\"infinity\"", "P", "PP", "terminee",
            String(repeating: "9", count: 2_000),
        ]
        var calls: [(method: String, params: JSONValue)] = []
        for _ in 0..<randomCases(250) {
            let order = order(of: sessions, &random)
            let orderBy = JSONValue.array(order.map { .string($0) })
            let layout = try planner.list(sessions, ["order_by": orderBy]).cursor
            let cursor = layout.encode(columnTexts: layout.columns.map { _ in random.pick(texts) })
            calls.append(
                ("sessions.list", ["order_by": orderBy, "after": .string(cursor), "select": "{ id }", "first": 2]))
        }
        var answered = 0
        for start in stride(from: 0, to: calls.count, by: 50) {
            let some = Array(calls[start..<min(start + 50, calls.count)])
            for ((_, params), answer) in zip(some, try await client.batch(some)) {
                if answer["result"] != nil {
                    answered += 1
                    continue
                }
                #expect(answer.at("/error/code") == -32602, "\(params.json): \(answer.json)")
                #expect(answer.at("/error/data/errors/0/path") == "/after", "\(answer.json)")
            }
        }
        #expect(answered > 0)
    }

    @Test func `a cursor continues in the same order under another filter, and only forwards`() async throws {
        let world = try await SmallWorld.running()
        let client = try await world.server.client()
        let page = try await client.call(
            "sessions.list", ["order_by": ["-date"], "first": 20, "select": "{ id date }"])
        let last = try #require(page.at("/items").array.last?["date"]?.text)
        let rest = try await client.call(
            "sessions.list",
            [
                "order_by": ["-date"], "after": page["end_cursor"] ?? .null, "where": ["modalite": "P"], "first": 500,
                "select": "{ id date modalite }",
            ])
        let items = rest.at("/items").array
        #expect(!items.isEmpty)
        #expect(items.allSatisfy { $0["modalite"] == "P" && ($0["date"]?.text ?? "9") <= last })
    }
}
