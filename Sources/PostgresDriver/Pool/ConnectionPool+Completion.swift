/// What becomes of calls whose batch is over or whose connection is gone.
extension ConnectionPool {
    /// A read hit by other calls' cancel requests this often is given up.
    private static let strayCancelsAtMost = 10
    /// A call may meet a stale plan on every connection, of each of its statements, and definitions may go on changing.
    private static let replansAtMost = 50

    func noteActivity(_ connection: Connection, _ now: ContinuousClock.Instant) {
        stateMachine.noteActivity(connection.slot, isWaiting: connection.isBusy, now: now)
    }

    /// A batch's Sync was answered.
    func batchEnded(_ batch: Batch<PoolRequest>, on connection: Connection) {
        if batch.purpose == .cleanup { return leaseEnded(on: connection, isClean: !batch.hasFailed) }
        for request in batch.requests {
            leave(request, connection)
            guard !request.isFinished else { continue }
            if let failure = request.failure {
                settle(request, failure, on: connection)
            } else if batch.hasFailed {
                // A neighbour's failure undid it or kept it from running.
                retry(request, on: connection)
            } else {
                succeed(request)
            }
        }
    }

    func exclusiveRequestEnded(_ request: PoolRequest, _ failure: PostgresError?, on connection: Connection) {
        leave(request, connection)
        hasPendingWork = true
        if let failure {
            settle(request, failure, on: connection)
        } else {
            loop.finish(request, .done)
        }
    }

    private func leave(_ request: PoolRequest, _ connection: Connection) {
        unassign(request, from: connection)
        if request.cancelReason != nil { connection.cancelledRequestEnded() }
    }

    private func succeed(_ request: PoolRequest) {
        if request.isRead, let rows = request.held {
            loop.finish(request, .rows(rows))
        } else {
            loop.finish(request, .many(request.results))
        }
    }

    /// The server refused it, and so undid all of it.
    private func settle(_ request: PoolRequest, _ failure: PostgresError, on connection: Connection) {
        let state = failure.sqlState ?? ""
        if state == "57014" {
            if let kind = request.cancelReason {
                return loop.finish(request, .failed(PostgresError(kind, server: failure.server, isRetrySafe: true)))
            }
            if connection.cancelsSent > request.cancelsBefore, request.strayCancels < Self.strayCancelsAtMost,
                canRetry(request, connection)
            {
                request.strayCancels += 1
                return retry(request, on: connection)
            }
        }
        if state == "25006" { replaceReadOnlyConnections() }
        guard request.cancelReason == nil, canRetry(request, connection) else {
            return loop.finish(request, .failed(failure))
        }
        if failure.isStalePlan, request.replans < Self.replansAtMost {
            request.replans += 1
            report(.retried(cause: "stale plan"))
            return retry(request, on: connection)
        }
        if request.lease == nil, state == "40001" || state == "40P01", request.conflicts < configuration.conflictRetries
        {
            return retryLater(request, state)
        }
        loop.finish(request, .failed(failure))
    }

    /// On a leased connection only what stands alone: neither inside a transaction nor with more behind it.
    private func canRetry(_ request: PoolRequest, _ connection: Connection) -> Bool {
        guard request.lease != nil else { return true }
        switch request.kind {
        case .simpleQuery, .copy: return false
        default: return connection.isOutsideTransaction
        }
    }

    private func retry(_ request: PoolRequest, on connection: Connection) {
        request.prepareForRetry()
        request.needsOwnSync = true
        if request.lease != nil {
            request.state = .assigned
            request.connection = connection
            connection.enqueueFirst(request)
        } else {
            requeue(request)
        }
    }

    private func retryLater(_ request: PoolRequest, _ state: String) {
        guard case .open = phase else { return loop.finish(request, .failed(.shutDown)) }
        let base = 2 << request.conflicts
        request.conflicts += 1
        request.prepareForRetry()
        request.acquireDeadline = loop.now + configuration.acquireTimeout
        noteExpiry(of: request)
        report(.retried(cause: "conflict \(state)"))
        retries.append((loop.now + .milliseconds(Int.random(in: 1...base * 4)), request))
    }

    private func requeue(_ request: PoolRequest) {
        switch phase {
        case .open:
            noteExpiry(of: request)
            enqueue(request, atFront: true)
        default: loop.finish(request, .failed(.shutDown))
        }
    }

    // MARK: Lost connections

    /// - Parameter fields: the server's last words in the place of the reply that was due.
    func connectionLost(
        _ connection: Connection, _ work: ConnectionStateMachine<PoolRequest>.AbandonedWork, _ cause: String,
        serverFields fields: ServerFields?
    ) {
        loop.unwatch(connection)
        connections[connection.slot] = nil
        stateMachine.closed(connection.slot)
        lastFailure = cause
        hasPendingWork = true
        report(.connectionLost(cause: cause))

        // An administrator ends connections one by one: the next may be about to go as well. Whatever else ended this
        // one may have been the call itself.
        let limit = fields?.sqlState == "57P01" ? connections.count + 1 : 1
        var again: [PoolRequest] = []
        func settle(_ batch: Batch<PoolRequest>) {
            for request in batch.requests { request.noteUnassigned() }
            for request in batch.requests where !request.isFinished {
                if request.lease == nil, request.isRead, request.held == nil, request.cancelReason == nil,
                    request.connectionLosses < limit
                {
                    request.connectionLosses += 1
                    request.prepareForRetry()
                    request.needsOwnSync = true
                    again.append(request)
                } else {
                    loop.finish(request, .failed(loss(of: request, in: batch, cause, serverFields: fields)))
                }
            }
        }
        for batch in work.batches { settle(batch) }
        if let exclusiveRequest = work.exclusive {
            let error =
                connection.copy?.exchange.loss(cause, serverFields: fields, cancelReason: exclusiveRequest.cancelReason)
                ?? PostgresError(.connectionLost, server: fields, cause: cause)
            loop.finish(exclusiveRequest, .failed(error))
        }
        for request in work.backlog {
            request.noteUnassigned()
            if request.lease == nil {
                again.append(request)
            } else {
                loop.finish(request, .failed(PostgresError(.connectionLost, cause: cause, isRetrySafe: true)))
            }
        }
        for request in again.reversed() { requeue(request) }
        if let release = connection.lease?.release.take() { loop.finish(release, .done) }
        connection.lease = nil
    }

    private func loss(
        of request: PoolRequest, in batch: Batch<PoolRequest>, _ cause: String, serverFields fields: ServerFields?
    ) -> PostgresError {
        if let kind = request.cancelReason, case .leasedRead = request.kind {
            return PostgresError(kind, cause: cause, isRetrySafe: false)
        }
        // Committing starts when all is done: not before the last statement's answer, and not without a Sync.
        // A pooler reports its own loss of the server as an error of class 08, which says nothing about the transaction.
        let isServersWord = fields.map { !$0.sqlState.hasPrefix("08") } ?? false
        let isUndone =
            !batch.isSynced || (isServersWord && request.results.count < request.stepCount && request.held == nil)
        if isUndone { return PostgresError(.connectionLost, server: fields, cause: cause, isRetrySafe: true) }
        if case .read = request.kind, request.held == nil {
            return PostgresError(.connectionLost, server: fields, cause: cause, isRetrySafe: true)
        }
        if case .leasedRead = request.kind { return PostgresError(.connectionLost, server: fields, cause: cause) }
        return PostgresError(.outcomeUnknown, server: fields, cause: cause)
    }
}
