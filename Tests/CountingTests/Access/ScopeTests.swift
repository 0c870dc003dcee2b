import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// "`devices` AVD(`id`)", "`entries` AVD(`device_id`)", "The device is the caller's subject, never a parameter": through every
/// path, a device sees its own record and entries.
@Suite struct ScopeTests {
    private struct Pair {
        let own: CountingDevice
        let other: CountingDevice
        let otherEntry: JSONValue
    }

    /// Two devices at one location, with an entry each.
    private static func pair() async throws -> Pair {
        let site = try await CountingServer.running().site()
        let (own, other) = (try await site.device(), try await site.device())
        let now = CountingServer.now()
        try await own.record(SentEvent(number: 1, gateway: now))
        let entry = try await other.record(SentEvent(number: 1, delta: -1, gateway: now))
        return Pair(own: own, other: other, otherEntry: try #require(entry["id"]))
    }

    @Test func `a record that is another device's is not found`() async throws {
        let pair = try await Self.pair()
        for (method, id) in [
            ("entries.get", pair.otherEntry), ("devices.get", pair.other.json), ("devices.history", pair.other.json),
        ] {
            #expect(try await pair.own.client.refusal(method, ["id": id])["code"] == 404, method.testComment)
        }
        let transaction = try await pair.own.client.response(
            "transaction.run", ["calls": [["method": "entries.get", "params": ["id": pair.otherEntry]]]])
        #expect(transaction["result"] == nil, "\(transaction.json)")
        #expect(try await pair.own.client.call("devices.get", ["id": pair.own.json])["id"] == pair.own.json)
    }

    @Test func `lists, counts, relations, conditions and groups have the own rows only`() async throws {
        let pair = try await Self.pair()
        let client = pair.own.client
        let all = try await client.call(
            "entries.list", ["count": true, "select": "{ device_id device { id entries { device_id } } }"])
        #expect(all["total"] == 1)
        #expect(
            all["items"] == [
                [
                    "device": ["entries": [["device_id": pair.own.json]], "id": pair.own.json],
                    "device_id": pair.own.json,
                ]
            ])
        let devices = try await client.call("devices.list", ["count": true, "select": "{ id entries { delta } }"])
        #expect(devices["items"] == [["entries": [["delta": 1]], "id": pair.own.json]])
        for filter in [
            ["device_id": pair.other.json], ["id": pair.otherEntry], ["device": ["id": pair.other.json]],
            ["device": ["entries": ["some": ["id": pair.otherEntry]]]],
        ] as [JSONValue] {
            let page = try await client.call("entries.list", ["where": filter, "count": true])
            #expect(page["total"] == 0, "\(filter.json): \(page.json)")
        }
        let hidden = try await client.call(
            "devices.list", ["where": ["entries": ["none": ["id": pair.otherEntry]]], "select": "{ id }"])
        #expect(hidden["items"] == [["id": pair.own.json]])
        let groups = try await client.call(
            "entries.aggregate", ["group_by": ["device_id"], "select": "{ count sum { delta } }"])
        #expect(groups["items"] == [["count": 1, "device_id": pair.own.json, "sum": ["delta": 1]]])
        // The location, and with it the entries of its other devices, is not a device's to read.
        for select in ["{ location { name } }", "{ location { entries { id } } }"] {
            let error = try await client.refusal("devices.list", ["select": .string(select)])
            #expect(error["code"] == -32602 || error["code"] == 403, "\(error.json)")
        }
        let filtered = try await client.refusal("entries.list", ["where": ["location": ["name": "x"]]])
        #expect(filtered["code"] == -32602 || filtered["code"] == 403, "\(filtered.json)")
    }

    @Test func `no command takes a device, and each acts for the caller's`() async throws {
        let pair = try await Self.pair()
        let now = CountingServer.now()
        for (method, params) in [
            ("entries.record", [("sequence_number", 2), ("delta", 1), ("gateway_timestamp", now.json)]),
            ("entries.record_batch", [("events", [])]), ("devices.heartbeat", []),
        ] as [(String, [(String, JSONValue)])] {
            for name in ["device_id", "id", "location_id", "source"] {
                let error = try await pair.own.client.refusal(
                    method, .merging(params + [("gateway_session_id", "a"), (name, pair.other.json)]))
                #expect(error.problems == ["/\(name) unknown"], "\(method): \(error.json)")
            }
        }
        let before = try await pair.other.read()
        try await pair.own.record(SentEvent(number: 2, gateway: now))
        try await pair.own.heartbeat()
        #expect(try await pair.other.read()["last_seen_at"] == before["last_seen_at"])
        #expect(try await pair.own.read()["last_sequence_number"] == 2)
    }

    @Test func `the answers of a device have the own rows only`() async throws {
        let pair = try await Self.pair()
        let now = CountingServer.now()
        let entry = try await pair.own.record(
            SentEvent(number: 3, gateway: now), [("select", "{ device { id entries { device_id } } }")])
        #expect(entry.at("/device/id") == pair.own.json)
        #expect(entry.at("/device/entries").array.allSatisfy { $0["device_id"] == pair.own.json })
        #expect(entry.at("/device/entries").array.count == 2)
        let beat = try await pair.own.heartbeat([("select", "{ id entries { device_id } }")])
        #expect(beat["id"] == pair.own.json && beat.at("/entries").array.count == 2)
    }

    @Test func `the feed of a device has the own record, and no state`() async throws {
        let pair = try await Self.pair()
        let client = pair.own.client
        let site = pair.own.site
        try await site.served.server.database.waitForEarlierTransactions()
        let start = try await client.call("changes.list")["end_cursor"] ?? .null
        for device in [pair.other, pair.own] {
            _ = try await site.admin.call(
                "devices.update", ["id": device.json, "values": ["name": .string("Nouveau \(device.id)")]])
        }
        try await eventually("the change is in the feed") {
            let page = try await client.call("changes.list", ["after": start])
            return page.at("/items").array.map { [$0["table"], $0["id"]] } == [["devices", pair.own.json]]
        }
        for table in ["counter_states", "locations", "counter_snapshots"] {
            let error = try await client.refusal("changes.list", ["after": start, "tables": [.string(table)]])
            #expect(error["code"] == -32602, "\(error.json)")
        }
    }

    @Test func `the database has the rows of a device's role by a policy, too`() async throws {
        let pair = try await Self.pair()
        let seen = try await pair.own.site.served.psql(
            """
            BEGIN;
            SELECT set_config('learntrack.role', 'counting_device', true),
                set_config('learntrack.subject', '\(pair.own.id)', true);
            SET LOCAL ROLE learntrack_counting_device;
            SELECT 'rows', string_agg(DISTINCT device_id::text, ' ') FROM counting.entries;
            SELECT 'rows', string_agg(id::text, ' ') FROM counting.devices;
            ROLLBACK
            """)
        #expect(
            seen.split(separator: "\n").filter { $0.hasPrefix("rows") } == [
                "rows|\(pair.own.id)", "rows|\(pair.own.id)",
            ])
    }
}

extension String {
    fileprivate var testComment: Comment { Comment(rawValue: self) }
}
