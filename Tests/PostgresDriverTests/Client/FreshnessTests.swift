import Testing

@testable import PostgresDriver

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
            freshness.recordPrimary(position(UInt64(bytes)), at: at(second))
        }
        return freshness
    }

    @Test(arguments: [(99, nil), (100, 0), (199, 0), (200, 2), (299, 2), (300, 3), (999, 3)] as [(UInt64, Int?)])
    func `a replica is up to date as of the latest sample that it has replayed`(replayed: UInt64, second: Int?) {
        #expect(written().upToDateAsOf(position(replayed)) == second.map { at($0) })
    }

    @Test func `a replica that is cut off stays fresh until the primary writes`() {
        var freshness = written()
        for second in 4..<60 { freshness.recordPrimary(position(300), at: at(second)) }
        #expect(freshness.upToDateAsOf(position(300)) == at(59))
        freshness.recordPrimary(position(301), at: at(60))
        for second in 61..<90 { freshness.recordPrimary(position(UInt64(second) * 10), at: at(second)) }
        #expect(freshness.upToDateAsOf(position(300)) == at(59))
    }

    @Test func `positions of another timeline or system are ignored`() {
        var freshness = written()
        #expect(freshness.upToDateAsOf(position(300, .init(system: "s", timeline: 2))) == nil)
        #expect(freshness.upToDateAsOf(position(300, .init(system: "t", timeline: 1))) == nil)
        let second = LogPosition.History(system: "s", timeline: 2)
        freshness.recordPrimary(position(250, second), at: at(4))
        #expect(
            freshness.upToDateAsOf(position(300)) == nil,
            "the new primary's log lacks what the old primary wrote later")
        #expect(freshness.upToDateAsOf(position(250, second)) == at(4))
    }

    @Test func `a primary that lost data starts over, and samples out of order are ignored`() {
        var freshness = written()
        freshness.recordPrimary(position(400), at: at(2))
        #expect(freshness.upToDateAsOf(position(400)) == at(3))
        freshness.recordPrimary(position(150), at: at(5))
        #expect(freshness.upToDateAsOf(position(149)) == nil)
        #expect(freshness.upToDateAsOf(position(150)) == at(5))
    }

    @Test func `old samples are dropped`() {
        var freshness = Freshness(capacity: 10)
        for second in 0..<100 { freshness.recordPrimary(position(UInt64(second)), at: at(second)) }
        #expect(freshness.upToDateAsOf(position(89)) == nil)
        #expect(freshness.upToDateAsOf(position(90)) == at(90))
    }

    @Test(
        arguments: [
            (16 << 20, 16 << 20), ((16 << 20) + 40, 16 << 20), ((16 << 20) + 48, (16 << 20) + 48),
            (8_192 * 3 + 24, 8_192 * 3), (8_192 * 3 + 32, 8_192 * 3 + 32), (8_192 * 3 + 40, 8_192 * 3 + 40),
            (8_192 * 3 - 8, 8_192 * 3 - 8),
        ] as [(UInt64, UInt64)])
    func `the header of a new page does not delay freshness`(inserting: UInt64, end: UInt64) {
        let found = LogPosition(history: Self.first, insertingAt: inserting, segmentSize: 16 << 20)
        #expect(found.bytes == end)
    }
}
