/// Telling a long statement from a server that is frozen or cut off: where nothing has come for a while, the server is
/// asked for a sign of life beside the connection, and if it gives none its silent connections are given up.
extension ConnectionPool {
    private static let silence: Duration = .milliseconds(1_500)
    private static let between: Duration = .milliseconds(1_500)
    /// In seconds: libpq counts no finer.
    private nonisolated static let answerWithin = 3

    /// Asks for a sign of life if a connection has been silent for too long.
    /// - Returns: when to look again.
    func watchSilence(of link: Link, _ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard link.awaitsServer, !isAskingForLife else { return nil }
        var due = link.lastProgress + Self.silence
        if let lastQuestion { due = max(due, lastQuestion + Self.between) }
        guard now >= due else { return due }
        lastQuestion = now
        isAskingForLife = true
        let configuration = configuration
        let mailbox = mailbox
        let hasStarted = BlockingThread.run(name: "pg-ping") {
            let isAlive = ConnectOptions.ping(configuration, within: Self.answerWithin) != .silent
            mailbox.post(.perform { self.asked(at: now, isAlive: isAlive) })
        }
        if !hasStarted { asked(at: now, isAlive: true) }
        return nil
    }

    private func asked(at start: ContinuousClock.Instant, isAlive: Bool) {
        isAskingForLife = false
        isDirty = true
        guard !isAlive else { return }
        let now = ContinuousClock.now
        for link in links {
            guard let link, link.awaitsServer else { continue }
            // What was sent after the question has gone unanswered for as long by now, or will be asked about.
            if link.lastProgress < start || now - link.lastProgress > Self.silence {
                link.lose("the server does not answer")
            }
        }
    }
}
