import Testing

@testable import PostgresDriver

struct DeadPeerDetectorTests {
    let start = ContinuousClock.now
    func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }
    func marks(_ progress: Double = 0, drainCount: Int = 0, held: Int = 0) -> ActivityMarks {
        ActivityMarks(lastActivity: at(progress), drainCount: drainCount, unacknowledgedBytes: held)
    }

    /// A detector that the tests can hold as a constant.
    final class Subject {
        private var detector = DeadPeerDetector()

        var isSuspect: Bool { detector.isSuspect }

        func isDue(_ marks: ActivityMarks, _ now: ContinuousClock.Instant) -> Bool { detector.isDue(marks, now) }

        func observe(
            _ session: ServerSession.State, _ marks: ActivityMarks, unacknowledgedSince: ContinuousClock.Instant? = nil,
            _ now: ContinuousClock.Instant
        ) -> Bool {
            detector.observe(session, marks, unacknowledgedSince: unacknowledgedSince, now)
        }
    }

    @Test func `a session that awaits its client is dead after two probes, not after one`() {
        let detector = Subject()
        #expect(detector.isDue(marks(), at(1.5)))
        #expect(!detector.observe(.awaitingClient, marks(), at(1.5)))
        #expect(detector.isSuspect && detector.isDue(marks(), at(2)))
        #expect(!detector.observe(.awaitingClient, marks(), at(2.5)), "its response may still be in flight")
        #expect(detector.observe(.awaitingClient, marks(), at(3.5)))
    }

    @Test func `any activity, or a working session, restarts the count`() {
        for other in [marks(2), marks(drainCount: 1), marks(held: 1)] {
            let detector = Subject()
            #expect(!detector.observe(.awaitingClient, marks(), at(1.5)))
            #expect(!detector.observe(.awaitingClient, other, at(4)))
            #expect(detector.observe(.awaitingClient, other, at(6.5)))
        }
        let working = Subject()
        #expect(!working.observe(.awaitingClient, marks(), at(1.5)))
        #expect(!working.observe(.working, marks(), at(2.75)))
        #expect(!working.observe(.awaitingClient, marks(), at(4)))
    }

    @Test func `a failed probe proves nothing and retracts nothing`() {
        let detector = Subject()
        for second in 1...100 { #expect(!detector.observe(.unknown, marks(), at(Double(second)))) }
        #expect(!detector.observe(.awaitingClient, marks(), at(101)))
        #expect(!detector.observe(.unknown, marks(), at(102)))
        #expect(detector.observe(.awaitingClient, marks(), at(104)))
    }

    @Test func `one observation is no proof while further probes fail`() {
        let detector = Subject()
        #expect(!detector.observe(.awaitingClient, marks(), at(1)))
        for second in 2...100 { #expect(!detector.observe(.unknown, marks(), at(Double(second)))) }
        #expect(detector.observe(.awaitingClient, marks(), at(101)))
    }

    @Test func `a working session is probed less and less often`() {
        let detector = Subject()
        #expect(!detector.isSuspect)
        var probes: [Double] = []
        for tick in 0...4_000 {
            let second = 1.5 + Double(tick) / 20
            guard detector.isDue(marks(), at(second)) else { continue }
            probes.append(second)
            #expect(!detector.observe(.working, marks(), at(second)))
        }
        #expect(probes[1] < 3.1)
        #expect(probes.count < 20)
        #expect(zip(probes, probes.dropFirst()).allSatisfy { $1 - $0 < 30.1 })
        #expect(detector.isDue(marks(203), at(204.5)), "the silence of the next statement counts from its own start")
    }

    @Test func `a host that owes an acknowledgement is dead when it is silent between two probes`() {
        let detector = Subject()
        #expect(!detector.observe(.unknown, marks(), unacknowledgedSince: at(0), at(1.5)))
        #expect(!detector.observe(.unknown, marks(), unacknowledgedSince: at(0), at(2.5)))
        #expect(detector.observe(.unknown, marks(), unacknowledgedSince: at(0), at(3.5)))
        // A host with a full receive buffer acknowledges probes now and then.
        let busy = Subject()
        for second in stride(from: 1.5, to: 60, by: 1.5) {
            #expect(!busy.observe(.working, marks(held: 9), unacknowledgedSince: at(second - 1), at(second)))
        }
        // Between two probes no acknowledgement is due.
        let idle = Subject()
        #expect(!idle.observe(.unknown, marks(held: 9), unacknowledgedSince: at(0), at(60)))
        #expect(!idle.observe(.unknown, marks(held: 9), at(63)))
        #expect(!idle.observe(.unknown, marks(held: 9), unacknowledgedSince: at(1), at(66)), "the probe was just sent")
    }
}
