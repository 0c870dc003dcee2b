import JSON
import Testing

@testable import RPCServer

@Suite struct LastWritesTests {
    private let start = ContinuousClock.now

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func `the latest write of each account is kept for the retention and then forgotten`() {
        let writes = RecentWrites(retention: .seconds(10))
        writes.note(1, at: at(1))
        writes.note(1, at: at(9))
        writes.note(2, at: at(12))
        #expect(writes.last(of: 1) == at(9), "three seconds ago")
        #expect(writes.last(of: 2) == at(12))
        #expect(writes.last(of: 3) == nil)
        writes.note(2, at: at(30))
        #expect(writes.last(of: 1) == nil)
        #expect(writes.last(of: 2) == at(30))
    }

    @Test func `all accounts count as writers once there are more than the capacity`() {
        let writes = RecentWrites(retention: .seconds(10), capacity: 100)
        for account in 0..<101 { writes.note(Int64(account), at: at(account / 20)) }
        for account in 0..<101 {
            #expect(writes.last(of: Int64(account)).map { $0 >= at(account / 20) } == true)
        }
        #expect(writes.last(of: 1_000) == at(5), "as far as is known")
    }
}
