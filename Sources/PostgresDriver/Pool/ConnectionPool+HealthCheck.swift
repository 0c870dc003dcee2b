import Threads

/// Telling a long statement from a server that is frozen or unreachable, and from a connection that is dead by itself.
///
/// When a connection has been silent for a while, the server is probed over another one. If it does not answer, its silent
/// connections are given up. If it answers, it is asked what the silent sessions do: see `DeadPeerDetector`.
extension ConnectionPool {
    /// In seconds, the only unit that libpq counts in.
    private nonisolated static let probeTimeout = 3
    private nonisolated static let sessionQueryTimeout: Duration = .milliseconds(1_500)

    /// Starts a probe if a connection has been silent for too long.
    /// - Returns: when to look again.
    func checkHealth(of connection: Connection, _ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard !connection.isLost, !health.isProbing else { return nil }
        guard connection.awaitsServer else {
            // The timer of the last request also serves the next one, which would have to wake the reactor's thread to
            // set its own.
            let due = connection.lastActivity + ServerHealth.maxSilence
            return due > now ? due : nil
        }
        let due = health.probeDue(after: connection.lastActivity, isSuspect: connection.isSuspect)
        guard now >= due else { return due }
        startProbe(now)
        return nil
    }

    private func startProbe(_ now: ContinuousClock.Instant) {
        health.beginProbe(now)
        let silent = connections.compactMap { $0 }.filter { connection in
            connection.awaitsServer && now - connection.lastActivity >= ServerHealth.maxSilence
                && connection.isObservationDue(now)
        }
        let sessions = silent.compactMap(\.libpq.session)
        let observed = silent.map(\.id)
        let configuration = configuration
        let mailbox = mailbox
        let hasStarted = BlockingThread.run(name: "pg-ping") {
            var reply = ConnectOptions.ping(configuration, within: Self.probeTimeout)
            // A refusal that comes at once, or a name that is not found, is no verdict on the existing connections.
            if reply == .silent, ContinuousClock.now - now < .seconds(Self.probeTimeout) / 2 { reply = .rejecting }
            let states =
                reply == .accepting && !sessions.isEmpty
                ? ServerSession.states(of: sessions, within: Self.sessionQueryTimeout, configuration) : [:]
            mailbox.post(.perform { self.probeFinished(startedAt: now, reply, observed, states) })
        }
        if !hasStarted { probeFinished(startedAt: now, .rejecting, [], [:]) }
    }

    /// - Parameter observed: the connections that the server was asked about.
    private func probeFinished(
        startedAt start: ContinuousClock.Instant, _ reply: PingReply, _ observed: [UInt64],
        _ states: [ServerSession: ServerSession.State]
    ) {
        health.endProbe()
        hasPendingWork = true
        let now = ContinuousClock.now
        var deadSince: ContinuousClock.Instant?
        for connection in connections {
            guard let connection, connection.awaitsServer else { continue }
            if reply == .silent {
                // A connection that was sent something after the probe began is lost only if it has been silent for
                // `maxSilence` since; otherwise the next probe decides.
                if connection.lastActivity < start || now - connection.lastActivity > ServerHealth.maxSilence {
                    connection.lose("the server does not answer")
                }
            } else if observed.contains(connection.id), connection.lastActivity < start,
                !SocketReadiness(of: connection.libpq.socket).isReadable
            {
                let state = connection.libpq.session.flatMap { states[$0] } ?? .unknown
                if connection.observe(state, now) {
                    deadSince = max(deadSince ?? connection.lastActivity, connection.lastActivity)
                    connection.lose("no data pass through the connection, although the server is alive")
                }
            }
        }
        // A read that has just lost its connection should not be retried on another one that is as dead.
        if reply == .silent { deadSince = start }
        if let deadSince { closeIdleConnections(silentSince: deadSince) }
    }

    /// Closes connections that have been idle since then: they may be dead as well, and cost little to replace.
    private func closeIdleConnections(silentSince instant: ContinuousClock.Instant) {
        for connection in connections {
            guard let connection, connection.lease == nil, connection.isIdle else { continue }
            if connection.lastActivity < instant { close(connection) }
        }
    }
}

/// What a pool knows about its server beside the replies on its connections.
struct ServerHealth {
    typealias Instant = ContinuousClock.Instant

    /// A connection that waits for a reply this long is silent.
    static let maxSilence: Duration = .milliseconds(1_500)
    private static let probeInterval: Duration = .milliseconds(1_500)
    private static let suspectProbeInterval: Duration = .seconds(1)
    /// A server that was made read-only on purpose refuses each write; connections are replaced once in this time.
    private static let failoverInterval: Duration = .seconds(1)

    /// Why there was no connection the last time; the cause of `.unavailable`.
    var lastFailure: String?
    /// A thread is probing the server.
    private(set) var isProbing = false
    private var lastProbe: Instant?
    private var lastFailover: Instant?

    /// When a probe is due for a connection that waits for the server.
    func probeDue(after lastActivity: Instant, isSuspect: Bool) -> Instant {
        let due = lastActivity + Self.maxSilence
        guard let lastProbe else { return due }
        return max(due, lastProbe + (isSuspect ? Self.suspectProbeInterval : Self.probeInterval))
    }

    mutating func beginProbe(_ now: Instant) {
        lastProbe = now
        isProbing = true
    }

    mutating func endProbe() {
        isProbing = false
    }

    /// The server has refused a write because it is read-only.
    /// - Returns: whether to replace the connections.
    mutating func noteReadOnly(_ now: Instant) -> Bool {
        if let lastFailover, now - lastFailover < Self.failoverInterval { return false }
        lastFailover = now
        return true
    }
}
