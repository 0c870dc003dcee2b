import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// counting.md, "Feed": « Entries are not in it: a command is one change of the state's row. »
@Suite struct CountingFeedTests {
    /// The changes of a location's records that `body` makes, in their order.
    private static func changes(
        at site: Site, devices: [Int] = [], _ body: () async throws -> Void
    ) async throws -> [String] {
        try await site.served.server.database.waitForEarlierTransactions()
        let start = try await site.admin.call("changes.list")["end_cursor"] ?? .null
        try await body()
        // What is written last is in the feed after all of it.
        let last = try await site.served.site()
        var after = start
        var found: [String] = []
        var isComplete = false
        try await eventually("the changes are in the feed") {
            let page = try await site.admin.call("changes.list", ["after": after, "first": 500])
            after = page["end_cursor"] ?? after
            for item in page.at("/items").array {
                let (table, id) = (item["table"]?.text ?? "", item["id"]?.int ?? 0)
                if table == "locations", id == last.id { isComplete = true }
                #expect(table != "entries")
                let isOwn =
                    switch table {
                    case "counter_states", "locations": id == site.id
                    case "devices": devices.contains(id)
                    default: false
                    }
                if isOwn { found.append("\(table) \(item["op"]?.text ?? "")") }
            }
            return isComplete
        }
        return found
    }

    private static let state = "counter_states update"

    @Test func `each command is one change of the state, however many entries it makes`() async throws {
        let site = try await CountingServer.running().site()
        let device = try await site.device([("kind", "simulator")])
        let base = CountingServer.now() - Moment.hour
        let commands: [(String, () async throws -> Void)] = [
            ("record", { _ = try await device.record(SentEvent(number: 1, gateway: base)) }),
            ("a duplicate", { _ = try await device.record(SentEvent(number: 1, gateway: base)) }),
            (
                "a batch",
                {
                    _ = try await device.recordBatch(
                        (2...80).map { SentEvent(number: $0, gateway: base + $0 * 20 * Moment.second) })
                }
            ),
            ("another gateway", { _ = try await device.record(SentEvent(number: 90, gateway: base), session: "b") }),
            ("a heartbeat", { _ = try await device.heartbeat() }),
            (
                "a simulation",
                {
                    _ = try await site.admin.call(
                        "entries.simulate", ["device_id": device.json, "delta": 1, "count": 50])
                }
            ),
            (
                "a late event and a reset",
                {
                    _ = try await device.recordBatch([
                        SentEvent(number: 85, gateway: base), SentEvent(number: 1, gateway: base + 50 * Moment.minute),
                    ])
                }
            ),
        ]
        for (name, command) in commands {
            let changes = try await Self.changes(at: site, devices: [device.id], command)
            #expect(changes == [Self.state], "\(name)")
        }
        for _ in 0..<2 {
            let override = try await Self.changes(at: site, devices: [device.id]) {
                _ = try await site.admin.call(
                    "entries.override", ["location_id": site.json, "delta": 1, "count": 100])
            }
            #expect(override == [Self.state])
        }
        let end = try await Self.changes(at: site, devices: [device.id]) {
            _ = try await site.admin.call("locations.end_day", ["id": site.json])
        }
        #expect(end == [Self.state])
    }

    @Test func `a changed setting, and rows of psql, are changes of the state as well`() async throws {
        let site = try await CountingServer.running().site()
        let device = try await site.counter()
        let created = try await Self.changes(at: site, devices: [device]) { try await site.update(["max_capacity": 7]) }
        #expect(created.sorted() == [Self.state, "locations update"])
        let base = CountingServer.now() - Moment.hour
        let inserted = try await Self.changes(at: site) {
            try await site.insert((0..<30).map { CountedEntry(base + $0 * Moment.minute, 1) }, device: device)
        }
        #expect(inserted == [Self.state])
        for statement in [
            "UPDATE counting.entries SET delta = -1 WHERE device_id = \(device) AND sequence_number > 20",
            "DELETE FROM counting.entries WHERE device_id = \(device)",
        ] {
            let changed = try await Self.changes(at: site) { try await site.served.psql(statement) }
            #expect(changed == [Self.state], "\(statement)")
        }
    }

    @Test func `snapshots and devices are in the feed, and a new location brings its state`() async throws {
        let served = try await CountingServer.running()
        let admin = try await served.admin()
        let start = try await admin.call("changes.list")["end_cursor"] ?? .null
        let site = try await served.site()
        let device = try await site.counter()
        let snapshot = try await site.admin.call("locations.end_day", ["id": site.json])
        var found: Set<String> = []
        let expected: Set = [
            "locations \(site.id) create", "counter_states \(site.id) create", "devices \(device) create",
            "counter_snapshots \(snapshot["id"]?.json ?? "") create",
        ]
        var after = start
        try await eventually("the changes are in the feed") {
            let page = try await admin.call("changes.list", ["after": after, "first": 500])
            after = page["end_cursor"] ?? after
            for item in page.at("/items").array {
                found.insert("\(item["table"]?.text ?? "") \(item["id"]?.json ?? "") \(item["op"]?.text ?? "")")
            }
            return expected.isSubset(of: found)
        }
        let error = try await admin.refusal("changes.list", ["tables": ["entries"]])
        #expect(error["code"] == -32602, "\(error.json)")
    }

    @Test func `a listener is ready, and hears of a change within a second`() async throws {
        let site = try await CountingServer.running().site()
        let device = try await site.device()
        let viewer = try await site.served.key(role: "counting_viewer")
        let listener = try await EventListenerClient.listen(
            site.served.server, token: viewer["key"]?.text, query: "?tables=counter_states,counter_snapshots")
        let ready = try await listener.event()
        #expect(ready.name == "ready")
        let present = try JSONValue.parse(Array(ready.data.utf8))
        #expect(present == ["id": .string(ready.id ?? "")])
        var version = 0
        for number in 1...3 {
            try await device.record(SentEvent(number: number, gateway: CountingServer.now()))
            let start = ContinuousClock.now
            var data = JSONValue.null
            repeat {
                let event = try await listener.event()
                guard event.name == "change" else { throw TestEnvironmentError("no change: \(event)") }
                data = try JSONValue.parse(Array(event.data.utf8))
                // The creation may come first: the feed begins before everything that an unfinished transaction holds back.
            } while data["id"] != site.json || data["op"] == "create"
            // A second, and what a busy machine takes.
            #expect(ContinuousClock.now - start < .seconds(2))
            expect(data, has: ["table": "counter_states", "op": "update"])
            let next = try #require(data["version"]?.int)
            #expect(next > version)
            version = next
            let state = try await site.state()
            expect(state, has: ["current_count": JSONValue(number), "version": JSONValue(version)])
        }
        // From there, `changes.list` goes on.
        let page = try await site.admin.call(
            "changes.list", ["after": .string(ready.id ?? ""), "tables": ["counter_states"], "first": 500])
        let updates = page.at("/items").array.filter { $0["id"] == site.json && $0["op"] == "update" }
        #expect(updates.count == 3, "\(page.json)")
        #expect(page["end_cursor"]?.text != nil)
    }
}
