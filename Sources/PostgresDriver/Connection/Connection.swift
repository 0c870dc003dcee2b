import CLibPQ

/// One open connection in pipeline mode: sends batches, matches replies to calls, and reports each batch's end to its
/// pool, which decides what becomes of the calls.
@Reactor
final class Connection {
    enum Token {
        case prepare(PoolRequest, Statement, name: Int)
        case execute(PoolRequest, Statement, name: Int)
        /// A command of the driver's own.
        case own
    }

    static let maxRequestsPerBatch = 64

    let id: UInt64
    let slot: Int
    let pool: ConnectionPool
    let loop: EventLoop
    let handle: LibPQConnection
    let socket: Int32
    let openedAt: ContinuousClock.Instant

    var backlog = FIFO<PoolRequest>()
    var batches = FIFO<Batch>()
    /// The batch whose replies are coming; kept apart from the queue, because it changes with each.
    var current: Batch?
    var exclusiveRequest: PoolRequest?
    var simpleQueryError: PostgresError?
    /// The COPY under way, whose call is `exclusiveRequest`.
    var copy: ActiveCopy?
    var matcher = ReplyMatcher<Token>()
    var statements: StatementCache
    /// What every batch of calls begins with, where the connection keeps nothing.
    let preamble: Preamble?
    let keepsState: Bool
    /// Reads sharing one Sync: while one batch runs the next is there, and those behind gather for the third. Behind a
    /// pooler only one batch is under way: PgBouncer gives its connection to somebody else at the end of one batch even
    /// if it has passed on the beginning of the next, and then answers go astray.
    let maxSharedBatches: Int
    let maxBatches: Int
    var wantsWrite = false
    var isLost = false
    var lastActivity: ContinuousClock.Instant
    /// How often the socket had room again for what waited to be sent.
    var drainCount = 0
    var deadPeerDetector = DeadPeerDetector()

    /// Calls under way that nobody waits for or that should end early.
    var cancelledRequests = 0
    var cancelsSent = 0
    var isCancelRunning = false
    var lastCancel: ContinuousClock.Instant?
    /// The call to be stopped that the server was last seen at, and since when.
    var cancelledHead: (request: ObjectIdentifier, since: ContinuousClock.Instant)?

    /// It leads to a server that is no longer the right one.
    var mustBeReplaced = false
    var lease: Lease?
    var release: PoolRequest?

    var raw: OpaquePointer { handle.raw }

    init(
        _ handle: LibPQConnection, slot: Int, pool: ConnectionPool, loop: EventLoop, now: ContinuousClock.Instant
    ) {
        self.handle = handle
        self.slot = slot
        self.pool = pool
        self.loop = loop
        id = loop.nextSourceID()
        socket = PQsocket(handle.raw)
        openedAt = now
        lastActivity = now
        preamble = Preamble(pool.configuration)
        keepsState = pool.configuration.pooling == .session
        maxSharedBatches = keepsState ? 2 : 1
        maxBatches = keepsState ? 4 : 1
        statements = StatementCache(
            capacity: pool.configuration.statementCacheSize, byteCapacity: pool.configuration.statementCacheBytes)
    }

    var batchCount: Int { batches.count + (current == nil ? 0 : 1) }

    /// Whether something is under way on the server.
    var isBusy: Bool { current != nil || exclusiveRequest != nil }

    /// Whether it is the server's turn to do something.
    var awaitsServer: Bool { isBusy && (wantsWrite || !(copy?.awaitsCaller ?? false)) }

    var isIdle: Bool { !isBusy && backlog.isEmpty }

    /// The call the server is working on.
    var head: PoolRequest? {
        if let exclusiveRequest { return exclusiveRequest }
        switch matcher.head {
        case .prepare(let request, _, _), .execute(let request, _, _): return request
        // The server keeps the preamble's answer back until more is to be sent.
        case .own: return current?.requests.first
        // All of a transaction is answered but its commit, which may take as long as any statement.
        case nil: return current.flatMap { $0.requests.count == 1 ? $0.requests.first : nil }
        }
    }

    /// Every call under way.
    func forEachSent(_ body: (PoolRequest) -> Void) {
        current?.requests.forEach(body)
        batches.forEach { $0.requests.forEach(body) }
        if let exclusiveRequest { body(exclusiveRequest) }
    }

    func forEachQueuedBatch(_ body: (Batch) -> Void) {
        batches.forEach(body)
    }

    var isOutsideTransaction: Bool {
        !isBusy && PQtransactionStatus(raw) == PQTRANS_IDLE
    }

    /// The pool closes it: not a loss.
    func markClosed() {
        isLost = true
    }

    // MARK: Progress and end

    func noteActivity(_ now: ContinuousClock.Instant) {
        lastActivity = now
        pool.noteActivity(self, now)
    }

    var errorMessage: String {
        PQerrorMessage(raw).map { String(cString: $0).trimmed } ?? ""
    }

    /// Whoever caused it hears of it, and is not tried again; the others lost their connection by no fault of theirs.
    func failWithProtocolViolation(_ what: String) {
        if let head { loop.finish(head, .failed(PostgresError(.protocolViolation, cause: what))) }
        lose("protocol violation: \(what)")
    }

    /// Calls and a lease know their connection, which would keep each other, and the descriptor, for ever.
    func releaseReferences() {
        current = nil
        batches = FIFO()
        matcher = ReplyMatcher()
        exclusiveRequest = nil
        lease = nil
        release = nil
    }

    /// Gives the connection up; the pool settles the calls it carried.
    /// - Parameter fields: what the server said in the place of the next reply, so that nothing after it was done.
    func lose(_ cause: String, serverFields fields: ServerFields? = nil) {
        guard !isLost else { return }
        isLost = true
        pool.lost(self, cause, serverFields: fields)
    }
}

extension Duration {
    var microseconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: min(seconds, 1 << 40) * 1_000_000 + attoseconds / 1_000_000_000_000)
    }
}
