/// When data last moved on a connection, and whether they still can.
struct ActivityState {
    typealias Instant = ContinuousClock.Instant

    /// Whether libpq, or a COPY, holds bytes for which the socket has no room.
    private(set) var hasUnsentData = false
    private var drainCount = 0
    /// When the last bytes arrived, or the first of a batch were sent.
    private(set) var lastActivity: Instant
    /// When the server began with the statement that it is working on.
    private var statementStart: Instant
    private var detector = DeadPeerDetector()

    init(now: Instant) {
        lastActivity = now
        statementStart = now
    }

    /// A batch is sent on an idle connection.
    mutating func noteStart(_ now: Instant) {
        statementStart = now
    }

    mutating func note(_ now: Instant) {
        lastActivity = now
    }

    /// A statement has been answered.
    /// - Returns: how long the server took; nil when its reply was read together with the one before: the time of that
    ///   one includes it.
    mutating func noteReply(_ now: Instant) -> Duration? {
        guard statementStart != now else { return nil }
        defer { statementStart = now }
        return now - statementStart
    }

    /// The socket has room again.
    mutating func becameWritable() {
        drainCount += 1
    }

    /// libpq has sent what the socket takes.
    /// - Returns: whether the interest in writing has changed.
    mutating func flushed(hasUnsentData: Bool) -> Bool {
        defer { self.hasUnsentData = hasUnsentData }
        return hasUnsentData != self.hasUnsentData
    }

    // MARK: Whether the peer is dead

    /// Whether the next observation may prove the peer dead.
    var isSuspect: Bool { detector.isSuspect }

    /// Whether an observation may show something new.
    func isObservationDue(_ sent: SocketSendStatus, _ now: Instant) -> Bool {
        detector.isDue(marks(sent), now)
    }

    /// Takes note of what the server says of the session and the kernel of the socket.
    /// - Returns: whether the peer is dead.
    mutating func observe(_ session: ServerSession.State, _ sent: SocketSendStatus, _ now: Instant) -> Bool {
        detector.observe(session, marks(sent), unacknowledgedSince: sent.unacknowledgedSince, now)
    }

    private func marks(_ sent: SocketSendStatus) -> ActivityMarks {
        ActivityMarks(
            lastActivity: lastActivity, drainCount: drainCount, unacknowledgedBytes: sent.unacknowledgedBytes)
    }
}
