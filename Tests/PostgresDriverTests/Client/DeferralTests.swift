import PostgresDriver
import TestPostgres
import TestSupport
import Testing

struct DeferralTests {
    static let point = Statement("SELECT $1::int")

    /// This test cannot show that no read is sent earlier: all clients of the process share one event loop, and activity of
    /// another client sends the waiting reads too.
    @Test func `one flush sends all reads of a burst`() async throws {
        let burst = Burst()
        try await withClient {
            $0.scheduleFlush = burst.deferFlush
        } _: { client, _ in
            burst.begin()
            let reads = (0..<8).map { number in
                Task { try await client.query(Self.point, [.text("\(number)")]).text(0, 0) }
            }
            try await eventually("all reads are submitted") { burst.count == reads.count }
            burst.end()
            for (number, read) in reads.enumerated() { #expect(try await read.value == "\(number)") }
        }
    }

    @Test func `a read outside a burst is sent at once`() async throws {
        let burst = Burst()
        try await withClient {
            $0.scheduleFlush = burst.deferFlush
        } _: { client, _ in
            let rows = try await client.query(Self.point, ["1"])
            #expect(rows.text(0, 0) == "1")
            #expect(burst.count == 0)
        }
    }

    @Test func `a read that is cancelled during a burst ends at once`() async throws {
        let burst = Burst()
        try await withClient {
            $0.scheduleFlush = burst.deferFlush
        } _: { client, _ in
            burst.begin()
            let cancelled = Task { try await client.query(Self.point, ["1"]) }
            try await eventually("the read is submitted") { burst.count == 1 }
            cancelled.cancel()
            #expect(try await failure { try await cancelled.value }.kind == .cancelled)
            burst.end()
        }
    }

    @Test func `a transaction is sent at once and flushes the waiting reads`() async throws {
        let burst = Burst()
        try await withClient {
            $0.scheduleFlush = burst.deferFlush
        } _: { client, _ in
            burst.begin()
            async let read = client.query(Self.point, ["1"])
            try await eventually("the read is submitted") { burst.count == 1 }
            _ = try await client.transaction([Step(Statement("SELECT 1"))])
            #expect(try await read.count == 1)
        }
    }
}

/// Stands for a server that flushes once per event loop tick: within a burst it defers flushes, outside it defers none.
private final class Burst: Sendable {
    private struct State {
        var isOn = false
        var flushes: [@Sendable () -> Void] = []
    }

    private let state = LockedValue(State())

    var count: Int { state.value.flushes.count }

    func deferFlush(_ flush: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.isOn { state.flushes.append(flush) }
            return state.isOn
        }
    }

    func begin() { state.withLock { $0.isOn = true } }

    /// Runs the last deferred flush, which must suffice for all reads.
    func end() {
        let flush = state.withLock { state in
            state.isOn = false
            return state.flushes.last
        }
        flush?()
    }
}
