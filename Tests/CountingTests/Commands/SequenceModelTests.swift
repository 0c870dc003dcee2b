import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// Random batches, sent and modelled: late, doubled, reset and skewed events, in one batch and over batches.
@Suite struct SequenceModelTests {
    /// What a counter would send: it counts on, is sometimes switched off and on, and events are lost, doubled and delayed.
    private static func events(_ count: Int, since base: Moment, _ random: inout SeededGenerator) -> [SentEvent] {
        var events: [SentEvent] = []
        var number = random.number(0...3)
        var time = base
        for _ in 0..<count {
            time = time + random.number(0...6) * Moment.second / 2 + random.number(0...999_999)
            if random.chance(0.03) { number = random.number(0...4) }
            number += random.chance(0.1) ? random.number(2...5) : 1
            let gateway = time + random.number(0...3) * Moment.second
            // Some clocks are wrong by more than 300 s.
            let device = random.chance(0.1) ? gateway + random.number(-400...400) * Moment.second : time
            events.append(
                SentEvent(
                    number: number, delta: random.chance(0.6) ? 1 : -1, device: random.chance(0.8) ? device : nil,
                    gateway: gateway))
        }
        for _ in 0..<(count / 5) {
            let place = random.number(0...events.count - 1)
            var event = events[place]
            switch random.number(0...2) {
            case 0: events.insert(event, at: random.number(place...events.count))
            case 1:
                // Sent again by another gateway, at another time.
                event.gateway = event.gateway + random.number(-4...4) * Moment.second
                events.insert(event, at: random.number(place...events.count))
            default:
                events.remove(at: place)
                events.insert(event, at: min(events.count, place + random.number(1...8)))
            }
        }
        return events
    }

    @Test(arguments: 1...6) func `batches record what the model records`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let site = try await CountingServer.running().site([("max_capacity", 5)])
        let device = try await site.device()
        var rest = Self.events(120, since: CountingServer.now() - 5 * Moment.hour, &random)
        var model = SequenceModel()
        while !rest.isEmpty {
            let batch = Array(rest.prefix(random.number(1...40)))
            rest.removeFirst(batch.count)
            let stored = model.entries.count
            let outcomes = batch.map { model.record($0, now: CountingServer.now()) }
            let gaps = outcomes.count { if case .next(let missing) = $0 { missing > 0 } else { false } }
            // Every other time, each event by a call of its own.
            if random.chance(0.3) {
                for event in batch { try await device.record(event) }
                continue
            }
            let answer = try await device.recordBatch(batch)
            let count = OccupancyModel(
                site.rule,
                model.entries.enumerated().map { CountedEntry(id: $0, $1.at, $1.sent.delta) }
            ).count(at: CountingServer.now())
            expect(
                answer,
                has: [
                    "recorded": JSONValue(model.entries.count - stored),
                    "duplicates": JSONValue(outcomes.count { $0 == .duplicate }),
                    "late": JSONValue(outcomes.count { $0 == .late }), "gaps": JSONValue(gaps),
                    "resets": JSONValue(outcomes.count { $0 == .reset }), "series": JSONValue(model.series),
                    "last_sequence_number": JSONValue(model.lastNumber ?? 0), "current_count": JSONValue(count),
                    "status": .string(count >= 5 ? "full" : count >= 4 ? "warning" : "ok"),
                ], "seed \(seed)")
        }
        let expected = model.entries.map { entry -> [String: JSONValue] in
            [
                "sequence_number": JSONValue(entry.sent.number), "series": JSONValue(entry.series),
                "missing_before": JSONValue(entry.missing), "sequence_reset": .bool(entry.isReset),
                "timestamp": entry.at.json, "delta": JSONValue(entry.sent.delta),
                "device_timestamp": entry.sent.device?.json ?? .null, "gateway_timestamp": entry.sent.gateway.json,
                "clock_skew": .bool(SequenceModel.clock(entry.sent, now: CountingServer.now()).isSkewed),
            ]
        }
        let entries = try await site.entries()
        expect(entries, have: expected, "seed \(seed)")
        #expect(model.entries.contains(where: \.isReset) && model.entries.contains { $0.missing > 0 })
    }
}
