import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// counting.md, "Clock": whose time an entry has. The limits of 60 s and 400 days lie in the server's time, so that cases stay
/// some seconds away from them; the one of 300 s lies between two values of the call.
@Suite struct ClockTests {
    /// A case: the two times of an event, relative to now, and what is believed.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let device: Int?
        let gateway: Int
        let source: SequenceModel.Source
        let isSkewed: Bool

        init(_ name: String, device: Int? = nil, gateway: Int, _ source: SequenceModel.Source, skewed: Bool) {
            self.name = name
            self.device = device
            self.gateway = gateway
            self.source = source
            isSkewed = skewed
        }

        var testDescription: String { name }
    }

    private static let year = 400 * Moment.day
    private static let ago = -10 * Moment.minute
    private static let limit = 300 * Moment.second

    static let cases = [
        Case("both agree", device: ago, gateway: ago, .device, skewed: false),
        Case("the gateway alone", gateway: ago, .gateway, skewed: false),
        Case("300 s before the gateway", device: ago - limit, gateway: ago, .device, skewed: false),
        Case("300 s and a microsecond before it", device: ago - limit - 1, gateway: ago, .gateway, skewed: true),
        Case("300 s after the gateway", device: ago + limit, gateway: ago, .device, skewed: false),
        Case("300 s and a microsecond after it", device: ago + limit + 1, gateway: ago, .gateway, skewed: true),
        Case("hours late", device: -9 * Moment.hour, gateway: -9 * Moment.hour, .device, skewed: false),
        Case(
            "ahead within 60 s", device: 50 * Moment.second, gateway: 50 * Moment.second, .device, skewed: false),
        Case("a gateway ahead within 60 s", gateway: 50 * Moment.second, .gateway, skewed: false),
        Case("a device that is ahead by more", device: 75 * Moment.second, gateway: 0, .gateway, skewed: true),
        Case("both ahead by more", device: 75 * Moment.second, gateway: 75 * Moment.second, .server, skewed: true),
        Case("a gateway ahead by more", gateway: 75 * Moment.second, .server, skewed: true),
        Case(
            "almost 400 days old", device: -year + Moment.minute, gateway: -year + Moment.minute, .device,
            skewed: false),
        Case("a gateway almost 400 days old", gateway: -year + Moment.minute, .gateway, skewed: false),
        Case("older than 400 days", device: -year - 1, gateway: -year - 1, .server, skewed: true),
        Case(
            "a device older than 400 days, and a gateway that is not", device: -year - Moment.second,
            gateway: -year + Moment.minute, .gateway, skewed: true),
        Case("a gateway older than 400 days", gateway: -year - Moment.second, .server, skewed: true),
    ]

    @Test func `each case has the time that is believed, and says whether one was not`() async throws {
        let site = try await CountingServer.running().site()
        for one in Self.cases {
            let device = try await site.device()
            let now = CountingServer.now()
            let event = SentEvent(number: 1, device: one.device.map { now + $0 }, gateway: now + one.gateway)
            let entry = try await device.record(event)
            let created = try #require(entry["created_at"]?.moment)
            #expect(abs(created - CountingServer.now()) < 10 * Moment.second, "now is the server's")
            let believed =
                switch one.source {
                case .device: event.device ?? created
                case .gateway: event.gateway
                case .server: created
                }
            expect(
                entry,
                has: [
                    "timestamp": min(believed, created).json, "timestamp_source": .string(one.source.rawValue),
                    "clock_skew": .bool(one.isSkewed), "device_timestamp": event.device?.json ?? .null,
                    "gateway_timestamp": event.gateway.json, "device_id": device.json, "location_id": site.json,
                ], one.name)
            let modelled = SequenceModel.clock(event, now: created)
            #expect(modelled.source == one.source && modelled.isSkewed == one.isSkewed, "the model: \(one.name)")
        }
    }

    @Test func `the entry is of the caller's device, with its kind and its session`() async throws {
        let site = try await CountingServer.running().site()
        for kind in ["hardware", "simulator"] {
            let device = try await site.device([("kind", .string(kind))])
            let entry = try await device.record(
                SentEvent(number: 0, delta: -1, gateway: CountingServer.now()), session: "téléphone 1")
            expect(
                entry,
                has: [
                    "source": .string(kind), "device_id": device.json, "user_id": .null, "delta": -1,
                    "sequence_number": 0, "series": 1, "missing_before": 0, "sequence_reset": false,
                    "gateway_session_id": "téléphone 1", "gateway_conflict": false,
                ])
        }
    }

    @Test func `the parameters of an event are checked, all mistakes together`() async throws {
        let site = try await CountingServer.running().site()
        let device = try await site.device()
        let good: [(String, JSONValue)] = [
            ("sequence_number", 1), ("delta", 1), ("gateway_timestamp", CountingServer.now().json),
            ("gateway_session_id", "a"),
        ]
        let wrong: [(String, JSONValue)] = [
            ("sequence_number", -1), ("sequence_number", .number("1.5")), ("sequence_number", .null), ("delta", 0),
            ("delta", 2), ("delta", -2), ("delta", "1"), ("delta", .null), ("gateway_timestamp", .null),
            ("gateway_timestamp", "gestern"), ("device_timestamp", "2026-02-30T00:00:00Z"),
            ("gateway_session_id", .null), ("gateway_session_id", .string(String(repeating: "x", count: 65))),
        ]
        for (name, value) in wrong {
            let error = try await device.client.refusal("entries.record", .merging(good + [(name, value)]))
            #expect(error.paths == ["/\(name)"], "\(name) \(value.json): \(error.json)")
        }
        let missing = try await device.client.refusal("entries.record", [:])
        #expect(missing.paths == ["/delta", "/gateway_session_id", "/gateway_timestamp", "/sequence_number"])
        let session: [(String, JSONValue)] = [("gateway_session_id", .string(String(repeating: "é", count: 64)))]
        #expect(try await device.client.response("entries.record", .merging(good + session))["result"] != nil)
        let now = CountingServer.now().json
        let events: JSONValue = [
            ["sequence_number": 2, "delta": 1, "gateway_timestamp": now],
            ["sequence_number": -2, "delta": 3, "gateway_timestamp": now],
            ["sequence_number": 3, "delta": 1, "gateway_timestamp": now, "device_id": 1], ["delta": 1],
        ]
        let error = try await device.client.refusal(
            "entries.record_batch", ["gateway_session_id": "a", "events": events])
        #expect(
            error.paths == [
                "/events/1/delta", "/events/1/sequence_number", "/events/2/device_id", "/events/3/gateway_timestamp",
                "/events/3/sequence_number",
            ], "\(error.json)")
        #expect(try await site.entries().count == 1, "all or nothing")
        let many = (0...1_000).map { SentEvent(number: $0, gateway: CountingServer.now()) }
        let tooMany = try await device.client.refusal("entries.record_batch", CountingDevice.batch(many))
        #expect(tooMany.paths == ["/events"], "\(tooMany.json)")
    }

    @Test func `an inactive device is refused by every command, and changes nothing`() async throws {
        let site = try await CountingServer.running().site()
        let device = try await site.device([("is_active", false), ("kind", "simulator")])
        let event = SentEvent(number: 1, gateway: CountingServer.now())
        let before = try await site.state()
        for (client, method, params) in [
            (device.client, "entries.record", .merging(event.members + [("gateway_session_id", "a")])),
            (device.client, "entries.record_batch", CountingDevice.batch([event])),
            (device.client, "entries.record_batch", CountingDevice.batch([])),
            (device.client, "devices.heartbeat", ["gateway_session_id": "a"]),
            (site.admin, "entries.simulate", ["device_id": device.json, "delta": 1]),
        ] as [(RPCClient, String, JSONValue)] {
            let error = try await client.refusal(method, params)
            #expect(error["code"] == 409 && error.at("/data/reason") == "inactive_device", "\(method): \(error.json)")
        }
        #expect(try await site.entries().isEmpty)
        let after = try await site.state()
        #expect(after == before)
        _ = try await site.admin.call("devices.update", ["id": device.json, "values": ["is_active": true]])
        try await device.record(event)
        #expect(try await site.currentCount() == 1)
    }
}
