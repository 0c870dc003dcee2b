/// Giving calls that wait to connections, as `PoolStateMachine` decides.
extension ConnectionPool {
    /// How long a slow read leaves connections to transactions.
    static let maxSlowReadDelay: Duration = .seconds(2)

    func assignQueued(_ now: ContinuousClock.Instant) {
        for demand in PoolStateMachine.Demand.allCases {
            while let request = queues[demand.rawValue].first {
                if request.isFinished {
                    _ = queues[demand.rawValue].popFirst()
                    continue
                }
                guard hasSameDemand(demand, request) else { continue }
                let decision = stateMachine.assign(request.demand, isOverdue: isOverdue(request, now), now: now)
                if let slot = decision.open { open(slot, now) }
                guard let slot = decision.use, let connection = connections[slot] else { break }
                _ = queues[demand.rawValue].popFirst()
                assign(request, on: connection)
            }
        }
        if queues[PoolStateMachine.Demand.lease.rawValue].isEmpty {
            stateMachine.dropReservation()
        } else {
            stateMachine.reserveForLease()
        }
    }

    /// While a read waited, more may have become known of its statement; if that makes it a slow one, it changes queues.
    private func hasSameDemand(_ demand: PoolStateMachine.Demand, _ request: PoolRequest) -> Bool {
        guard demand == .unknown || demand == .slow else { return true }
        (request.demand, request.cost) = request.estimate(typicalRunTime)
        guard demand == .unknown, request.demand == .slow else { return true }
        _ = queues[demand.rawValue].popFirst()
        queues[PoolStateMachine.Demand.slow.rawValue].append(request)
        return false
    }

    /// A slow read gives way to transactions, but not for ever.
    func isOverdue(_ request: PoolRequest, _ now: ContinuousClock.Instant) -> Bool {
        guard request.demand == .slow, let since = request.queuedSince else { return false }
        return now - since >= Self.maxSlowReadDelay
    }

    private func assign(_ request: PoolRequest, on connection: Connection) {
        request.connection = connection
        if case .lease = request.kind {
            let lease = Lease(connection)
            connection.lease = lease
            stateMachine.leased(connection.slot)
            return loop.finish(request, .lease(lease))
        }
        request.state = .assigned
        stateMachine.assigned(connection.slot, demand: request.demand, cost: request.cost)
        request.noteAssigned()
        connection.enqueue(request)
    }

    func requeueRetries(_ now: ContinuousClock.Instant) {
        let ready = retries.filter { $0.due <= now }
        retries.removeAll { $0.due <= now }
        for (_, request) in ready where !request.isFinished { enqueue(request) }
    }
}

extension PoolRequest {
    /// A read is given to a connection: until it is known what its statement costs, one of them tries it out.
    func noteAssigned() {
        guard case .read = kind, case .one(let statement, _) = work, !countsAsInFlight else { return }
        countsAsInFlight = true
        statement.statistics.inFlight += 1
    }

    /// It has left its connection, answered or not.
    func noteUnassigned() {
        guard countsAsInFlight, case .one(let statement, _) = work else { return }
        countsAsInFlight = false
        statement.statistics.inFlight -= 1
    }

    /// What it needs, and how long that may take in microseconds.
    func estimate(_ typicalRunTime: LowBiasedAverage) -> (PoolStateMachine.Demand, Int) {
        switch (kind, work) {
        case (.lease, _): (.lease, 0)
        case (.read, .one(let statement, _)):
            (statement.statistics.demand(typicalRunTime: typicalRunTime), statement.statistics.estimate)
        case (_, .many(let steps)): (.write, steps.reduce(0) { $0 + $1.statement.statistics.estimate })
        default: (.quick, StatementStatistics.unknown)
        }
    }
}
