/// Giving calls that wait to connections, as `Pool` decides.
extension ConnectionPool {
    /// How long a slow read leaves connections to transactions.
    static let givingWay: Duration = .seconds(2)

    func placeWaiting(_ now: ContinuousClock.Instant) {
        for demand in Pool.Demand.allCases {
            while let call = waiting[demand.rawValue].first {
                if call.isFinished {
                    _ = waiting[demand.rawValue].popFirst()
                    continue
                }
                guard isStill(demand, call) else { continue }
                let decision = decisions.place(call.demand, isOverdue: hasWaitedLong(call, now), now: now)
                if let slot = decision.open { open(slot, now) }
                guard let slot = decision.use, let link = links[slot] else { break }
                _ = waiting[demand.rawValue].popFirst()
                place(call, on: link)
            }
        }
        if waiting[Pool.Demand.lease.rawValue].isEmpty {
            decisions.dropReservation()
        } else {
            decisions.reserveForLease()
        }
    }

    /// While a read waited, more may have become known of its statement; if that makes it a slow one, it changes queues.
    private func isStill(_ demand: Pool.Demand, _ call: Call) -> Bool {
        guard demand == .unsure || demand == .slow else { return true }
        (call.demand, call.cost) = call.estimate(usual)
        guard demand == .unsure, call.demand == .slow else { return true }
        _ = waiting[demand.rawValue].popFirst()
        waiting[Pool.Demand.slow.rawValue].append(call)
        return false
    }

    /// A slow read gives way to transactions, but not for ever.
    func hasWaitedLong(_ call: Call, _ now: ContinuousClock.Instant) -> Bool {
        guard call.demand == .slow, let since = call.waitingSince else { return false }
        return now - since >= Self.givingWay
    }

    private func place(_ call: Call, on link: Link) {
        call.link = link
        if case .lease = call.kind {
            let lease = Lease(link)
            link.lease = lease
            decisions.leased(link.slot)
            return loop.finish(call, .lease(lease))
        }
        call.place = .placed
        decisions.placed(link.slot, demand: call.demand, cost: call.cost)
        call.join()
        link.backlog.append(call)
    }

    func wakeDelayed(_ now: ContinuousClock.Instant) {
        let ready = delayed.filter { $0.due <= now }
        delayed.removeAll { $0.due <= now }
        for (_, call) in ready where !call.isFinished { enqueue(call) }
    }
}

extension Call {
    /// A read is given to a connection: until it is known what its statement costs, one of them tries it out.
    func join() {
        guard case .read = kind, case .one(let statement, _) = work, !isTryingOut else { return }
        isTryingOut = true
        statement.cost.underWay += 1
    }

    /// It has left its connection, answered or not.
    func leave() {
        guard isTryingOut, case .one(let statement, _) = work else { return }
        isTryingOut = false
        statement.cost.underWay -= 1
    }

    /// What it needs, and how long that may take in microseconds.
    func estimate(_ usual: BetterRuns) -> (Pool.Demand, Int) {
        switch (kind, work) {
        case (.lease, _): (.lease, 0)
        case (.read, .one(let statement, _)): (statement.cost.demand(usual: usual), statement.cost.estimate)
        case (_, .many(let steps)): (.write, steps.reduce(0) { $0 + $1.statement.cost.estimate })
        default: (.quick, LearnedCost.unknown)
        }
    }
}
