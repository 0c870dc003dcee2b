import PostgresDriver
import TestPostgres
import TestSupport
import Testing

@Suite("Reads put off until a burst is over")
struct DeferralTests {
    static let point = Statement("SELECT $1::int")

    /// That nothing leaves before cannot be seen here: whatever another client of the process does sends it along.
    @Test("one sending does for all of a burst")
    func together() async throws {
        let burst = Burst()
        try await withClient {
            $0.scheduleFlush = burst.putOff
        } _: { client, _ in
            burst.begin()
            let reads = (0..<8).map { number in
                Task { try await client.query(Self.point, [.text("\(number)")]).text(0, 0) }
            }
            try await eventually("all are submitted") { burst.count == reads.count }
            burst.end()
            for (number, read) in reads.enumerated() { #expect(try await read.value == "\(number)") }
        }
    }

    @Test("outside a burst they leave at once")
    func atOnce() async throws {
        let burst = Burst()
        try await withClient {
            $0.scheduleFlush = burst.putOff
        } _: { client, _ in
            let rows = try await client.query(Self.point, ["1"])
            #expect(rows.text(0, 0) == "1")
            #expect(burst.count == 0)
        }
    }

    @Test("what is given up meanwhile ends at once")
    func givenUp() async throws {
        let burst = Burst()
        try await withClient {
            $0.scheduleFlush = burst.putOff
        } _: { client, _ in
            burst.begin()
            let cancelled = Task { try await client.query(Self.point, ["1"]) }
            try await eventually("it is submitted") { burst.count == 1 }
            cancelled.cancel()
            #expect(try await failure { try await cancelled.value }.kind == .cancelled)
            burst.end()
        }
    }

    @Test("transactions do not wait, and take along what does")
    func transactions() async throws {
        let burst = Burst()
        try await withClient {
            $0.scheduleFlush = burst.putOff
        } _: { client, _ in
            burst.begin()
            async let read = client.query(Self.point, ["1"])
            try await eventually("it is submitted") { burst.count == 1 }
            _ = try await client.transaction([Step(Statement("SELECT 1"))])
            #expect(try await read.count == 1)
        }
    }
}

/// Outside a burst it puts nothing off.
private final class Burst: Sendable {
    private struct State {
        var isOn = false
        var works: [@Sendable () -> Void] = []
    }

    private let state = LockedValue(State())

    var count: Int { state.value.works.count }

    func putOff(_ work: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.isOn { state.works.append(work) }
            return state.isOn
        }
    }

    func begin() { state.withLock { $0.isOn = true } }

    /// One of the works does for all.
    func end() {
        let work = state.withLock { state in
            state.isOn = false
            return state.works.last
        }
        work?()
    }
}
