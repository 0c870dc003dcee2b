import Testing

@testable import PostgresDriver

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

    @Test(arguments: PoolStateMachine.Demand.allCases)
    func `an empty pool opens a connection for any demand`(_ demand: PoolStateMachine.Demand) {
        #expect(pool(size: 3, ready: 0).assign(demand, now: start) == decision(open: 0))
    }

    @Test func `quick reads wait for the connection being opened, transactions open more`() {
        var pool = pool(size: 3, ready: 0)
        pool.connecting(0)
        #expect(pool.assign(.quick, now: start) == decision())
        #expect(pool.assign(.write, now: start) == decision(open: 1))
    }

    @Test func `quick reads share the first connection while its queue is short`() {
        var pool = pool(size: 2, ready: 2)
        for _ in 0..<100 {
            #expect(pool.assign(.quick, now: start).use == 0)
            pool.assigned(0, demand: .quick, cost: 30)
        }
        pool.assigned(0, demand: .quick, cost: 30)
        #expect(pool.assign(.quick, now: start).use == 1, "more than 3 ms of queued work is too long")
    }

    @Test func `behind a long queue another connection is opened and the call assigned anyway`() {
        var pool = pool(size: 2, ready: 1)
        pool.assigned(0, demand: .quick, cost: PoolStateMachine.quickQueueLimit + 1)
        #expect(pool.assign(.quick, now: start) == decision(use: 0, open: 1))
        pool.connecting(1)
        #expect(pool.assign(.quick, now: start) == decision(use: 0))
    }

    @Test func `no call is assigned behind a stalled head`() {
        var pool = pool(size: 2, ready: 2)
        pool.assigned(0, demand: .quick, cost: 30)
        pool.noteProgress(0, isWaiting: true, now: start)
        let later = start + .milliseconds(6)
        #expect(pool.assign(.quick, now: start + .milliseconds(5)).use == 0)
        #expect(pool.assign(.quick, now: later).use == 1)
        #expect(pool.isStalled(0, now: later))
        pool.assigned(1, demand: .quick, cost: 30)
        pool.noteProgress(1, isWaiting: true, now: start)
        #expect(
            pool.assign(.quick, now: later) == decision(), "all heads are stalled: the call waits for the first reply")
        pool.noteProgress(0, isWaiting: true, now: later)
        #expect(pool.assign(.quick, now: later).use == 0)
    }

    @Test func `the pool knows when the next head will count as stalled`() {
        var pool = pool(size: 2, ready: 2)
        #expect(pool.nextStall(after: start) == nil)
        pool.noteProgress(0, isWaiting: true, now: start)
        let due = pool.nextStall(after: start)
        #expect(due.map { pool.isStalled(0, now: $0) } == true)
        #expect(due.flatMap { pool.nextStall(after: $0) } == nil, "a stalled head needs no timer")
    }

    @Test func `slow reads leave one connection to quick reads and one to transactions`() {
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

    @Test func `transactions and slow reads together leave the last connection to quick reads`() {
        var pool = pool(size: 4, ready: 4)
        for slot in 1...3 { pool.assigned(slot, demand: .write, cost: 100) }
        #expect(pool.assign(.slow, now: start) == decision())
        #expect(pool.assign(.quick, now: start).use == 0)
        #expect(pool.assign(.slow, isOverdue: true, now: start) == decision(), "not even behind a transaction")
        pool.isSlowReadWaiting = true
        pool.unassigned(2, demand: .write, cost: 100)
        #expect(pool.assign(.slow, now: start).use == 2)
        #expect(pool.assign(.write, now: start).use != 2, "a transaction leaves the connection to a slow read")
    }

    @Test func `in a pool of two, an overdue slow read is assigned behind a transaction`() {
        var pool = pool(size: 2, ready: 2)
        pool.assigned(1, demand: .write, cost: 100)
        #expect(pool.assign(.slow, now: start) == decision())
        #expect(pool.assign(.slow, isOverdue: true, now: start).use == 1)
        pool.noteProgress(1, isWaiting: true, now: start)
        let later = start + .milliseconds(6)
        #expect(pool.assign(.slow, isOverdue: true, now: later) == decision(), "but not behind a stalled one")
    }

    // MARK: Shares

    let alice = Share(1)
    let bob = Share(2)

    @Test func `the slow reads of one share leave a connection to those of others`() {
        var pool = pool(size: 4, ready: 4)
        #expect(pool.assign(.slow, of: alice, now: start).use == 3)
        pool.assigned(3, demand: .slow, of: alice, cost: 500_000)
        #expect(pool.assign(.slow, of: alice, now: start).isShareLimited)
        #expect(pool.assign(.slow, of: bob, now: start).use == 2)
        #expect(pool.assign(.quick, of: alice, now: start).use == 0, "its quick reads go on")
        pool.unassigned(3, demand: .slow, of: alice, cost: 500_000)
        #expect(pool.assign(.slow, of: alice, now: start).use == 3)
    }

    @Test func `shares that have a connection leave the last one to a share that has none`() {
        for demand in [PoolStateMachine.Demand.slow, .write] {
            var pool = pool(size: 8, ready: 8)
            var places = 0
            // Three shares take turns until none of them may take another connection.
            for _ in 0..<8 {
                for share in [1, 2, 3].map({ Share($0) }) {
                    guard let slot = pool.assign(demand, of: share, now: start).use, pool.slots[slot].requests == 0
                    else { continue }
                    pool.assigned(slot, demand: demand, of: share, cost: 500_000)
                    places += 1
                }
            }
            #expect(places == (demand == .slow ? 3 : 6), "\(demand)")
            let slot = pool.assign(demand, of: Share(4), now: start).use
            #expect(slot.map { pool.slots[$0].requests } == 0, "\(demand)")
        }
    }

    @Test func `the transactions of one share leave a connection to those of others, whatever they wait for`() {
        var pool = pool(size: 4, ready: 4)
        for expected in [3, 2] {
            #expect(pool.assign(.write, of: alice, now: start).use == expected)
            pool.assigned(expected, demand: .write, of: alice, cost: 100)
        }
        for _ in 0..<2 {
            let slot = pool.assign(.write, of: alice, now: start).use
            #expect(slot == 2 || slot == 3, "a further one waits behind its own")
            if let slot { pool.assigned(slot, demand: .write, of: alice, cost: 100) }
        }
        #expect(pool.assign(.write, of: alice, now: start).isShareLimited)
        #expect(pool.assign(.write, of: bob, now: start).use == 1)
        pool.assigned(1, demand: .write, of: bob, cost: 100)
        #expect(pool.assign(.quick, of: bob, now: start).use == 0)
    }

    @Test func `one connection carries no request of a share, because any of them may turn out slow`() {
        var pool = pool(size: 3, ready: 3)
        for slot in 0..<2 { pool.assigned(slot, demand: .quick, of: alice, cost: PoolStateMachine.maxQueueDelay) }
        #expect(pool.assign(.quick, of: alice, now: start).use == 0, "further ones join those")
        for slot in 0..<2 { pool.assigned(slot, demand: .quick, of: alice, cost: 1) }
        for demand in [PoolStateMachine.Demand.quick, .slow, .write, .unknown] {
            #expect(pool.assign(demand, of: alice, now: start).isShareLimited, "\(demand)")
            #expect(pool.assign(demand, of: bob, now: start).use == 2, "\(demand)")
        }
        #expect(pool.isLimited(.quick, of: alice, start) && !pool.isLimited(.quick, of: bob, start))
        for cost in [PoolStateMachine.maxQueueDelay, 1] { pool.unassigned(1, demand: .quick, of: alice, cost: cost) }
        #expect(pool.assign(.quick, of: alice, now: start).use == 1)
    }

    @Test func `reads stuck behind another share's statement do not keep their share from the free connection`() {
        var pool = pool(size: 3, ready: 3)
        for slot in 0..<2 {
            for share in [alice, bob] { pool.assigned(slot, demand: .quick, of: share, cost: 5_001) }
            pool.noteProgress(slot, isWaiting: true, share: alice, now: start)
        }
        #expect(pool.assign(.quick, of: bob, now: start).isShareLimited, "nothing is stuck yet")
        #expect(pool.assign(.quick, of: bob, now: start + .milliseconds(99)).isShareLimited, "the machine may be busy")
        let later = start + .milliseconds(101)
        #expect(pool.assign(.quick, of: bob, now: later).use == 2)
        #expect(pool.assign(.quick, of: alice, now: later).isShareLimited)
        // One statement of a share that is slow makes all its requests suspect.
        pool.noteProgress(1, isWaiting: true, share: bob, now: start)
        #expect(pool.assign(.quick, of: bob, now: later).isShareLimited)
        #expect(pool.assign(.quick, of: alice, now: later).isShareLimited)
    }

    @Test func `first runs of statements are kept apart, and never take the last connection`() {
        var pool = pool(size: 4, ready: 4)
        for expected in [3, 0] {
            let slot = pool.assign(.unknown, of: alice, now: start).use
            #expect(slot == expected)
            if let slot { pool.assigned(slot, demand: .unknown, of: alice, cost: 500) }
        }
        #expect(pool.assign(.unknown, of: alice, now: start).isShareLimited)
        #expect(pool.assign(.unknown, of: bob, now: start).use != nil)
    }

    @Test func `an unknown statement gets a connection of its own if possible`() {
        var pool = pool(size: 2, ready: 2)
        #expect(pool.assign(.unknown, now: start).use == 1)
        pool.assigned(1, demand: .unknown, cost: 500)
        #expect(pool.assign(.quick, now: start).use == 0)
        #expect(pool.assign(.slow, now: start) == decision())
        pool.assigned(0, demand: .quick, cost: 30)
        #expect(pool.assign(.unknown, now: start).use == 0)
    }

    @Test func `a pool of one connection runs one slow read at a time`() {
        var pool = pool(size: 1, ready: 1)
        #expect(pool.assign(.slow, now: start).use == 0)
        pool.assigned(0, demand: .slow, cost: 500_000)
        #expect(pool.assign(.slow, now: start) == decision())
        #expect(pool.assign(.quick, now: start) == decision())
    }

    @Test func `a transaction prefers an idle connection, then a new one, then the shortest queue`() {
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

    @Test func `transactions leave one connection to reads`() {
        var pool = pool(size: 2, ready: 2)
        #expect(pool.assign(.write, now: start) == decision(use: 1))
        pool.assigned(1, demand: .write, cost: 100)
        #expect(pool.assign(.write, now: start) == decision(use: 1))
        pool.assigned(1, demand: .write, cost: 100)
        #expect(pool.assign(.write, now: start) == decision())
        #expect(pool.assign(.quick, now: start) == decision(use: 0))
    }

    @Test func `a read is assigned behind a transaction only when no other connection is possible`() {
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

    @Test func `a lease takes an idle connection, or reserves the next one`() {
        var pool = pool(size: 2, ready: 2)
        #expect(pool.assign(.lease, now: start).use == 1)
        pool.leased(1)
        #expect(pool.assign(.quick, now: start).use == 0)
        pool.assigned(0, demand: .quick, cost: 30)
        #expect(pool.assign(.lease, now: start) == decision())
        pool.reserveForLease(start)
        #expect(pool.assign(.quick, now: start) == decision(), "the connection is reserved")
        #expect(pool.assign(.lease, now: start) == decision(), "the connection is not idle yet")
        pool.unassigned(0, demand: .quick, cost: 30)
        #expect(pool.assign(.lease, now: start).use == 0)
        pool.returned(1)
        #expect(pool.assign(.lease, now: start).use == 1)
        pool.dropReservation()
        #expect(pool.assign(.quick, now: start).use == 0)
    }

    @Test(arguments: PoolStateMachine.Demand.allCases)
    func `no call is assigned behind a statement that is being cancelled`(_ demand: PoolStateMachine.Demand) {
        var pool = pool(size: 1, ready: 1)
        pool.cancelling(0, true)
        #expect(pool.assign(demand, now: start) == decision())
        pool.cancelling(0, false)
        #expect(pool.assign(demand, now: start).use == 0)
    }

    @Test func `a retired connection takes no calls, and its slot is free once it is closed`() {
        var pool = pool(size: 1, ready: 1)
        pool.retire(0)
        #expect(pool.assign(.quick, now: start) == decision())
        pool.closed(0)
        #expect(pool.assign(.quick, now: start) == decision(open: 0))
    }

    @Test func `after failed attempts the pool backs off, but not for long`() {
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

    @Test func `after any sequence of calls all counts are zero again`() {
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
