/// What `ConnectionStateMachine` must know of a request.
protocol ConnectionRequest: Equatable, Identifiable {
    /// How it must be sent. May change while the request waits, because statistics do.
    var transport: RequestTransport { get }
    /// On whose behalf it runs. A batch holds requests of one share.
    var share: Share? { get }
    /// When its caller cancelled it or its deadline passed; nil while it is wanted.
    var cancelledAt: ContinuousClock.Instant? { get }
}

/// How a request travels on a connection.
enum RequestTransport: Equatable {
    /// In a batch together with other requests of this kind.
    case sharedBatch
    /// In a batch of its own.
    case ownBatch
    /// In a batch of its own, and only once the connection is idle. Behind a statement that hangs it could not be taken
    /// back, and after a loss it would be unknown whether the server will still carry it out.
    case ownBatchWhenIdle
    /// By the simple query protocol, outside pipeline mode, once the connection is idle.
    case simpleQuery
    /// By the COPY protocol, outside pipeline mode, once the connection is idle.
    case copy
}

/// A prepared statement under the name it has on one connection.
struct PreparedStatement: Equatable {
    let statement: Statement
    /// 0 stands for the unnamed statement.
    let name: Int

    static func == (left: PreparedStatement, right: PreparedStatement) -> Bool {
        left.statement === right.statement && left.name == right.name
    }
}

/// What is sent between two Syncs. It is one implicit transaction: all of it succeeds or all of it fails.
struct Batch<Request: Equatable>: Equatable {
    enum Purpose: Equatable {
        case requests
        /// Deallocates prepared statements that the cache has evicted.
        case deallocation
        /// Resets the session after a lease.
        case cleanup
    }

    let purpose: Purpose
    let requests: [Request]
    /// Whether libpq has the Sync. From then on the batch may be committed.
    var isSynced = false
    /// Whether one of its commands failed, so that the server undid all of it.
    var hasFailed = false

    init(_ purpose: Purpose, _ requests: [Request] = []) {
        self.purpose = purpose
        self.requests = requests
    }
}

/// The protocol state of one open connection: what is queued, what is under way, which reply belongs to what, when to
/// cancel, when it is lost. Events go in, actions come out.
///
/// It knows neither libpq nor sockets nor continuations. `Connection` carries out its actions.
struct ConnectionStateMachine<Request: ConnectionRequest>: ~Copyable {
    typealias Instant = ContinuousClock.Instant

    enum Mode: Equatable {
        /// Batches in libpq's pipeline mode. The only mode in which a batch can be under way.
        case pipeline
        /// One request by the simple query protocol.
        case simpleQuery(Request)
        /// One COPY. Its own replies are `CopyExchange`'s.
        case copy(Request)
        /// Lost, or closed by the pool. It never leaves this mode.
        case lost
    }

    enum Command: Equatable {
        case prepare(Request, PreparedStatement)
        case execute(Request, PreparedStatement)
        /// A command of the driver itself, which belongs to no request.
        case internalCommand
    }

    /// How many batches may be under way.
    struct Limits: Equatable {
        /// Batches of shared reads. While one runs, the next is already at the server, and reads that arrive meanwhile
        /// gather in a third one, which is not sent yet.
        var shared = 2
        var total = 4
        /// Requests in a shared batch.
        var requestsPerBatch = 64

        /// Behind a transaction pooler only one batch is under way. PgBouncer lends its server connection to another
        /// client at the end of a batch, even when it has already forwarded a part of the next one. The replies to that
        /// part then go to the wrong client.
        init(_ pooling: Pooling) {
            guard pooling == .transaction else { return }
            shared = 1
            total = 1
        }
    }

    enum SendAction: Equatable {
        case none
        /// The batch is under way: send its commands, reporting each by `sent`, then a Sync, reported by `sentSync`.
        case sendBatch(Batch<Request>)
        case startSimpleQuery(Request)
        case startCopy(Request)
    }

    enum ReplyAction: Equatable {
        case none
        /// The command succeeded.
        case complete(Command)
        /// The command failed with the server's error.
        case fail(Command)
        /// The error concerns every request of the batch: its commit failed, or the settings it begins with.
        case failBatch([Request])
        /// The command was not executed, because one before it in its batch failed.
        case skip(Command)
        /// The batch is over. `hasFailed` says whether it was undone.
        case endBatch(Batch<Request>)
        /// The reply cannot be explained: the connection must be closed.
        case violation(String)
    }

    /// What a lost connection leaves behind, for the pool to retry or to fail.
    struct AbandonedWork: Equatable {
        /// Batches under way, the oldest first.
        var batches: [Batch<Request>]
        /// The simple query or COPY under way.
        var exclusive: Request?
        /// Requests that were not sent.
        var backlog: [Request]
    }

    // `ContinuousClock.Instant` has no fixed layout, so fields that contain one come last: those before keep constant
    // offsets.
    let limits: Limits
    private(set) var mode = Mode.pipeline
    private var backlog = FIFO<Request>()
    /// The batch that is being answered. Apart from the queue, because each of its replies changes it.
    private var current: Batch<Request>?
    private var queuedBatches = FIFO<Batch<Request>>()
    private var matcher = ReplyMatcher<Command>()
    private(set) var cancel = CancelState<Request.ID>()
    var activity: ActivityState

    init(_ limits: Limits, now: Instant) {
        self.limits = limits
        activity = ActivityState(now: now)
    }

    // MARK: State

    var isLost: Bool {
        if case .lost = mode { true } else { false }
    }

    var batchCount: Int { queuedBatches.count + (current == nil ? 0 : 1) }

    /// Whether something is under way on the server.
    var isBusy: Bool { current != nil || exclusiveRequest != nil }

    /// Whether no request is under way and none waits.
    var isIdle: Bool { !isBusy && backlog.isEmpty }

    var hasBacklog: Bool { !backlog.isEmpty }

    /// Whether a shared read would have to wait before it is sent.
    var isFull: Bool { batchCount >= limits.shared }

    /// Whether replies to batches are still to come.
    var expectsReplies: Bool { matcher.isWaiting }

    /// Whether a request placed here now could be hit by a cancel request that is meant for another.
    var isCancelPending: Bool { cancel.requestCount > 0 || cancel.isInFlight || (cancel.sentCount > 0 && isBusy) }

    /// The simple query or COPY under way.
    var exclusiveRequest: Request? {
        switch mode {
        case .simpleQuery(let request), .copy(let request): request
        case .pipeline, .lost: nil
        }
    }

    /// The request that the server is working on.
    var head: Request? {
        if let exclusiveRequest { return exclusiveRequest }
        switch matcher.head {
        case .prepare(let request, _), .execute(let request, _): return request
        // The server holds the preamble's reply back until it has more to send.
        case .internalCommand: return current?.requests.first
        // A transaction of which all steps are answered still has to commit, which may take as long as any statement.
        case nil: return current.flatMap { $0.requests.count == 1 ? $0.requests.first : nil }
        }
    }

    /// Every request that is under way.
    var sentRequests: [Request] {
        var all = current?.requests ?? []
        queuedBatches.forEach { all += $0.requests }
        if let exclusiveRequest { all.append(exclusiveRequest) }
        return all
    }

    var backlogRequests: [Request] { backlog.elements }

    // MARK: Requests wait

    mutating func enqueue(_ request: Request) {
        backlog.append(request)
    }

    /// Puts a request in front of those that wait, to be run again.
    mutating func enqueueFirst(_ request: Request) {
        backlog.prepend(request)
    }

    mutating func removeFromBacklog(_ request: Request) {
        backlog.removeAll { $0 == request }
    }

    /// Removes all requests that were not sent, the oldest first.
    mutating func takeBacklog() -> [Request] {
        backlog.drain()
    }

    // MARK: Sending

    /// What can be sent now. To be called until it answers `.none`.
    mutating func nextSend(hasEvictedStatements: Bool = false) -> SendAction {
        // A running cancel request could hit what is sent behind its target.
        guard case .pipeline = mode, !cancel.isInFlight else { return .none }
        if let next = backlog.first {
            switch next.transport {
            case .sharedBatch where batchCount < limits.shared: return send(Batch(.requests, takeShared()))
            case .ownBatch where batchCount < limits.total: return send(Batch(.requests, takeOne()))
            case .ownBatchWhenIdle where !isBusy: return send(Batch(.requests, takeOne()))
            case .simpleQuery where !isBusy:
                _ = backlog.popFirst()
                mode = .simpleQuery(next)
                return .startSimpleQuery(next)
            case .copy where !isBusy:
                _ = backlog.popFirst()
                mode = .copy(next)
                return .startCopy(next)
            default: break
            }
        }
        guard hasEvictedStatements, batchCount < limits.total else { return .none }
        return send(Batch(.deallocation))
    }

    /// Begins the batch that resets the session after a lease. The connection must be idle.
    mutating func beginCleanup() -> SendAction {
        send(Batch(.cleanup))
    }

    private mutating func send(_ batch: Batch<Request>) -> SendAction {
        if current == nil { current = batch } else { queuedBatches.append(batch) }
        return .sendBatch(batch)
    }

    private mutating func takeOne() -> [Request] {
        backlog.popFirst().map { [$0] } ?? []
    }

    /// Takes shared reads of one share. The server holds the replies of a batch back until its end, so a statement that
    /// turns out slow holds up the others of its batch, and nothing shows which of them it is.
    private mutating func takeShared() -> [Request] {
        let share = backlog.first?.share
        var requests: [Request] = []
        requests.reserveCapacity(min(backlog.count, limits.requestsPerBatch))
        var others: [Request] = []
        while requests.count < limits.requestsPerBatch, let next = backlog.first, next.transport == .sharedBatch {
            _ = backlog.popFirst()
            if next.share == share { requests.append(next) } else { others.append(next) }
        }
        for other in others.reversed() { backlog.prepend(other) }
        return requests
    }

    /// libpq has taken a command of the batch that is being sent.
    mutating func sent(_ command: Command) {
        matcher.sent(command)
    }

    /// libpq has taken the batch's Sync.
    mutating func sentSync() {
        matcher.sentSync()
        if queuedBatches.isEmpty {
            current?.isSynced = true
        } else {
            queuedBatches.updateLast { $0.isSynced = true }
        }
    }

    // MARK: Replies

    mutating func receive(_ reply: ReplyMatcher<Command>.Reply) -> ReplyAction {
        switch matcher.receive(reply) {
        case .none: return .none
        case .succeeded(let command): return .complete(command)
        case .skipped(let command): return .skip(command)
        case .failed(.internalCommand):
            current?.hasFailed = true
            // A preamble that fails keeps every request of its batch from running, and would do so again.
            guard let current, current.purpose == .requests else { return .none }
            return .failBatch(current.requests)
        case .failed(let command):
            current?.hasFailed = true
            return .fail(command)
        case .failedAtSync:
            current?.hasFailed = true
            return .failBatch(current?.requests ?? [])
        case .synced:
            guard let batch = current else { return .violation("a Sync without a batch") }
            current = queuedBatches.popFirst()
            return .endBatch(batch)
        case .violation(let what): return .violation(what)
        }
    }

    /// The simple query or COPY is over and the connection back in pipeline mode.
    mutating func endExclusive() {
        guard exclusiveRequest != nil else { return }
        mode = .pipeline
    }

    // MARK: Cancelling

    /// A request under way is not wanted any more.
    mutating func requestCancelled() {
        cancel.requestCount += 1
    }

    /// A cancelled request has ended.
    mutating func cancelledRequestEnded() {
        cancel.requestCount -= 1
    }

    /// Time has passed, or something happened: whether a cancel request must be sent, or the connection be given up.
    mutating func nextCancelAction(_ now: Instant) -> CancelAction {
        guard !isLost else { return .none }
        let target = cancel.requestCount > 0 ? head : nil
        return cancel.next(target: target?.id, cancelledAt: target?.cancelledAt, now)
    }

    /// The server has forwarded the cancel request. It cannot hit a request that is sent from here on.
    mutating func cancelRequestReturned() {
        cancel.isInFlight = false
    }

    // MARK: The end

    /// The connection is lost, or closed by the pool.
    /// - Returns: what it carried; nil when it was lost before.
    mutating func lose() -> AbandonedWork? {
        guard !isLost else { return nil }
        var batches = queuedBatches.drain()
        if let current { batches.insert(current, at: 0) }
        let work = AbandonedWork(batches: batches, exclusive: exclusiveRequest, backlog: backlog.drain())
        mode = .lost
        current = nil
        matcher = ReplyMatcher()
        return work
    }
}

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
    fileprivate(set) var requestCount = 0
    /// Cancel requests sent so far.
    private(set) var sentCount = 0
    /// Whether a cancel request is on its way. No request is sent meanwhile, because it could be hit instead.
    fileprivate(set) var isInFlight = false
    private var lastSentAt: Instant?
    /// The cancelled request that the server was seen working on, and since when.
    private var target: (id: RequestID, since: Instant)?

    /// Whether there is a cancelled request or a cancel request to be looked after.
    var isActive: Bool { requestCount > 0 || isInFlight }

    /// - Parameters:
    ///   - id: the request that the server is working on, if cancelled requests are under way.
    ///   - cancelledAt: nil when that request is none of them.
    fileprivate mutating func next(target id: RequestID?, cancelledAt: Instant?, _ now: Instant) -> CancelAction {
        var due: Instant?
        if let id, let cancelledAt {
            // It may have waited behind another statement, so its time begins when the server begins with it. That rows
            // of it keep coming makes no difference.
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

/// When data last moved on a connection, and whether they still can.
struct ActivityState {
    typealias Instant = ContinuousClock.Instant

    /// Whether libpq holds bytes for which the socket has no room.
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
