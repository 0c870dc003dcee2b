import PostgresDriver
import TestPostgres
import Testing

@Suite("Reads put off until a burst is over")
struct DeferralTests {
    /// All that shares a Sync runs in one transaction, whose time this is.
    static let now = Statement("SELECT now()::text")

    @Test("they wait for the end of the burst, and then leave together")
    func together() async throws {
        let burst = Burst()
        try await withClient {
            $0.deferral = burst.putOff
        } _: { client, _ in
            // Known to be quick, they may share a Sync.
            for _ in 0..<5 { _ = try await client.query(Self.now) }
            burst.begin()
            let reads = (0..<8).map { _ in Task { try await client.query(Self.now).text(0, 0) } }
            try await eventually("all are submitted") { burst.count == reads.count }
            burst.end()
            var times: Set<String?> = []
            for read in reads { times.insert(try await read.value) }
            #expect(times.count == 1)
        }
    }

    @Test("what is given up meanwhile ends at once")
    func givenUp() async throws {
        let burst = Burst()
        try await withClient {
            $0.deferral = burst.putOff
        } _: { client, _ in
            burst.begin()
            let cancelled = Task { try await client.query(Self.now) }
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
            $0.deferral = burst.putOff
        } _: { client, _ in
            burst.begin()
            async let read = client.query(Self.now)
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

    private let state = Guarded(State())

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
