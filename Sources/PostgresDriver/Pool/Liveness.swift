/// Telling a long statement from a server that is frozen or cut off, and from a connection that is dead by itself.
///
/// Where nothing has come for a while, the server is asked for a sign of life beside the connection. If it gives none its
/// silent connections are given up. If it does, it is asked what the silent sessions do: see `Stillness`.
extension ConnectionPool {
    private static let silence: Duration = .milliseconds(1_500)
    private static let between: Duration = .milliseconds(1_500)
    private static let betweenSuspicions: Duration = .seconds(1)
    /// In seconds: libpq counts no finer.
    private nonisolated static let answerWithin = 3

    /// Asks for a sign of life if a connection has been silent for too long.
    /// - Returns: when to look again.
    func watchSilence(of link: Link, _ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard !link.isLost, !isAskingForLife else { return nil }
        var due = link.lastProgress + Self.silence
        // The alarm of the last call serves the next one, which would have to wake the driver's thread to set its own.
        guard link.awaitsServer else { return due > now ? due : nil }
        if let lastQuestion {
            due = max(due, lastQuestion + (link.stillness.isSuspect ? Self.betweenSuspicions : Self.between))
        }
        guard now >= due else { return due }
        ask(now)
        return nil
    }

    private func ask(_ now: ContinuousClock.Instant) {
        lastQuestion = now
        isAskingForLife = true
        let silent = links.compactMap { $0 }.filter { link in
            link.awaitsServer && now - link.lastProgress >= Self.silence
                && link.stillness.isDue(link.marks(link.outgoing(now)), now)
        }
        let sessions = silent.compactMap(\.handle.session)
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
            mailbox.post(.perform { self.asked(at: now, sign, about: looked, states) })
        }
        if !hasStarted { asked(at: now, .rejecting, about: [], [:]) }
    }

    /// - Parameter looked: the connections that were to be looked at.
    private func asked(
        at start: ContinuousClock.Instant, _ sign: PingReply, about looked: [UInt64],
        _ states: [ServerSession: ServerSession.State]
    ) {
        isAskingForLife = false
        isDirty = true
        let now = ContinuousClock.now
        var deadSince: ContinuousClock.Instant?
        for link in links {
            guard let link, link.awaitsServer else { continue }
            if sign == .silent {
                // What was sent after the question has gone unanswered for as long by now, or will be asked about.
                if link.lastProgress < start || now - link.lastProgress > Self.silence {
                    link.lose("the server does not answer")
                }
            } else if looked.contains(link.id), link.lastProgress < start, !SocketInput.isThere(on: link.socket) {
                let state = link.handle.session.flatMap { states[$0] } ?? .unknown
                let outgoing = link.outgoing(now)
                if link.stillness.look(state, link.marks(outgoing), unheardSince: outgoing.unheardSince, now) {
                    deadSince = max(deadSince ?? link.lastProgress, link.lastProgress)
                    link.lose("nothing gets through on the connection, though the server lives")
                }
            }
        }
        // A read that has just lost its connection is not to try its luck on another that leads to the same silence.
        if sign == .silent { deadSince = start }
        if let deadSince { closeUnheard(since: deadSince) }
    }

    /// What has been idle since then may have gone the same way, and costs little to replace.
    private func closeUnheard(since instant: ContinuousClock.Instant) {
        for link in links {
            guard let link, link.lease == nil, link.isIdle, !link.isCancelRunning else { continue }
            if link.lastProgress < instant { close(link) }
        }
    }
}

extension Link {
    fileprivate func outgoing(_ now: ContinuousClock.Instant) -> Outgoing { Outgoing(of: socket, now) }

    fileprivate func marks(_ outgoing: Outgoing) -> Stillness.Marks {
        Stillness.Marks(progress: lastProgress, drains: drains, held: outgoing.bytes)
    }
}
