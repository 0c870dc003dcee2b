import CLibPQ
import Threads

/// One listener and its connection, which is not part of the pool. It performs the actions of `ListenerStateMachine`.
@Reactor
final class Listener: EventSource {
    let id: UInt64
    private let pool: ConnectionPool
    private let buffer: NotificationBuffer
    /// LISTEN for every channel, and a query for the process id of the backend.
    private let subscribeQuery: String
    private var state: ListenerStateMachine
    private var connection: Session?

    private struct Session {
        let libpq: LibPQConnection
        let socket: Int32
        var wantsWrite = false
        /// The process id of the backend, as the backend itself reports it.
        var backendPID: Int32?
        var error: ServerFields?

        /// Whether the connection leads to the server itself. A pooler reports an invented process id at the start, and may
        /// drop the notifications of a session.
        var isDirect: Bool { backendPID == PQbackendPID(libpq.raw) }
    }

    init(
        _ statements: String, _ timing: ListenerStateMachine.Timing, into buffer: NotificationBuffer,
        for pool: ConnectionPool
    ) {
        id = pool.loop.nextSourceID()
        self.pool = pool
        self.buffer = buffer
        subscribeQuery = statements + "SELECT pg_catalog.pg_backend_pid()"
        state = ListenerStateMachine(timing, now: ContinuousClock.now)
    }

    var timerDeadline: ContinuousClock.Instant? { state.timerDeadline }

    func onTimer(_ now: ContinuousClock.Instant) {
        switch state.timerFired(now) {
        case .none: break
        case .connect: connect()
        case .sendHeartbeat: send("")
        case .closeConnection:
            lose(PostgresError(.connectionLost, cause: "the server did not answer a heartbeat in time"))
        }
    }

    /// Closes the connection and ends the sequence: the client is shut down, or the consumer has left its loop.
    func end() {
        state.end()
        drop()
        buffer.end(discarding: false)
    }

    // MARK: Connecting and closing

    private func connect() {
        var configuration = pool.configuration
        configuration.connectionString = configuration.listenConnectionString ?? configuration.connectionString
        configuration.role = nil
        configuration.settings = [:]
        configuration.pooling = .session
        configuration.applicationName += " listener"
        let mailbox = pool.mailbox
        let hasStarted = BlockingThread.run(name: "pg-connect") { [configuration] in
            let result = Connector.connect(configuration)
            mailbox.post(.perform { self.connectFinished(result) })
        }
        if !hasStarted { connectFinished(.failure(ConnectError(cause: "no thread could be started"))) }
    }

    private func connectFinished(_ result: Result<LibPQConnection, ConnectError>) {
        guard state.phase == .connecting else { return }
        let now = ContinuousClock.now
        switch result {
        case .success(let handle):
            let socket = PQsocket(handle.raw)
            connection = Session(libpq: handle, socket: socket)
            pool.loop.watch(socket, for: self)
            state.connected(now)
            pool.report(.connected(serverVersion: Int(PQserverVersion(handle.raw))))
            guard PQexitPipelineMode(handle.raw) == 1 else { return lose(libpqError(handle.raw)) }
            send(subscribeQuery)
        case .failure(let error):
            lose(PostgresError(.unavailable, cause: error.cause))
        }
    }

    private func lose(_ error: PostgresError) {
        let hadConnection = connection != nil
        drop()
        let loss = state.connectionLost(ContinuousClock.now, chance: Double.random(in: 0..<1))
        let cause = error.cause ?? error.server?.message ?? "unknown"
        pool.report(
            hadConnection ? .connectionLost(cause: cause) : .connectFailed(cause: cause, retryIn: loss.retryDelay))
        if loss.isFirst { buffer.append(.interrupted(error)) }
    }

    private func drop() {
        if let connection { pool.loop.unwatch(connection.socket, of: self) }
        connection = nil
    }

    private func libpqError(_ raw: OpaquePointer) -> PostgresError {
        let message = PQerrorMessage(raw).map { String(cString: $0).trimmed } ?? ""
        return PostgresError(.connectionLost, cause: message)
    }

    // MARK: Sending and receiving

    private func send(_ query: String) {
        guard let raw = connection?.libpq.raw else { return }
        guard PQsendQuery(raw, query) == 1 else { return lose(libpqError(raw)) }
        flush(raw)
    }

    private func flush(_ raw: OpaquePointer) {
        let left = PQflush(raw)
        guard left >= 0 else { return lose(libpqError(raw)) }
        guard let current = connection, (left == 1) != current.wantsWrite else { return }
        connection?.wantsWrite = left == 1
        pool.loop.watch(current.socket, for: self, wantsWrite: left == 1)
    }

    func onReady(readable: Bool, writable: Bool, _ now: ContinuousClock.Instant) {
        guard let handle = connection?.libpq else { return }
        let raw = handle.raw
        var isAlive = true
        if readable { isAlive = SocketInput.consume(raw) }
        let hasResponse = receiveResults(raw, isAlive: isAlive)
        // Notifications that arrived before the response precede the instant that the response confirms.
        receiveNotifications(raw)
        if let error = connection?.error {
            return lose(PostgresError(error.isLast ? .connectionLost : .server, server: error))
        }
        if let serverMessage = handle.notices.fatalNotice {
            return lose(PostgresError(.connectionLost, cause: serverMessage))
        }
        guard isAlive else { return lose(libpqError(raw)) }
        if hasResponse { responseReceived(now) }
        if connection?.wantsWrite ?? false { flush(raw) }
    }

    /// - Returns: whether the server has answered the query completely.
    private func receiveResults(_ raw: OpaquePointer, isAlive: Bool) -> Bool {
        let isDrainable = !isAlive && PQstatus(raw) == CONNECTION_BAD
        while state.awaitsResponse, isDrainable || PQisBusy(raw) == 0 {
            guard let result = PQgetResult(raw) else { return isAlive }
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_FATAL_ERROR:
                let fields = ServerFields(result)
                if connection?.error == nil, !fields.sqlState.isEmpty { connection?.error = fields }
            case PGRES_TUPLES_OK:
                connection?.backendPID = PQgetvalue(result, 0, 0).flatMap { Int32(String(cString: $0)) }
            default: break
            }
        }
        return false
    }

    private func receiveNotifications(_ raw: OpaquePointer) {
        while let notify = PQnotifies(raw) {
            defer { PQfreemem(notify) }
            buffer.append(
                .notification(
                    PostgresNotification(
                        channel: String(cString: notify.pointee.relname),
                        payload: String(cString: notify.pointee.extra),
                        senderProcessID: notify.pointee.be_pid)))
        }
    }

    private func responseReceived(_ now: ContinuousClock.Instant) {
        let isDirect = connection?.isDirect ?? false
        switch state.responseReceived(now) {
        case .listening(let mayHaveMissed, let instant):
            buffer.append(.listening(mayHaveMissed: mayHaveMissed))
            if isDirect { buffer.mark(instant) }
        case .alive(let instant):
            if isDirect { buffer.mark(instant) }
        case .unexpected: break
        }
    }
}

extension ConnectionPool {
    func listen(_ statements: String, _ timing: ListenerStateMachine.Timing, into buffer: NotificationBuffer) {
        switch lifecycle {
        case .unused, .open: break
        case .closing, .closed: return buffer.end(discarding: false)
        }
        let listener = Listener(statements, timing, into: buffer, for: self)
        listeners[ObjectIdentifier(buffer)] = listener
        loop.register(listener)
    }

    func stopListening(_ buffer: NotificationBuffer) {
        guard let listener = listeners.removeValue(forKey: ObjectIdentifier(buffer)) else { return }
        loop.unregister(listener)
        listener.end()
    }

    func stopListening() {
        for listener in listeners.values {
            loop.unregister(listener)
            listener.end()
        }
        listeners = [:]
    }
}
