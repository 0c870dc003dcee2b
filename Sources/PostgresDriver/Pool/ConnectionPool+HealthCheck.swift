/// Telling a long statement from a server that is frozen or cut off, and from a connection that is dead by itself.
///
/// Where nothing has come for a while, the server is asked for a sign of life beside the connection. If it gives none its
/// silent connections are given up. If it does, it is asked what the silent sessions do: see `DeadPeerDetector`.
extension ConnectionPool {
    private static let silence: Duration = .milliseconds(1_500)
    private static let between: Duration = .milliseconds(1_500)
    private static let betweenSuspicions: Duration = .seconds(1)
    /// In seconds: libpq counts no finer.
    private nonisolated static let answerWithin = 3

    /// Asks for a sign of life if a connection has been silent for too long.
    /// - Returns: when to look again.
    func checkHealth(of connection: Connection, _ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard !connection.isLost, !isProbing else { return nil }
        var due = connection.lastActivity + Self.silence
        // The alarm of the last call serves the next one, which would have to wake the driver's thread to set its own.
        guard connection.awaitsServer else { return due > now ? due : nil }
        if let lastProbe {
            due = max(due, lastProbe + (connection.isSuspect ? Self.betweenSuspicions : Self.between))
        }
        guard now >= due else { return due }
        startProbe(now)
        return nil
    }

    private func startProbe(_ now: ContinuousClock.Instant) {
        lastProbe = now
        isProbing = true
        let silent = connections.compactMap { $0 }.filter { connection in
            connection.awaitsServer && now - connection.lastActivity >= Self.silence
                && connection.isObservationDue(now)
        }
        let sessions = silent.compactMap(\.libpq.session)
        let looked = silent.map(\.id)
        let configuration = configuration
        let mailbox = mailbox
        let hasStarted = BlockingThread.run(name: "pg-ping") {
            var sign = ConnectOptions.ping(configuration, within: Self.answerWithin)
            // A refusal at once, or a name that is not found, says nothing of the connections there are.
            if sign == .silent, ContinuousClock.now - now < .seconds(Self.answerWithin) / 2 {
                sign = .rejecting
            }
            let states =
                sign == .accepting && !sessions.isEmpty
                ? ServerSession.states(of: sessions, within: .milliseconds(1_500), configuration) : [:]
            mailbox.post(.perform { self.probeFinished(at: now, sign, about: looked, states) })
        }
        if !hasStarted { probeFinished(at: now, .rejecting, about: [], [:]) }
    }

    /// - Parameter looked: the connections that were to be looked at.
    private func probeFinished(
        at start: ContinuousClock.Instant, _ sign: PingReply, about looked: [UInt64],
        _ states: [ServerSession: ServerSession.State]
    ) {
        isProbing = false
        hasPendingWork = true
        let now = ContinuousClock.now
        var deadSince: ContinuousClock.Instant?
        for connection in connections {
            guard let connection, connection.awaitsServer else { continue }
            if sign == .silent {
                // What was sent after the question has gone unanswered for as long by now, or will be asked about.
                if connection.lastActivity < start || now - connection.lastActivity > Self.silence {
                    connection.lose("the server does not answer")
                }
            } else if looked.contains(connection.id), connection.lastActivity < start,
                !SocketInput.isReadable(connection.libpq.socket)
            {
                let state = connection.libpq.session.flatMap { states[$0] } ?? .unknown
                if connection.observe(state, now) {
                    deadSince = max(deadSince ?? connection.lastActivity, connection.lastActivity)
                    connection.lose("nothing gets through on the connection, though the server lives")
                }
            }
        }
        // A read that has just lost its connection is not to try its luck on another that leads to the same silence.
        if sign == .silent { deadSince = start }
        if let deadSince { closeIdle(since: deadSince) }
    }

    /// What has been idle since then may have gone the same way, and costs little to replace.
    private func closeIdle(since instant: ContinuousClock.Instant) {
        for connection in connections {
            guard let connection, connection.lease == nil, connection.isIdle else {
                continue
            }
            if connection.lastActivity < instant { close(connection) }
        }
    }
}
