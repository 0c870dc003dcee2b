/// What must not have changed between two observations of a connection.
struct ActivityMarks: Equatable {
    /// When the last bytes arrived, or the first were sent.
    var lastActivity: ContinuousClock.Instant
    /// How often the socket has become writable again after it was full.
    var drainCount = 0
    /// Sent bytes that the kernel still holds.
    var unacknowledgedBytes = 0
}

/// Whether a connection on which nothing moves is dead, though its server lives: a pure machine.
///
/// One look proves nothing, because something may be on its way. Two do, between which nothing has moved: the session
/// waits for its client, which waits for it; or the other end's host owes an acknowledgement and is not heard of.
struct DeadPeerDetector {
    typealias Instant = ContinuousClock.Instant

    /// How far apart two looks must be. Whatever is delayed for longer than this is taken for lost.
    static let proof: Duration = .seconds(2)
    /// A session that works is looked at again when it has been silent for half as long again, within these bounds.
    private static let again: ClosedRange<Duration> = .milliseconds(1_500)...(.seconds(30))

    private var marks: ActivityMarks?
    private var awaitingSince: Instant?
    private var owingSince: Instant?
    private var nextLook: Instant?

    /// Whether another look may prove it dead: soon is better than late.
    var isSuspect: Bool { awaitingSince != nil || owingSince != nil }

    /// Whether a look may tell something new.
    func isDue(_ marks: ActivityMarks, _ now: Instant) -> Bool {
        guard marks.lastActivity == self.marks?.lastActivity, let nextLook else { return true }
        return now >= nextLook
    }

    /// Takes note of a look.
    /// - Parameter unheardSince: see `SocketSendStatus`.
    /// - Returns: whether it is dead.
    mutating func observe(
        _ session: ServerSession.State, _ marks: ActivityMarks, unacknowledgedSince: Instant?, _ now: Instant
    ) -> Bool {
        if self.marks != marks { awaitingSince = nil }
        self.marks = marks
        switch session {
        case .awaitingClient: awaitingSince = awaitingSince ?? now
        case .working: awaitingSince = nil
        // A server that could not be asked has not taken anything back.
        case .unknown: break
        }
        if let owing = owingSince, let unacknowledgedSince, unacknowledgedSince <= owing {
        } else {
            owingSince = unacknowledgedSince == nil ? nil : now
        }
        let pause = (now - marks.lastActivity) / 2
        nextLook = isSuspect ? now : now + min(max(pause, Self.again.lowerBound), Self.again.upperBound)
        // What was seen once may be over by the time when the server cannot be asked.
        let lastWord = session == .awaitingClient ? awaitingSince : nil
        return [lastWord, owingSince].contains { $0.map { now - $0 >= Self.proof } ?? false }
    }
}
