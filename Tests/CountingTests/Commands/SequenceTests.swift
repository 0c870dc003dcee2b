import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// counting.md, "Sequence", with literal results: one call each, and in one batch.
@Suite struct SequenceTests {
    private static func event(_ number: Int, _ seconds: Int, device: Int? = nil) -> SentEvent {
        SentEvent(
            number: number, device: device.map { base + $0 * Moment.second }, gateway: base + seconds * Moment.second)
    }

    /// Two hours ago, on a whole minute.
    private static let base =
        Moment(
            microseconds: CountingServer.now().microseconds / Moment.minute * Moment.minute) - 2 * Moment.hour

    /// Steps on a new device, each with its event, and the entry's series, missing_before and sequence_reset; nil for a
    /// duplicate, with the index of the step that it repeats.
    private struct Step {
        let event: SentEvent
        var entry: (series: Int, missing: Int, isReset: Bool)?
        var duplicate: Int?

        init(_ event: SentEvent, series: Int = 1, missing: Int = 0, reset: Bool = false) {
            self.event = event
            entry = (series, missing, reset)
        }

        init(_ event: SentEvent, duplicateOf step: Int) {
            self.event = event
            duplicate = step
        }
    }

    private static let sequences: [(String, [Step])] = [
        ("a first number is next, whatever it is", [Step(event(1_000, 0)), Step(event(1_001, 1))]),
        ("zero is a number", [Step(event(0, 0)), Step(event(1, 1))]),
        ("a gap", [Step(event(1, 0)), Step(event(2, 1)), Step(event(6, 2), missing: 3), Step(event(7, 3))]),
        (
            "the same event again",
            [
                Step(event(1, 0)), Step(event(2, 10)), Step(event(1, 0), duplicateOf: 0),
                Step(event(2, 10), duplicateOf: 1),
            ]
        ),
        (
            "the same number two seconds away",
            [
                Step(event(1, 0)), Step(event(2, 10)), Step(event(2, 12), duplicateOf: 1),
                Step(event(2, 8), duplicateOf: 1),
            ]
        ),
        (
            "the same number more than two seconds away",
            [Step(event(1, 0)), Step(event(2, 10)), Step(event(2, 13), series: 2, reset: true)]
        ),
        (
            "late within two seconds of the next higher one",
            [Step(event(1, 0)), Step(event(5, 10), missing: 1), Step(event(3, 12), missing: 1)]
        ),
        (
            "too late for the next higher one",
            [Step(event(1, 0)), Step(event(5, 10), missing: 3), Step(event(3, 13), series: 2, reset: true)]
        ),
        (
            "late before the first of the series",
            [Step(event(10, 10), missing: 7), Step(event(11, 11)), Step(event(2, 1), missing: 0)]
        ),
        (
            "a counter that was switched off and on",
            [
                Step(event(1, 0)), Step(event(2, 1)), Step(event(1, 60), series: 2, reset: true),
                Step(event(2, 61), series: 2), Step(event(4, 62), series: 2, missing: 1),
                // A number of the series before, at its time.
                Step(event(2, 1), duplicateOf: 1), Step(event(1, 120), series: 3, reset: true),
            ]
        ),
        (
            "a number that only the series before has is late in this one",
            [
                Step(event(1, 0)), Step(event(2, 1)), Step(event(1, 60), series: 2, reset: true),
                Step(event(5, 64), series: 2, missing: 2), Step(event(2, 62), series: 2, missing: 0),
            ]
        ),
    ]

    /// The missing_before that the entries of a sequence have at the end.
    private func expectEntries(_ steps: [Step], of device: CountingDevice, _ name: String) async throws {
        let entries = try await device.site.entries(["device_id": device.json])
        let expected = steps.compactMap { step in
            step.entry.map { entry -> [String: JSONValue] in
                [
                    "sequence_number": JSONValue(step.event.number), "series": JSONValue(entry.series),
                    "missing_before": JSONValue(entry.missing), "sequence_reset": .bool(entry.isReset),
                ]
            }
        }
        expect(entries, have: expected, name)
        let device = try await device.read()
        let series = steps.compactMap(\.entry?.series).max() ?? 1
        let last = steps.filter { $0.entry?.series == series }.map(\.event.number).max() ?? 0
        expect(device, has: ["series": JSONValue(series), "last_sequence_number": JSONValue(last)], name)
    }

    @Test func `each number is the first of duplicate, next, late and reset that applies`() async throws {
        let site = try await CountingServer.running().site()
        for (name, steps) in Self.sequences {
            let device = try await site.device()
            var ids: [JSONValue] = []
            for step in steps {
                let answer = try await device.record(step.event)
                let id = try #require(answer["id"])
                if let duplicate = step.duplicate { #expect(id == ids[duplicate], "\(name): \(answer.json)") }
                ids.append(id)
            }
            try await expectEntries(steps, of: device, name)
        }
    }

    @Test func `a batch is taken in its order, as single calls are, and counts what it did`() async throws {
        let site = try await CountingServer.running().site()
        var total = 0
        for (name, steps) in Self.sequences {
            let device = try await site.device()
            let answer = try await device.recordBatch(steps.map(\.event))
            var model = SequenceModel()
            let outcomes = steps.map { model.record($0.event, now: CountingServer.now()) }
            let recorded = steps.compactMap(\.entry).count
            total += recorded
            let gaps = outcomes.count { if case .next(let missing) = $0 { missing > 0 } else { false } }
            expect(
                answer,
                has: [
                    "recorded": JSONValue(recorded), "duplicates": JSONValue(steps.count - recorded),
                    "late": JSONValue(outcomes.count { $0 == .late }), "gaps": JSONValue(gaps),
                    "resets": JSONValue(steps.count { $0.entry?.isReset == true }), "series": JSONValue(model.series),
                    "last_sequence_number": JSONValue(model.lastNumber ?? 0), "current_count": JSONValue(total),
                    "status": .string(total >= 100 ? "full" : total >= 80 ? "warning" : "ok"),
                ], name)
            guard case .object(let members) = answer else { throw TestEnvironmentError(answer.json) }
            #expect(members.members.count == 9, "\(answer.json)")
            try await expectEntries(steps, of: device, name)
            // The same batch once more records nothing.
            let again = try await device.recordBatch(steps.map(\.event))
            expect(
                again,
                has: [
                    "recorded": 0, "duplicates": JSONValue(steps.count), "late": 0, "gaps": 0, "resets": 0,
                    "current_count": JSONValue(total),
                ], "again: \(name)")
        }
    }

    @Test func `an event with both times as sent is a duplicate, whatever time its entry has`() async throws {
        let site = try await CountingServer.running().site()
        for deviceTime in [nil, 0] {
            let device = try await site.device()
            let sent = Self.event(1, 0, device: deviceTime)
            let first = try await device.record(sent)
            try await site.served.psql(
                """
                UPDATE counting.entries SET "timestamp" = "timestamp" - interval '1 hour' WHERE device_id = \(device.id)
                """)
            #expect(try await device.record(sent)["id"] == first["id"])
            // With one of them it is not.
            let other = SentEvent(number: 1, device: sent.device.map { $0 + Moment.minute }, gateway: sent.gateway)
            let again = deviceTime == nil ? Self.event(1, 60) : other
            expect(try await device.record(again), has: ["series": 2, "sequence_reset": true])
        }
    }

    @Test func `numbers go on from the entries that psql inserts and deletes`() async throws {
        let site = try await CountingServer.running().site()
        let device = try await site.device()
        try await site.insert([CountedEntry(Self.base, 1)], device: device.id, first: 10)
        let event = Self.event(12, 20)
        expect(try await device.record(event), has: ["series": 1, "missing_before": 1])
        try await site.served.psql(
            "DELETE FROM counting.entries WHERE device_id = \(device.id) AND sequence_number = 12")
        expect(try await device.record(Self.event(11, 10)), has: ["series": 1, "missing_before": 0])
        expect(try await device.recordBatch([event]), has: ["recorded": 1, "gaps": 0, "current_count": 3])
        try await site.served.psql("DELETE FROM counting.entries WHERE device_id = \(device.id)")
        // As if it had never counted.
        expect(try await device.record(Self.event(3, 30)), has: ["series": 1, "missing_before": 0])
        #expect(try await site.currentCount() == 1)
    }

    @Test func `an empty batch answers the present figures`() async throws {
        let site = try await CountingServer.running().site()
        let device = try await site.device()
        let empty = try await device.recordBatch([])
        expect(
            empty,
            has: [
                "recorded": 0, "duplicates": 0, "late": 0, "gaps": 0, "resets": 0, "last_sequence_number": .null,
                "current_count": 0, "status": "ok",
            ])
        try await device.record(Self.event(4, 0))
        let after = try await device.recordBatch([])
        expect(after, has: ["recorded": 0, "series": 1, "last_sequence_number": 4, "current_count": 1])
    }

    @Test func `a batch of a thousand events is taken at once`() async throws {
        let site = try await CountingServer.running().site([("max_capacity", 10_000)])
        let device = try await site.device()
        let events = (1...1_000).map { SentEvent(number: $0, gateway: Self.base + $0 * Moment.second / 4) }
        let answer = try await device.recordBatch(events)
        expect(answer, has: ["recorded": 1_000, "last_sequence_number": 1_000, "current_count": 1_000, "gaps": 0])
        // Those that come twice inside of a batch, and another order, change nothing.
        let again = try await device.recordBatch(Array((events.reversed() + events).prefix(1_000)))
        expect(again, has: ["recorded": 0, "duplicates": 1_000, "current_count": 1_000])
    }

    /// A session plans its statements once, and keeps them until the table is analysed.
    @Test func `a session that knew the table empty still looks for events by their number`() async throws {
        let database = try await TestProgram.learntrack(serving: ["counting"])
            .migratedDatabase(on: CountingServer.cluster.value())
        let search = """
            SELECT count(*) FROM counting.received_events(
                2,
                (
                    SELECT jsonb_agg(jsonb_build_object(
                        'sequence_number', n, 'delta', 1, 'gateway_timestamp', now() - n * interval '1 second'))
                    FROM generate_series(1, 100) AS n
                ),
                now())
            """
        let read = try await database.psql(
            """
            BEGIN;
            SET LOCAL plan_cache_mode = force_generic_plan;
            SET LOCAL enable_seqscan = off;
            \(search);
            INSERT INTO counting.locations (name, max_capacity, timezone, operational_boundary_hour)
            VALUES ('Halle', 9, 'UTC', 3);
            INSERT INTO counting.devices (location_id, name)
            SELECT l.id, d.name FROM counting.locations AS l, unnest(ARRAY['Porte', 'Quai']) AS d (name);
            INSERT INTO counting.entries
                (location_id, device_id, "timestamp", gateway_timestamp, delta, source, sequence_number)
            SELECT d.location_id, d.id, now() - n * interval '1 second', now() - n * interval '1 second', 1, 'hardware', n
            FROM counting.devices AS d, generate_series(1, 2000) AS n WHERE d.id = 1;
            SELECT coalesce(sum(idx_tup_fetch), 0) AS before FROM pg_stat_xact_user_tables
            WHERE relid = 'counting.entries'::regclass \\gset
            \(search);
            SELECT sum(idx_tup_fetch) - :before FROM pg_stat_xact_user_tables WHERE relid = 'counting.entries'::regclass;
            ROLLBACK;
            """)
        #expect(read.split(separator: "\n").compactMap { Int($0) } == [100, 100, 0])
    }

    @Test func `a dry run records nothing, and a key of idempotency once`() async throws {
        let site = try await CountingServer.running().site()
        let device = try await site.device()
        let answer = try await device.record(Self.event(1, 0), session: "a", [("dry_run", true)])
        expect(answer, has: ["sequence_number": 1])
        #expect(try await site.entries().isEmpty)
        #expect(try await site.currentCount() == 0)
        let params = JSONValue.merging([("location_id", site.json), ("delta", 1), ("idempotency_key", "une fois")])
        for _ in 0..<2 { _ = try await site.admin.call("entries.override", params) }
        #expect(try await site.currentCount() == 1)
    }
}
