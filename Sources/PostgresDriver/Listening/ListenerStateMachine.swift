/// Decides when a listener connects, sends a heartbeat and gives its connection up: a pure state machine.
struct ListenerStateMachine {
    typealias Instant = ContinuousClock.Instant

    struct Timing: Sendable, Equatable {
        var heartbeatInterval: Duration
        /// Applies to the answer to LISTEN as well.
        var heartbeatTimeout: Duration
    }

    enum Phase: Equatable {
        /// There is no connection, and no attempt to connect before `until`.
        case backingOff(until: Instant)
        case connecting
        /// LISTEN has been sent.
        case subscribing(since: Instant)
        case listening(nextHeartbeat: Instant)
        /// A heartbeat has been sent.
        case probing(since: Instant)
        case ended
    }

    enum Action: Equatable {
        case none
        case connect
        case sendHeartbeat
        /// The server did not answer in time.
        case closeConnection
    }

    enum Response: Equatable {
        /// LISTEN has succeeded: everything committed after `since` will be notified.
        case listening(mayHaveMissed: Bool, since: Instant)
        /// The heartbeat sent at this instant was answered.
        case alive(Instant)
        /// The server answered though it was not asked.
        case unexpected
    }

    struct Loss: Equatable {
        let retryDelay: Duration
        /// Whether it is the first loss since the connection worked, or since the beginning.
        let isFirst: Bool
    }

    let timing: Timing
    private(set) var phase: Phase
    private var backoff = Backoff()
    private var hasListened = false
    private var isInterrupted = false

    init(_ timing: Timing, now: Instant) {
        self.timing = timing
        phase = .backingOff(until: now)
    }

    /// When to call `timerFired`.
    var timerDeadline: Instant? {
        switch phase {
        case .backingOff(let until): until
        case .listening(let nextHeartbeat): nextHeartbeat
        case .subscribing(let since), .probing(let since): since + timing.heartbeatTimeout
        case .connecting, .ended: nil
        }
    }

    /// Whether the server owes an answer.
    var awaitsResponse: Bool {
        switch phase {
        case .subscribing, .probing: true
        default: false
        }
    }

    mutating func timerFired(_ now: Instant) -> Action {
        guard let timerDeadline, timerDeadline <= now else { return .none }
        switch phase {
        case .backingOff:
            phase = .connecting
            return .connect
        case .listening:
            phase = .probing(since: now)
            return .sendHeartbeat
        case .subscribing, .probing: return .closeConnection
        case .connecting, .ended: return .none
        }
    }

    /// The connection is open, and LISTEN is sent next.
    mutating func connected(_ now: Instant) {
        phase = .subscribing(since: now)
    }

    /// The server has answered LISTEN or a heartbeat.
    mutating func responseReceived(_ now: Instant) -> Response {
        switch phase {
        case .subscribing(let since):
            let isReconnect = hasListened
            hasListened = true
            isInterrupted = false
            backoff.succeeded()
            phase = .listening(nextHeartbeat: since + timing.heartbeatInterval)
            return .listening(mayHaveMissed: isReconnect, since: since)
        case .probing(let since):
            phase = .listening(nextHeartbeat: max(since + timing.heartbeatInterval, now))
            return .alive(since)
        case .backingOff, .connecting, .listening, .ended: return .unexpected
        }
    }

    /// The connection was lost, or the attempt to connect failed.
    /// - Parameter chance: a random number from 0 to 1, which varies the delay.
    mutating func connectionLost(_ now: Instant, chance: Double) -> Loss {
        let retryDelay = backoff.failed(chance: chance)
        phase = .backingOff(until: now + retryDelay)
        defer { isInterrupted = true }
        return Loss(retryDelay: retryDelay, isFirst: !isInterrupted)
    }

    mutating func end() {
        phase = .ended
    }
}
