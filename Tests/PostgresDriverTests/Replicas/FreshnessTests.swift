import Testing

@testable import PostgresDriver

@Suite("As of when a replica is fresh")
struct FreshnessTests {
    private let start = ContinuousClock.now
    private static let first = LogPosition.History(system: "s", timeline: 1)

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    private func position(_ bytes: UInt64, _ history: LogPosition.History = first) -> LogPosition {
        LogPosition(history: history, bytes: bytes)
    }

    /// The primary at 100, 200, 200 and 300 bytes, one second apart.
    private func written() -> Freshness {
        var freshness = Freshness()
        for (second, bytes) in [100, 200, 200, 300].enumerated() {
            freshness.primary(at: at(second), is: position(UInt64(bytes)))
        }
        return freshness
    }

    @Test(
        "the latest sample that is not beyond what was replayed",
        arguments: [(99, nil), (100, 0), (199, 0), (200, 2), (299, 2), (300, 3), (999, 3)] as [(UInt64, Int?)])
    func latest(replayed: UInt64, second: Int?) {
        #expect(written().asOf(position(replayed)) == second.map { at($0) })
    }

    @Test("with nothing new on the primary a cut-off replica stays fresh, with something new it does not")
    func cutOff() {
        var freshness = written()
        for second in 4..<60 { freshness.primary(at: at(second), is: position(300)) }
        #expect(freshness.asOf(position(300)) == at(59))
        freshness.primary(at: at(60), is: position(301))
        for second in 61..<90 { freshness.primary(at: at(second), is: position(UInt64(second) * 10)) }
        #expect(freshness.asOf(position(300)) == at(59))
    }

    @Test("another timeline or another system says nothing")
    func histories() {
        var freshness = written()
        #expect(freshness.asOf(position(300, .init(system: "s", timeline: 2))) == nil)
        #expect(freshness.asOf(position(300, .init(system: "t", timeline: 1))) == nil)
        let second = LogPosition.History(system: "s", timeline: 2)
        freshness.primary(at: at(4), is: position(250, second))
        #expect(
            freshness.asOf(position(300)) == nil, "what the old primary went on to write is not in the new one's log")
        #expect(freshness.asOf(position(250, second)) == at(4))
    }

    @Test("a primary that has lost something begins anew, and samples out of order count for nothing")
    func backwards() {
        var freshness = written()
        freshness.primary(at: at(2), is: position(400))
        #expect(freshness.asOf(position(400)) == at(3))
        freshness.primary(at: at(5), is: position(150))
        #expect(freshness.asOf(position(149)) == nil)
        #expect(freshness.asOf(position(150)) == at(5))
    }

    @Test("samples are bounded; one too far behind is of unknown age")
    func bounded() {
        var freshness = Freshness(capacity: 10)
        for second in 0..<100 { freshness.primary(at: at(second), is: position(UInt64(second))) }
        #expect(freshness.asOf(position(89)) == nil)
        #expect(freshness.asOf(position(90)) == at(90))
    }

    @Test(
        "the header of a page just begun is nothing to wait for",
        arguments: [
            (16 << 20, 16 << 20), ((16 << 20) + 40, 16 << 20), ((16 << 20) + 48, (16 << 20) + 48),
            (8_192 * 3 + 24, 8_192 * 3), (8_192 * 3 + 32, 8_192 * 3 + 32), (8_192 * 3 + 40, 8_192 * 3 + 40),
            (8_192 * 3 - 8, 8_192 * 3 - 8),
        ] as [(UInt64, UInt64)])
    func headers(inserting: UInt64, end: UInt64) {
        let found = LogPosition(history: Self.first, insertingAt: inserting, segmentSize: 16 << 20)
        #expect(found.bytes == end)
    }
}
