/// What must not have changed between two observations of a connection.
struct ActivityMarks: Equatable {
    /// When the last bytes arrived, or the first were sent.
    var lastActivity: ContinuousClock.Instant
    /// How often the socket has become writable again after it was full.
    var drainCount = 0
    /// Sent bytes that the kernel still holds.
    var unacknowledgedBytes = 0
}

/// Detects silent connections that are dead although their server is alive, as a pure state machine.
///
/// One observation is no proof, because data may be on their way. Two observations without any movement in between prove a
/// connection dead in two cases: the session waits for its client while the client waits for the session, or the peer's host
/// owes an acknowledgement and sends no packet.
struct DeadPeerDetector {
    typealias Instant = ContinuousClock.Instant

    /// How far apart the two observations must be. Data that are delayed for longer than this count as lost.
    static let proof: Duration = .seconds(2)
    /// While its session works, a connection is observed again after half of its silence so far, within these bounds.
    private static let observationInterval: ClosedRange<Duration> = .milliseconds(1_500)...(.seconds(30))

    private var marks: ActivityMarks?
    private var awaitingSince: Instant?
    private var owingSince: Instant?
    private var nextObservation: Instant?

    /// Whether the next observation may prove it dead, and so should come soon.
    var isSuspect: Bool { awaitingSince != nil || owingSince != nil }

    /// Whether an observation may show something new.
    func isDue(_ marks: ActivityMarks, _ now: Instant) -> Bool {
        guard marks.lastActivity == self.marks?.lastActivity, let nextObservation else { return true }
        return now >= nextObservation
    }

    /// Takes note of an observation.
    /// - Parameter unacknowledgedSince: see `SocketSendStatus`.
    /// - Returns: whether the peer is dead.
    mutating func observe(
        _ session: ServerSession.State, _ marks: ActivityMarks, unacknowledgedSince: Instant?, _ now: Instant
    ) -> Bool {
        if self.marks != marks { awaitingSince = nil }
        self.marks = marks
        switch session {
        case .awaitingClient: awaitingSince = awaitingSince ?? now
        case .working: awaitingSince = nil
        // A server that could not be asked does not refute an earlier observation.
        case .unknown: break
        }
        if let owing = owingSince, let unacknowledgedSince, unacknowledgedSince <= owing {
        } else {
            owingSince = unacknowledgedSince == nil ? nil : now
        }
        let pause = (now - marks.lastActivity) / 2
        nextObservation =
            isSuspect
            ? now : now + min(max(pause, Self.observationInterval.lowerBound), Self.observationInterval.upperBound)
        // While the server cannot be asked, its last report may be out of date.
        let confirmedSince = session == .awaitingClient ? awaitingSince : nil
        return [confirmedSince, owingSince].contains { $0.map { now - $0 >= Self.proof } ?? false }
    }
}
