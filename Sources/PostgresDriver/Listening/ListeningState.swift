/// When a listener connects, asks for a sign of life, and gives its connection up: a pure machine.
struct ListeningState {
    typealias Instant = ContinuousClock.Instant

    struct Rhythm: Sendable, Equatable {
        var heartbeat: Duration
        var answerWithin: Duration
    }

    enum Phase: Equatable {
        /// No attempt to connect is made before then.
        case pausing(until: Instant)
        case connecting
        /// LISTEN is under way.
        case greeting(since: Instant)
        /// Listening, with nothing asked.
        case quiet(until: Instant)
        /// A heartbeat is under way.
        case asking(since: Instant)
        case ended
    }

    enum Action: Equatable {
        case none
        case connect
        case ask
        case giveUp
    }

    enum Answer: Equatable {
        /// LISTEN holds. Nothing before `heardAt` can be missed by whoever now looks at how things stand.
        case listening(mayHaveMissed: Bool, heardAt: Instant)
        case heard(Instant)
        /// Nothing was asked.
        case unexpected
    }

    struct Loss: Equatable {
        let pause: Duration
        /// Whether it is the first since the connection worked, or at all.
        let isNews: Bool
    }

    let rhythm: Rhythm
    private(set) var phase: Phase
    private var backoff = Backoff()
    private var hasListened = false
    private var isInterrupted = false

    init(_ rhythm: Rhythm, now: Instant) {
        self.rhythm = rhythm
        phase = .pausing(until: now)
    }

    /// When `timePassed` has something to do.
    var due: Instant? {
        switch phase {
        case .pausing(let until), .quiet(let until): until
        case .greeting(let since), .asking(let since): since + rhythm.answerWithin
        case .connecting, .ended: nil
        }
    }

    /// Whether an answer of the server is due.
    var isWaiting: Bool {
        switch phase {
        case .greeting, .asking: true
        default: false
        }
    }

    mutating func timePassed(_ now: Instant) -> Action {
        guard let due, due <= now else { return .none }
        switch phase {
        case .pausing:
            phase = .connecting
            return .connect
        case .quiet:
            phase = .asking(since: now)
            return .ask
        case .greeting, .asking: return .giveUp
        case .connecting, .ended: return .none
        }
    }

    /// The connection is open and LISTEN is sent.
    mutating func connected(_ now: Instant) {
        phase = .greeting(since: now)
    }

    /// The server is done with what it was asked.
    mutating func answered(_ now: Instant) -> Answer {
        switch phase {
        case .greeting(let since):
            let isReturn = hasListened
            hasListened = true
            isInterrupted = false
            backoff.succeeded()
            phase = .quiet(until: since + rhythm.heartbeat)
            return .listening(mayHaveMissed: isReturn, heardAt: since)
        case .asking(let since):
            phase = .quiet(until: max(since + rhythm.heartbeat, now))
            return .heard(since)
        case .pausing, .connecting, .quiet, .ended: return .unexpected
        }
    }

    /// The connection is gone, or could not be had.
    mutating func lost(_ now: Instant, chance: Double) -> Loss {
        let pause = backoff.failed(chance: chance)
        phase = .pausing(until: now + pause)
        defer { isInterrupted = true }
        return Loss(pause: pause, isNews: !isInterrupted)
    }

    mutating func end() {
        phase = .ended
    }
}
