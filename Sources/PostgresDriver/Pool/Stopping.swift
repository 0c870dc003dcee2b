/// Calls that end before their answer: cancelled by their caller, or out of time.
extension ConnectionPool {
    /// The caller does not want the call any more.
    func stop(_ call: Call, _ kind: PostgresError.Kind, cause: String? = nil, _ now: ContinuousClock.Instant) {
        guard !call.isFinished, call.stopped == nil else { return }
        call.stopped = kind
        call.stoppedAt = now
        guard call.isSubmitted else { return }
        isDirty = true
        let error = PostgresError(kind, cause: cause)
        switch call.place {
        case .finished: break
        case .waiting: loop.finish(call, .failed(error))
        case .placed:
            if let link = call.link {
                link.backlog.removeAll { $0 === call }
                unplace(call, from: link)
            }
            loop.finish(call, .failed(error))
        case .sent:
            guard let link = call.link else { return }
            link.stoppedCalls += 1
            decisions.cancelling(link.slot, true)
            if link.script === call { link.copyStopped() }
            if call.lease == nil, call.isRead {
                // Nobody needs to know how a read ended. A transaction may have been committed: its caller waits.
                reclaim(link)
                loop.finish(call, .failed(error))
            } else if call.lease == nil {
                reclaim(link)
            }
        }
    }

    /// Ends the calls whose time is over. Looks at all of them, which happens once per deadline that passes, not per
    /// call: the earliest deadline is kept, and calls that end before theirs cost nothing.
    func expire(_ now: ContinuousClock.Instant) {
        nextExpiry = nil
        for demand in Pool.Demand.allCases {
            waiting[demand.rawValue].removeAll { $0.isFinished }
            for call in waiting[demand.rawValue].elements { expire(call, now) }
        }
        for (_, call) in delayed { expire(call, now) }
        for link in links {
            guard let link else { continue }
            for call in link.backlog.elements { expire(call, now) }
            link.forEachSent { expire($0, now) }
        }
    }

    private func expire(_ call: Call, _ now: ContinuousClock.Instant) {
        guard !call.isFinished, call.stopped == nil else { return }
        if let deadline = call.deadline, deadline <= now { return stop(call, .timeout, now) }
        if call.isWaitingItsTurn, let patience = call.patience, patience <= now {
            return stop(call, .unavailable, cause: lastFailure ?? "all connections are busy", now)
        }
        noteExpiry(of: call)
    }
}

extension Call {
    /// Whether the server has not begun with it, so that it still waits for its connection, as a read does that was
    /// sent behind a statement that turns out to take long.
    var isWaitingItsTurn: Bool {
        guard place == .sent else { return true }
        guard case .read = kind, held == nil, let link else { return false }
        return link.head !== self
    }

    /// When it must be looked at, whatever happens.
    var expiry: ContinuousClock.Instant? {
        guard let patience, isWaitingItsTurn else { return deadline }
        return deadline.map { min($0, patience) } ?? patience
    }
}
