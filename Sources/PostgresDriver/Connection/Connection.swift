import CLibPQ
import Threads

/// One open connection of a pool. It carries out what `ConnectionStateMachine` decides: it sends batches through libpq,
/// reads replies, and reports the end of each batch to its pool, which completes or retries the requests.
@Reactor
final class Connection {
    let id: UInt64
    /// Its place in the pool.
    let slot: Int
    let pool: ConnectionPool
    let libpq: LibPQConnection
    let openedAt: ContinuousClock.Instant

    /// The COPY under way, which `exclusiveRequest` asked for.
    var copy: ActiveCopy?
    /// The caller that has the connection to itself.
    var lease: Lease?
    /// It leads to a server that has become read-only.
    var mustBeReplaced = false

    var statements: StatementCache
    /// What every batch of requests begins with, where the connection keeps no session state.
    let preamble: Preamble?
    private var state: ConnectionStateMachine<PoolRequest>

    init(_ libpq: LibPQConnection, slot: Int, pool: ConnectionPool, now: ContinuousClock.Instant) {
        self.libpq = libpq
        self.slot = slot
        self.pool = pool
        id = pool.loop.nextSourceID()
        openedAt = now
        state = ConnectionStateMachine(.init(pool.configuration.pooling), now: now)
        preamble = Preamble(pool.configuration)
        statements = StatementCache(
            capacity: pool.configuration.statementCacheSize, byteCapacity: pool.configuration.statementCacheBytes)
    }

    // MARK: State

    var loop: EventLoop { pool.loop }
    var raw: OpaquePointer { libpq.raw }
    var isLost: Bool { state.isLost }
    var isBusy: Bool { state.isBusy }
    /// Whether a shared read would have to wait before it is sent.
    var isFull: Bool { state.isFull }
    var hasBacklog: Bool { state.hasBacklog }
    var hasUnsentData: Bool { state.activity.hasUnsentData }
    var lastActivity: ContinuousClock.Instant { state.activity.lastActivity }
    /// The request that the server is working on.
    var head: PoolRequest? { state.head }
    /// The simple query or COPY under way.
    var exclusiveRequest: PoolRequest? { state.exclusiveRequest }
    /// Cancel requests sent so far.
    var cancelsSent: Int { state.cancel.sentCount }
    /// Whether a request placed here now could be hit by a cancel request that is meant for another.
    var isCancelPending: Bool { state.isCancelPending }

    /// Whether the connection may be closed or lent: no request is under way on it or waits for it, and no cancel request
    /// can still hit it.
    var isIdle: Bool { state.isIdle && !state.cancel.isInFlight }

    /// Whether the next move is the server's.
    var awaitsServer: Bool { isBusy && (hasUnsentData || !(copy?.awaitsCaller ?? false)) }

    var isOutsideTransaction: Bool { !isBusy && PQtransactionStatus(raw) == PQTRANS_IDLE }

    /// Every request that was given to the connection and has not left it.
    var requests: [PoolRequest] { state.backlogRequests + state.sentRequests }

    /// Every request under way.
    var sentRequests: [PoolRequest] { state.sentRequests }

    // MARK: Requests

    func enqueue(_ request: PoolRequest) {
        state.enqueue(request)
    }

    /// Runs a request again before all that wait.
    func enqueueFirst(_ request: PoolRequest) {
        state.enqueueFirst(request)
    }

    func removeFromBacklog(_ request: PoolRequest) {
        state.removeFromBacklog(request)
    }

    /// Removes all requests that were not sent, the oldest first.
    func takeBacklog() -> [PoolRequest] {
        state.takeBacklog()
    }

    // MARK: Events of the socket

    func onReady(readable: Bool, writable: Bool, _ now: ContinuousClock.Instant) {
        guard !isLost else { return }
        if writable { state.activity.becameWritable() }
        if copy != nil {
            onCopyReady(readable: readable, now)
            if !isLost, hasUnsentData { _ = flush() }
            return
        }
        var isAlive = true
        if readable { isAlive = SocketInput.consume(raw) }
        if exclusiveRequest == nil {
            receiveReplies(isAlive: isAlive, now)
        } else {
            receiveSimpleQueryResults(isAlive: isAlive, now)
        }
        dropNotifications()
        guard !isLost else { return }
        guard isAlive else { return lose(libpq.errorMessage) }
        if hasUnsentData { _ = flush() }
    }

    /// A lease may LISTEN, but only `PostgresClient.listen` delivers notifications. Here they would fill libpq's memory.
    private func dropNotifications() {
        while let notification = PQnotifies(raw) { PQfreemem(notification) }
    }

    /// Something was sent, or something came, that shows that the connection is alive and its work goes on.
    func noteActivity(_ now: ContinuousClock.Instant) {
        state.activity.note(now)
        pool.noteProgress(self, now)
    }

    /// A statement has been answered.
    /// - Returns: how long the server took; nil when its reply was read together with the one before.
    func noteReply(_ now: ContinuousClock.Instant) -> Duration? {
        state.activity.noteReply(now)
    }

    // MARK: Sending

    /// Sends of the backlog what can be sent now.
    func sendBacklog(_ now: ContinuousClock.Instant) {
        while true {
            switch state.nextSend(hasEvictedStatements: !statements.evicted.isEmpty) {
            case .none: return
            case .sendBatch(let batch): guard send(batch, now) else { return }
            case .startSimpleQuery(let request): return startSimpleQuery(request, now)
            case .startCopy(let request):
                prepareToSend(request)
                return startCopy(request, now)
            }
        }
    }

    /// Resets what a lease may have changed. The end of the batch decides whether the connection is kept.
    func sendCleanup(_ now: ContinuousClock.Instant) {
        if case .sendBatch(let batch) = state.beginCleanup() { _ = send(batch, now) }
    }

    /// - Returns: false when the connection was lost in the attempt.
    private func send(_ batch: Batch<PoolRequest>, _ now: ContinuousClock.Instant) -> Bool {
        let isFirst = state.batchCount == 1
        var isSent = sendCommands(of: batch)
        if isSent {
            isSent = PQpipelineSync(raw) == 1
            if isSent { state.sentSync() }
        }
        if isFirst {
            state.activity.noteStart(now)
            noteActivity(now)
        }
        guard isSent else {
            lose(libpq.errorMessage)
            return false
        }
        return flush()
    }

    func prepareToSend(_ request: PoolRequest) {
        request.state = .sent(self)
        request.cancellation.requestsBefore = cancelsSent
    }

    /// libpq has taken a command of the batch that is being sent.
    func noteSent(_ command: ConnectionStateMachine<PoolRequest>.Command) {
        state.sent(command)
    }

    /// Hands libpq's buffer to the socket, and watches for room when some is left over, or a COPY waits for room.
    /// - Returns: false when the connection was lost in the attempt.
    func flush() -> Bool {
        let left = PQflush(raw)
        guard left >= 0 else {
            lose(libpq.errorMessage)
            return false
        }
        let isLeftOver = left == 1 || copy?.awaitsRoom ?? false
        if state.activity.flushed(hasUnsentData: isLeftOver) { loop.watch(self, wantsWrite: isLeftOver) }
        return true
    }

    // MARK: Replies to batches

    private func receiveReplies(isAlive: Bool, _ now: ContinuousClock.Instant) {
        // An idle connection gets no replies, but notices, and the reason why the server ends it. libpq reads them only
        // when asked whether it is busy.
        guard state.expectsReplies else {
            _ = PQisBusy(raw)
            if let cause = libpq.notices.fatalNotice { lose(cause) }
            return
        }
        // Once libpq has given the connection up, it hands out the results it has, then an error, and never blocks.
        let isDrainable = !isAlive && PQstatus(raw) == CONNECTION_BAD
        var hasReply = false
        while state.expectsReplies, !isLost, isDrainable || PQisBusy(raw) == 0 {
            receive(PQgetResult(raw), now)
            hasReply = true
        }
        guard !isLost else { return }
        // A part of a large result shows that the connection is alive, but its statement still occupies it.
        if hasReply { noteActivity(now) } else { state.activity.note(now) }
        pool.hasPendingWork = true
    }

    private func receive(_ result: OpaquePointer?, _ now: ContinuousClock.Instant) {
        guard let result else { return act(on: state.receive(.end)) }
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            let rows = Rows(owning: result)
            let action = state.receive(.success)
            if case .complete(let command) = action { complete(command, rows, now) } else { act(on: action) }
        case PGRES_PIPELINE_SYNC:
            PQclear(result)
            act(on: state.receive(.sync))
        case PGRES_PIPELINE_ABORTED:
            PQclear(result)
            act(on: state.receive(.skipped))
        case PGRES_FATAL_ERROR:
            let fields = ServerFields(result)
            PQclear(result)
            receiveFailure(fields)
        default:
            PQclear(result)
            failWithProtocolViolation("COPY is not possible in a query")
        }
    }

    private func receiveFailure(_ fields: ServerFields) {
        // A server that ends the connection says so in the place of a reply, if it can.
        if fields.sqlState.isEmpty || fields.isLast || PQstatus(raw) == CONNECTION_BAD {
            return lose(fields.message, serverFields: fields.sqlState.isEmpty ? nil : fields)
        }
        act(on: state.receive(.failure), PostgresError(.server, server: fields))
    }

    // MARK: Requests that have the connection to themselves

    /// Returns to pipeline mode after a simple query or a COPY, and completes its request.
    func endExclusiveRequest(_ failure: PostgresError?) {
        guard let request = exclusiveRequest, PQstatus(raw) == CONNECTION_OK, PQenterPipelineMode(raw) == 1 else {
            return lose(libpq.errorMessage)
        }
        state.endExclusive()
        copy = nil
        pool.exclusiveRequestEnded(request, failure, on: self)
    }

    // MARK: Cancelling

    /// A request under way is not wanted any more.
    func requestCancelled() {
        state.requestCancelled()
    }

    /// A cancelled request has ended.
    func cancelledRequestEnded() {
        state.cancelledRequestEnded()
    }

    /// Sends a cancel request when one is due, and gives the connection up when none has helped.
    /// - Returns: when to look again.
    func cancelIfDue(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard state.cancel.isActive else { return nil }
        switch state.nextCancelAction(now) {
        case .none: return nil
        case .wait(let until): return until
        case .sendRequest(let lookAgainAt):
            sendCancelRequest()
            return lookAgainAt
        case .giveUp(let cause):
            lose(cause)
            return nil
        }
    }

    private func sendCancelRequest() {
        guard let request = libpq.makeCancelRequest() else { return state.cancelRequestReturned() }
        pool.cancelsInFlight += 1
        pool.statistics.cancelRequests += 1
        let mailbox = loop.mailbox
        let hasStarted = BlockingThread.run(name: "pg-cancel") {
            request.send()
            mailbox.post(.perform { self.cancelRequestReturned() })
        }
        if !hasStarted { cancelRequestReturned() }
    }

    private func cancelRequestReturned() {
        state.cancelRequestReturned()
        pool.cancelsInFlight -= 1
        pool.hasPendingWork = true
    }

    // MARK: Dead peers

    /// Whether the next observation may prove the peer dead.
    var isSuspect: Bool { state.activity.isSuspect }

    /// Whether asking the server about this session may show something new.
    func isObservationDue(_ now: ContinuousClock.Instant) -> Bool {
        state.activity.isObservationDue(SocketSendStatus(of: libpq.socket, now), now)
    }

    /// Takes note of what the server says of the session.
    /// - Returns: whether the peer is dead.
    func observe(_ session: ServerSession.State, _ now: ContinuousClock.Instant) -> Bool {
        state.activity.observe(session, SocketSendStatus(of: libpq.socket, now), now)
    }

    // MARK: The end

    /// Fails the request that the server is working on, and closes the connection. The other requests have lost their
    /// connection without a fault of theirs.
    func failWithProtocolViolation(_ what: String) {
        if let head { loop.finish(head, .failed(PostgresError(.protocolViolation, cause: what))) }
        lose("protocol violation: \(what)")
    }

    /// Gives the connection up. The pool retries or fails the requests it carried.
    /// - Parameter fields: the server's error in the place of the next reply. No later command was carried out.
    func lose(_ cause: String, serverFields fields: ServerFields? = nil) {
        guard let work = state.lose() else { return }
        pool.connectionLost(self, work, cause, serverFields: fields)
    }

    /// The pool closes it while it is idle.
    func close() {
        _ = state.lose()
    }
}
