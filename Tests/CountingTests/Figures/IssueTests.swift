import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// counting.md, `counter_issues`: each kind, with literal values.
@Suite struct IssueTests {
    /// Three hours ago, on a whole minute.
    private static func base() -> Moment {
        Moment(microseconds: CountingServer.now().microseconds / Moment.minute * Moment.minute) - 3 * Moment.hour
    }

    private static func all(since base: Moment) -> [(String, JSONValue)] {
        [("from", (base - Moment.hour).json), ("to", CountingServer.now().json)]
    }

    @Test func `missing events are from the entry before to the entry after`() async throws {
        let site = try await CountingServer.running().site()
        let device = try await site.device()
        let base = Self.base()
        func at(_ minutes: Int) -> Moment { base + minutes * Moment.minute }
        for (number, minutes) in [(1, 0), (2, 5), (6, 10), (7, 11), (9, 20)] {
            try await device.record(SentEvent(number: number, gateway: at(minutes)))
        }
        func expected(_ gaps: [(Int, Int, Int)]) -> [[String: JSONValue]] {
            gaps.map { start, end, missing in
                [
                    "kind": "missing_events", "location_id": site.json, "device_id": device.json,
                    "starts_at": at(start).json, "ends_at": at(end).json, "value": JSONValue(missing),
                ]
            }
        }
        func found(_ parameters: [(String, JSONValue)]) async throws -> [JSONValue] {
            try await site.issues(parameters, kind: "missing_events").sorted {
                ($0["starts_at"]?.text ?? "") < ($1["starts_at"]?.text ?? "")
            }
        }
        expect(try await found(Self.all(since: base)), have: expected([(5, 10, 3), (11, 20, 1)]))
        // A late event divides the gap, and another one closes it.
        try await device.record(SentEvent(number: 4, gateway: at(8)))
        expect(try await found(Self.all(since: base)), have: expected([(5, 8, 1), (8, 10, 1), (11, 20, 1)]))
        try await device.record(SentEvent(number: 3, gateway: at(7)))
        try await device.record(SentEvent(number: 8, gateway: at(15)))
        expect(try await found(Self.all(since: base)), have: expected([(8, 10, 1)]))
        // Of the interval are the entries with the mark.
        let after: [(String, JSONValue)] = [("from", at(9).json), ("to", at(11).json)]
        expect(try await found(after), have: expected([(8, 10, 1)]))
        let before: [(String, JSONValue)] = [("from", at(7).json), ("to", at(9).json)]
        #expect(try await found(before).isEmpty)
    }

    @Test func `a reset is the entry that begins a series`() async throws {
        let site = try await CountingServer.running().site()
        let device = try await site.device()
        let base = Self.base()
        for (number, minutes) in [(1, 0), (2, 1), (1, 10), (2, 11), (1, 20)] {
            try await device.record(SentEvent(number: number, gateway: base + minutes * Moment.minute))
        }
        let found = try await site.issues(Self.all(since: base), kind: "sequence_reset").sorted {
            ($0["value"]?.int ?? 0) < ($1["value"]?.int ?? 0)
        }
        expect(
            found,
            have: [(2, 10), (3, 20)].map { series, minutes in
                let at = (base + minutes * Moment.minute).json
                return [
                    "device_id": device.json, "location_id": site.json, "starts_at": at, "ends_at": at,
                    "value": JSONValue(series),
                ]
            })
        let one = try await site.issues(
            [("from", (base + 15 * Moment.minute).json), ("to", CountingServer.now().json)], kind: "sequence_reset")
        #expect(one.map { $0["value"] } == [3])
    }

    @Test func `wrong clocks are one issue a device, and conflicts one a device and session`() async throws {
        let site = try await CountingServer.running().site()
        let (one, two) = (try await site.device(), try await site.device())
        let base = Self.base()
        func event(_ number: Int, _ minutes: Int, isSkewed: Bool) -> SentEvent {
            let gateway = base + minutes * Moment.minute
            return SentEvent(number: number, device: isSkewed ? gateway - Moment.hour : gateway, gateway: gateway)
        }
        try await one.heartbeat(session: "a")
        try await one.recordBatch(
            [event(1, 0, isSkewed: true), event(2, 5, isSkewed: false), event(3, 10, isSkewed: true)], session: "a")
        try await two.recordBatch([event(1, 2, isSkewed: true), event(2, 3, isSkewed: false)], session: "b")
        try await two.recordBatch([event(3, 30, isSkewed: false)], session: "c")
        try await one.recordBatch([event(4, 40, isSkewed: false), event(5, 50, isSkewed: false)], session: "b")
        func row(
            _ device: CountingDevice, _ start: Int, _ end: Int, _ value: Int, _ detail: JSONValue? = nil
        ) -> [String: JSONValue] {
            var row: [String: JSONValue] = [
                "device_id": device.json, "location_id": site.json, "value": JSONValue(value),
                "starts_at": (base + start * Moment.minute).json, "ends_at": (base + end * Moment.minute).json,
            ]
            if let detail { row["detail"] = detail }
            return row
        }
        func sorted(_ kind: String) async throws -> [JSONValue] {
            try await site.issues(Self.all(since: base), kind: kind).sorted {
                ($0["starts_at"]?.text ?? "") < ($1["starts_at"]?.text ?? "")
            }
        }
        expect(try await sorted("clock_skew"), have: [row(one, 0, 10, 2), row(two, 2, 2, 1)])
        expect(
            try await sorted("gateway_conflict"),
            have: [row(two, 2, 3, 2, "b"), row(two, 30, 30, 1, "c"), row(one, 40, 50, 2, "b")])
        // The entries of the interval alone.
        let part = try await site.issues(
            [("from", (base + 45 * Moment.minute).json), ("to", CountingServer.now().json)])
        #expect(part.map { $0["kind"] } == ["gateway_conflict"])
        expect(part, have: [row(one, 50, 50, 1, "b")])
    }

    @Test func `too many people are an issue from the first to the last of them, cut to the interval`() async throws {
        let site = try await CountingServer.running().site([("max_capacity", 2)])
        let base = Self.base()
        func at(_ minutes: Int) -> Moment { base + minutes * Moment.minute }
        // 1, 2, 3, 4, 3, 2, 3.
        try await site.insert(
            [(0, 1), (1, 1), (10, 1), (20, 1), (30, -1), (40, -1), (60, 1)].map { CountedEntry(at($0), $1) })
        func crowds(_ from: Int, _ to: Int?) async throws -> [JSONValue] {
            let end = to.map { [("to", at($0).json)] } ?? []
            return try await site.issues([("from", at(from).json)] + end, kind: "overcrowding").sorted {
                ($0["starts_at"]?.text ?? "") < ($1["starts_at"]?.text ?? "")
            }
        }
        func row(_ start: Int, _ end: Int?, _ peak: Int) -> [String: JSONValue] {
            [
                "starts_at": at(start).json, "ends_at": end.map { at($0).json } ?? .null, "value": JSONValue(peak),
                "device_id": .null, "location_id": site.json,
            ]
        }
        expect(try await crowds(-5, nil), have: [row(10, 40, 4), row(60, nil, 3)], "the last one lasts")
        expect(try await crowds(-5, 50), have: [row(10, 40, 4)])
        expect(try await crowds(25, nil), have: [row(25, 40, 4), row(60, nil, 3)], "from the start of the interval")
        expect(try await crowds(35, 50), have: [row(35, 40, 3)])
        #expect(try await crowds(41, 59).isEmpty)
        // A new capacity applies to what was.
        try await site.update(["max_capacity": 3])
        expect(try await crowds(-5, nil), have: [row(20, 30, 4)])
        try await site.update(["max_capacity": 4])
        #expect(try await crowds(-5, nil).isEmpty)
    }

    @Test func `a crowd that lasts no time is an issue, and one that ends as the interval starts is not`() async throws
    {
        let site = try await CountingServer.running().site([("max_capacity", 1)])
        let base = Self.base()
        func at(_ minutes: Int) -> Moment { base + minutes * Moment.minute }
        try await site.insert([(0, 1), (10, 1), (10, -1), (20, 1), (30, -1)].map { CountedEntry(at($0), $1) })
        func crowds(_ from: Int, _ to: Int) async throws -> [JSONValue] {
            try await site.issues([("from", at(from).json), ("to", at(to).json)], kind: "overcrowding")
        }
        expect(
            try await crowds(0, 40),
            have: [
                ["starts_at": at(10).json, "ends_at": at(10).json, "value": 2],
                ["starts_at": at(20).json, "ends_at": at(30).json, "value": 2],
            ])
        #expect(try await crowds(30, 40).isEmpty)
    }

    @Test func `a location that is around its capacity all year has its issues in moments, also before it is analysed`()
        async throws
    {
        let site = try await CountingServer.running().site([("max_capacity", 2), ("operational_boundary_hour", 0)])
        let device = try await site.counter()
        // Days of 33 entries: three arrivals, then departures and arrivals in turns. Every second entry is above the capacity.
        try await site.served.psql(
            """
            INSERT INTO counting.entries (location_id, device_id, "timestamp", delta, source, sequence_number)
            SELECT \(site.id), \(device), timestamptz '2025-01-01T00:00:00Z' + day * interval '1 day' + n * interval '40 minutes',
                CASE WHEN n < 3 OR n % 2 = 0 THEN 1 ELSE -1 END, 'hardware', day * 33 + n
            FROM generate_series(0, 364) AS day CROSS JOIN generate_series(0, 32) AS n
            """)
        let found = try await site.served.psql(
            """
            SET statement_timeout = '3s';
            SELECT count(*), sum(value) FROM counting.counter_issues(
                \(site.id), "from" => '2025-01-01T00:00:00Z', "to" => '2026-01-01T00:00:00Z')
            """)
        #expect(found == "5840|17520")
    }

    @Test func `a crowd ends with the day`() async throws {
        let site = try await CountingServer.running().site([
            ("timezone", "Europe/Paris"), ("operational_boundary_hour", 12), ("max_capacity", 1),
        ])
        try await site.insert([
            CountedEntry("2025-06-10T08:00:00Z", 1), CountedEntry("2025-06-10T09:00:00Z", 1),
            CountedEntry("2025-06-10T11:00:00Z", 1),
        ])
        let found = try await site.issues(
            [("from", "2025-06-09T10:00:00Z"), ("to", "2025-06-11T10:00:00Z")], kind: "overcrowding")
        expect(
            found,
            have: [
                ["starts_at": "2025-06-10T09:00:00+00:00", "ends_at": "2025-06-10T10:00:00+00:00", "value": 2]
            ])
    }

    @Test func `a stale device is an issue of the present only`() async throws {
        let site = try await CountingServer.running().site([("stale_after_seconds", 300)])
        let (stale, fresh, inactive) = (
            try await site.counter(), try await site.device(), try await site.counter([("is_active", false)])
        )
        try await site.served.psql(
            """
            SET session_replication_role = replica; -- The time of creation is kept by a trigger.
            UPDATE counting.devices SET created_at = now() - interval '1000 seconds'
            WHERE location_id = \(site.id) AND id IN (\(stale), \(fresh.id), \(inactive))
            """)
        try await fresh.heartbeat()
        _ = try await site.admin.call("entries.override", ["location_id": site.json, "delta": 1])
        let created = try #require(
            try await site.admin.call("devices.get", ["id": JSONValue(stale), "select": "{ created_at }"])["created_at"]
        )
        let start = CountingServer.now()
        let found = try await site.issues(kind: "stale_device")
        let end = CountingServer.now()
        expect(
            found,
            have: [
                [
                    "device_id": JSONValue(stale), "location_id": site.json, "starts_at": created, "ends_at": .null,
                ]
            ])
        let seconds = try #require(found.first?["value"]?.int)
        let silent = try #require(created.moment)
        #expect(((start - silent) / Moment.second)...((end - silent) / Moment.second) ~= seconds)
        for range in ["last_7", "year"] {
            #expect(try await site.issues([("range", .string(range))], kind: "stale_device").count == 1)
        }
        let past = try await site.issues([("to", (CountingServer.now() - Moment.minute).json)], kind: "stale_device")
        #expect(past.isEmpty)
    }

    @Test func `issues have distinct identifiers, a relation to their device, and filters`() async throws {
        let site = try await CountingServer.running().site([("max_capacity", 1)])
        let device = try await site.device([("name", "Porte")])
        let base = Self.base()
        for (number, minutes) in [(1, 0), (5, 1), (2, 20), (9, 21)] {
            try await device.record(SentEvent(number: number, gateway: base + minutes * Moment.minute))
        }
        let rows = try await site.issues(Self.all(since: base))
        #expect(Set(rows.compactMap { $0["kind"]?.text }) == ["missing_events", "sequence_reset", "overcrowding"])
        let ids = rows.compactMap { $0["id"]?.int }
        #expect(ids.count == rows.count && ids == ids.sorted() && Set(ids).count == ids.count, "by id")
        let page = try await site.admin.call(
            "counter_issues.list",
            .merging(
                [("location_id", site.json)] + Self.all(since: base) + [
                    ("where", ["kind": "missing_events", "value": ["gte": 4]]),
                    ("select", "{ value device { name } location { id } }"),
                ]))
        #expect(page["items"] == [["device": ["name": "Porte"], "location": ["id": site.json], "value": 6]])
    }
}
