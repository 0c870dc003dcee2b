import CLibPQ

/// One open connection in pipeline mode: sends flights, matches replies to calls, and reports each flight's end to its
/// pool, which decides what becomes of the calls.
@Reactor
final class Link {
    enum Token {
        case prepare(Call, Statement, name: Int)
        case execute(Call, Statement, name: Int)
        /// A command of the driver's own.
        case own
    }

    static let callsPerFlight = 64

    let id: UInt64
    let slot: Int
    let pool: ConnectionPool
    let loop: EventLoop
    let handle: ConnectionHandle
    let socket: Int32
    let openedAt: ContinuousClock.Instant

    var backlog = FIFO<Call>()
    var flights = FIFO<Flight>()
    /// The flight whose replies are coming; kept apart from the queue, because it changes with each.
    var current: Flight?
    var script: Call?
    var scriptFailure: PostgresError?
    /// The COPY under way, whose call is `script`.
    var copy: ActiveCopy?
    var matcher = ReplyMatcher<Token>()
    var statements: StatementCache
    /// What every flight of calls begins with, where the connection keeps nothing.
    let preamble: Preamble?
    let keepsState: Bool
    /// Reads sharing one Sync: while one flight runs the next is there, and those behind gather for the third. Behind a
    /// pooler only one flight is under way: PgBouncer gives its connection to somebody else at the end of one flight even
    /// if it has passed on the beginning of the next, and then answers go astray.
    let sharedFlights: Int
    let flightsAtMost: Int
    var wantsWrite = false
    var isLost = false
    var lastProgress: ContinuousClock.Instant
    /// How often the socket had room again for what waited to be sent.
    var drains = 0
    var stillness = Stillness()

    /// Calls under way that nobody waits for or that should end early.
    var stoppedCalls = 0
    var cancelsSent = 0
    var isCancelRunning = false
    var lastCancel: ContinuousClock.Instant?
    /// The call to be stopped that the server was last seen at, and since when.
    var stoppedHead: (call: ObjectIdentifier, since: ContinuousClock.Instant)?

    /// It leads to a server that is no longer the right one.
    var isOutdated = false
    var lease: Lease?
    var release: Call?

    var raw: OpaquePointer { handle.raw }

    init(
        _ handle: ConnectionHandle, slot: Int, pool: ConnectionPool, loop: EventLoop, now: ContinuousClock.Instant
    ) {
        self.handle = handle
        self.slot = slot
        self.pool = pool
        self.loop = loop
        id = loop.nextLinkID()
        socket = PQsocket(handle.raw)
        openedAt = now
        lastProgress = now
        preamble = Preamble(pool.configuration)
        keepsState = pool.configuration.pooling == .session
        sharedFlights = keepsState ? 2 : 1
        flightsAtMost = keepsState ? 4 : 1
        statements = StatementCache(
            capacity: pool.configuration.statementCacheSize, byteCapacity: pool.configuration.statementCacheBytes)
    }

    var flightCount: Int { flights.count + (current == nil ? 0 : 1) }

    /// Whether something is under way on the server.
    var isBusy: Bool { current != nil || script != nil }

    /// Whether it is the server's turn to do something.
    var awaitsServer: Bool { isBusy && (wantsWrite || !(copy?.awaitsCaller ?? false)) }

    var isIdle: Bool { !isBusy && backlog.isEmpty }

    /// The call the server is working on.
    var head: Call? {
        if let script { return script }
        switch matcher.head {
        case .prepare(let call, _, _), .execute(let call, _, _): return call
        // The server keeps the preamble's answer back until more is to be sent.
        case .own: return current?.calls.first
        // All of a transaction is answered but its commit, which may take as long as any statement.
        case nil: return current.flatMap { $0.calls.count == 1 ? $0.calls.first : nil }
        }
    }

    /// Every call under way.
    func forEachSent(_ body: (Call) -> Void) {
        current?.calls.forEach(body)
        flights.forEach { $0.calls.forEach(body) }
        if let script { body(script) }
    }

    func flightsAhead(_ body: (Flight) -> Void) {
        flights.forEach(body)
    }

    var isOutsideTransaction: Bool {
        !isBusy && PQtransactionStatus(raw) == PQTRANS_IDLE
    }

    /// The pool closes it: not a loss.
    func endWithoutLoss() {
        isLost = true
    }

    // MARK: Progress and end

    func progressed(_ now: ContinuousClock.Instant) {
        lastProgress = now
        pool.progressed(self, now)
    }

    var errorMessage: String {
        PQerrorMessage(raw).map { String(cString: $0).trimmed } ?? ""
    }

    /// Whoever caused it hears of it, and is not tried again; the others lost their connection by no fault of theirs.
    func violate(_ what: String) {
        if let head { loop.finish(head, .failed(PostgresError(.protocolViolation, cause: what))) }
        lose("protocol violation: \(what)")
    }

    /// Calls and a lease know their connection, which would keep each other, and the descriptor, for ever.
    func forgetCalls() {
        current = nil
        flights = FIFO()
        matcher = ReplyMatcher()
        script = nil
        lease = nil
        release = nil
    }

    /// Gives the connection up; the pool settles the calls it carried.
    /// - Parameter fields: what the server said in the place of the next reply, so that nothing after it was done.
    func lose(_ cause: String, saying fields: ServerFields? = nil) {
        guard !isLost else { return }
        isLost = true
        pool.lost(self, cause, saying: fields)
    }
}

extension Duration {
    var microseconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: min(seconds, 1 << 40) * 1_000_000 + attoseconds / 1_000_000_000_000)
    }
}
