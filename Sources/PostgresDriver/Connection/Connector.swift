import CLibPQ
import Glibc

/// Owns a libpq connection, and finishes it whatever became of it. One thread at a time uses it: the one that opens it,
/// then the driver's.
final class LibPQConnection: @unchecked Sendable {
    // Unchecked: the opening thread gives it away through the mailbox and keeps nothing.
    let raw: OpaquePointer
    let notices: NoticeReceiver
    /// Which of the server's sessions it is; nil when that cannot be told.
    var session: ServerSession?

    init(_ raw: OpaquePointer, _ notices: NoticeReceiver) {
        self.raw = raw
        self.notices = notices
    }

    deinit {
        PQfinish(raw)
    }
}

/// Where libpq leaves notices, instead of on stderr. Called on the thread that uses the connection.
final class NoticeReceiver {
    /// A connection on which nothing is asked ends with a word that libpq takes for a notice.
    private(set) var fatalNotice: String?
    private(set) var count = 0
    private let onEvent: (@Sendable (PostgresEvent) -> Void)?

    init(_ onEvent: (@Sendable (PostgresEvent) -> Void)?) {
        self.onEvent = onEvent
    }

    /// The handle keeps the receiver for as long as libpq has its address.
    func attach(to connection: OpaquePointer) {
        PQsetNoticeReceiver(
            connection,
            { context, result in
                guard let context, let result else { return }
                Unmanaged<NoticeReceiver>.fromOpaque(context).takeUnretainedValue().receive(result)
            }, Unmanaged.passUnretained(self).toOpaque())
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
    }

    private func receive(_ result: OpaquePointer) {
        let fields = ServerFields(result)
        count += 1
        if fields.isLast { fatalNotice = fields.message }
        onEvent?(.notice(severity: fields.severity, sqlState: fields.sqlState, message: fields.message))
    }
}

/// Why a connection could not be opened.
struct ConnectError: Error {
    let cause: String
}

/// Opens a connection. Blocks (name look-ups, the handshake), so it runs on a thread of its own.
enum Connector {
    static func connect(_ configuration: PostgresClient.Configuration) -> Result<LibPQConnection, ConnectError> {
        let options: ConnectOptions
        do {
            options = try ConnectOptions(configuration)
        } catch {
            return .failure(error)
        }
        let deadline = ContinuousClock.now + configuration.connectTimeout
        var race = ConnectRace(deadline: deadline) { start(options, NoticeReceiver(configuration.onEvent)) }
        do throws(ConnectError) {
            let handle = try race.run()
            guard PQsetnonblocking(handle.raw, 1) == 0 else { throw ConnectError(handle.raw) }
            guard SocketInput.isComplete(handle.raw) else {
                throw ConnectError(cause: "this libpq's TLS cannot be asked for what it has not handed out")
            }
            options.clearUserTimeout(of: PQsocket(handle.raw))
            if configuration.pooling == .session { try ServerSession.introduce(handle, configuration, deadline) }
            guard PQenterPipelineMode(handle.raw) == 1 else { throw ConnectError(handle.raw) }
            return .success(handle)
        } catch {
            return .failure(error.explained(configuration))
        }
    }

    private static func start(_ options: ConnectOptions, _ notices: NoticeReceiver) -> LibPQConnection? {
        guard let connection = options.withPointers({ PQconnectStartParams($0, $1, 0) }) else { return nil }
        notices.attach(to: connection)
        return LibPQConnection(connection, notices)
    }

    /// Waits for one that is open.
    static func wait(
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

extension ConnectError {
    init(_ connection: OpaquePointer) {
        cause = PQerrorMessage(connection).map { String(cString: $0).trimmed } ?? "unknown"
    }
}

extension ServerFields {
    /// Reads the fields of an error or notice.
    convenience init(_ result: OpaquePointer) {
        func field(_ code: clibpq_field_code) -> String? {
            clibpq_field(result, code).map { String(cString: $0) }
        }
        self.init(
            severity: field(CLIBPQ_SEVERITY) ?? "", sqlState: field(CLIBPQ_SQLSTATE) ?? "",
            message: field(CLIBPQ_MESSAGE)
                ?? PQresultErrorMessage(result).map { String(cString: $0).trimmed } ?? "",
            detail: field(CLIBPQ_DETAIL), hint: field(CLIBPQ_HINT), schema: field(CLIBPQ_SCHEMA),
            table: field(CLIBPQ_TABLE), column: field(CLIBPQ_COLUMN), constraint: field(CLIBPQ_CONSTRAINT),
            context: field(CLIBPQ_CONTEXT), position: field(CLIBPQ_POSITION).flatMap { Int($0) },
            routine: field(CLIBPQ_ROUTINE))
    }
}
