/// The protocol state of one open connection: what is queued, what is under way, which reply belongs to what, when to
/// cancel, when it is lost. Events go in, actions come out.
///
/// It is independent of libpq, sockets and continuations. `Connection` carries out its actions.
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
        /// Makes the settings that the request's statement depends on. Its reply is no result of the request.
        case settings(Request, PreparedStatement)
        /// A command of the driver itself, which belongs to no request.
        case internalCommand
    }

    /// How many batches may be under way.
    struct Limits: Equatable {
        /// Batches of shared reads. While one runs, the next is already at the server, and reads that arrive meanwhile
        /// gather in a third one, which is not sent yet.
        var shared = 2
        /// Batches of shared reads if the next one is of another share than the last. Reads of many shares make small
        /// batches, and would wait for each other's replies.
        var sharedOfSeveral = 16
        var total = 4
        /// Requests in a shared batch.
        var requestsPerBatch = 64

        /// Behind a transaction pooler only one batch is under way. PgBouncer lends its server connection to another
        /// client at the end of a batch, even when it has already forwarded a part of the next one. The replies to that
        /// part then go to the wrong client.
        init(_ pooling: Pooling) {
            guard pooling == .transaction else { return }
            shared = 1
            sharedOfSeveral = 1
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
        case .prepare(let request, _), .execute(let request, _), .settings(let request, _): return request
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
            case .sharedBatch where batchCount < sharedLimit(for: next):
                return send(Batch(.requests, takeShared()))
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

    private func sharedLimit(for next: Request) -> Int {
        let last = queuedBatches.last ?? current
        return last?.requests.last?.share == next.share ? limits.shared : limits.sharedOfSeveral
    }

    private mutating func takeOne() -> [Request] {
        backlog.popFirst().map { [$0] } ?? []
    }

    /// Takes shared reads of one share. The server holds the replies of a batch back until its end, so a statement that
    /// turns out slow holds up the others of its batch, and the driver cannot see which of them is the slow one.
    private mutating func takeShared() -> [Request] {
        let share = backlog.first?.share
        var requests: [Request] = []
        requests.reserveCapacity(min(backlog.count, limits.requestsPerBatch))
        var others: [Request] = []
        while requests.count < limits.requestsPerBatch, others.count < limits.requestsPerBatch,
            let next = backlog.first, next.transport == .sharedBatch
        {
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
        cancel.requestCancelled()
    }

    /// A cancelled request has ended.
    mutating func cancelledRequestEnded() {
        cancel.cancelledRequestEnded()
    }

    /// Time has passed, or something happened: whether a cancel request must be sent, or the connection be given up.
    mutating func nextCancelAction(_ now: Instant) -> CancelAction {
        guard !isLost else { return .none }
        let target = cancel.requestCount > 0 ? head : nil
        return cancel.next(target: target?.id, cancelledAt: target?.cancelledAt, now)
    }

    /// The server has forwarded the cancel request. It cannot hit a request that is sent from here on.
    mutating func cancelRequestReturned() {
        cancel.cancelRequestReturned()
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
