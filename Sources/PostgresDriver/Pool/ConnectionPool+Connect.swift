import CLibPQ

/// How connections of a pool begin and end.
extension ConnectionPool {
    func open(_ slot: Int, _ now: ContinuousClock.Instant) {
        stateMachine.connecting(slot)
        let configuration = configuration
        let mailbox = mailbox
        let hasStarted = BlockingThread.run(name: "pg-connect") {
            let result = Connector.connect(configuration)
            mailbox.post(.perform { self.opened(slot, result) })
        }
        if !hasStarted { openingFailed(slot, "the system gives no thread", now) }
    }

    private func opened(_ slot: Int, _ result: Result<LibPQConnection, ConnectError>) {
        let now = ContinuousClock.now
        hasPendingWork = true
        guard case .open = phase else { return }
        switch result {
        case .success(let libpq):
            let connection = Connection(libpq, slot: slot, pool: self, now: now)
            connections[slot] = connection
            loop.watch(connection)
            stateMachine.connected(slot, now: now)
            lastFailure = nil
            report(.connected(serverVersion: Int(PQserverVersion(libpq.raw))))
        case .failure(let failure):
            openingFailed(slot, failure.cause, now)
        }
    }

    private func openingFailed(_ slot: Int, _ cause: String, _ now: ContinuousClock.Instant) {
        let delay = stateMachine.connectFailed(slot, now: now, chance: Double.random(in: 0..<1))
        lastFailure = cause
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

    /// The server takes no writes any more: it has become a standby, or is about to go. New connections find their way
    /// to the new primary, where the address names several servers or has moved.
    func replaceReadOnlyConnections() {
        let now = loop.now
        // One that was made read-only on purpose says so at each write.
        if let lastFailover, now - lastFailover < .seconds(1) { return }
        lastFailover = now
        hasPendingWork = true
        for connection in connections { connection?.mustBeReplaced = true }
    }

    // MARK: Leases

    func release(_ lease: Lease, _ request: PoolRequest) {
        lease.hasEnded = true
        // Whoever consumed or produced has given the connection back: nobody will.
        if lease.connection.copy != nil, let copying = lease.connection.exclusiveRequest {
            cancel(copying, .closed, loop.now)
        }
        guard !lease.connection.isLost else { return loop.finish(request, .done) }
        lease.release = request
    }

    /// The connection is back in the pool, or closed if what the lease left could not be undone.
    func leaseEnded(on connection: Connection, isClean: Bool) {
        if let request = connection.lease?.release.take() { loop.finish(request, .done) }
        connection.lease = nil
        hasPendingWork = true
        if isClean, case .open = phase { stateMachine.returned(connection.slot) } else { close(connection) }
    }

    // MARK: Shutdown

    func shutDown(_ continuation: UnsafeContinuation<Void, Never>?) {
        if case .closed = phase {
            continuation?.resume()
            return
        }
        if let continuation { shutdownWaiters.append(continuation) }
        if case .closing = phase { return }
        if case .fresh = phase { loop.add(self) }
        stopListening()
        phase = .closing(until: ContinuousClock.now + configuration.shutdownGrace)
        hasPendingWork = true
        for connection in connections { if let connection, connection.lease == nil { reclaim(connection) } }
        for demand in PoolStateMachine.Demand.allCases {
            for request in queues[demand.rawValue].drain() { loop.finish(request, .failed(.shutDown)) }
        }
        for (_, request) in retries { loop.finish(request, .failed(.shutDown)) }
        retries = []
    }

    /// Closes what is idle, and everything when the time is over.
    func close(_ now: ContinuousClock.Instant, _ until: ContinuousClock.Instant) {
        for demand in PoolStateMachine.Demand.allCases {
            for request in queues[demand.rawValue].drain() { loop.finish(request, .failed(.shutDown)) }
        }
        for connection in connections {
            guard let connection else { continue }
            if now >= until {
                connection.lose("the client was shut down")
            } else if connection.lease == nil, connection.isIdle {
                close(connection)
            }
        }
        // A cancel request may be on its way when its connection is gone. It is not to come when all seems to be over.
        guard connections.allSatisfy({ $0 == nil }), cancelsInFlight == 0 || now >= until else { return }
        phase = .closed
        loop.remove(self)
        for continuation in shutdownWaiters { continuation.resume() }
        shutdownWaiters = []
    }
}

extension Connection {
    /// Asked when everything on a leased connection is answered and its caller has given it back.
    func endLease(_ now: ContinuousClock.Instant) {
        if PQtransactionStatus(raw) == PQTRANS_IDLE {
            sendCleanup(now)
        } else {
            pool.leaseEnded(on: self, isClean: false)
        }
    }
}
