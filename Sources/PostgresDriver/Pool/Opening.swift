import CLibPQ

/// How connections of a pool begin and end.
extension ConnectionPool {
    func open(_ slot: Int, _ now: ContinuousClock.Instant) {
        decisions.connecting(slot)
        let configuration = configuration
        let mailbox = mailbox
        let hasStarted = BlockingThread.run(name: "pg-connect") {
            let result = Connecting.connect(configuration)
            mailbox.post(.perform { self.opened(slot, result) })
        }
        if !hasStarted { openingFailed(slot, "the system gives no thread", now) }
    }

    private func opened(_ slot: Int, _ result: Result<ConnectionHandle, Connecting.Failure>) {
        let now = ContinuousClock.now
        isDirty = true
        guard case .open = life else { return }
        switch result {
        case .success(let handle):
            let link = Link(handle, slot: slot, pool: self, loop: loop, now: now)
            links[slot] = link
            loop.watch(link)
            decisions.connected(slot, now: now)
            lastFailure = nil
            report(.connected(serverVersion: Int(PQserverVersion(handle.raw))))
        case .failure(let failure):
            openingFailed(slot, failure.cause, now)
        }
    }

    private func openingFailed(_ slot: Int, _ cause: String, _ now: ContinuousClock.Instant) {
        let delay = decisions.connectFailed(slot, now: now, chance: Double.random(in: 0..<1))
        lastFailure = cause
        report(.connectFailed(cause: cause, retryIn: delay))
    }

    /// Closes an idle connection.
    func close(_ link: Link) {
        loop.unwatch(link)
        links[link.slot] = nil
        decisions.closed(link.slot)
        isDirty = true
        link.endWithoutLoss()
    }

    /// The server takes no writes any more: it has become a standby, or is about to go. New connections find their way
    /// to the new primary, where the address names several servers or has moved.
    func leaveReadOnlyServer() {
        let now = loop.now
        // One that was made read-only on purpose says so at each write.
        if let lastMove, now - lastMove < .seconds(1) { return }
        lastMove = now
        isDirty = true
        for link in links { link?.isOutdated = true }
    }

    // MARK: Leases

    func release(_ lease: Lease, _ call: Call) {
        lease.hasEnded = true
        // Whoever consumed or produced has given the connection back: nobody will.
        if lease.link.copy != nil, let copying = lease.link.script { stop(copying, .closed, loop.now) }
        guard !lease.link.isLost else { return loop.finish(call, .done) }
        lease.link.release = call
    }

    /// The connection is back in the pool, or closed if what the lease left could not be undone.
    func leaseEnded(on link: Link, isClean: Bool) {
        if let call = link.release { loop.finish(call, .done) }
        link.release = nil
        link.lease = nil
        isDirty = true
        if isClean, case .open = life { decisions.returned(link.slot) } else { close(link) }
    }

    // MARK: Shutdown

    func shutDown(_ continuation: UnsafeContinuation<Void, Never>?) {
        if case .closed = life {
            continuation?.resume()
            return
        }
        if let continuation { closers.append(continuation) }
        if case .closing = life { return }
        if case .fresh = life { loop.add(self) }
        stopListening()
        life = .closing(until: ContinuousClock.now + configuration.shutdownGrace)
        isDirty = true
        for link in links { if let link, link.lease == nil { reclaim(link) } }
        for demand in Pool.Demand.allCases {
            for call in waiting[demand.rawValue].drain() { loop.finish(call, .failed(.shutDown)) }
        }
        for (_, call) in delayed { loop.finish(call, .failed(.shutDown)) }
        delayed = []
    }

    /// Closes what is idle, and everything when the time is over.
    func close(_ now: ContinuousClock.Instant, _ until: ContinuousClock.Instant) {
        for demand in Pool.Demand.allCases {
            for call in waiting[demand.rawValue].drain() { loop.finish(call, .failed(.shutDown)) }
        }
        for link in links {
            guard let link else { continue }
            if now >= until {
                link.lose("the client was shut down")
            } else if link.lease == nil, link.isIdle, !link.isCancelRunning {
                close(link)
            }
        }
        // A cancel request may be on its way when its connection is gone. It is not to come when all seems to be over.
        guard links.allSatisfy({ $0 == nil }), cancelsUnderWay == 0 || now >= until else { return }
        life = .closed
        loop.remove(self)
        for continuation in closers { continuation.resume() }
        closers = []
    }
}

extension Link {
    /// Asked when everything on a leased connection is answered and its caller has given it back.
    func endLease(_ now: ContinuousClock.Instant) {
        if PQtransactionStatus(raw) == PQTRANS_IDLE {
            sendCleanup(now)
        } else {
            pool.leaseEnded(on: self, isClean: false)
        }
    }
}
