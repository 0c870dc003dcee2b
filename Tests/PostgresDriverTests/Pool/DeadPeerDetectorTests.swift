import Testing

@testable import PostgresDriver

@Suite("Whether a still connection is dead")
struct DeadPeerDetectorTests {
    let start = ContinuousClock.now
    func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }
    func marks(_ progress: Double = 0, drainCount: Int = 0, held: Int = 0) -> ActivityMarks {
        ActivityMarks(lastActivity: at(progress), drainCount: drainCount, unacknowledgedBytes: held)
    }

    /// Keeps what the looks have found.
    final class Watched {
        private var still = DeadPeerDetector()

        var isSuspect: Bool { still.isSuspect }

        func isDue(_ marks: ActivityMarks, _ now: ContinuousClock.Instant) -> Bool { still.isDue(marks, now) }

        func look(
            _ session: ServerSession.State, _ marks: ActivityMarks, unacknowledgedSince: ContinuousClock.Instant?,
            _ now: ContinuousClock.Instant
        ) -> Bool {
            still.observe(session, marks, unacknowledgedSince: unacknowledgedSince, now)
        }
    }

    @Test("a session that waits for its client is dead after two looks, not after one")
    func awaiting() {
        let still = Watched()
        #expect(still.isDue(marks(), at(1.5)))
        #expect(!still.look(.awaitingClient, marks(), unacknowledgedSince: nil, at(1.5)))
        #expect(still.isSuspect && still.isDue(marks(), at(2)))
        #expect(!still.look(.awaitingClient, marks(), unacknowledgedSince: nil, at(2.5)), "an answer may be on its way")
        #expect(still.look(.awaitingClient, marks(), unacknowledgedSince: nil, at(3.5)))
    }

    @Test("whatever moves in between, either way, or work that is seen begins the count anew")
    func movement() {
        for other in [marks(2), marks(drainCount: 1), marks(held: 1)] {
            let still = Watched()
            #expect(!still.look(.awaitingClient, marks(), unacknowledgedSince: nil, at(1.5)))
            #expect(!still.look(.awaitingClient, other, unacknowledgedSince: nil, at(4)))
            #expect(still.look(.awaitingClient, other, unacknowledgedSince: nil, at(6.5)))
        }
        let working = Watched()
        #expect(!working.look(.awaitingClient, marks(), unacknowledgedSince: nil, at(1.5)))
        #expect(!working.look(.working, marks(), unacknowledgedSince: nil, at(2.75)))
        #expect(!working.look(.awaitingClient, marks(), unacknowledgedSince: nil, at(4)))
    }

    @Test("a look at which the server could not be asked proves nothing, and takes nothing back")
    func unknown() {
        let still = Watched()
        for second in 1...100 { #expect(!still.look(.unknown, marks(), unacknowledgedSince: nil, at(Double(second)))) }
        #expect(!still.look(.awaitingClient, marks(), unacknowledgedSince: nil, at(101)))
        #expect(!still.look(.unknown, marks(), unacknowledgedSince: nil, at(102)))
        #expect(still.look(.awaitingClient, marks(), unacknowledgedSince: nil, at(104)))
    }

    @Test("what was seen once is no proof when the server cannot be asked again")
    func unknownAfterwards() {
        let still = Watched()
        #expect(!still.look(.awaitingClient, marks(), unacknowledgedSince: nil, at(1)))
        for second in 2...100 { #expect(!still.look(.unknown, marks(), unacknowledgedSince: nil, at(Double(second)))) }
        #expect(still.look(.awaitingClient, marks(), unacknowledgedSince: nil, at(101)))
    }

    @Test("a session that works is asked about ever more rarely")
    func working() {
        let still = Watched()
        #expect(!still.isSuspect)
        var looks: [Double] = []
        for tick in 0...4_000 {
            let second = 1.5 + Double(tick) / 20
            guard still.isDue(marks(), at(second)) else { continue }
            looks.append(second)
            #expect(!still.look(.working, marks(), unacknowledgedSince: nil, at(second)))
        }
        #expect(looks[1] < 3.1)
        #expect(looks.count < 20)
        #expect(zip(looks, looks.dropFirst()).allSatisfy { $1 - $0 < 30.1 })
        #expect(still.isDue(marks(203), at(204.5)), "the next statement's own silence counts")
    }

    @Test("a host that owes an acknowledgement is dead when it is not heard of from one look to another")
    func unheard() {
        let still = Watched()
        #expect(!still.look(.unknown, marks(), unacknowledgedSince: at(0), at(1.5)))
        #expect(!still.look(.unknown, marks(), unacknowledgedSince: at(0), at(2.5)))
        #expect(still.look(.unknown, marks(), unacknowledgedSince: at(0), at(3.5)))
        // It has no room for a long time, and says so now and then.
        let busy = Watched()
        for second in stride(from: 1.5, to: 60, by: 1.5) {
            #expect(!busy.look(.working, marks(held: 9), unacknowledgedSince: at(second - 1), at(second)))
        }
        // Nothing is owed between two probes.
        let idle = Watched()
        #expect(!idle.look(.unknown, marks(held: 9), unacknowledgedSince: at(0), at(60)))
        #expect(!idle.look(.unknown, marks(held: 9), unacknowledgedSince: nil, at(63)))
        #expect(!idle.look(.unknown, marks(held: 9), unacknowledgedSince: at(1), at(66)), "one just sent")
    }
}
