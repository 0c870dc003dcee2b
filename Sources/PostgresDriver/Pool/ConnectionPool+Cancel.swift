/// Calls that end before their answer: cancelled by their caller, or out of time.
extension ConnectionPool {
    /// The caller does not want the call any more.
    func cancel(
        _ request: PoolRequest, _ kind: PostgresError.Kind, cause: String? = nil, _ now: ContinuousClock.Instant
    ) {
        guard !request.isFinished, request.cancelReason == nil else { return }
        request.cancelReason = kind
        request.cancelledAt = now
        guard request.isSubmitted else { return }
        hasPendingWork = true
        let error = PostgresError(kind, cause: cause)
        switch request.state {
        case .finished: break
        case .queued: loop.finish(request, .failed(error))
        case .assigned:
            if let connection = request.connection {
                connection.removeFromBacklog(request)
                unassign(request, from: connection)
            }
            loop.finish(request, .failed(error))
        case .sent:
            guard let connection = request.connection else { return }
            connection.requestCancelled()
            stateMachine.cancelling(connection.slot, true)
            if connection.exclusiveRequest === request { connection.copyCancelled() }
            if request.lease == nil, request.isRead {
                // Nobody needs to know how a read ended. A transaction may have been committed: its caller waits.
                reclaim(connection)
                loop.finish(request, .failed(error))
            } else if request.lease == nil {
                reclaim(connection)
            }
        }
    }

    /// Ends the calls whose time is over. Looks at all of them, which happens once per deadline that passes, not per
    /// call: the earliest deadline is kept, and calls that end before theirs cost nothing.
    func expire(_ now: ContinuousClock.Instant) {
        nextExpiry = nil
        for demand in PoolStateMachine.Demand.allCases {
            queues[demand.rawValue].removeAll { $0.isFinished }
            for request in queues[demand.rawValue].elements { expire(request, now) }
        }
        for (_, request) in retries { expire(request, now) }
        for connection in connections {
            guard let connection else { continue }
            for request in connection.requests { expire(request, now) }
        }
    }

    private func expire(_ request: PoolRequest, _ now: ContinuousClock.Instant) {
        guard !request.isFinished, request.cancelReason == nil else { return }
        if let deadline = request.deadline, deadline <= now { return cancel(request, .timeout, now) }
        if request.isUnstarted, let acquireDeadline = request.acquireDeadline, acquireDeadline <= now {
            return cancel(request, .unavailable, cause: lastFailure ?? "all connections are busy", now)
        }
        noteExpiry(of: request)
    }
}

extension PoolRequest {
    /// Whether the server has not begun with it, so that it still waits for its connection, as a read does that was
    /// sent behind a statement that turns out to take long.
    var isUnstarted: Bool {
        guard state == .sent else { return true }
        guard case .read = kind, held == nil, let connection else { return false }
        return connection.head !== self
    }

    /// When it must be looked at, whatever happens.
    var expiry: ContinuousClock.Instant? {
        guard let acquireDeadline, isUnstarted else { return deadline }
        return deadline.map { min($0, acquireDeadline) } ?? acquireDeadline
    }
}
