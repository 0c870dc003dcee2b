/// Second runs of reads that are stuck behind a statement which turns out to be slow.
///
/// Reads share connections by their expected run times, and an expectation can be wrong: the same statement may take a
/// hundred times longer with other parameters. What was sent behind such a run cannot be taken back. It runs a second time,
/// on another connection, and the first result counts. A read may run more than once: see `PostgresClient.query`.
extension ConnectionPool {
    /// Runs the reads behind the connection's slow statement elsewhere, if another connection is free for them. On an
    /// overloaded server, where every connection is stuck, second runs would only add to the load.
    func hedgeFollowers(of connection: Connection, _ now: ContinuousClock.Instant) {
        guard connection.lease == nil,
            stateMachine.isStalled(connection.slot, for: PoolStateMachine.maxFollowerDelay, now: now),
            let head = connection.head
        else { return }
        // The share of the slow statement may have sent more of its kind, so the reads of others come first.
        let followers = connection.sentRequests.filter { $0 !== head }
        for follower in followers { countAsQuick(follower, on: connection) }
        for isOthers in [true, false] {
            for follower in followers where (follower.share != head.share) == isOthers {
                guard let request = follower.requestToHedge else { continue }
                let decision = stateMachine.assign(.quick, of: request.share, now: now)
                guard decision.use != nil || decision.open != nil else { continue }
                hedge(request, now)
            }
        }
    }

    /// A read that waits behind another statement does not occupy the connection, even if it may be slow itself.
    private func countAsQuick(_ follower: PoolRequest, on connection: Connection) {
        let load = follower.load
        guard load.demand == .unknown || load.demand == .slow else { return }
        stateMachine.unassigned(connection.slot, demand: load.demand, of: follower.share, cost: load.cost)
        follower.load.demand = .quick
        stateMachine.assigned(connection.slot, demand: .quick, of: follower.share, cost: load.cost)
    }

    private func hedge(_ request: PoolRequest, _ now: ContinuousClock.Instant) {
        // A second run that is stuck as well is replaced by another one.
        if case .sent(let stuck) = request.hedge.role { abandon(stuck) }
        let second = PoolRequest(
            self, request.operation, for: request.share, expecting: .quick, deadline: request.deadline)
        second.hedge.role = .second(of: request)
        request.hedge.role = .sent(second)
        request.hedge.count += 1
        statistics.placements.secondRuns += 1
        second.wait.acquireDeadline = now + configuration.acquireTimeout
        enqueue(second)
    }

    /// When a connection with reads behind its head may become stuck for too long.
    ///
    /// The timer of the last request also serves the next one, which would have to wake the reactor's thread to set its
    /// own.
    func nextHedge(after now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        var next: ContinuousClock.Instant?
        for connection in connections {
            guard let connection, connection.lease == nil else { continue }
            let since = stateMachine.slots[connection.slot].silentSince ?? connection.lastActivity
            for limit in [PoolStateMachine.maxFollowerDelay, PoolStateMachine.maxQuickRunTime] {
                let due = since + limit + .milliseconds(1)
                guard due > now else { continue }
                next = next.map { min($0, due) } ?? due
                break
            }
        }
        return next
    }

    /// A request has ended: its second run is not needed any more, or is the answer.
    func endHedge(of request: PoolRequest, _ outcome: PoolRequest.Outcome) {
        switch request.hedge.role {
        case .none: return
        case .sent(let second):
            request.hedge.role = .none
            abandon(second)
        case .second(let original):
            request.hedge.role = .none
            // A second run that failed leaves the first one to end by itself.
            original.hedge.role = .none
            guard case .rows = outcome else { return }
            if !original.isFinished { stopOnServer(original) }
            loop.finish(original, outcome)
        }
    }

    private func abandon(_ second: PoolRequest) {
        guard !second.isFinished else { return }
        second.hedge.role = .none
        stopOnServer(second)
        loop.finish(second, .done)
    }

    /// Ends a run when its result is not needed any more. It may be slow itself, so it is cancelled like any other request
    /// if it does not end within a few milliseconds.
    private func stopOnServer(_ request: PoolRequest) {
        switch request.state {
        case .assigned(let connection):
            connection.removeFromBacklog(request)
            unassign(request, from: connection)
        case .sent(let connection):
            guard request.cancellation.reason == nil else { return }
            request.cancellation.reason = .cancelled
            request.cancellation.at = loop.now
            connection.requestCancelled()
            stateMachine.cancelling(connection.slot, true)
            reclaim(connection)
            hasPendingWork = true
        case .created, .queued, .finished: break
        }
    }
}

extension PoolRequest {
    private static let maxHedges = 4

    /// The request that gets another run because this run is stuck: this one, or that of which it is the second run.
    fileprivate var requestToHedge: PoolRequest? {
        guard !isFinished, isRepeatable else { return nil }
        let request: PoolRequest
        switch hedge.role {
        case .none: request = self
        case .second(let original): request = original
        case .sent: return nil
        }
        guard !request.isFinished, request.cancellation.reason == nil, request.result.rows == nil,
            request.hedge.count < Self.maxHedges
        else { return nil }
        return request
    }
}
