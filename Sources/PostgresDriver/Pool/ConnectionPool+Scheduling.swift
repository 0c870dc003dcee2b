import Synchronization

/// Giving requests to connections, and knowing when to look again.
extension ConnectionPool {
    /// Does everything that can be done now: expires, retries, assigns, sends, checks, closes. Called after anything has
    /// happened, and when `timerDeadline` has passed.
    func schedule(_ now: ContinuousClock.Instant) {
        hasPendingWork = false
        if let expiry = queue.nextExpiry, expiry <= now { expire(now) }
        for request in queue.takeDueRetries(now) { enqueue(request) }
        var next: ContinuousClock.Instant?
        func lookAgain(at time: ContinuousClock.Instant?) {
            if let time { next = next.map { min($0, time) } ?? time }
        }
        for connection in connections { if let connection { lookAgain(at: maintain(connection, now)) } }
        for connection in connections { if let connection { hedgeFollowers(of: connection, now) } }
        assignQueued(now)
        for connection in connections { connection?.sendBacklog(now) }
        // After sending, because what has just been sent counts.
        for connection in connections { if let connection { lookAgain(at: checkHealth(of: connection, now)) } }
        lookAgain(at: queue.nextExpiry)
        lookAgain(at: nextAssignment(now))
        lookAgain(at: queue.nextRetry)
        if case .closing(let until, _) = lifecycle {
            closeIdleConnections(now, until)
            lookAgain(at: until)
        }
        let isFull = hasFullConnection(now)
        self.isFull.store(isFull, ordering: .sequentiallyConsistent)
        lookAgain(at: nextHedge(after: now))
        // Reads that are submitted meanwhile must not wait for a reply that does not come.
        if isFull { lookAgain(at: stateMachine.nextStall(after: now)) }
        timerDeadline = next
    }

    private func hasFullConnection(_ now: ContinuousClock.Instant) -> Bool {
        connections.contains { connection in
            guard let connection, connection.lease == nil, connection.isFull else { return false }
            return stateMachine.slots[connection.slot].slowRequests == 0
                && !stateMachine.isStalled(connection.slot, now: now)
        }
    }

    /// When a stalled connection, or the end of a pause in connecting, may change where waiting requests go.
    private func nextAssignment(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let isWaiting = !queue.isEmpty
        guard isWaiting || connections.contains(where: { $0?.hasBacklog ?? false }) else { return nil }
        var next = stateMachine.nextStall(after: now)
        if isWaiting, let until = stateMachine.connectPausedUntil, until > now {
            next = next.map { min($0, until) } ?? until
        }
        if let overdue = queue.nextOverdue(now) { next = next.map { min($0, overdue) } ?? overdue }
        return next
    }

    /// What a connection needs beside its replies: cancel requests, the end of its lease, its replacement.
    /// - Returns: when to look again.
    private func maintain(_ connection: Connection, _ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        if stateMachine.slots[connection.slot].isCancelling, !connection.isCancelPending {
            stateMachine.cancelling(connection.slot, false)
        }
        var next = connection.cancelIfDue(now)
        guard !connection.isLost else { return nil }
        if let time = connection.checkCopy(now) { next = next.map { min($0, time) } ?? time }
        if let lease = connection.lease {
            if lease.release != nil, connection.isIdle { resetAfterLease(connection, now) }
            return next
        }
        if connection.hasBacklog, stateMachine.isStalled(connection.slot, now: now) { reclaim(connection) }
        let end = connection.mustBeReplaced ? now : connection.openedAt + configuration.maxConnectionAge
        guard now >= end else { return next.map { min($0, end) } ?? end }
        stateMachine.retire(connection.slot)
        reclaim(connection)
        if connection.isIdle { close(connection) }
        return next
    }

    // MARK: Assigning

    private func assignQueued(_ now: ContinuousClock.Instant) {
        stateMachine.isSlowReadWaiting = !queue.isEmpty(.slow) || !queue.isEmpty(.unknown)
        for demand in PoolStateMachine.Demand.allCases {
            var limited: Set<Share> = []
            while let request = queue.first(demand, where: { $0.map { !limited.contains($0) } ?? true }) {
                let decision = stateMachine.assign(
                    request.load.demand, of: request.share, isOverdue: queue.isOverdue(request, now), now: now)
                if let slot = decision.open { open(slot, now) }
                if decision.isShareLimited, let share = request.share {
                    limited.insert(share)
                    continue
                }
                guard let slot = decision.use, let connection = connections[slot] else { break }
                queue.removeFirst(demand)
                assign(request, to: connection)
            }
        }
        if queue.isEmpty(.lease) {
            stateMachine.dropReservation()
        } else {
            stateMachine.reserveForLease(now)
        }
    }

    private func assign(_ request: PoolRequest, to connection: Connection) {
        statistics.placements.count(request.load.demand)
        if let since = request.wait.since { statistics.waitTime += loop.now - since }
        if case .lease = request.operation {
            let lease = Lease(connection)
            connection.lease = lease
            stateMachine.leased(connection.slot)
            return loop.finish(request, .lease(lease))
        }
        request.state = .assigned(connection)
        stateMachine.assigned(
            connection.slot, demand: request.load.demand, of: request.share, cost: request.load.cost)
        request.noteAssigned()
        connection.enqueue(request)
    }
}
