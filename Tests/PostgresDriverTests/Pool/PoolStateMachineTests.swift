import Testing

@testable import PostgresDriver

@Suite("Where the pool puts a call")
struct PoolStateMachineTests {
    let start = ContinuousClock.now

    func pool(size: Int, ready: Int) -> PoolStateMachine {
        var pool = PoolStateMachine(size: size)
        for slot in 0..<ready {
            pool.connecting(slot)
            pool.connected(slot, now: start)
        }
        return pool
    }

    func decision(use: Int? = nil, open: Int? = nil) -> PoolStateMachine.Decision {
        PoolStateMachine.Decision(use: use, open: open)
    }

    @Test("an empty pool opens a connection for any demand", arguments: PoolStateMachine.Demand.allCases)
    func empty(_ demand: PoolStateMachine.Demand) {
        #expect(pool(size: 3, ready: 0).assign(demand, now: start) == decision(open: 0))
    }

    @Test("quick reads wait for the one connection being opened; transactions open more")
    func opening() {
        var pool = pool(size: 3, ready: 0)
        pool.connecting(0)
        #expect(pool.assign(.quick, now: start) == decision())
        #expect(pool.assign(.write, now: start) == decision(open: 1))
    }

    @Test("quick reads gather on the first connection while the wait there is short")
    func gathering() {
        var pool = pool(size: 2, ready: 2)
        for _ in 0..<100 {
            #expect(pool.assign(.quick, now: start).use == 0)
            pool.assigned(0, demand: .quick, cost: 30)
        }
        pool.assigned(0, demand: .quick, cost: 30)
        #expect(pool.assign(.quick, now: start).use == 1, "behind 3 ms of work nobody queues for free")
    }

    @Test("when one is not near enough another is opened, and the call goes on all the same")
    func spreading() {
        var pool = pool(size: 2, ready: 1)
        pool.assigned(0, demand: .quick, cost: PoolStateMachine.quickQueueLimit + 1)
        #expect(pool.assign(.quick, now: start) == decision(use: 0, open: 1))
        pool.connecting(1)
        #expect(pool.assign(.quick, now: start) == decision(use: 0))
    }

    @Test("nothing is put behind a head that is silent for too long")
    func silence() {
        var pool = pool(size: 2, ready: 2)
        pool.assigned(0, demand: .quick, cost: 30)
        pool.noteActivity(0, isWaiting: true, now: start)
        let later = start + .milliseconds(6)
        #expect(pool.assign(.quick, now: start + .milliseconds(5)).use == 0)
        #expect(pool.assign(.quick, now: later).use == 1)
        #expect(pool.isStalled(0, now: later))
        pool.assigned(1, demand: .quick, cost: 30)
        pool.noteActivity(1, isWaiting: true, now: start)
        #expect(pool.assign(.quick, now: later) == decision(), "all are silent: the first to speak gets it")
        pool.noteActivity(0, isWaiting: true, now: later)
        #expect(pool.assign(.quick, now: later).use == 0)
    }

    @Test("it says when silence will count")
    func staleness() {
        var pool = pool(size: 2, ready: 2)
        #expect(pool.nextStall(after: start) == nil)
        pool.noteActivity(0, isWaiting: true, now: start)
        let due = pool.nextStall(after: start)
        #expect(due.map { pool.isStalled(0, now: $0) } == true)
        #expect(due.flatMap { pool.nextStall(after: $0) } == nil, "what is stale already needs no alarm")
    }

    @Test("nothing is put behind a slow read, and slow reads leave a connection to quick ones and one to transactions")
    func slow() {
        var pool = pool(size: 4, ready: 4)
        for expected in [3, 2] {
            #expect(pool.assign(.slow, now: start).use == expected)
            pool.assigned(expected, demand: .slow, cost: 500_000)
        }
        #expect(pool.assign(.slow, now: start) == decision())
        #expect(pool.assign(.quick, now: start).use == 0)
        #expect(pool.assign(.write, now: start).use == 1)
        pool.unassigned(2, demand: .slow, cost: 500_000)
        #expect(pool.assign(.slow, now: start).use == 2)
    }

    @Test("transactions and slow reads together leave the last connection to quick reads")
    func slowAmongTransactions() {
        var pool = pool(size: 4, ready: 4)
        for slot in 1...3 { pool.assigned(slot, demand: .write, cost: 100) }
        #expect(pool.assign(.slow, now: start) == decision())
        #expect(pool.assign(.quick, now: start).use == 0)
        #expect(pool.assign(.slow, isOverdue: true, now: start).use == 1, "in the end it goes behind a transaction")
        for slot in 1...3 { pool.noteActivity(slot, isWaiting: true, now: start) }
        let later = start + .milliseconds(6)
        #expect(pool.assign(.slow, isOverdue: true, now: later) == decision(), "but not behind one that is stuck")
        #expect(pool.assign(.quick, now: later).use == 0)
    }

    @Test("a statement nobody knows has a connection for itself if it can, and goes all the same if not")
    func unknown() {
        var pool = pool(size: 2, ready: 2)
        #expect(pool.assign(.unknown, now: start).use == 1)
        pool.assigned(1, demand: .unknown, cost: 500)
        #expect(pool.assign(.quick, now: start).use == 0)
        #expect(pool.assign(.slow, now: start) == decision())
        pool.assigned(0, demand: .quick, cost: 30)
        #expect(pool.assign(.unknown, now: start).use == 0)
    }

    @Test("in a pool of one a slow read goes when nothing slow is there")
    func slowAlone() {
        var pool = pool(size: 1, ready: 1)
        #expect(pool.assign(.slow, now: start).use == 0)
        pool.assigned(0, demand: .slow, cost: 500_000)
        #expect(pool.assign(.slow, now: start) == decision())
        #expect(pool.assign(.quick, now: start) == decision())
    }

    @Test("a transaction prefers a connection for itself, then a new one, then the shortest wait, two at most")
    func transactions() {
        var pool = pool(size: 3, ready: 1)
        #expect(pool.assign(.write, now: start) == decision(use: 0))
        pool.assigned(0, demand: .write, cost: 100)
        #expect(pool.assign(.write, now: start) == decision(use: 0, open: 1))
        pool.connecting(1)
        pool.connected(1, now: start)
        #expect(pool.assign(.write, now: start) == decision(use: 1))
        pool.assigned(1, demand: .write, cost: 100)
        pool.assigned(1, demand: .write, cost: 100)
        pool.assigned(0, demand: .write, cost: 100)
        #expect(pool.assign(.write, now: start) == decision())
    }

    @Test("transactions leave one connection to reads")
    func oneForReads() {
        var pool = pool(size: 2, ready: 2)
        #expect(pool.assign(.write, now: start) == decision(use: 1))
        pool.assigned(1, demand: .write, cost: 100)
        #expect(pool.assign(.write, now: start) == decision(use: 1))
        pool.assigned(1, demand: .write, cost: 100)
        #expect(pool.assign(.write, now: start) == decision())
        #expect(pool.assign(.quick, now: start) == decision(use: 0))
    }

    @Test("a read goes behind a transaction only when no other connection can be had")
    func readsAndTransactions() {
        var pool = pool(size: 2, ready: 1)
        pool.assigned(0, demand: .write, cost: 100)
        #expect(pool.assign(.quick, now: start) == decision(open: 1))
        pool.connecting(1)
        #expect(pool.assign(.quick, now: start) == decision())
        pool.connected(1, now: start)
        #expect(pool.assign(.quick, now: start).use == 1)
        pool.assigned(1, demand: .write, cost: 50)
        #expect(pool.assign(.quick, now: start).use == 1)
    }

    @Test("a lease takes an idle connection; if none comes free by itself one is kept free for it")
    func leases() {
        var pool = pool(size: 2, ready: 2)
        #expect(pool.assign(.lease, now: start).use == 1)
        pool.leased(1)
        #expect(pool.assign(.quick, now: start).use == 0)
        pool.assigned(0, demand: .quick, cost: 30)
        #expect(pool.assign(.lease, now: start) == decision())
        pool.reserveForLease()
        #expect(pool.assign(.quick, now: start) == decision(), "kept free")
        #expect(pool.assign(.lease, now: start) == decision(), "not free yet")
        pool.unassigned(0, demand: .quick, cost: 30)
        #expect(pool.assign(.lease, now: start).use == 0)
        pool.returned(1)
        #expect(pool.assign(.lease, now: start).use == 1)
        pool.dropReservation()
        #expect(pool.assign(.quick, now: start).use == 0)
    }

    @Test("nothing is put behind a statement that is being cancelled", arguments: PoolStateMachine.Demand.allCases)
    func cancelling(_ demand: PoolStateMachine.Demand) {
        var pool = pool(size: 1, ready: 1)
        pool.cancelling(0, true)
        #expect(pool.assign(demand, now: start) == decision())
        pool.cancelling(0, false)
        #expect(pool.assign(demand, now: start).use == 0)
    }

    @Test("a connection past its age takes nothing more, and its place is free once it is closed")
    func retiring() {
        var pool = pool(size: 1, ready: 1)
        pool.retire(0)
        #expect(pool.assign(.quick, now: start) == decision())
        pool.closed(0)
        #expect(pool.assign(.quick, now: start) == decision(open: 0))
    }

    @Test("a server that refuses is left alone for a while, but not for long")
    func refusals() {
        var pool = pool(size: 2, ready: 0)
        var now = start
        for _ in 0..<20 {
            pool.connecting(0)
            let delay = pool.connectFailed(0, now: now, chance: 0.999)
            #expect(delay <= .milliseconds(Backoff.longest))
            #expect(pool.assign(.quick, now: now) == decision())
            now += delay
            #expect(pool.assign(.quick, now: now) == decision(open: 0))
        }
        pool.connecting(0)
        pool.connected(0, now: now)
        #expect(pool.assign(.quick, now: now) == decision(use: 0))
    }

    @Test("whatever happens, the counts come back to nothing")
    func accounts() {
        var pool = pool(size: 3, ready: 3)
        var assigned: [(Int, PoolStateMachine.Demand, Int)] = []
        for step in 0..<3_000 {
            if Bool.random(), let demand = PoolStateMachine.Demand.allCases.randomElement(), demand != .lease,
                let slot = pool.assign(demand, now: start).use
            {
                assigned.append((slot, demand, step))
                pool.assigned(slot, demand: demand, cost: step)
            } else if let (slot, demand, cost) = assigned.popLast() {
                pool.unassigned(slot, demand: demand, cost: cost)
            }
        }
        for (slot, demand, cost) in assigned { pool.unassigned(slot, demand: demand, cost: cost) }
        #expect(pool.slots.allSatisfy { $0.isIdle && $0.cost == 0 && $0.writes == 0 && $0.slowRequests == 0 })
    }
}
