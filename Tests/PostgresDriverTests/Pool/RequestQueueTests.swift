import Testing

@testable import PostgresDriver

@Reactor
struct RequestQueueTests {
    private let pool = ConnectionPool(.init(connectionString: ""))
    private let start = ContinuousClock.now

    private func read(
        _ statement: Statement = Statement("SELECT 1"), settings: Step? = nil, for share: Share? = nil,
        expecting expected: ExpectedRunTime = .unknown, deadline: Duration? = nil
    ) -> PoolRequest {
        PoolRequest(
            pool, .read(statement, [], settings: settings), for: share, expecting: expected,
            deadline: deadline.map { start + $0 })
    }

    private func slowStatement() -> Statement {
        let statement = Statement("SELECT slowly()")
        for _ in 0..<3 { statement.statistics.succeeded(microseconds: 1_000_000) }
        return statement
    }

    @Test func `a read with settings is placed like the same read without, and shares no batch`() {
        let queue = RequestQueue()
        let settings = Step(Statement("SELECT set_config('app.tenant', '1', true)"))
        let quick = Statement("SELECT 1")
        for _ in 0..<3 { quick.statistics.succeeded(microseconds: 100) }
        let cases: [(Statement, ExpectedRunTime, PoolStateMachine.Demand)] = [
            (quick, .unknown, .quick), (quick, .slow, .unknown), (slowStatement(), .quick, .slow),
            (Statement("SELECT 2"), .quick, .quick), (Statement("SELECT 3"), .unknown, .unknown),
            (Statement("SELECT 4"), .slow, .slow),
        ]
        for (statement, expected, demand) in cases {
            let plain = read(statement, expecting: expected)
            let withSettings = read(statement, settings: settings, expecting: expected)
            #expect(queue.demand(of: plain) == demand, "\(statement.sql)")
            #expect(queue.demand(of: withSettings) == demand, "\(statement.sql)")
            #expect(withSettings.isRepeatable && withSettings.transport == .ownBatch)
        }
        #expect(read(quick).transport == .sharedBatch)
    }

    @Test func `requests of one demand are served in their order, and one that is run again first`() {
        var queue = RequestQueue()
        let (first, second, again) = (read(), read(), read())
        queue.append(first, start)
        queue.append(second, start)
        queue.prepend(again, start)
        for expected in [again, first, second] {
            #expect(queue.first(.unknown) === expected)
            queue.removeFirst(.unknown)
        }
        #expect(queue.isEmpty)
    }

    @Test func `shares are served in turn, however much one of them has waiting`() {
        var queue = RequestQueue()
        let (alice, bob) = (Share(1), Share(2))
        let many = (0..<4).map { _ in read(for: alice) }
        let few = (0..<2).map { _ in read(for: bob) }
        for request in many + few { queue.append(request, start) }
        #expect(queue.load(of: alice, .unknown).count == 4 && queue.load(of: bob, .unknown).count == 2)
        var served: [PoolRequest] = []
        while let request = queue.first(.unknown) {
            served.append(request)
            queue.removeFirst(.unknown)
        }
        #expect(served == [many[0], few[0], many[1], few[1], many[2], many[3]])
        #expect(queue.isEmpty && queue.load(of: alice, .unknown) == (0, 0))
    }

    @Test(arguments: [
        // Requests as they come, each with its group and share, and the order in which they are served.
        ("a1 a2 a3 b9", "a1 b9 a2 a3"),
        ("a1 a1 a2 b9 b9 b9", "a1 b9 a2 b9 a1 b9"),
        ("a1 b9 c5 a1 b9 c5", "a1 b9 c5 a1 b9 c5"),
        ("a1 a2 a1 a2", "a1 a2 a1 a2"),
        // While one group waits, requests without a share are one share among all, and so is each of no group.
        ("a1 a2 a3 - -", "a1 a2 a3 - -"),
        ("- - a1 a1 _5 _5 _6", "- a1 _5 _6 - a1 _5"),
        // From two groups on they are groups: no group's thousand shares keep them waiting.
        ("- a1 b1 - a1 b1", "- a1 b1 - a1 b1"),
        ("a1 a2 a3 b9 b9 b9 - - -", "a1 b9 - a2 b9 - a3 b9 -"),
        ("a1 a2 a3 a4 b9 b9 b9 _5 _6", "a1 b9 _5 a2 b9 _6 a3 b9 a4"),
        // When one group is left, who has waited longest is next.
        ("a1 a2 b9 - -", "a1 b9 a2 - -"),
        ("a1 a2 a3 a4 b9 b9 - - _5 _6", "a1 b9 - _5 a2 b9 a3 a4 _6 -"),
        // The same number in two groups is two shares.
        ("a1 a1 b1 b2", "a1 b1 a1 b2"),
        ("", ""),
    ])
    func `groups of shares are served in turn, and then their shares`(coming: String, order: String) {
        var queue = RequestQueue()
        for name in coming.split(separator: " ") { queue.append(read(for: Self.share(name)), start) }
        #expect(Self.served(&queue) == order)
        #expect(queue.isEmpty)
    }

    @Test func `a group with a thousand shares has no more turns than one with a single share`() {
        var queue = RequestQueue()
        for number in 1...1_000 as ClosedRange<Int64> { queue.append(read(for: Share(number, of: 1)), start) }
        for _ in 1...1_000 { queue.append(read(for: Share(1, of: 2)), start) }
        var groups: [Int64?] = []
        while groups.count < 100, let request = queue.first(.unknown) {
            groups.append(request.share?.group)
            queue.removeFirst(.unknown)
        }
        #expect(groups.count { $0 == 1 } == 50 && groups.count { $0 == 2 } == 50)
    }

    @Test func `shares that cannot be served now are passed over in every group`() {
        var queue = RequestQueue()
        for name in "a1 a2 b1 b2 c1".split(separator: " ") { queue.append(read(for: Self.share(name)), start) }
        let refused = ["a1", "a2", "b1", "c1"].map { Self.share($0[...]) }
        let request = queue.first(.unknown, where: { !refused.contains($0) })
        #expect(request?.share == Self.share("b2"))
        queue.removeFirst(.unknown)
        #expect(queue.first(.unknown, where: { !refused.contains($0) }) == nil)
        // Each of the others is still served once.
        #expect(Self.served(&queue).split(separator: " ").sorted() == ["a1", "a2", "b1", "c1"])
    }

    @Test func `a group whose requests have all expired takes no turn, and later one turn again`() {
        var queue = RequestQueue()
        let gone = ["a1", "a2", "b1"].map { read(for: Self.share($0[...])) }
        for request in gone { queue.append(request, start) }
        queue.append(read(for: Self.share("c1")), start)
        for request in gone { request.state = .finished }
        _ = queue.beginExpiry()
        for name in ["a1", "b1"] { queue.append(read(for: Self.share(name[...])), start) }
        #expect(Self.served(&queue) == "c1 a1 b1")
    }

    /// With one group, turns are those of a single queue: a share that has been served goes behind all others.
    @Test func `shares of one group, of none, and requests without a share have the turns of one queue`() {
        let names = ["-", "_1", "_2", "a1", "a2", "a3"]
        // Different orders, the same in each run.
        var number = 1
        for length in 0..<500 {
            let coming = (0..<length % 13).map { _ in
                number = number * 1_103_515_245 % 2_147_483_647 + 12_345
                return names[number / 8 % names.count]
            }
            var (queue, expected, waiting) = (RequestQueue(), [String](), [String]())
            for name in coming { queue.append(read(for: Self.share(name[...])), start) }
            var counts: [String: Int] = [:]
            for name in coming { counts[name, default: 0] += 1 }
            for name in coming where !waiting.contains(name) { waiting.append(name) }
            while !waiting.isEmpty {
                let name = waiting.removeFirst()
                expected.append(name)
                counts[name, default: 0] -= 1
                if counts[name, default: 0] > 0 { waiting.append(name) }
            }
            #expect(Self.served(&queue) == expected.joined(separator: " "), "\(coming)")
        }
    }

    /// "-" is none; else a letter for the group, `_` for no group, and a number.
    private static func share(_ name: Substring) -> Share? {
        guard let letter = name.first, let number = Int64(name.dropFirst()) else { return nil }
        return Share(number, of: letter == "_" ? 0 : Int64(letter.asciiValue ?? 0))
    }

    private static func name(of share: Share) -> String {
        (share.group == 0 ? "_" : String(UnicodeScalar(UInt8(truncatingIfNeeded: share.group)))) + String(share.id)
    }

    /// The names of the shares whose requests are served, in their order.
    private static func served(_ queue: inout RequestQueue) -> String {
        var names: [String] = []
        while let request = queue.first(.unknown) {
            names.append(request.share.map { Self.name(of: $0) } ?? "-")
            queue.removeFirst(.unknown)
        }
        return names.joined(separator: " ")
    }

    @Test func `a share that cannot be served now is passed over and keeps its order`() {
        var queue = RequestQueue()
        let (alice, bob) = (Share(1), Share(2))
        let (first, second, other) = (read(for: alice), read(for: alice), read(for: bob))
        for request in [first, second, other] { queue.append(request, start) }
        #expect(queue.first(.unknown, where: { $0 != alice }) === other)
        queue.removeFirst(.unknown)
        #expect(queue.first(.unknown, where: { $0 != alice }) == nil)
        #expect(queue.first(.unknown) === first)
    }

    @Test func `waiting slow reads of a share do not count against its quick ones`() {
        var queue = RequestQueue()
        let alice = Share(1)
        let slow = read(slowStatement(), for: alice)
        queue.append(slow, start)
        #expect(queue.load(of: alice, .slow) == (1, 1_000_000))
        #expect(queue.load(of: alice, .quick) == (1, 0))
        slow.state = .finished
        queue.removeFinished(of: alice)
        #expect(queue.load(of: alice, .slow) == (0, 0) && queue.isEmpty)
    }

    @Test func `a share whose requests have all expired takes no turn, and later one turn again`() {
        var queue = RequestQueue()
        let (alice, bob) = (Share(1), Share(2))
        let gone = read(for: alice)
        queue.append(gone, start)
        queue.append(read(for: bob), start)
        gone.state = .finished
        _ = queue.beginExpiry()
        #expect(queue.load(of: alice, .unknown).count == 0)
        let requests = [read(for: alice), read(for: alice)]
        for request in requests { queue.append(request, start) }
        var order: [Share?] = []
        while let request = queue.first(.unknown) {
            order.append(request.share)
            queue.removeFirst(.unknown)
        }
        #expect(order == [bob, alice, alice])
    }

    @Test func `a finished request is skipped`() {
        var queue = RequestQueue()
        let (first, second) = (read(), read())
        queue.append(first, start)
        queue.append(second, start)
        first.state = .finished
        #expect(queue.first(.unknown) === second)
    }

    @Test func `a read whose statement turns out to be slow moves to the slow reads`() {
        var queue = RequestQueue()
        let statement = Statement("SELECT slowly()")
        let request = read(statement)
        queue.append(request, start)
        for _ in 0..<3 { statement.statistics.succeeded(microseconds: 1_000_000) }
        #expect(queue.first(.unknown) == nil)
        #expect(queue.first(.slow) === request)
        #expect(request.load.demand == .slow)
    }

    @Test func `a slow read is overdue after two seconds, a quick one never`() {
        var queue = RequestQueue()
        let slow = read(slowStatement())
        queue.append(slow, start)
        #expect(queue.nextOverdue(start) == start + .seconds(2))
        #expect(!queue.isOverdue(slow, start + .seconds(1)))
        #expect(queue.isOverdue(slow, start + .seconds(2)))
        #expect(queue.nextOverdue(start + .seconds(2)) == nil)
        slow.load.demand = .unknown
        #expect(queue.nextOverdue(start + .seconds(3)) == nil, "a statement that is slow no more is never overdue")
        let other = read()
        queue.append(other, start)
        #expect(!queue.isOverdue(other, start + .seconds(60)))
    }

    @Test func `a retry is handed out once, when it is due`() {
        var queue = RequestQueue()
        let (early, late, finished) = (read(), read(), read())
        queue.retry(late, at: start + .seconds(2))
        queue.retry(early, at: start + .seconds(1))
        queue.retry(finished, at: start + .seconds(1))
        finished.state = .finished
        #expect(queue.nextRetry == start + .seconds(1))
        #expect(queue.takeDueRetries(start) == [])
        #expect(queue.takeDueRetries(start + .seconds(1)) == [early])
        #expect(queue.nextRetry == start + .seconds(2))
        #expect(queue.removeAll() == [late])
    }

    @Test func `the next expiry is the earliest deadline, and is noted anew after it has passed`() {
        var queue = RequestQueue()
        let (late, early) = (read(deadline: .seconds(9)), read(deadline: .seconds(3)))
        for request in [late, early] {
            queue.append(request, start)
            queue.noteExpiry(of: request)
        }
        #expect(queue.nextExpiry == start + .seconds(3))
        early.state = .finished
        #expect(queue.beginExpiry() == [late])
        #expect(queue.nextExpiry == nil)
        queue.noteExpiry(of: late)
        #expect(queue.nextExpiry == start + .seconds(9))
    }

    @Test func `a request expires when it has waited for too long, or at its deadline if that is earlier`() {
        let request = read(deadline: .seconds(9))
        request.wait.acquireDeadline = start + .seconds(4)
        #expect(request.expiry == start + .seconds(4))
        request.wait.acquireDeadline = start + .seconds(20)
        #expect(request.expiry == start + .seconds(9))
    }

    @Test func `each reason to run a request again has a limit of its own`() {
        var retries = RetryCounts()
        let stale = (0..<3).map { _ in retries.spend(.stalePlan, limit: 2) }
        #expect(stale == [true, true, false])
        let losses = (0..<2).map { _ in retries.spend(.connectionLoss, limit: 1) }
        #expect(losses == [true, false])
        _ = retries.spend(.conflict)
        #expect(retries.conflicts == 1 && !retries.needsOwnSync)
    }
}

struct ServerHealthTests {
    private let start = ContinuousClock.now

    @Test func `a silent connection is due for a probe after a while, and for the next one sooner if it is suspect`() {
        var health = ServerHealth()
        #expect(health.probeDue(after: start, isSuspect: false) == start + .milliseconds(1_500))
        health.beginProbe(start + .seconds(2))
        #expect(health.isProbing)
        health.endProbe()
        #expect(!health.isProbing)
        #expect(health.probeDue(after: start, isSuspect: false) == start + .milliseconds(3_500))
        #expect(health.probeDue(after: start, isSuspect: true) == start + .seconds(3))
    }

    @Test func `connections are replaced once a second at most when the server refuses writes`() {
        var health = ServerHealth()
        let replaces = [0, 500, 999, 1_000, 1_500].map { health.noteReadOnly(start + .milliseconds($0)) }
        #expect(replaces == [true, false, false, true, false])
    }
}
