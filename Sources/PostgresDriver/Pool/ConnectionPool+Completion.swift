/// How requests end: by the end of their batch, by the loss of their connection, cancelled by their caller, past their
/// deadline.
extension ConnectionPool {
    /// A batch was sent on an idle connection, or a statement was answered.
    func noteProgress(_ connection: Connection, _ now: ContinuousClock.Instant) {
        stateMachine.noteProgress(
            connection.slot, isWaiting: connection.isBusy, share: connection.head?.share, now: now)
    }

    /// The Sync of a batch was answered.
    func batchEnded(_ batch: Batch<PoolRequest>, on connection: Connection) {
        if batch.purpose == .cleanup { return leaseEnded(on: connection, isClean: !batch.hasFailed) }
        for request in batch.requests {
            requestEnded(request, on: connection)
            guard !request.isFinished else { continue }
            if var failure = request.result.failure {
                failure.failedStep = request.failedStep
                fail(request, failure, on: connection)
            } else if batch.hasFailed {
                // The failure of another request undid this one, or kept it from running.
                retry(request, on: connection)
            } else if request.isRead, let rows = request.result.rows {
                loop.finish(request, .rows(rows))
            } else {
                loop.finish(request, .many(request.result.steps))
            }
        }
    }

    /// A simple query or a COPY has ended.
    func exclusiveRequestEnded(_ request: PoolRequest, _ failure: PostgresError?, on connection: Connection) {
        requestEnded(request, on: connection)
        hasPendingWork = true
        if let failure {
            fail(request, failure, on: connection)
        } else {
            loop.finish(request, .done)
        }
    }

    private func requestEnded(_ request: PoolRequest, on connection: Connection) {
        unassign(request, from: connection)
        if request.cancellation.reason != nil { connection.cancelledRequestEnded() }
    }

    // MARK: Failures

    /// The server refused the request, and so undid all of it: it is run again where that may help.
    private func fail(_ request: PoolRequest, _ failure: PostgresError, on connection: Connection) {
        let sqlState = failure.sqlState ?? ""
        if sqlState == "57014" {
            if let reason = request.cancellation.reason {
                return loop.finish(request, .failed(PostgresError(reason, server: failure.server, isRetrySafe: true)))
            }
            if connection.cancelsSent > request.cancellation.requestsBefore, canRetry(request, on: connection),
                request.retries.spend(.strayCancel, limit: RetryCounts.maxStrayCancels)
            {
                return retry(request, on: connection)
            }
        }
        // A read may have made its transaction read-only by itself.
        if sqlState == "25006", !request.isRepeatable { replaceReadOnlyConnections() }
        guard request.cancellation.reason == nil, canRetry(request, on: connection) else {
            return loop.finish(request, .failed(failure))
        }
        if failure.isStalePlan, request.retries.spend(.stalePlan, limit: RetryCounts.maxStalePlans) {
            report(.retried(cause: "stale plan"))
            return retry(request, on: connection)
        }
        if request.lease == nil, sqlState == "40001" || sqlState == "40P01",
            request.retries.conflicts < configuration.conflictRetries
        {
            return retryConflict(request, sqlState)
        }
        loop.finish(request, .failed(failure))
    }

    /// On a leased connection only a request that stands alone is run again: outside a transaction, with no other request
    /// sent behind it.
    private func canRetry(_ request: PoolRequest, on connection: Connection) -> Bool {
        guard request.lease != nil else { return true }
        switch request.operation {
        case .simpleQuery, .copy: return false
        default: return connection.isOutsideTransaction
        }
    }

    private func retry(_ request: PoolRequest, on connection: Connection) {
        request.prepareForRetry()
        request.retries.separate()
        if request.lease != nil {
            request.state = .assigned(connection)
            connection.enqueueFirst(request)
        } else {
            requeue(request)
        }
    }

    /// Runs a transaction again after a random delay, so that those in conflict do not meet again.
    private func retryConflict(_ request: PoolRequest, _ sqlState: String) {
        guard isOpen else { return loop.finish(request, .failed(.shutDown)) }
        let maxDelay = 8 << request.retries.conflicts
        _ = request.retries.spend(.conflict)
        request.prepareForRetry()
        request.wait.acquireDeadline = loop.now + configuration.acquireTimeout
        queue.noteExpiry(of: request)
        report(.retried(cause: "conflict \(sqlState)"))
        queue.retry(request, at: loop.now + .milliseconds(Int.random(in: 1...maxDelay)))
    }

    private func requeue(_ request: PoolRequest) {
        guard isOpen else { return loop.finish(request, .failed(.shutDown)) }
        queue.noteExpiry(of: request)
        enqueue(request, atFront: true)
    }

    // MARK: Lost connections

    /// - Parameters:
    ///   - work: what the connection carried.
    ///   - fields: the server's error in the place of the reply that was due.
    func connectionLost(
        _ connection: Connection, _ work: ConnectionStateMachine<PoolRequest>.AbandonedWork, _ cause: String,
        serverFields fields: ServerFields?
    ) {
        loop.unwatch(connection)
        connections[connection.slot] = nil
        stateMachine.closed(connection.slot)
        health.lastFailure = cause
        hasPendingWork = true
        report(.connectionLost(cause: cause))

        // An administrator ends connections one by one (57P01), so the next may be about to end as well. Any other loss
        // may have been caused by the request itself.
        let limit = fields?.sqlState == "57P01" ? connections.count + 1 : 1
        var retried: [PoolRequest] = []
        for batch in work.batches {
            for request in batch.requests { request.noteUnassigned() }
            for request in batch.requests where !request.isFinished {
                if request.isRepeatable, request.cancellation.reason == nil,
                    request.retries.spend(.connectionLoss, limit: limit)
                {
                    request.prepareForRetry()
                    request.retries.separate()
                    retried.append(request)
                } else {
                    loop.finish(request, .failed(loss(of: request, in: batch, cause, serverFields: fields)))
                }
            }
        }
        if let request = work.exclusive {
            let error =
                connection.copy?.exchange
                .loss(cause, serverFields: fields, cancelReason: request.cancellation.reason)
                ?? PostgresError(.connectionLost, server: fields, cause: cause)
            loop.finish(request, .failed(error))
        }
        for request in work.backlog {
            request.noteUnassigned()
            if request.lease == nil {
                retried.append(request)
            } else {
                loop.finish(request, .failed(PostgresError(.connectionLost, cause: cause, isRetrySafe: true)))
            }
        }
        for request in retried.reversed() { requeue(request) }
        if let release = connection.lease?.release.take() { loop.finish(release, .done) }
        // The lease and its connection hold each other.
        connection.lease = nil
    }

    /// What the loss of its connection means for a request that was sent.
    private func loss(
        of request: PoolRequest, in batch: Batch<PoolRequest>, _ cause: String, serverFields fields: ServerFields?
    ) -> PostgresError {
        let lost = PostgresError(.connectionLost, server: fields, cause: cause, isRetrySafe: true)
        if let reason = request.cancellation.reason, case .leasedRead = request.operation {
            return PostgresError(reason, cause: cause, isRetrySafe: false)
        }
        // The server commits when everything is done: not before it has answered the last statement, and not without a
        // Sync. An error of class 08 is a pooler's report of its own loss of the server, and leaves open what
        // happened to the transaction.
        let isFromServer = fields.map { !$0.sqlState.hasPrefix("08") } ?? false
        if !batch.isSynced || (isFromServer && !request.isAnswered) { return lost }
        switch request.operation {
        case .read where request.isRepeatable: return lost
        case .leasedRead: return PostgresError(.connectionLost, server: fields, cause: cause)
        default: return PostgresError(.outcomeUnknown, server: fields, cause: cause)
        }
    }

    // MARK: Cancelling and deadlines

    /// The caller does not want the request any more.
    func cancel(
        _ request: PoolRequest, _ reason: PostgresError.Kind, cause: String? = nil, _ now: ContinuousClock.Instant
    ) {
        guard !request.isFinished, request.cancellation.reason == nil else { return }
        request.cancellation.reason = reason
        request.cancellation.at = now
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
            if connection.exclusiveRequest === request { connection.cancelCopy() }
            guard request.lease == nil else { break }
            reclaim(connection)
            // How a read ended makes no difference. A transaction may have been committed, so its caller waits for that.
            if request.isRead { loop.finish(request, .failed(error)) }
        }
        hasPendingWork = true
    }

    /// Ends the requests that are past their deadline.
    ///
    /// It looks at all of them, but only once for each deadline that passes: only the earliest deadline is kept, and
    /// requests that end before theirs are not examined.
    func expire(_ now: ContinuousClock.Instant) {
        for request in queue.beginExpiry() { expire(request, now) }
        for connection in connections {
            guard let connection else { continue }
            for request in connection.requests { expire(request, now) }
        }
    }

    private func expire(_ request: PoolRequest, _ now: ContinuousClock.Instant) {
        guard !request.isFinished, request.cancellation.reason == nil else { return }
        if let deadline = request.deadline, deadline <= now { return cancel(request, .timeout, now) }
        if let end = request.wait.acquireDeadline, end <= now, request.isUnstarted {
            guard let share = request.share, stateMachine.isLimited(request.load.demand, of: share, now) else {
                statistics.acquireTimeouts += 1
                return cancel(request, .unavailable, cause: health.lastFailure ?? "all connections are busy", now)
            }
            statistics.overloads += 1
            return cancel(
                request, .overloaded(retryAfter: .seconds(1)), cause: "its share occupies its connections", now)
        }
        queue.noteExpiry(of: request)
    }
}
