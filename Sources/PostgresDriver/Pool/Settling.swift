/// What becomes of calls whose flight is over or whose connection is gone.
extension ConnectionPool {
    /// A read hit by other calls' cancel requests this often is given up.
    private static let strayCancelsAtMost = 10
    /// A call may meet a stale plan on every connection, of each of its statements, and definitions may go on changing.
    private static let replansAtMost = 50

    func progressed(_ link: Link, _ now: ContinuousClock.Instant) {
        decisions.progressed(link.slot, isWaiting: link.isBusy, now: now)
    }

    /// A flight's Sync was answered.
    func ended(_ flight: Flight, on link: Link) {
        if flight.purpose == .cleanup { return leaseEnded(on: link, isClean: !flight.hasFailed) }
        for call in flight.calls {
            leave(call, link)
            guard !call.isFinished else { continue }
            if let failure = call.failure ?? flight.syncFailure {
                settle(call, failure, on: link)
            } else if flight.hasFailed {
                // A neighbour's failure undid it or kept it from running.
                runAgain(call, on: link)
            } else {
                succeed(call)
            }
        }
    }

    func ended(script call: Call, _ failure: PostgresError?, on link: Link) {
        leave(call, link)
        isDirty = true
        if let failure {
            settle(call, failure, on: link)
        } else {
            loop.finish(call, .done)
        }
    }

    private func leave(_ call: Call, _ link: Link) {
        unplace(call, from: link)
        if call.stopped != nil { link.stoppedCalls -= 1 }
    }

    private func succeed(_ call: Call) {
        if call.isRead, let rows = call.held {
            loop.finish(call, .rows(rows))
        } else {
            loop.finish(call, .many(call.results))
        }
    }

    /// The server refused it, and so undid all of it.
    private func settle(_ call: Call, _ failure: PostgresError, on link: Link) {
        let state = failure.sqlState ?? ""
        if state == "57014" {
            if let kind = call.stopped {
                return loop.finish(call, .failed(PostgresError(kind, server: failure.server, isRetrySafe: true)))
            }
            if link.cancelsSent > call.cancelsBefore, call.strayCancels < Self.strayCancelsAtMost,
                mayRunAgain(call, link)
            {
                call.strayCancels += 1
                return runAgain(call, on: link)
            }
        }
        if state == "25006" { leaveReadOnlyServer() }
        guard call.stopped == nil, mayRunAgain(call, link) else { return loop.finish(call, .failed(failure)) }
        if failure.isStalePlan, call.replans < Self.replansAtMost {
            call.replans += 1
            report(.retried(cause: "stale plan"))
            return runAgain(call, on: link)
        }
        if call.lease == nil, state == "40001" || state == "40P01", call.conflicts < configuration.conflictRetries {
            return runAgainLater(call, state)
        }
        loop.finish(call, .failed(failure))
    }

    /// On a leased connection only what stands alone: neither inside a transaction nor with more behind it.
    private func mayRunAgain(_ call: Call, _ link: Link) -> Bool {
        guard call.lease != nil else { return true }
        switch call.kind {
        case .script, .copy: return false
        default: return link.isOutsideTransaction
        }
    }

    private func runAgain(_ call: Call, on link: Link) {
        call.prepareToRunAgain()
        call.isAlone = true
        if call.lease != nil {
            call.place = .placed
            call.link = link
            link.backlog.prepend(call)
        } else {
            requeue(call)
        }
    }

    private func runAgainLater(_ call: Call, _ state: String) {
        guard case .open = life else { return loop.finish(call, .failed(.shutDown)) }
        let base = 2 << call.conflicts
        call.conflicts += 1
        call.prepareToRunAgain()
        call.patience = loop.now + configuration.acquireTimeout
        noteExpiry(of: call)
        report(.retried(cause: "conflict \(state)"))
        delayed.append((loop.now + .milliseconds(Int.random(in: 1...base * 4)), call))
    }

    private func requeue(_ call: Call) {
        switch life {
        case .open:
            noteExpiry(of: call)
            enqueue(call, atFront: true)
        default: loop.finish(call, .failed(.shutDown))
        }
    }

    // MARK: Lost connections

    /// - Parameter fields: the server's last words in the place of the reply that was due.
    func lost(_ link: Link, _ cause: String, saying fields: ServerFields?) {
        loop.unwatch(link)
        links[link.slot] = nil
        decisions.closed(link.slot)
        lastFailure = cause
        isDirty = true
        report(.connectionLost(cause: cause))

        // An administrator ends connections one by one: the next may be about to go as well. Whatever else ended this
        // one may have been the call itself.
        let limit = fields?.sqlState == "57P01" ? links.count + 1 : 1
        var again: [Call] = []
        func settle(_ flight: Flight) {
            for call in flight.calls { call.leave() }
            for call in flight.calls where !call.isFinished {
                if call.lease == nil, call.isRead, call.held == nil, call.stopped == nil, call.losses < limit {
                    call.losses += 1
                    call.prepareToRunAgain()
                    call.isAlone = true
                    again.append(call)
                } else {
                    loop.finish(call, .failed(loss(of: call, in: flight, cause, saying: fields)))
                }
            }
        }
        if let current = link.current { settle(current) }
        link.flightsAhead { settle($0) }
        if let script = link.script {
            let error =
                link.copy?.exchange.loss(cause, saying: fields, stopped: script.stopped)
                ?? PostgresError(.connectionLost, server: fields, cause: cause)
            loop.finish(script, .failed(error))
        }
        for call in link.backlog.drain() {
            call.leave()
            if call.lease == nil {
                again.append(call)
            } else {
                loop.finish(call, .failed(PostgresError(.connectionLost, cause: cause, isRetrySafe: true)))
            }
        }
        for call in again.reversed() { requeue(call) }
        if let release = link.release { loop.finish(release, .done) }
        link.forgetCalls()
    }

    private func loss(
        of call: Call, in flight: Flight, _ cause: String, saying fields: ServerFields?
    ) -> PostgresError {
        if let kind = call.stopped, case .leasedRead = call.kind {
            return PostgresError(kind, cause: cause, isRetrySafe: false)
        }
        // Committing starts when all is done: not before the last statement's answer, and not without a Sync.
        // A pooler reports its own loss of the server as an error of class 08, which says nothing about the transaction.
        let isServersWord = fields.map { !$0.sqlState.hasPrefix("08") } ?? false
        let isUndone = !flight.isSynced || (isServersWord && call.results.count < call.stepCount && call.held == nil)
        if isUndone { return PostgresError(.connectionLost, server: fields, cause: cause, isRetrySafe: true) }
        if case .read = call.kind, call.held == nil {
            return PostgresError(.connectionLost, server: fields, cause: cause, isRetrySafe: true)
        }
        if case .leasedRead = call.kind { return PostgresError(.connectionLost, server: fields, cause: cause) }
        return PostgresError(.outcomeUnknown, server: fields, cause: cause)
    }
}
