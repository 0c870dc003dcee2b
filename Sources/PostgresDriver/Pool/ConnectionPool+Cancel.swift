/// Requests that end before their reply: cancelled by their caller, or past their deadline.
extension ConnectionPool {
    /// The caller does not want the request any more.
    func cancel(
        _ request: PoolRequest, _ reason: PostgresError.Kind, cause: String? = nil, _ now: ContinuousClock.Instant
    ) {
        guard !request.isFinished, request.cancellation == nil else { return }
        request.cancellation = PoolRequest.Cancellation(reason: reason, at: now)
        let error = PostgresError(reason, cause: cause)
        switch request.state {
        case .created, .finished: return
        case .queued: loop.finish(request, .failed(error))
        case .assigned(let connection):
            connection.removeFromBacklog(request)
            unassign(request, from: connection)
            loop.finish(request, .failed(error))
        case .sent(let connection):
            connection.requestCancelled()
            stateMachine.cancelling(connection.slot, true)
            if connection.exclusiveRequest === request { connection.copyCancelled() }
            guard request.lease == nil else { break }
            reclaim(connection)
            // How a read ended makes no difference. A transaction may have been committed, so its caller waits for that.
            if request.isRead { loop.finish(request, .failed(error)) }
        }
        hasPendingWork = true
    }

    /// Ends the requests that are past their deadline.
    ///
    /// It looks at all of them, but only once for each deadline that passes: the earliest one is kept, and requests that
    /// end before theirs cost nothing here.
    func expire(_ now: ContinuousClock.Instant) {
        for request in queue.beginExpiry() { expire(request, now) }
        for connection in connections {
            guard let connection else { continue }
            for request in connection.requests { expire(request, now) }
        }
    }

    private func expire(_ request: PoolRequest, _ now: ContinuousClock.Instant) {
        guard !request.isFinished, request.cancellation == nil else { return }
        if let deadline = request.deadline, deadline <= now { return cancel(request, .timeout, now) }
        if let end = request.wait.deadline, end <= now, request.isUnstarted {
            return cancel(request, .unavailable, cause: health.lastFailure ?? "all connections are busy", now)
        }
        queue.noteExpiry(of: request)
    }
}
