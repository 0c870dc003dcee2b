/// What is to be done about cancelled statements.
enum CancelAction: Equatable {
    case none
    /// Do not act before that time.
    case wait(until: ContinuousClock.Instant)
    /// Send a cancel request to the server, and look again at that time.
    case sendRequest(lookAgainAt: ContinuousClock.Instant)
    /// Close the connection.
    case giveUp(cause: String)
}

/// Cancel requests of one connection: when one is due, and when the connection is given up because none helps.
struct CancelState<RequestID: Equatable> {
    typealias Instant = ContinuousClock.Instant

    /// A statement that ends by itself within this time needs no cancel request.
    static var delay: Duration { .milliseconds(5) }
    /// Time between two cancel requests on one connection.
    static var interval: Duration { .seconds(1) }
    /// A statement that does not react for this long costs its connection, and so does a cancel request without a reply.
    static var timeout: Duration { .seconds(5) }

    /// Cancelled requests that are under way.
    private(set) var requestCount = 0
    /// Cancel requests sent so far.
    private(set) var sentCount = 0
    /// Whether a cancel request is on its way. No request is sent meanwhile, because it could be hit instead.
    private(set) var isInFlight = false
    private var lastSentAt: Instant?
    /// The cancelled request that the server was seen working on, and since when.
    private var target: (id: RequestID, since: Instant)?

    /// Whether a cancelled request is under way, or a cancel request.
    var isActive: Bool { requestCount > 0 || isInFlight }

    /// A request under way is not wanted any more.
    mutating func requestCancelled() {
        requestCount += 1
    }

    /// A cancelled request has ended.
    mutating func cancelledRequestEnded() {
        requestCount -= 1
    }

    /// The server has forwarded the cancel request. It cannot hit a request that is sent from here on.
    mutating func cancelRequestReturned() {
        isInFlight = false
    }

    /// Time has passed, or something happened: whether a cancel request must be sent, or the connection be given up.
    /// - Parameters:
    ///   - id: the request that the server is working on, if cancelled requests are under way.
    ///   - cancelledAt: nil when that request is none of them.
    mutating func next(target id: RequestID?, cancelledAt: Instant?, _ now: Instant) -> CancelAction {
        var due: Instant?
        if let id, let cancelledAt {
            // It may have waited behind another statement, so its time begins when the server begins with it. Rows of it
            // that still arrive do not extend the time.
            if target?.id != id { target = (id, now) }
            let since = max(target?.since ?? now, cancelledAt)
            let limit = since + Self.timeout
            guard now < limit else { return .giveUp(cause: "a statement did not end when it was cancelled") }
            if !isInFlight {
                var next = since + Self.delay
                if let lastSentAt { next = max(next, lastSentAt + Self.interval) }
                if now >= next {
                    lastSentAt = now
                    sentCount += 1
                    isInFlight = true
                    return .sendRequest(lookAgainAt: limit)
                }
                return .wait(until: min(next, limit))
            }
            due = limit
        }
        if isInFlight, let lastSentAt {
            let limit = lastSentAt + Self.timeout
            guard now < limit else { return .giveUp(cause: "a cancel request was not answered") }
            due = due.map { min($0, limit) } ?? limit
        }
        return due.map { .wait(until: $0) } ?? .none
    }
}
