import Testing

@testable import PostgresDriver

struct BackoffTests {
    @Test func `delays grow up to a limit and vary at random`() {
        var least = Backoff()
        var most = Backoff()
        let low = (0..<6).map { _ in least.failed(chance: 0) }
        let high = (0..<6).map { _ in most.failed(chance: 0.9999) }
        #expect(low == [25, 50, 100, 200, 250, 250].map { .milliseconds($0) })
        #expect(zip(low, high).allSatisfy { $0 < $1 })
        #expect(high.allSatisfy { $0 <= .milliseconds(Backoff.longest) })
        least.succeeded()
        #expect(least.failed(chance: 0) == .milliseconds(25))
    }
}
