import CLibPQ
import Threads

/// How the connections of a pool begin and end: opening, leases, failover, shutdown.
extension ConnectionPool {
    func open(_ slot: Int, _ now: ContinuousClock.Instant) {
        stateMachine.connecting(slot)
        let configuration = configuration
        let mailbox = mailbox
        let hasStarted = BlockingThread.run(name: "pg-connect") {
            let result = Connector.connect(configuration)
            mailbox.post(.perform { self.opened(slot, result) })
        }
        if !hasStarted { openingFailed(slot, "the system has no thread left", now) }
    }

    private func opened(_ slot: Int, _ result: Result<LibPQConnection, ConnectError>) {
        let now = ContinuousClock.now
        hasPendingWork = true
        guard isOpen else { return }
        switch result {
        case .success(let libpq):
            let connection = Connection(libpq, slot: slot, pool: self, now: now)
            connections[slot] = connection
            loop.watch(connection)
            stateMachine.connected(slot, now: now)
            health.lastFailure = nil
            report(.connected(serverVersion: Int(PQserverVersion(libpq.raw))))
        case .failure(let error):
            openingFailed(slot, error.cause, now)
        }
    }

    private func openingFailed(_ slot: Int, _ cause: String, _ now: ContinuousClock.Instant) {
        let delay = stateMachine.connectFailed(slot, now: now, chance: Double.random(in: 0..<1))
        health.lastFailure = cause
        report(.connectFailed(cause: cause, retryIn: delay))
    }

    /// Closes an idle connection.
    func close(_ connection: Connection) {
        loop.unwatch(connection)
        connections[connection.slot] = nil
        stateMachine.closed(connection.slot)
        hasPendingWork = true
        connection.close()
    }

    /// The server takes no writes any more: it has become a standby, or is about to stop. New connections find the new
    /// primary, where the connection string names several hosts or the address has moved.
    func replaceReadOnlyConnections() {
        guard health.noteReadOnly(loop.now) else { return }
        hasPendingWork = true
        for connection in connections { connection?.mustBeReplaced = true }
    }

    // MARK: Leases

    /// The caller has given the connection back.
    func release(_ lease: Lease, _ request: PoolRequest) {
        lease.hasEnded = true
        // The COPY's producer or consumer is gone.
        if lease.connection.copy != nil, let copying = lease.connection.exclusiveRequest {
            cancel(copying, .closed, loop.now)
        }
        guard !lease.connection.isLost else { return loop.finish(request, .done) }
        lease.release = request
    }

    /// Everything on a leased connection is answered: resets its session, or closes it when it is in a transaction.
    func resetAfterLease(_ connection: Connection, _ now: ContinuousClock.Instant) {
        if connection.isOutsideTransaction {
            connection.sendCleanup(now)
        } else {
            leaseEnded(on: connection, isClean: false)
        }
    }

    /// The connection returns to the pool, or is closed if its session could not be reset.
    func leaseEnded(on connection: Connection, isClean: Bool) {
        if let request = connection.lease?.release.take() { loop.finish(request, .done) }
        connection.lease = nil
        hasPendingWork = true
        if isClean, isOpen { stateMachine.returned(connection.slot) } else { close(connection) }
    }

    // MARK: Shutdown

    /// - Parameter continuation: resumed when every connection is closed.
    func shutDown(_ continuation: UnsafeContinuation<Void, Never>?) {
        let added = continuation.map { [$0] } ?? []
        switch lifecycle {
        case .closed:
            continuation?.resume()
            return
        case .closing(let until, let waiters):
            lifecycle = .closing(until: until, waiters + added)
            return
        case .unused: loop.add(self)
        case .open: break
        }
        stopListening()
        lifecycle = .closing(until: ContinuousClock.now + configuration.shutdownGrace, added)
        hasPendingWork = true
        for connection in connections { if let connection, connection.lease == nil { reclaim(connection) } }
        failQueuedRequests()
    }

    /// Closes what is idle, and everything when the time is over.
    func closeIdleConnections(_ now: ContinuousClock.Instant, _ until: ContinuousClock.Instant) {
        failQueuedRequests()
        for connection in connections {
            guard let connection else { continue }
            if now >= until {
                connection.lose("the client was shut down")
            } else if connection.lease == nil, connection.isIdle {
                close(connection)
            }
        }
        // A cancel request may be on its way after its connection is gone. The shutdown waits for it.
        guard case .closing(_, let waiters) = lifecycle, connections.allSatisfy({ $0 == nil }),
            cancelsInFlight == 0 || now >= until
        else { return }
        lifecycle = .closed
        loop.remove(self)
        for waiter in waiters { waiter.resume() }
    }

    private func failQueuedRequests() {
        for request in queue.removeAll() { loop.finish(request, .failed(.shutDown)) }
    }
}
