import Synchronization

/// One round of a pool: whatever happened, everything goes on that can, and it is known when to look again.
extension ConnectionPool {
    /// Lets everything go on that can.
    func schedule(_ now: ContinuousClock.Instant) {
        hasPendingWork = false
        if let nextExpiry, nextExpiry <= now { expire(now) }
        if !retries.isEmpty { requeueRetries(now) }
        var next: ContinuousClock.Instant?
        for connection in connections {
            if let connection, let time = maintain(connection, now) { next = next.map { min($0, time) } ?? time }
        }
        assignQueued(now)
        for connection in connections { connection?.sendBacklog(now) }
        // What has just been sent counts.
        for connection in connections {
            if let connection, let time = checkHealth(of: connection, now) { next = next.map { min($0, time) } ?? time }
        }
        if let nextExpiry { next = next.map { min($0, nextExpiry) } ?? nextExpiry }
        if let decision = nextDecision(now) { next = next.map { min($0, decision) } ?? decision }
        for (time, _) in retries { next = next.map { min($0, time) } ?? time }
        if case .closing(let until) = phase {
            close(now, until)
            next = next.map { min($0, until) } ?? until
        }
        let isFull = hasFullConnection(now)
        self.isFull.store(isFull, ordering: .sequentiallyConsistent)
        // What is submitted meanwhile is not to wait for a reply that does not come.
        if isFull, let stale = stateMachine.nextStall(after: now) { next = next.map { min($0, stale) } ?? stale }
        timerDeadline = next
    }

    private func hasFullConnection(_ now: ContinuousClock.Instant) -> Bool {
        connections.contains { connection in
            guard let connection, connection.lease == nil, connection.isFull else {
                return false
            }
            return stateMachine.slots[connection.slot].slowRequests == 0
                && !stateMachine.isStalled(connection.slot, now: now)
        }
    }

    /// When a connection's silence, or the end of a pause, may change where the waiting go.
    private func nextDecision(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let isWaiting = queues.contains { !$0.isEmpty }
        guard isWaiting || connections.contains(where: { $0?.hasBacklog ?? false }) else {
            return nil
        }
        var next = stateMachine.nextStall(after: now)
        if isWaiting, let until = stateMachine.connectPausedUntil, until > now {
            next = next.map { min($0, until) } ?? until
        }
        if let slow = queues[PoolStateMachine.Demand.slow.rawValue].first, !isOverdue(slow, now) {
            let turn = (slow.queuedSince ?? now) + Self.maxSlowReadDelay
            next = next.map { min($0, turn) } ?? turn
        }
        return next
    }

    /// What a connection needs beside its replies.
    /// - Returns: when to look again.
    private func maintain(_ connection: Connection, _ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        if stateMachine.slots[connection.slot].isCancelling, !connection.isCancelPending {
            stateMachine.cancelling(connection.slot, false)
        }
        var next = connection.cancelIfDue(now)
        guard !connection.isLost else { return nil }
        if let time = connection.checkCopy(now) { next = next.map { min($0, time) } ?? time }
        if connection.lease != nil {
            if connection.lease?.release != nil, connection.isIdle { connection.endLease(now) }
            return next
        }
        if connection.hasBacklog, stateMachine.isStalled(connection.slot, now: now) { reclaim(connection) }
        let end = connection.mustBeReplaced ? now : connection.openedAt + configuration.maxConnectionAge
        if now >= end {
            stateMachine.retire(connection.slot)
            reclaim(connection)
            if connection.isIdle { close(connection) }
            return next
        }
        return next.map { min($0, end) } ?? end
    }
}
