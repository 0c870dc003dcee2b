import Synchronization

/// One round of a pool: whatever happened, everything goes on that can, and it is known when to look again.
extension ConnectionPool {
    /// Lets everything go on that can.
    func pump(_ now: ContinuousClock.Instant) {
        isDirty = false
        if let nextExpiry, nextExpiry <= now { expire(now) }
        if !delayed.isEmpty { wakeDelayed(now) }
        var next: ContinuousClock.Instant?
        for link in links {
            if let link, let time = attend(link, now) { next = next.map { min($0, time) } ?? time }
        }
        placeWaiting(now)
        for link in links { link?.transmit(now) }
        // What has just been sent counts.
        for link in links {
            if let link, let time = watchSilence(of: link, now) { next = next.map { min($0, time) } ?? time }
        }
        if let nextExpiry { next = next.map { min($0, nextExpiry) } ?? nextExpiry }
        if let decision = nextDecision(now) { next = next.map { min($0, decision) } ?? decision }
        for (time, _) in delayed { next = next.map { min($0, time) } ?? time }
        if case .closing(let until) = life {
            close(now, until)
            next = next.map { min($0, until) } ?? until
        }
        let isFull = hasFullConnection(now)
        self.isFull.store(isFull, ordering: .sequentiallyConsistent)
        // What is submitted meanwhile is not to wait for a reply that does not come.
        if isFull, let stale = decisions.nextStale(after: now) { next = next.map { min($0, stale) } ?? stale }
        due = next
    }

    private func hasFullConnection(_ now: ContinuousClock.Instant) -> Bool {
        links.contains { link in
            guard let link, link.lease == nil, link.flightCount >= link.sharedFlights else { return false }
            return decisions.slots[link.slot].slowCalls == 0 && !decisions.isStale(link.slot, now: now)
        }
    }

    /// When a connection's silence, or the end of a pause, may change where the waiting go.
    private func nextDecision(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let isWaiting = waiting.contains { !$0.isEmpty }
        guard isWaiting || links.contains(where: { !($0?.backlog.isEmpty ?? true) }) else {
            return nil
        }
        var next = decisions.nextStale(after: now)
        if isWaiting, let until = decisions.closedUntil, until > now { next = next.map { min($0, until) } ?? until }
        if let slow = waiting[Pool.Demand.slow.rawValue].first, !hasWaitedLong(slow, now) {
            let turn = (slow.waitingSince ?? now) + Self.givingWay
            next = next.map { min($0, turn) } ?? turn
        }
        return next
    }

    /// What a connection needs beside its replies.
    /// - Returns: when to look again.
    private func attend(_ link: Link, _ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        var next: ContinuousClock.Instant?
        if link.stoppedCalls > 0 {
            next = link.cancelIfDue(now)
        } else if decisions.slots[link.slot].isCancelling, !link.isCancelRunning, link.cancelsSent == 0 || !link.isBusy
        {
            decisions.cancelling(link.slot, false)
        }
        if let time = link.endCancelIfDue(now) { next = next.map { min($0, time) } ?? time }
        guard !link.isLost else { return nil }
        if let time = link.attendCopy(now) { next = next.map { min($0, time) } ?? time }
        if link.lease != nil {
            if link.release != nil, link.isIdle, !link.isCancelRunning { link.endLease(now) }
            return next
        }
        if !link.backlog.isEmpty, decisions.isStale(link.slot, now: now) { reclaim(link) }
        let end = link.isOutdated ? now : link.openedAt + configuration.maxConnectionAge
        if now >= end {
            decisions.retire(link.slot)
            reclaim(link)
            if link.isIdle, !link.isCancelRunning { close(link) }
            return next
        }
        return next.map { min($0, end) } ?? end
    }
}
