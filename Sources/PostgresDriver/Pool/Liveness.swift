import CLibPQ

/// Telling a long statement from a server that is frozen or cut off: where nothing has come for a while, the server is
/// asked for a sign of life beside the connection, and if it gives none its silent connections are given up.
extension ConnectionPool {
    private static let silence: Duration = .milliseconds(1_500)
    private static let between: Duration = .seconds(5)
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
            let isAlive = ConnectOptions.serverAnswers(configuration, within: Self.answerWithin)
            mailbox.post(.perform { self.asked(at: now, isAlive: isAlive) })
        }
        if !hasStarted { asked(at: now, isAlive: true) }
        return nil
    }

    private func asked(at start: ContinuousClock.Instant, isAlive: Bool) {
        isAskingForLife = false
        isDirty = true
        guard !isAlive else { return }
        for link in links {
            if let link, link.awaitsServer, link.lastProgress < start { link.lose("the server does not answer") }
        }
    }
}

extension ConnectOptions {
    /// Whether the server says anything at all to an attempt to connect; a refusal is an answer too. Blocks.
    fileprivate static func serverAnswers(_ configuration: PostgresClient.Configuration, within seconds: Int) -> Bool {
        // One that cannot be read never led to the connection that is asked about.
        guard case .success(var options) = Result(catching: { try ConnectOptions(configuration) }) else { return true }
        options.keywords.append(("connect_timeout", String(seconds)))
        return options.withPointers { PQpingParams($0, $1, 0) } != PQPING_NO_RESPONSE
    }
}
