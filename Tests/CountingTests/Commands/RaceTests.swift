import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// Sessions that do the same at once.
@Suite struct RaceTests {
    private static func events(_ numbers: ClosedRange<Int>, delta: Int = 1, since base: Moment) -> [SentEvent] {
        numbers.map { SentEvent(number: $0, delta: delta, gateway: base + $0 * Moment.second) }
    }

    private static let base = CountingServer.now() - Moment.hour

    @Test func `devices that record at once into one location lose no event and wait for no other one in vain`()
        async throws
    {
        let site = try await CountingServer.running().site([("max_capacity", 1_000)])
        let devices = [try await site.device(), try await site.device(), try await site.device()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for device in devices {
                group.addTask {
                    for round in 0..<10 {
                        let numbers = (round * 6 + 1)...(round * 6 + 5)
                        let answer = try await device.recordBatch(Self.events(numbers, since: Self.base))
                        #expect(answer["recorded"] == 5)
                        try await device.record(SentEvent(number: round * 6 + 6, gateway: Self.base))
                    }
                }
            }
            try await group.waitForAll()
        }
        let entries = try await site.entries()
        #expect(entries.count == 180 && entries.allSatisfy { $0["missing_before"] == 0 && $0["series"] == 1 })
        #expect(try await site.currentCount() == 180)
        for device in devices { expect(try await device.read(), has: ["last_sequence_number": 60, "version": 1]) }
    }

    @Test func `a batch that two connections of a device send at once is recorded once`() async throws {
        let site = try await CountingServer.running().site([("max_capacity", 1_000)])
        let device = try await site.device()
        let other = try device.another()
        var total = 0
        for round in 0..<8 {
            let events = Self.events((round * 20 + 1)...(round * 20 + 20), since: Self.base)
            async let first = device.recordBatch(events)
            async let second = device.recordBatch(events, as: other)
            let answers = [try await first, try await second]
            let recorded = answers.compactMap { $0["recorded"]?.int }
            #expect(recorded.sorted() == [0, 20], "\(answers.map(\.json))")
            #expect(answers.compactMap { $0["duplicates"]?.int }.sorted() == [0, 20])
            total += 20
        }
        #expect(try await site.entries().count == total)
        #expect(try await site.currentCount() == total)
    }

    @Test func `single calls of one device at once are each recorded, in one series`() async throws {
        let site = try await CountingServer.running().site()
        let device = try await site.device()
        let base = Self.base
        try await withThrowingTaskGroup(of: Void.self) { group in
            for connection in 0..<4 {
                let client = try device.another()
                group.addTask {
                    for index in 0..<8 {
                        let number = index * 4 + connection
                        // At the same time, so that each order of arrival is next or late.
                        let event = SentEvent(number: number, gateway: base)
                        let call = JSONValue.merging(event.members + [("gateway_session_id", "a")])
                        for _ in 0..<2 {
                            let entry = try await client.call("entries.record", call)
                            #expect(entry["sequence_number"]?.int == number)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let entries = try await site.entries()
        #expect(entries.count == 32)
        #expect(entries.compactMap { $0["sequence_number"]?.int }.sorted() == Array(0..<32))
        #expect(entries.allSatisfy { $0["missing_before"] == 0 && $0["sequence_reset"] == false })
    }

    @Test func `of two gateways that begin at once, one holds the location and the other one is marked`() async throws {
        let served = try await CountingServer.running()
        for _ in 0..<5 {
            let site = try await served.site()
            let (one, two) = (try await site.device(), try await site.device())
            async let first = one.record(SentEvent(number: 1, gateway: Self.base), session: "a")
            async let second = two.record(SentEvent(number: 1, gateway: Self.base), session: "b")
            let answers = [try await first, try await second]
            let marked = answers.filter { $0["gateway_conflict"] == true }
            #expect(marked.count == 1, "\(answers.map(\.json))")
            let state = try await site.state()
            #expect(state["gateway_session_id"] != marked.first?["gateway_session_id"])
            #expect(state["gateway_conflict_at"] != .null)
        }
    }

    @Test func `the manual device is made once, and its numbers are distinct`() async throws {
        let served = try await CountingServer.running()
        for _ in 0..<5 {
            let site = try await served.site()
            let params: JSONValue = ["location_id": site.json, "delta": 1, "count": 10]
            let (one, two) = (try await served.admin(), try await served.admin())
            async let first = one.call("entries.override", params)
            async let second = two.call("entries.override", params)
            let counts = [try await first["id"], try await second["id"]]
            #expect(counts == [site.json, site.json])
            let devices = try await site.admin.call(
                "devices.list", ["where": ["location_id": site.json], "select": "{ kind }"])
            #expect(devices["items"] == [["kind": "manual"]])
            let numbers = try await site.entries().compactMap { $0["sequence_number"]?.int }
            #expect(Set(numbers).count == 20)
            #expect(try await site.currentCount() == 20)
        }
    }

    @Test func `a day that ends twice at once while people come is emptied, and every event counts`() async throws {
        let served = try await CountingServer.running()
        for _ in 0..<5 {
            let site = try await served.site()
            let device = try await site.device()
            try await device.recordBatch(Self.events(1...10, since: Self.base))
            let other = try await served.admin()
            async let first = site.admin.call("locations.end_day", ["id": site.json])
            async let second = other.call("locations.end_day", ["id": site.json])
            async let third = device.recordBatch(Self.events(11...12, since: Self.base))
            let snapshots = [try await first, try await second]
            #expect(try await third["recorded"] == 2)
            let closing = snapshots.compactMap { $0["closing_count"]?.int }
            let departures = try await site.entries(["source": "manual"]).count
            #expect(closing.reduce(0, +) == departures, "\(snapshots.map(\.json))")
            #expect(try await site.currentCount() == 12 - departures)
            #expect([10, 12].contains(departures))
        }
    }

    @Test func `events, settings and psql at once end in the figures of the entries`() async throws {
        let site = try await CountingServer.running().site([("max_capacity", 1_000)])
        let device = try await site.device()
        let counter = try await site.counter()
        let changer = try await site.served.admin()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<10 {
                    try await device.recordBatch(
                        Self.events((round * 5 + 1)...(round * 5 + 5), delta: round % 3 == 2 ? -1 : 1, since: Self.base)
                    )
                }
            }
            group.addTask {
                for round in 0..<6 {
                    let values: JSONValue = [
                        "operational_boundary_hour": JSONValue((site.rule.hour + round % 2) % 24),
                        "max_capacity": JSONValue(50 + round),
                    ]
                    _ = try await changer.call("locations.update", ["id": site.json, "values": values])
                }
            }
            group.addTask {
                for round in 0..<4 {
                    try await site.insert(
                        (0..<5).map { CountedEntry(Self.base + (round * 5 + $0) * Moment.minute, 1) }, device: counter,
                        first: round * 5 + 1)
                    try await site.served.psql(
                        "DELETE FROM counting.entries WHERE device_id = \(counter) AND sequence_number = \(round * 5 + 2)"
                    )
                }
            }
            try await group.waitForAll()
        }
        let entries = try await site.entries().map { entry in
            CountedEntry(
                id: try #require(entry["id"]?.int), try #require(entry["timestamp"]?.moment),
                try #require(entry["delta"]?.int))
        }
        #expect(entries.count == 66)
        let rule = DayRule("UTC", (site.rule.hour + 1) % 24)
        let count = OccupancyModel(rule, entries).count(at: CountingServer.now())
        expect(
            try await site.state(),
            has: ["current_count": JSONValue(count), "remaining": JSONValue(max(0, 55 - count))])
    }
}
