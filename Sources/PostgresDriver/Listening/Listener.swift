import CLibPQ

/// The connection of one listener, outside the pool: carries out what `ListeningState` decides.
@Reactor
final class Listener: EventSource {
    let id: UInt64
    private let pool: ConnectionPool
    private let outlet: NotificationOutlet
    private let greeting: String
    private var state: ListeningState
    private var connection: Session?

    private struct Session {
        let libpq: LibPQConnection
        let socket: Int32
        var wantsWrite = false
        /// The process id the session gives, to be held against the one the connection began with.
        var session: Int32?
        var refusal: ServerFields?

        /// A pooler in between invents process ids, and may let notifications of a session go to nobody.
        var isDirect: Bool { session == PQbackendPID(libpq.raw) }
    }

    init(
        _ statements: String, _ rhythm: ListeningState.Rhythm, into outlet: NotificationOutlet, for pool: ConnectionPool
    ) {
        id = pool.loop.nextSourceID()
        self.pool = pool
        self.outlet = outlet
        greeting = statements + "SELECT pg_catalog.pg_backend_pid()"
        state = ListeningState(rhythm, now: ContinuousClock.now)
    }

    var timerDeadline: ContinuousClock.Instant? { state.due }

    func onTimer(_ now: ContinuousClock.Instant) {
        switch state.timePassed(now) {
        case .none: break
        case .connect: connect()
        case .ask: send("")
        case .giveUp: lose(PostgresError(.connectionLost, cause: "the server does not answer"))
        }
    }

    /// The client is shut down, or the consumer has gone.
    func end() {
        state.end()
        drop()
        outlet.end(forgetting: false)
    }

    // MARK: The connection begins and ends

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
            mailbox.post(.perform { self.opened(result) })
        }
        if !hasStarted { opened(.failure(ConnectError(cause: "the system gives no thread"))) }
    }

    private func opened(_ result: Result<LibPQConnection, ConnectError>) {
        guard state.phase == .connecting else { return }
        let now = ContinuousClock.now
        switch result {
        case .success(let handle):
            let socket = PQsocket(handle.raw)
            connection = Session(libpq: handle, socket: socket)
            pool.loop.watch(socket, for: self)
            state.connected(now)
            pool.report(.connected(serverVersion: Int(PQserverVersion(handle.raw))))
            guard PQexitPipelineMode(handle.raw) == 1 else { return lose(unexplained(handle.raw)) }
            send(greeting)
        case .failure(let failure):
            lose(PostgresError(.unavailable, cause: failure.cause))
        }
    }

    private func lose(_ error: PostgresError) {
        let hadConnection = connection != nil
        drop()
        let loss = state.lost(ContinuousClock.now, chance: Double.random(in: 0..<1))
        let cause = error.cause ?? error.server?.message ?? "unknown"
        pool.report(
            hadConnection ? .connectionLost(cause: cause) : .connectFailed(cause: cause, retryIn: loss.pause))
        if loss.isNews { outlet.push(.interrupted(error)) }
    }

    private func drop() {
        if let connection { pool.loop.unwatch(connection.socket, of: self) }
        connection = nil
    }

    private func unexplained(_ raw: OpaquePointer) -> PostgresError {
        let message = PQerrorMessage(raw).map { String(cString: $0).trimmed } ?? ""
        return PostgresError(.connectionLost, cause: message)
    }

    // MARK: What goes out and comes in

    private func send(_ query: String) {
        guard let raw = connection?.libpq.raw else { return }
        guard PQsendQuery(raw, query) == 1 else { return lose(unexplained(raw)) }
        flush(raw)
    }

    private func flush(_ raw: OpaquePointer) {
        let left = PQflush(raw)
        guard left >= 0 else { return lose(unexplained(raw)) }
        guard let current = connection, (left == 1) != current.wantsWrite else { return }
        connection?.wantsWrite = left == 1
        pool.loop.watch(current.socket, for: self, wantsWrite: left == 1)
    }

    func onReady(readable: Bool, writable: Bool, _ now: ContinuousClock.Instant) {
        guard let handle = connection?.libpq else { return }
        let raw = handle.raw
        var isAlive = true
        if readable { isAlive = SocketInput.consume(raw) }
        let isAnswered = receiveResults(raw, isAlive: isAlive)
        // Before the answer counts: what came ahead of it belongs to what was heard.
        receiveNotifications(raw)
        if let refusal = connection?.refusal {
            return lose(PostgresError(refusal.isLast ? .connectionLost : .server, server: refusal))
        }
        if let serverMessage = handle.notices.fatalNotice {
            return lose(PostgresError(.connectionLost, cause: serverMessage))
        }
        guard isAlive else { return lose(unexplained(raw)) }
        if isAnswered { answered(now) }
        if connection?.wantsWrite ?? false { flush(raw) }
    }

    /// Answers true when the server is ready for the next query, and has said all it had to say by then.
    private func receiveResults(_ raw: OpaquePointer, isAlive: Bool) -> Bool {
        let isDrainable = !isAlive && PQstatus(raw) == CONNECTION_BAD
        while state.isWaiting, isDrainable || PQisBusy(raw) == 0 {
            guard let result = PQgetResult(raw) else { return isAlive }
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_FATAL_ERROR:
                let fields = ServerFields(result)
                if connection?.refusal == nil, !fields.sqlState.isEmpty { connection?.refusal = fields }
            case PGRES_TUPLES_OK:
                connection?.session = PQgetvalue(result, 0, 0).flatMap { Int32(String(cString: $0)) }
            default: break
            }
        }
        return false
    }

    private func receiveNotifications(_ raw: OpaquePointer) {
        while let notify = PQnotifies(raw) {
            defer { PQfreemem(notify) }
            outlet.push(
                .notification(
                    PostgresNotification(
                        channel: String(cString: notify.pointee.relname),
                        payload: String(cString: notify.pointee.extra),
                        senderProcessID: notify.pointee.be_pid)))
        }
    }

    private func answered(_ now: ContinuousClock.Instant) {
        let isDirect = connection?.isDirect ?? false
        switch state.answered(now) {
        case .listening(let mayHaveMissed, let heardAt):
            outlet.push(.listening(mayHaveMissed: mayHaveMissed))
            if isDirect { outlet.heard(heardAt) }
        case .heard(let instant):
            if isDirect { outlet.heard(instant) }
        case .unexpected: break
        }
    }
}

extension ConnectionPool {
    func listen(_ statements: String, _ rhythm: ListeningState.Rhythm, into outlet: NotificationOutlet) {
        switch lifecycle {
        case .unused, .open: break
        case .closing, .closed: return outlet.end(forgetting: false)
        }
        let listener = Listener(statements, rhythm, into: outlet, for: self)
        listeners[ObjectIdentifier(outlet)] = listener
        loop.register(listener)
    }

    func stopListening(_ outlet: NotificationOutlet) {
        guard let listener = listeners.removeValue(forKey: ObjectIdentifier(outlet)) else { return }
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
