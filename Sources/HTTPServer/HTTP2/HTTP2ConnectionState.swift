/// The state of one HTTP/2 connection: which streams are open, how long it has been idle, and how it ends. What a stream does
/// is the matter of its own ``HTTPConnectionStateMachine``.
///
/// Like that one it performs no input or output and reads no clock.
struct HTTP2ConnectionState {
    /// A point in time, in nanoseconds.
    typealias Time = UInt64

    enum Action: Equatable {
        case none
        /// Announce that streams after `lastStream` are not answered.
        case announceEnd(lastStream: Int)
        /// Announce the same, and close the connection when that has been written.
        case end(lastStream: Int)
        /// Close the connection.
        case close
    }

    private let timeouts: HTTPConnectionStateMachine.Timeouts
    private(set) var openStreams = 0
    private(set) var lastStream = 0
    private var idleSince: Time
    private(set) var isDraining = false
    /// Whether streams that a client opens now are refused.
    private var hasAnnouncedLastStream = false
    private var unsent: (bytes: Int, since: Time)

    init(timeouts: HTTPConnectionStateMachine.Timeouts, now: Time) {
        self.timeouts = timeouts
        idleSince = now
        unsent = (0, now)
    }

    mutating func streamOpened(_ number: Int) {
        openStreams += 1
        lastStream = max(lastStream, number)
    }

    mutating func streamClosed(now: Time) -> Action {
        openStreams -= 1
        idleSince = now
        return openStreams == 0 && hasAnnouncedLastStream ? .close : .none
    }

    /// The connection gives way to another one, unless it has become busy.
    func gaveWay() -> Action { openStreams == 0 ? .end(lastStream: lastStream) : .none }

    /// - Parameter unsentBytes: how many bytes wait to be sent by the socket.
    mutating func timeoutsChecked(now: Time, unsentBytes: Int) -> Action {
        if unsentBytes == 0 || unsentBytes < unsent.bytes { unsent = (unsentBytes, now) }
        unsent.bytes = unsentBytes
        if unsentBytes > 0, now - unsent.since > timeouts.request { return .close }
        return openStreams == 0 && now - idleSince > timeouts.idle ? .end(lastStream: lastStream) : .none
    }

    // MARK: Shutdown

    /// The server shuts down. Streams that are on their way are still answered: the end is announced in the first phase,
    /// with the last stream that is answered, so that a client repeats later ones elsewhere.
    mutating func drainBegan() {
        isDraining = true
    }

    mutating func drainPhaseBegan(_ phase: HTTPConnectionStateMachine.DrainPhase) -> Action {
        switch phase {
        case .endIdle:
            hasAnnouncedLastStream = true
            return openStreams == 0 ? .end(lastStream: lastStream) : .announceEnd(lastStream: lastStream)
        case .cancelRunning: return .none
        case .cutOff: return .close
        }
    }
}
