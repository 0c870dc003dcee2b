import CLibPQ
import Glibc

/// Why a connection could not be opened.
struct ConnectError: Error {
    /// For logs and for `PostgresError.cause`; contains no password.
    let cause: String

    init(cause: String) {
        self.cause = cause
    }

    /// libpq's message.
    init(_ connection: OpaquePointer) {
        // The place in the server's source where it was raised is of no use here.
        let message = LibPQConnection.errorMessage(connection).replacing(/\s*LOCATION: [^\n]*/, with: "")
        cause = message.isEmpty ? "unknown" : message
    }
}

/// Opens connections. It blocks for name resolution and the handshake, so it runs on a thread of its own.
enum Connector {
    /// - Returns: a connection in pipeline mode and non-blocking mode that runs under the configuration's role.
    static func connect(_ configuration: PostgresClient.Configuration) -> Result<LibPQConnection, ConnectError> {
        do throws(ConnectError) {
            let options = try ConnectOptions(configuration)
            let deadline = ContinuousClock.now + configuration.connectTimeout
            var race = ConnectRace(deadline: deadline) { start(options, NoticeReceiver(configuration.onEvent)) }
            let libpq = try race.run()
            PQsetErrorVerbosity(libpq.raw, PQERRORS_DEFAULT)
            guard PQsetnonblocking(libpq.raw, 1) == 0 else { throw ConnectError(libpq.raw) }
            guard SocketInput.canDetectBufferedData(libpq.raw) else {
                throw ConnectError(cause: "this libpq does not show how many bytes its TLS library has buffered")
            }
            options.clearUserTimeout(of: libpq.socket)
            if configuration.pooling == .session { try ServerSession.identify(libpq, configuration, deadline) }
            guard PQenterPipelineMode(libpq.raw) == 1 else { throw ConnectError(libpq.raw) }
            return .success(libpq)
        } catch {
            return .failure(error.explained(configuration))
        }
    }

    private static func start(_ options: ConnectOptions, _ notices: NoticeReceiver) -> LibPQConnection? {
        guard let connection = options.withPointers({ PQconnectStartParams($0, $1, 0) }) else { return nil }
        // The SQLSTATE identifies a refusal in every language of the server.
        PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
        notices.attach(to: connection)
        return LibPQConnection(connection, notices)
    }

    /// Role and settings travel in the startup packet. The server obeys or refuses, but a connection pooler may ignore
    /// them, and statements would run as the login itself. So each new connection is asked for its role.
    /// - Parameter current: the role as which statements run.
    static func verify(_ current: String, _ configuration: PostgresClient.Configuration) throws(ConnectError) {
        // "none" stands for the login itself.
        guard let role = configuration.role, role != "none", current != role else { return }
        throw ConnectError(
            cause: "statements would run as '\(current)' and not as '\(role)', as they would through a connection "
                + "pooler that ignores startup options: through one, use \(configuration.transactionPoolingHint)")
    }
}

extension ConnectError {
    /// Adds what to do about it, where a pooler has refused the startup options.
    fileprivate func explained(_ configuration: PostgresClient.Configuration) -> Self {
        guard configuration.pooling == .session, cause.contains("unsupported startup parameter") else { return self }
        return Self(cause: "\(cause) (through a connection pooler, use \(configuration.transactionPoolingHint))")
    }
}

// MARK: Queries while connecting

/// Queries on a connection that is open and not in pipeline mode yet. They block until the deadline at most.
extension Connector {
    enum QueryResult {
        case rows([[String?]])
        /// The server's error message. The connection can still be used.
        case refused(String)
    }

    /// - Throws: when the connection cannot be used any more, or the deadline has passed.
    static func query(
        _ sql: String, on connection: OpaquePointer, _ deadline: ContinuousClock.Instant
    ) throws(ConnectError) -> QueryResult {
        guard PQsendQuery(connection, sql) == 1 else { throw ConnectError(connection) }
        var unsent = PQflush(connection)
        while unsent == 1 {
            try wait(for: POLLOUT, on: connection, deadline)
            unsent = PQflush(connection)
        }
        guard unsent == 0 else { throw ConnectError(connection) }
        var answer = QueryResult.rows([])
        while true {
            while PQisBusy(connection) == 1 {
                try wait(for: POLLIN, on: connection, deadline)
                guard PQconsumeInput(connection) == 1 else { throw ConnectError(connection) }
            }
            guard let result = PQgetResult(connection) else { break }
            defer { PQclear(result) }
            if PQresultStatus(result) == PGRES_TUPLES_OK {
                answer = .rows(rows(of: result))
            } else {
                answer = .refused(ConnectError(connection).cause)
            }
        }
        guard PQstatus(connection) == CONNECTION_OK else { throw ConnectError(connection) }
        return answer
    }

    private static func rows(of result: OpaquePointer) -> [[String?]] {
        (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                guard PQgetisnull(result, row, column) == 0 else { return nil }
                return PQgetvalue(result, row, column).map { String(cString: $0) }
            }
        }
    }

    private static func wait(
        for events: Int32, on connection: OpaquePointer, _ deadline: ContinuousClock.Instant
    ) throws(ConnectError) {
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { throw ConnectError(cause: "no answer to the attempt to connect in time") }
            var descriptor = pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
            let milliseconds = left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000
            let count = poll(&descriptor, 1, Int32(clamping: milliseconds + 1))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw ConnectError(cause: "poll failed: errno \(errno)") }
        }
    }
}

// MARK: Several attempts

/// Concurrent attempts to connect, of which the first to succeed wins. After packets were lost an attempt waits
/// for its timeout even when the server has long been back, so another attempt joins after a while. Blocks.
private struct ConnectRace {
    /// Time after which another attempt joins.
    private static let headStart: Duration = .milliseconds(800)

    private struct Attempt {
        let libpq: LibPQConnection
        var step = PGRES_POLLING_WRITING

        /// The descriptor may be another one after each step, as with several hosts or a second try without TLS.
        var interest: pollfd {
            let events = step == PGRES_POLLING_READING ? POLLIN : POLLOUT
            return pollfd(fd: libpq.socket, events: Int16(events), revents: 0)
        }
    }

    private let deadline: ContinuousClock.Instant
    private let start: () -> LibPQConnection?
    private var attempts: [Attempt] = []
    private var lastError: ConnectError?

    init(deadline: ContinuousClock.Instant, start: @escaping () -> LibPQConnection?) {
        self.deadline = deadline
        self.start = start
    }

    mutating func run() throws(ConnectError) -> LibPQConnection {
        var nextStart = ContinuousClock.now
        while true {
            let now = ContinuousClock.now
            guard now < deadline else {
                throw lastError ?? .init(cause: "no answer to the attempt to connect in time")
            }
            if now >= nextStart {
                guard let libpq = start() else { throw .init(cause: "out of memory") }
                attempts.append(Attempt(libpq: libpq))
                nextStart = now + Self.headStart
                if PQstatus(libpq.raw) == CONNECTION_BAD { try fail(attempts.count - 1) }
            }
            if let winner = try advance(until: min(deadline, nextStart)) { return winner }
        }
    }

    /// Waits until one of the sockets is ready, and continues the attempts that can.
    private mutating func advance(until: ContinuousClock.Instant) throws(ConnectError) -> LibPQConnection? {
        var interests = attempts.map(\.interest)
        let left = ContinuousClock.now.duration(to: until) / .milliseconds(1)
        let count = poll(&interests, nfds_t(interests.count), Int32(clamping: Int(max(0, left)) + 1))
        guard count >= 0 || errno == EINTR else { throw .init(cause: "poll failed: errno \(errno)") }
        guard count > 0 else { return nil }
        for index in interests.indices.reversed() where interests[index].revents != 0 {
            attempts[index].step = PQconnectPoll(attempts[index].libpq.raw)
            switch attempts[index].step {
            case PGRES_POLLING_OK: return attempts[index].libpq
            case PGRES_POLLING_FAILED: try fail(index)
            default: break
            }
        }
        return nil
    }

    /// A refusal ends the race, unless an older attempt is under way: that one may be what fills the server.
    private mutating func fail(_ index: Int) throws(ConnectError) {
        let error = ConnectError(attempts[index].libpq.raw)
        attempts.remove(at: index)
        guard !attempts.isEmpty else { throw error }
        lastError = error
    }
}
